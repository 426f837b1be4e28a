# SPDX-License-Identifier: BSD-3-Clause
"""An environment.json that cannot be read is told by every command that reads the experiment, whether the damage comes
before or behind the analysis; one whose facts have other types is read as far as possible; without one nothing is said.

usage: check_environment.py FERMATA SCENARIO"""

import json
import pathlib
import subprocess
import sys
import tempfile

fermata, scenario = sys.argv[1:]
SAID = "environment.json cannot be read ("
DAMAGED = ("", "{", '{"complete": tru', "[1]", '{"a": 1, "a": 2}', "\0\0\0\0", '{"command": "\xff"}')
WHOLE = {"command": ["app"], "complete": True}
ODD = {"clock": 3, "incomplete": 7, "recorder": "x", "sampling": [], "run_delay": None, "command": {"a": 1}}


def run(*words):
    done = subprocess.run([fermata, *map(str, words)], capture_output=True, text=True, timeout=100, check=False)
    assert done.returncode >= 0 and "crashed" not in done.stderr, (words, done)
    return done


def says(*words):
    done = run(*words)
    assert done.returncode == 0, (words, done)
    return SAID in " ".join((done.stdout + done.stderr).split())


with tempfile.TemporaryDirectory() as name:
    place = pathlib.Path(name) / "run"
    page = pathlib.Path(name) / "page.html"
    assert run("synth", scenario, "-o", place).returncode == 0
    environment = place / "environment.json"
    commands = (("analyze", "--quiet", place), ("report", place), ("report", "--format=json", place),
                ("export", "--to", "cubex", "-o", pathlib.Path(name) / "x.cubex", place), ("info", place), ("check", place),
                ("view", place, "--html", page))
    for content in DAMAGED:
        environment.write_text(json.dumps(WHOLE))
        for words in commands:
            assert not says(*words), words
        environment.write_bytes(content.encode("latin-1"))
        assert says("report", place), content  # behind the analysis
        for words in commands:
            if words[0] in ("analyze", "report", "info", "check"):
                assert says(*words), (content, words)
            else:
                says(*words)
        report = json.loads(run("report", "--format=json", place).stdout)
        assert sum(warning.startswith(SAID) for warning in report["warnings"]) == 1, report["warnings"]
    for content in (json.dumps(ODD), None):
        if content is None:
            environment.unlink()
        else:
            environment.write_text(content)
        for words in commands:
            assert not says(*words), (content, words)
