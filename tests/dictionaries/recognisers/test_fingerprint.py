"""Recognisers are the same in each process: evidence that one gathered is used by others."""

import os
import subprocess
import sys

TELL = "from triage.dictionaries.recognisers import shipped; print(shipped('fr').fingerprint)"


def test_the_expressions_do_not_depend_on_the_order_of_sets() -> None:
    told = {
        subprocess.check_output(
            [sys.executable, "-c", TELL], env=os.environ | {"PYTHONHASHSEED": n}
        )
        for n in ("1", "2")
    }
    assert len(told) == 1
