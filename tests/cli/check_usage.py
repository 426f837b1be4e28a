# SPDX-License-Identifier: BSD-3-Clause
"""Arguments that a command cannot take: one line that says which, and exit status 2.

usage: check_usage.py FERMATA
"""

import os
import pathlib
import subprocess
import sys
import tempfile

fermata = sys.argv[1]
failures = []

# arguments behind the command, what the line says before "; see fermata COMMAND --help"
REFUSED = [
    (["view", "--port"], "--port needs a value"),
    (["view"], "give one to 16 experiment directories"),
    (["view", *"abcdefghijklmnopq"], "give one to 16 experiment directories"),
    (["info"], "give one archive"),
    (["info", "--help=yes"], "--help takes no value"),
    (["check", "-n"], "-n needs a value"),
    (["check", "-x", "a"], "there is no option -x"),
    (["check", "a", "b"], "give one archive"),
    (["score"], "give one archive"),
    (["score", "--all=2", "a"], "--all takes no value"),
    (["synth", "-o"], "-o needs a value"),
    (["record", "--memory"], "--memory needs a value"),
    (["run", "-m"], "-m needs a value"),
    (["run", "-vq", "ls"], "there is no option -q"),
    (["run"], "give the command to be recorded"),
    (["doctor", "mpirun", "app"], "give one program without launcher and arguments"),
    (["cc"], "give the compiler"),
    (["fc", "-O2", "mpifort"], "there is no option -O2 before the compiler"),
]
# Values with units, and what `record --dry-run` says to them: None, it takes them.
SETTINGS = [
    ("snapshot", ["0.5", "0.5s", "500ms"], "1h"),
    ("flush-interval", ["0.5", "0.5s", "500ms", "never"], "1h"),
    ("window", ["1:2", "1s:2s", "500ms:2", ":1500us"], "1s-2s"),
    ("sample", ["500", "500Hz", "2ms", "off"], "2min"),
    ("memory", ["67108864", "64M", "64MB", "64MiB"], "64 MB"),
    ("max-size", ["500M", "500MB", "none"], "500X"),
    ("flight-recorder", ["16M", "16MB,always"], "16MBits"),
    ("size-bins", ["64,1K,64K", "64,1KB,64KiB"], "64K,64K"),
    ("counters", ["mpi.bytes_*"], "nonsense"),
    ("min-duration", ["1us", "1ms"], "1"),
]
# Durations and sizes of other commands: arguments of a directory that is none.
UNITS = [
    ("top", "--period", ["1", "1s", "500ms"], "1h"),
    ("counters", "watch --period", ["1", "1s", "500ms"], "49ms"),
    ("counters", "convert --period", ["1", "1s", "500ms"], "-1"),
    ("analyze", "--memory", ["64M", "64MB", "64MiB", "67108864"], "0MB"),
    ("whatif", "--blocking-size", ["4096", "64K", "64KB"], "64 KB"),
    ("export", "--to perfetto --begin", ["1", "1s", "500ms"], "1h"),
    ("export", "--to perfetto --end", ["1", "1s", "500ms"], "soon"),
]
COMMANDS = ["run", "record", "report", "view", "diff", "merge", "mean", "export", "info", "check",
            "synth", "score", "gpu-imbalance", "doctor"]


def refused(arguments, status, line):
    done = subprocess.run([fermata, *arguments], capture_output=True, text=True, timeout=60)
    if (done.returncode, done.stdout, done.stderr) != (status, "", line + "\n"):
        failures.append(f"{arguments}: {done.returncode}, {done.stdout!r}, {done.stderr!r}")


for arguments, reason in REFUSED:
    command = arguments[0]
    refused(arguments, 2, f"fermata {command}: {reason}; see fermata {command} --help")
refused(["bogus"], 2, "fermata: there is no command 'bogus'; see fermata --help")
refused(["help", "bo\033gus"], 2, "fermata: there is no command 'bo?gus'; see fermata --help")
# Wrong options of the analysis are refused before the program runs.
for option in "--only", "--without":
    refused(["run", option, "mpi_nothing", "echo", "ran"], 2,
            f"fermata run: {option}: there is no wait state, and no pattern given with --pattern, with the id "
            "'mpi_nothing'; see fermata report --explain all")
for name, taken, wrong in SETTINGS:
    counters = ["--counters=all"] if name in ("snapshot", "size-bins") else []
    variable = None
    for value in taken:
        arguments = ["record", "--dry-run", *counters, f"--{name}={value}", "true"]
        done = subprocess.run([fermata, *arguments], capture_output=True, text=True, timeout=60)
        exported = [line.split("=")[0] for line in done.stdout.replace("'", "").split()
                    if line.endswith(f"={value}")]
        if done.returncode != 0 or not exported:
            failures.append(f"{arguments}: {done.returncode}, {done.stdout!r}, {done.stderr!r}")
        variable = exported[0] if exported else None
    places = {f"--{name}": ([f"--{name}={wrong}"], {}),
              variable: ([], {variable or "": wrong})}
    for place, (options, environment) in places.items():
        if place is None:
            continue
        done = subprocess.run([fermata, "record", *options, "true"], capture_output=True, text=True,
                              timeout=60, env={**os.environ, **environment})
        if done.returncode != 2 or not done.stderr.startswith(f"fermata record: {place} needs ") or \
                done.stderr.split("needs")[0].count(name) > 1:
            failures.append(f"{place} {wrong}: {done.returncode}, {done.stderr!r}")
for command, option, taken, wrong in UNITS:
    for value in [*taken, wrong]:
        arguments = [command, *f"{option} {value}".split(" ", option.count(" ") + 1)]
        arguments += ["missing", "missing/folder"][:2 if "convert" in option else 1]
        with tempfile.TemporaryDirectory() as folder:  # there is nothing in it
            done = subprocess.run([fermata, *arguments], capture_output=True, text=True, timeout=60, cwd=folder)
        refusal = f"{option.split()[-1]} needs "
        if (value == wrong) != (done.returncode == 2 and refusal in done.stderr) or \
                done.returncode == 0:
            failures.append(f"{arguments}: {done.returncode}, {done.stderr!r}")
for command in COMMANDS:
    helps = [subprocess.run([fermata, *words], capture_output=True, text=True, timeout=60).stdout
             for words in ([command, "--help"], ["help", command])]
    if helps[0] != helps[1] or not helps[0].startswith(f"usage: fermata {command}"):
        failures.append(f"help {command}: {helps[1]!r}")
    refused([command, "--bogus"], 2,
            f"fermata {command}: there is no option --bogus; see fermata {command} --help")
# `mpirun fermata run ./app` cannot analyse: the other processes may still run. Rank 0 says so.
for command, rank, told in ("run", 0, True), ("run", 1, False), ("record", 0, False):
    done = subprocess.run([fermata, command, "true"], capture_output=True, text=True, timeout=60,
                          env={**os.environ, "PMI_RANK": str(rank), "PMI_SIZE": "2"})
    if done.returncode != 0 or ("it records only" in done.stderr) != told:
        failures.append(f"{command} on rank {rank}: {done.returncode}, {done.stderr!r}")
with tempfile.TemporaryDirectory() as folder:
    page = pathlib.Path(folder) / "page.html"
    page.write_text("no archive")
    for command in "analyze", "info", "check", "score":
        name = "fermata" if command == "analyze" else f"fermata {command}"
        refused([command, page], 3,
                f"{name}: {page}: neither an experiment directory nor an anchor file (*.otf2)")
for failure in failures:
    print(failure)
sys.exit(1 if failures else 0)
