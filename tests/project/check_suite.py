# SPDX-License-Identifier: BSD-3-Clause
"""The lists of the test suite name tests that exist, and what scripts/test makes of results: repeated, flaky and
skipped tests are reported, and only those of the lists are excused.

usage: check_suite.py CTEST BUILD SOURCE
"""

import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from suite import read_list  # noqa: E402

ctest, build, source = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3])
LISTS = {"extended.txt": r"slow_.*  it is slow", "repeated.txt": r"live\.a_.*  the launcher",
         "skipped.txt": r"device  no device", "kinds.txt": r"live\.a_.*  a kind"}
CASES = {"passed": '<testcase name="{}" time="1" status="run"/>',
         "failed": '<testcase name="{}" time="1" status="fail"><failure message=""/></testcase>',
         "skipped": '<testcase name="{}" time="0" status="notrun"><skipped message="SKIP_RETURN_CODE=77"/>'
                    "<system-out>skipped: there is none</system-out></testcase>"}


def check_lists():
    """Each line of a list names a test."""
    listed = subprocess.run([ctest, "--test-dir", build, "--show-only=json-v1"], capture_output=True, text=True, check=True)
    names = [test["name"] for test in json.loads(listed.stdout)["tests"]]
    assert len(names) > 500 and len(names) == len(set(names)), len(names)
    for name in LISTS:
        for expression, _ in read_list(name):
            assert any(re.fullmatch(expression, test) for test in names), f"{name}: no test is named {expression}"


def suite(folder, *words, **variables):
    environment = {key: value for key, value in os.environ.items() if key != "FERMATA_ALLOW_MISSING"}
    return subprocess.run([sys.executable, "-B", folder / "support" / "suite.py", *map(str, words)], text=True,
                          capture_output=True, env={**environment, **variables}, check=False)


def attempts(folder, *rounds):
    """Files of results: in each round, the tests with their outcomes."""
    files = []
    for number, outcomes in enumerate(rounds):
        files.append(folder / f"{number}.xml")
        cases = "".join(CASES[outcome].format(name) for name, outcome in outcomes.items())
        files[-1].write_text(f"<testsuite>{cases}</testsuite>")
    return files


def check_expression(folder):
    """As many expressions as one likes, each with groups, select the tests that they name, and no others."""
    named = [f"slow_{number}{end}" for number in range(40) for end in "ab"]
    others = ["slow_1", "not_slow_1a", "slow.(1a)"]
    made = folder / "made"
    made.mkdir()
    (made / "CTestTestfile.cmake").write_text("".join(f'add_test("{name}" "true")\n' for name in named + others))
    (folder / "extended.txt").write_text("".join(f"slow_{number}(a|b)  it is slow\n" for number in range(40)))
    expression = suite(folder, "expression", made, "extended.txt").stdout.rstrip("\n")
    for option, expected in (("--tests-regex", named), ("--exclude-regex", others)):
        listed = subprocess.run([ctest, "--test-dir", made, option, expression, "--show-only=json-v1"], text=True,
                                capture_output=True, check=True)
        assert not listed.stderr, listed.stderr
        assert [test["name"] for test in json.loads(listed.stdout)["tests"]] == expected, (option, listed.stdout)


def check_results(folder):
    (folder / "support").mkdir()
    shutil.copy(source / "tests" / "support" / "suite.py", folder / "support")
    for name, line in LISTS.items():
        (folder / name).write_text(f"# a comment\n\n{line}\n")
    check_expression(folder)
    first = {"live.a_x": "failed", "other": "failed", "fine": "passed"}
    files = attempts(folder, first)
    assert suite(folder, "failed", "repeated.txt", *files).stdout == "^live\\.a_x$\n"
    files = attempts(folder, {"live.a_x": "failed", "fine": "passed"}, {"live.a_x": "passed"})
    assert suite(folder, "failed", "repeated.txt", *files).stdout == ""
    done = suite(folder, "result", build, *files)
    assert done.returncode == 0 and "flaky: 1 (live.a_x)" in done.stdout and "2 passed, 0 failed" in done.stdout, done
    done = suite(folder, "result", build, *attempts(folder, first, {"live.a_x": "passed"}))
    assert done.returncode == 1 and "failed: other" in done.stdout and "flaky: 1" in done.stdout, done
    done = suite(folder, "result", build, *attempts(folder, {"device": "skipped", "fine": "passed"}))
    assert done.returncode == 0 and "1 passed, 0 failed, 1 skipped" in done.stdout, done
    assert "skipped: device: there is none" in done.stdout, done
    files = attempts(folder, {"package": "skipped", "fine": "passed"})
    done = suite(folder, "result", build, *files)
    assert done.returncode == 1 and "tests/skipped.txt does not list" in done.stdout, done
    assert suite(folder, "result", build, *files, FERMATA_ALLOW_MISSING="1").returncode == 0
    (folder / "skipped.txt").write_text("without_a_reason\n")
    done = suite(folder, "result", build, *files)
    assert done.returncode != 0 and "skipped.txt:1: no reason" in done.stderr, done


check_lists()
with tempfile.TemporaryDirectory() as place:
    check_results(pathlib.Path(place))
