"""``triage classify --json-lines -`` beside another program, which waits for each answer."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.triage.cli.program import Refused, Run

ROOT = Path(__file__).parents[3]
LINES = b'{"text": "Coucou Patrice"}\n{"text": "ok"}\nno JSON\n'


def test_a_program_gets_each_answer_before_it_says_more() -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", "triage", "classify", "--json-lines", "-"],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
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


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ("sms.jsonl", "--json-lines answers a stream: write - as FILE"),
        ("- -o out.jsonl", "--output has no effect on --json-lines"),
        ("- --corpus-evidence", "--corpus-evidence has no effect on --json-lines"),
        ("- --sender-column who", "--sender-column has no effect on --json-lines"),
        ("- --jobs 2", "--jobs has no effect on --json-lines"),
    ],
)
def test_what_is_of_files_is_refused(arguments: str, said: str, refused: Refused) -> None:
    assert said in refused("classify", "--json-lines", *arguments.split(), stdin=LINES)


@pytest.mark.slow
def test_a_reader_that_leaves_ends_it_as_the_system_would(shell: Run) -> None:
    lines = '{"text": "ok"}\\n'
    done = shell(
        f"yes $'{lines}' | triage classify --json-lines - | head -1; echo ${{PIPESTATUS[1]}}"
    )
    assert done.stdout.splitlines()[-1] == "141"
    assert done.stderr == ""
