# SPDX-License-Identifier: BSD-3-Clause
"""No command says "rank" or "MPI" of a run that calls OpenSHMEM only: its processes are PEs.

usage: check_words_of_shmem.py FERMATA SCENARIOS     (the folder of the libraries' scenarios)
"""

import json
import pathlib
import re
import subprocess
import sys
import tempfile

fermata, scenarios = sys.argv[1], pathlib.Path(sys.argv[2])
# Explanations of fields that each programming model has; keys of formats.
ALLOWED = re.compile(r"<rank>\d+</rank>|--matrix [a-z|]*")
# What the report explains of metrics of other models is no statement about the run.
FOREIGN = re.compile(r"\bMPI|\b[Rr]anks?\b")
failures = []


def run(*arguments):
    return subprocess.run([fermata, *map(str, arguments)], capture_output=True, check=True, timeout=60)


def look(what, text):
    for line in text.splitlines():
        found = FOREIGN.search(ALLOWED.sub("", line))
        if found:
            failures.append(f"{what}: '{found.group(0)}' in: {line.strip()[:100]}")


with tempfile.TemporaryDirectory() as folder:
    places = []
    for scenario in sorted(scenarios.glob("shmem-*.scn")):
        if "enter MPI_" in scenario.read_text():
            continue
        place = pathlib.Path(folder) / scenario.stem
        places.append(place)
        run("synth", scenario, "-o", place)
        # Too few processors: a warning.
        (place / "environment.json").write_text(json.dumps(
            {"processors": 1, "run_delay": {"run_seconds": 8, "delay_seconds": 4}}))
        done = run("analyze", "--check", place)
        look("analyze", (done.stdout + done.stderr).decode())
        look("info", run("info", place).stdout.decode())
        for options in ([], ["--by", "symptom"], ["--locks"], ["--efficiency"], ["--matrix", "rma"],
                        ["--matrix", "blame"], ["--matrix", "delay"], ["--location", "1"],
                        ["--metric", "shmem_lock_contention"], ["--why", "shmem_lock_contention"],
                        ["--define", "late = shmem_lock_contention / time", "--metric", "late"]):
            look(f"report {options}", run("report", *options, place).stdout.decode())
    assert places, "no scenario of OpenSHMEM alone"
    later = pathlib.Path(folder) / "later"
    text = (scenarios / f"{places[0].name}.scn").read_text()
    later.with_suffix(".scn").write_text(re.sub(r"^20 ", "30 ", text, flags=re.MULTILINE).split("expect ")[0])
    run("synth", later.with_suffix(".scn"), "-o", later)
    run("analyze", later)
    look("diff", run("diff", places[0], later).stdout.decode())
    for form in ("speedscope", "perfetto-json", "graphviz"):
        look(form, run("export", "--to", form, "-o", "-", places[0]).stdout.decode())

print(*failures, sep="\n")
sys.exit(1 if failures else 0)
