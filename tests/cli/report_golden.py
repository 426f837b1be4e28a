#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Golden tests of the report command: report_golden.py FERMATA WRITE_SAMPLE [--update]

Runs the command on reports made by write_sample and compares what it prints with the files of
golden/. With --update it writes these files; read the difference before you commit it."""

import json
import os
import pathlib
import pty
import re
import subprocess
import sys
import tempfile
import threading

command, write_sample = map(os.path.abspath, sys.argv[1:3])
update = "--update" in sys.argv
golden = pathlib.Path(__file__).parent / "golden"
failures = []

END = b"\0end"  # of what a command prints on a terminal

UTF8 = {"LC_ALL": "C.UTF-8", "COLUMNS": "80", "PATH": os.environ["PATH"]}
ASCII = {**UTF8, "LC_ALL": "C"}
NARROW = {**UTF8, "COLUMNS": "40"}

# name of the golden file, environment, arguments
TEXTS = [
    ("overview.txt", UTF8, ["sample"]),
    ("overview-ascii.txt", ASCII, ["sample", "--top", "1"]),
    ("overview-narrow.txt", NARROW, ["sample"]),
    ("empty.txt", UTF8, ["empty"]),
    ("metric.txt", UTF8, ["sample", "--metric", "mpi_latesender"]),
    ("part-of-metric.txt", UTF8, ["sample", "--metric", "mpi_lswo_same", "--exclusive"]),
    ("root.txt", UTF8, ["sample", "--root", "main/solve"]),
    ("selection.txt", UTF8, ["--callpath", "main/solve", "--location", "3.1", "sample"]),
    ("explain.txt", UTF8, ["--explain", "mpi_rma_early_wait"]),
    ("explain-all.txt", UTF8, ["--explain", "all"]),
    ("progress.txt", UTF8, ["progress", "--top", "1"]),
    ("little-progress.txt", UTF8, ["little-progress", "--top", "1"]),
    ("causes.txt", UTF8, ["causes", "--top", "5"]),
    ("problems.txt", UTF8, ["problems"]),
    ("problems-all.txt", UTF8, ["problems", "--top=20"]),
    ("derived.txt", UTF8, ["sample", "--define", "late = mpi_latesender / time", "--define",
                           "long:name = max(time, 1) * 0 + sqrt(visits) - abs(-mpi_latesender) + 1000000 / 3"]),
    ("derived-metric.txt", UTF8, ["sample", "--define", "late = mpi_latesender / time", "--metric", "late", "--top", "3"]),
    ("derived-part.txt", UTF8, ["sample", "--define", "late = mpi_latesender / time", "--metric", "late", "--location", "1"]),
    ("derived.csv", UTF8, ["sample", "--define", "late = mpi_latesender / time", "--format=csv"]),
    ("by-symptom.txt", UTF8, ["causes", "--by=symptom", "--top", "5"]),
    ("why.txt", UTF8, ["causes", "--why", "mpi_rma_early_wait"]),
    ("deep.txt", UTF8, ["deep", "--top", "2"]),
    ("deep-selection.txt", UTF8, ["deep", "--callpath", ".../MPI_Waitall", "--metric",
                                  "mpi_latesender"]),
    ("deep-lock.txt", UTF8, ["deep", "--metric", "mpi_rma_sync_lock_competition"]),
    ("locks.txt", UTF8, ["sample", "--locks"]),
    ("locks-ascii.txt", ASCII, ["sample", "--locks", "--top", "1"]),
    ("locks-narrow.txt", NARROW, ["sample", "--locks", "--top", "1"]),
    ("locks-none.txt", UTF8, ["empty", "--locks"]),
    ("efficiency.txt", UTF8, ["sample", "--efficiency"]),
    ("efficiency-narrow.txt", NARROW, ["sample", "--efficiency", "--top", "1"]),
    ("efficiency-none.txt", UTF8, ["empty", "--efficiency"]),
    ("phases.txt", UTF8, ["sample", "--phases"]),
    ("phases-ascii.txt", ASCII, ["sample", "--phases", "--top", "20"]),
    ("phases-narrow.txt", NARROW, ["sample", "--phases", "--top", "1"]),
    ("phases-none.txt", UTF8, ["empty", "--phases"]),
    ("phases.csv", UTF8, ["sample", "--phases", "--format=csv"]),
    ("matrix-messages.txt", UTF8, ["sample", "--matrix=messages"]),
    ("matrix-rma.txt", UTF8, ["sample", "--matrix=rma"]),
    ("matrix-delay.txt", UTF8, ["sample", "--matrix=delay"]),
    ("matrix-delay-metric.txt", UTF8,
     ["sample", "--matrix=delay", "--metric=mpi_barrier_wait", "--top", "1"]),
    ("matrix-delay-latesender.txt", UTF8,
     ["sample", "--matrix=delay", "--metric=mpi_latesender"]),
    ("matrix-blame.txt", UTF8, ["sample", "--matrix=blame"]),
    ("matrix-map.txt", UTF8, ["wide", "--matrix=messages", "--top", "3"]),
    ("matrix-narrow.txt", NARROW, ["sample", "--matrix=delay", "--top", "1"]),
    ("matrix-ascii.txt", {**ASCII, "COLUMNS": "40"}, ["wide", "--matrix=messages", "--top", "1"]),
    ("matrix-none.txt", UTF8, ["empty", "--matrix=messages"]),
    ("matrix-messages.csv", UTF8, ["sample", "--matrix=messages", "--format=csv"]),
    ("matrix-delay.csv", UTF8, ["sample", "--matrix=delay", "--format=csv"]),
    ("report.json", UTF8, ["sample", "--format=json"]),
    ("report.csv", UTF8, ["sample", "--format=csv"]),
]

# arguments of what is printed on a terminal with colours
COLOURED = [["sample"], ["sample", "--efficiency"], ["sample", "--locks"], ["sample", "--phases"],
            ["sample", "--matrix=messages"], ["sample", "--metric", "mpi_latesender"], ["causes", "--by=symptom"],
            ["problems"], ["deep", "--metric", "mpi_rma_sync_lock_competition"]]

# arguments, exit status, a part of the message
ERRORS = [
    ([], 2, "give one experiment directory"),
    (["sample", "empty"], 2, "give one experiment directory"),
    (["sample", "--bogus"], 2, "--bogus"),
    (["sample", "--metric"], 2, "--metric needs a value"),
    (["missing", "--metric", "mpi_bogus"], 2, "mpi_bogus"),
    (["sample", "--callpath", "main/\033[2J"], 2, "main/\\x1b[2J"),
    (["sample", "--root", "solve"], 2, "--root"),
    (["sample", "--callpath", "MPI_Recv"], 2, "begins with 'MPI_Recv'; '.../MPI_Recv' finds it"),
    (["causes", "--callpath", "main/..."], 2, "no call path 'main/...'"),
    (["sample", "--location", "4"], 2, "no location 4"),
    (["sample", "--location", "3.2"], 2, "no location 3.2"),
    (["sample", "--location", "-1"], 2, "'-1' is no number"),
    (["sample", "--location", "1,2"], 2, "not RANK"),
    (["sample", "--top", "0"], 2, "--top"),
    (["sample", "--by", "rank"], 2, "'rank'"),
    (["sample", "--by", "parameter:"], 2, "'parameter:'"),
    (["sample", "--by", "parameter:level"], 2, "there is no parameter 'level'"),
    (["sample", "--by", "parameter:\033[2J"], 2, "'\\x1b[2J'"),
    (["sample", "--define", "x"], 2, "--define: column 2 of 'x': a '=' is missing"),
    (["sample", "--define", "x = 1 +"], 2, "column 8 of 'x = 1 +'"),
    (["sample", "--define", "x = mpi_bogus"], 2, "column 5 of"),
    (["sample", "--define", "x = \033[2J"], 2, "column 5 of 'x = ?[2J'"),
    (["sample", "--define", "x = 1", "--define", "x = 2"], 2, "x is defined twice"),
    (["sample", "--define", "x = 1", "--metric", "y"], 2, "no metric 'y'"),
    (["sample", "--define", "x = 1", "--locks"], 2, "go with none of"),
    (["sample", "--format", "xml"], 2, "'xml'"),
    (["sample", "--locks", "--root", "main"], 2, "--locks is about the whole run"),
    (["sample", "--locks", "--format", "csv"], 2, "not with csv"),
    (["sample", "--phases", "--callpath", "main"], 2, "--phases is about the whole run"),
    (["sample", "--matrix", "rma", "--metric", "time"], 2, "--matrix is about the whole run"),
    (["sample", "--matrix", "all"], 2, "needs one of messages, rma, delay, blame, not 'all'"),
    (["sample", "--efficiency", "--format", "csv"], 2, "not with csv"),
    (["sample", "--efficiency", "--location", "0"], 2, "--efficiency is about the whole run"),
    (["--explain", "bogus"], 2, "no metric 'bogus'"),
    (["missing"], 3, "missing"),
    (["nothing"], 3, "fermata analyze"),
    (["damaged"], 3, "damaged report"),
    (["damaged/report.fer"], 3, "damaged report"),
    (["sample/text"], 3, "not a fermata report"),
]


def check(name, holds, message=""):
    if not holds:
        failures.append(f"{name}: {message}")


def run(arguments, environment, folder, **more):
    return subprocess.run([command, "report", *arguments], cwd=folder, env=environment, timeout=60,
                          capture_output=True, **more)


def compare(name, output):
    """Compares with the golden file of this name."""
    path = golden / name
    if update:
        path.write_bytes(output)
    check(name, path.read_bytes() == output, "differs from the golden file")


def check_texts(folder):
    for name, environment, arguments in TEXTS:
        result = run(arguments, environment, folder)
        check(name, result.returncode == 0 and result.stderr == b"", result.stderr)
        compare(name, result.stdout)
        if name in ("overview.txt", "problems.txt"):
            answer = result.stdout.decode().partition("\nShares of all time\n")[0]
            check(name, answer.count("\n") <= 40, "the answer has more than 40 lines")
        if name.endswith(".txt"):
            width = int(environment["COLUMNS"])
            for line in result.stdout.decode().splitlines():
                check(name, "\033" not in line, "an escape sequence")
                check(name, line == line.rstrip(), f"blanks at the end of {line!r}")
                check(name, len(line) <= width or " " not in line.strip(), f"too long: {line!r}")
        if environment["LC_ALL"] == "C":
            check(name, result.stdout.isascii(), "not ASCII")


def check_errors(folder):
    for arguments, status, message in ERRORS:
        result = run(arguments, UTF8, folder)
        name = " ".join(arguments)
        check(name, result.returncode == status, f"exit status {result.returncode}")
        check(name, result.stdout == b"", "prints something")
        check(name, message in result.stderr.decode(), result.stderr)
        check(name, result.stderr.count(b"\n") == 1, "not one line")


def on_terminal(environment, folder, arguments):
    """What the command prints when its output is a terminal."""
    master, slave = pty.openpty()
    process = subprocess.Popen([command, "report", *arguments], cwd=folder, env=environment, stdout=slave)

    def end():  # if the last writer closed the terminal, the system might drop what was not read yet
        process.wait(60)
        os.write(slave, END)

    output, ending = b"", threading.Thread(target=end)
    ending.start()
    while not output.endswith(END):
        output += os.read(master, 65536)
    ending.join()
    os.close(slave)
    os.close(master)
    check("terminal", process.returncode == 0, "failed")
    return output.removesuffix(END).replace(b"\r\n", b"\n")


def styled_texts(name, output):
    """The texts of a style, one a line; each one ends with the plain style before another one begins."""
    styles = {b"1": "bold", b"2": "dim", b"1;31": "alarm"}
    lines, style = [], b"0"
    for piece in re.finditer(rb"\033\[([\d;]*)m([^\033]*)", output):
        check("style ends " + name, b"0" in (style, piece[1]), piece[0])
        style = piece[1]
        if style != b"0":
            lines.append(f"{styles[style]}: {' '.join(piece[2].decode().split())}\n")
    check("style ends " + name, style == b"0", "not at the end")
    return "".join(lines)


def check_terminal(folder):
    environment = {**UTF8, "TERM": "xterm"}
    colours = ""
    for arguments in COLOURED:
        name = " ".join(arguments)
        plain = run(arguments, UTF8, folder).stdout
        output = on_terminal(environment, folder, arguments)
        check("colour " + name, re.sub(rb"\033\[[\d;]*m", b"", output) == plain, "the text differs")
        colours += f"{name}\n{styled_texts(name, output)}\n"
        check("no colour " + name, on_terminal({**environment, "NO_COLOR": "1"}, folder, arguments) == plain, "differs")
    compare("colours.txt", colours.encode())


def check_others(folder):
    help_text = run(["--help"], UTF8, folder)
    check("--help", help_text.returncode == 0 and b"--metric" in help_text.stdout)
    whole = json.loads(run(["sample", "--format=json"], UTF8, folder).stdout)
    part = json.loads(run(["sample", "--format=json", "--root=main/solve"], UTF8, folder).stdout)
    check("--root json", [c["region"] for c in part["callpaths"]][:2] == ["solve", "MPI_Recv"])
    check("--root json", part["callpaths"][0]["parent"] is None)
    inside = {c["id"] for c in whole["callpaths"] if c["id"] == 1 or c["parent"] == 1}
    check("--root json", len(part["severities"]) ==
          sum(s["callpath"] in inside for s in whole["severities"]))
    with open("/dev/full", "wb") as full:
        for form in "text", "json", "csv":
            result = subprocess.run([command, "report", "sample", "--format", form], cwd=folder, env=UTF8,
                                    stdout=full, stderr=subprocess.PIPE, timeout=60)
            check("full disk " + form, result.returncode == 4 and b"cannot write" in result.stderr)


with tempfile.TemporaryDirectory() as folder:
    for kind in "sample", "empty", "wide", "progress", "little-progress", "causes", "deep", "problems":
        os.mkdir(f"{folder}/{kind}")
        subprocess.run([write_sample, kind, f"{folder}/{kind}/report.fer"], check=True)
    os.mkdir(f"{folder}/nothing")
    os.mkdir(f"{folder}/damaged")
    data = pathlib.Path(f"{folder}/sample/report.fer").read_bytes()
    pathlib.Path(f"{folder}/damaged/report.fer").write_bytes(data[:-1])
    pathlib.Path(f"{folder}/sample/text").write_text("hello\n")
    if update:
        golden.mkdir(exist_ok=True)
    check_texts(folder)
    check_errors(folder)
    check_terminal(folder)
    check_others(folder)

for failure in failures:
    print(failure)
sys.exit(1 if failures else 0)
