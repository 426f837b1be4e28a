#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""compare_builds finds no difference of a build to itself, and each one that is planted.

usage: check_compare_builds.py BUILD SCENARIO
"""

import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent

# A build whose fermata is the real one, with a change of what one command writes.
CHANGED_FERMATA = """#!{python}
import pathlib, subprocess, sys
done = subprocess.run(["{fermata}", *sys.argv[1:]], stdout=subprocess.PIPE)
output = done.stdout
if sys.argv[1:1 + len({command})] == {command}:
    output = output.replace({old}, {new}, 1)
    for path in pathlib.Path().rglob("{file}"):
        content = path.read_bytes()
        path.write_bytes(content.replace({old}, {new}, 1))
sys.stdout.buffer.write(output)
sys.exit(done.returncode)
"""

# name: (command, file that it changes, what in it, by what, options, what must be told)
CHANGES = {
    "nothing": (["none"], "none", b"", b"", [], None),
    "a record": (["synth"], "1.evt", b"\x06", b"\x07", [], "traces/1.evt"),
    "a value of the report": (["report"], "none", b'"processes":', b'"processes":1', [],
                              ".experiment.processes"),
    "a name of the report": (["report"], "none", b'"name":"Time"', b'"name":"All"', [],
                             ".metrics[0].name"),
    "the same, ignored": (["report"], "none", b'"name":"Time"', b'"name":"All"',
                          ["--ignore-text"], None),
    "a line of an export": (["export", "--to", "csv"], "report.csv", b"comp,sec,0", b"comp,sec,1",
                            ["--ignore-text"], "csv: line 2"),
    "a sample of a profile": (["export", "--to", "speedscope"], "report.speedscope.json",
                              b'"endValue":', b'"endValue":1', ["--ignore-text"], "endValue"),
}


def compare(build, scenario, folder, change):
    command, file, old, new, options, _ = change
    changed = folder / "build"
    (changed / "bin").mkdir(parents=True)
    fermata = changed / "bin/fermata"
    fermata.write_text(CHANGED_FERMATA.format(python=sys.executable, command=command, file=file,
                                              fermata=build / "bin/fermata", old=old, new=new))
    fermata.chmod(0o755)
    return subprocess.run([sys.executable, "-B", HERE / "compare_builds", "--scenarios-only",
                           "--scenarios", scenario.parent, "--match", scenario.name, *options,
                           build, changed], capture_output=True, text=True, timeout=120)


def main():
    build, scenario = (pathlib.Path(argument).resolve() for argument in sys.argv[1:])
    failures = []
    for name, change in CHANGES.items():
        with tempfile.TemporaryDirectory() as folder:
            done = compare(build, scenario, pathlib.Path(folder), change)
        told = change[-1]
        if done.returncode != (0 if told is None else 1) or (told or "0 diff") not in done.stdout:
            failures.append(f"{name}: exit status {done.returncode}: {done.stdout}{done.stderr}")
    print("\n".join(failures))
    sys.exit(1 if failures else 0)


main()
