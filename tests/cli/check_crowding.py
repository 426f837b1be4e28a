"""The report warns of more threads than processors, and only then.

usage: check_crowding.py FERMATA SCENARIO     (a scenario of two ranks)
"""

import json
import pathlib
import subprocess
import sys
import tempfile

fermata, scenario = sys.argv[1:]
failures = []


def run(*arguments):
    return subprocess.run([fermata, *arguments], capture_output=True, text=True, check=True,
                          timeout=60).stdout


with tempfile.TemporaryDirectory() as folder:
    trace = pathlib.Path(folder) / "trace"
    run("synth", scenario, "-o", trace)
    for environment, expected in (({"processors": 1}, "2 threads shared the 1 processor of "),
                                  ({"processors": 2}, None), ({}, None)):
        (trace / "environment.json").write_text(json.dumps(environment))
        run("analyze", trace)
        warnings = json.loads(run("report", trace, "--format=json"))["warnings"]
        told = [text for text in warnings if "shared the" in text]
        if expected is None and told or expected is not None and (
                len(told) != 1 or not told[0].startswith(expected)):
            failures.append(f"{environment}: {warnings}")
for failure in failures:
    print(failure)
sys.exit(1 if failures else 0)
