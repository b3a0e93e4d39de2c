"""Reading and writing whole files, for tests of what is in them."""

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.data.sheet_files import workbook
from triage.data import Chunk, MessageFile, create_output, open_messages

Read = Callable[..., tuple[MessageFile, Chunk]]
Write = Callable[..., Path]


def file_of(folder: Path, content: str | bytes, name: str = "sms.csv") -> Path:
    (folder / name).write_bytes(content.encode() if isinstance(content, str) else content)
    return folder / name


@pytest.fixture(scope="session")
def read() -> Read:
    """Read a file to its end: the closed file, and all its rows as one chunk."""

    def read_all(path: str | Path, **options: Any) -> tuple[MessageFile, Chunk]:
        whole = Chunk()
        with open_messages(path, **options) as messages:
            for chunk in messages.chunks():
                whole.rows += chunk.rows
                whole.texts += chunk.texts
                whole.ids += chunk.ids
                whole.lines += chunk.lines
        return messages, whole

    return read_all


@pytest.fixture(scope="session")
def write() -> Write:
    """Write a whole output and commit it; an ODS file, which is only read, as others do."""

    def write_all(
        path: Path, columns: Sequence[str], rows: Iterable[Sequence[object]], **options: Any
    ) -> Path:
        if path.suffix == ".ods":
            return workbook(path, {"messages": [columns, *rows]})
        with create_output(path, columns, **options) as output:
            output.write(rows)
            output.commit()
        return path

    return write_all


@pytest.fixture(scope="session")
def scratch(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("scratch")
