# SPDX-License-Identifier: BSD-3-Clause
"""The problems in reports of scenarios, compared with golden texts, and what JSON has of them: idle threads,
consequences of other problems, functions that samples show.

usage: problem_texts.py FERMATA SCENARIOS [--update]     (the folder rules/scenarios/problems)
"""

import json
import pathlib
import subprocess
import sys
import tempfile

fermata, scenarios = pathlib.Path(sys.argv[1]).absolute(), pathlib.Path(sys.argv[2]).absolute()
golden = pathlib.Path(__file__).parent / "golden"
failures = []

# name of the golden file, scenario, options of the analysis
TEXTS = [
    ("idle-serial.txt", "serial-part-of-a-team", ["--predict=yes"]),
    ("idle-bounds.txt", "serial-part-without-a-large-callee", ["--predict=no"]),
    ("idle-limited.txt", "parallel-region-with-fewer-threads", ["--predict=yes"]),
    ("idle-waiting.txt", "idle-while-the-master-waits", ["--predict=yes"]),
    ("consequence.txt", "late-by-waiting", ["--predict=yes"]),
    ("function-in-vain.txt", "function-called-in-vain", ["--predict=yes"]),
    ("function-on-two-ranks.txt", "function-late-on-two-ranks", ["--predict=yes"]),
    ("called-more-often.txt", "called-more-often", ["--predict=yes"]),
]


def run(folder, *arguments):
    return subprocess.run([fermata, *map(str, arguments)], capture_output=True, text=True, check=True, timeout=60,
                          cwd=folder, env={"LC_ALL": "C.UTF-8", "COLUMNS": "80"}).stdout


def check_consequence(document):
    """The scenario in which a rank is late because it has waited."""
    found = [(problem["id"], problem["consequence_of"]) for problem in document["problems"]]
    if found != [(1, None), (2, 1)]:
        failures.append(f"consequences: {found}")


def check_idle(document):
    """The scenario in which masters wait."""
    idle = [problem for problem in document["problems"] if problem["cause"]["kind"] == "idle"]
    waited = [problem for problem in idle if problem["cause"]["callpath"] is None]
    if len(waited) != 1 or waited[0]["cause"]["locations"] or abs(waited[0]["cost"] - 3) > 1e-9:
        failures.append(f"while masters wait: {waited}")
    if abs(sum(problem["cost"] for problem in idle) - 16) > 1e-9:
        failures.append(f"all idle time: {idle}")
    first = idle[0]
    if {each["metric"] for each in first["symptoms"]} != {"omp_idle_threads"} or \
            [each["change"] for each in first["predictions"]] != ["balanced", "absent"] or \
            not first["gain"]["proved"]:
        failures.append(f"the first: {first}")


with tempfile.TemporaryDirectory() as folder:
    for name, scenario, options in TEXTS:
        run(folder, "synth", scenarios / f"{scenario}.scn", "-o", scenario)
        run(folder, "analyze", "--check", "-q", *options, scenario)
        text = run(folder, "report", scenario).split("\nShares of all time")[0]
        if "--update" in sys.argv:
            (golden / name).write_text(text)
        elif (golden / name).read_text() != text:
            failures.append(f"{name}: {text}")
    for check, scenario in ((check_idle, "idle-while-the-master-waits"), (check_consequence, "late-by-waiting")):
        check(json.loads(run(folder, "report", "--format=json", scenario)))
for failure in failures:
    print(failure)
sys.exit(1 if failures else 0)
