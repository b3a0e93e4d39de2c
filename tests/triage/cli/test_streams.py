"""``triage`` among other programs: pipes that close, disks that are full, exit codes."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cases import cases_beside
from tests.triage.cli.program import Run, Write

CASES = cases_beside(__file__)

FULL = "triage: cannot write standard output: No space left on device: make room on the disk\n"


def test_a_pipe_goes_through_it(shell: Run, csv_of: Write) -> None:
    csv_of("Coucou Patrice", "J'arrive")
    done = shell("set -o pipefail; gzip -c sms.csv | triage classify - -q | cut -d, -f2,3")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == "text,seek_hide\nCoucou Patrice,TA\nJ'arrive,NTA\n"


@pytest.mark.slow
def test_a_reader_that_leaves_ends_it_as_the_system_would(shell: Run, csv_of: Write) -> None:
    csv_of(*(f"Message {number * number}" for number in range(6_000)))
    done = shell("triage classify sms.csv -o - | head -1; echo ${PIPESTATUS[0]}")
    assert done.stdout == "id,text,seek_hide,model,model_score,action,evidence\n141\n"
    assert done.stderr == ""


def test_a_reader_that_never_reads_is_no_error(shell: Run) -> None:
    done = shell("triage --help | true; echo ${PIPESTATUS[0]}")
    assert done.stdout in ("141\n", "0\n")
    assert done.stderr == ""


@pytest.mark.slow
@pytest.mark.parametrize("command", ["classify sms.csv", "classify sms.csv -o -", "--help"])
def test_a_full_disk_is_one_clear_line(command: str, shell: Run, csv_of: Write) -> None:
    csv_of("Coucou")
    done = shell(f"triage {command} >/dev/full")
    assert (done.returncode, done.stderr) == (2, FULL)


def test_no_traceback_shows_what_variables_hold() -> None:
    program = (
        "import sys, triage.cli.main\n"
        "@triage.cli.main.app.command()\n"
        "def fail() -> None:\n"
        "    message = 'coucou Zoé'\n"
        "    raise RuntimeError('a bug')\n"
        "sys.argv = ['triage', 'fail']\n"
        "triage.cli.main.main()\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False
    )
    assert done.returncode == 1
    assert "RuntimeError: a bug" in done.stderr
    assert "Zoé" not in done.stderr


@pytest.mark.slow
def test_a_terminal_of_another_encoding_shows_what_it_can(shell: Run) -> None:
    done = shell("PYTHONIOENCODING=latin-1 triage explain 'é 😀' | iconv -f latin1")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("é ")
    assert "\\U0001f600" in done.stdout


def test_an_argument_that_is_no_text_is_explained(run: Run) -> None:
    done = run("explain", os.fsdecode(b"caf\xe9"), "--json")
    assert (done.returncode, done.stderr) == (0, "")
    assert '"action": ' in done.stdout


@pytest.mark.parametrize(("sent", "code", "said"), CASES["ended"])
def test_an_interruption_leaves_nothing(sent: str, code: int, said: str, tmp_path: Path) -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", "triage", "classify", "-", "-o", "out.csv"],
        cwd=tmp_path,
        stdin=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert process.stdin is not None
    # More than a pipe holds, so that it is being read.
    process.stdin.write(b"id,text\n" + b"1,Coucou\n" * 20_000)
    process.stdin.flush()
    process.send_signal(signal.Signals[sent])
    _, error = process.communicate(timeout=20)
    assert (process.returncode, error.decode()) == (code, said)
    assert list(tmp_path.iterdir()) == []


def test_an_interruption_while_the_program_is_loaded_is_one_line(tmp_path: Path) -> None:
    code = (
        "import sys, triage.cli\n"
        "class Interrupting:\n"
        "    def find_spec(self, name, *_):\n"
        "        if name == 'typer': raise KeyboardInterrupt\n"
        "sys.meta_path.insert(0, Interrupting())\n"
        "triage.cli.run()"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, check=False
    )
    assert (done.returncode, done.stdout, done.stderr) == (130, b"", b"triage: interrupted\n")


@pytest.mark.slow
@pytest.mark.parametrize(("command", "code", "said"), CASES["closed"])
def test_a_closed_stream_is_one_clear_line_or_silence(
    command: str, code: int, said: str, shell: Run, csv_of: Write
) -> None:
    csv_of("Coucou")
    done = shell(f"triage {command}")
    assert (done.returncode, done.stdout) == (code, "")
    assert done.stderr == (f"triage: {said}\n" if said else "")
    # Nothing that is printed goes into a file.
    written = [path.read_text().count("\n") for path in Path().glob("sms.triage.csv")]
    assert written == [2] * ("classify sms.csv" in command and "-o" not in command)


def test_a_program_gets_each_answer_before_it_says_more() -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", "triage", "classify", "--json-lines", "-"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        bufsize=1,
    )
    with process:
        assert process.stdin
        assert process.stdout
        assert process.stderr
        actions = []
        for text in ("Coucou Patrice", "j'arrive", "Salut Nathalie"):
            process.stdin.write(json.dumps({"text": text}) + "\n")
            actions.append(json.loads(process.stdout.readline())["action"])
        process.stdin.close()
        assert process.stderr.read() == "3 messages decided, 0 lines rejected\n"
        assert process.stdout.read() == ""
    assert actions == ["TA", "NTA", "TA"]
    assert process.returncode == 0


@pytest.mark.slow
def test_a_reader_that_leaves_ends_a_stream_of_json(shell: Run) -> None:
    lines = '{"text": "ok"}\\n'
    done = shell(
        f"yes $'{lines}' | triage classify --json-lines - | head -1; echo ${{PIPESTATUS[1]}}"
    )
    assert done.stdout.splitlines()[-1] == "141"
    assert done.stderr == ""
