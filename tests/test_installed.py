"""The same package is installed from a wheel, from a source archive, and from the tree."""

import re
import shutil
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

from tests.processes import done_by, printed_by

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parent.parent
BUILD = "from setuptools.build_meta import build_{0} as build; print(build({1!r}))"
# What a wheel holds beside the package: what is said of it.
_BESIDE = re.compile(r"^[^/]*\.(dist-info|data)/")
# What people call their own modules and folders, and what other distributions have.
OTHERS = ("features", "data", "reports", "dictionaries")


def built(kind: str, tree: Path, into: Path) -> Path:
    """Build a wheel or a source archive of a tree with the setuptools that is installed."""
    printed = printed_by(sys.executable, "-c", BUILD.format(kind, str(into)), folder=tree)
    return into / printed.splitlines()[-1]


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the project, links as links, without what working in it leaves behind."""
    copy = tmp_path_factory.mktemp("tree") / "project"
    left_out = shutil.ignore_patterns(".*", "build", "*.egg-info", "__pycache__", "tests", "docs")
    shutil.copytree(ROOT, copy, symlinks=True, ignore=left_out)
    return copy


@pytest.fixture(scope="module")
def wheel(tree: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return built("wheel", tree, tmp_path_factory.mktemp("wheel"))


def members(wheel: Path) -> dict[str, int]:
    with zipfile.ZipFile(wheel) as archive:
        packed = [one for one in archive.infolist() if not _BESIDE.search(one.filename)]
        return {one.filename: one.CRC for one in packed}


def tracked(room: str) -> set[str]:
    """Return the files of a room that the wheel must hold."""
    kinds = {".py", ".txt", ".toml", ".csv", ".gz", ".html", ".json", ".typed"}
    return {
        str(path.relative_to(ROOT))
        for path in (ROOT / room).rglob("*")
        if path.suffix in kinds and "results" not in path.parts
    }


def test_every_room_is_a_part_of_one_package(wheel: Path) -> None:
    packed = set(members(wheel))
    assert {name.split("/")[0] for name in packed} == {"triage"}
    assert tracked("triage") <= packed
    for room in OTHERS:
        assert {f"triage/{name}" for name in tracked(room)} <= packed


def test_links_in_the_package_lead_to_the_rooms() -> None:
    for room in OTHERS:
        assert (ROOT / "triage" / room).samefile(ROOT / room)


def test_source_archive_builds_the_same_wheel(wheel: Path, tree: Path, tmp_path: Path) -> None:
    packed = built("sdist", tree, tmp_path)
    with tarfile.open(packed) as archive:
        archive.extractall(tmp_path, filter="data")
    unpacked = tmp_path / packed.name.removesuffix(".tar.gz")
    assert members(built("wheel", unpacked, tmp_path)) == members(wheel)


def test_files_of_the_user_shadow_nothing(wheel: Path, tmp_path: Path) -> None:
    site, own = tmp_path / "site", tmp_path / "own"
    shutil.unpack_archive(wheel, site, "zip")
    own.mkdir()
    for name in OTHERS:
        (own / f"{name}.py").write_text("raise SystemExit('the wrong module')\n", encoding="utf-8")
        (own / name).mkdir()
        (own / name / "__init__.py").write_text("raise SystemExit('wrong')\n", encoding="utf-8")
    shutil.copy(ROOT / "data" / "sample_fr.csv", own / "sms.csv")
    command = (sys.executable, "-m", "triage", "classify", "sms.csv", "--quiet")
    done = done_by(*command, folder=own, PYTHONPATH=str(site))
    assert (done.returncode, done.stderr) == (0, "")
    assert (own / "sms.triage.csv").is_file()


def test_the_wheel_brings_the_text_of_each_licence_and_links_that_work(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        about = archive.read(next(n for n in names if n.endswith("/METADATA"))).decode()
    expression = re.search("^License-Expression: (.*)$", about, re.MULTILINE)
    texts = {Path(name).stem for name in names if "/licenses/LICENSES/" in name}
    assert expression
    assert texts == set(expression[1].split(" AND "))
    links = re.findall(r"\]\(([^)]+)\)", about)
    assert links
    assert all(link.startswith("https://") for link in links)
