#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Records a program that calls a function in two lines (sites.c). The report distinguishes them on request: in JSON, CSV
and Cube, in the paths of `report` and `whatif`, and in the problem. By default it does not, but for calls of the C library.

usage: check_sites.py --fermata F --mpirun M [--names none] PROGRAM

--names: `debug`, the program has debug information; `none`, calls have addresses.
"""

import json
import pathlib
import re
import sys
import tarfile
import tempfile

from check_paths import program_parser, record_program, run

SOURCE = pathlib.Path(__file__).with_name("sites.c")
CALLED = re.compile(r"/\* (first|second) (\w+) \*/")
LEAST_ASLEEP = (2 * 40 * 0.001, 2 * 40 * 0.002)  # seconds of both ranks, in the order of the lines
LONGER = 1.5  # as the calls of the first line, those of the second are, which take 2.5 times as long


def lines_of_calls():
    """[function]: the lines that call it, in their order."""
    lines = {}
    for number, text in enumerate(SOURCE.read_text().splitlines(), 1):
        if (found := CALLED.search(text)) is not None:
            lines.setdefault(found[2], []).append(number)
    return lines


def analyzed(options, folder, choices):
    """@return the report as JSON, its lines of CSV, and the first problem as text"""
    done = run([options.fermata, "analyze", "-q", "--check", *choices, "run"], folder)
    texts = [run([options.fermata, "report", "run", *words], folder) for words in (["--format=json"], ["--format=csv"], [])]
    for each in (done, *texts):
        if each.returncode != 0:
            sys.exit(f"it fails: {each}")
    problem = re.search(r"^ *1\. ([^\n]*(?:\n {5}[^ ][^\n]*)*)", texts[2].stdout, re.MULTILINE)
    return json.loads(texts[0].stdout), texts[1].stdout, " ".join(problem[1].split()) if problem else texts[2].stdout


def paths_of(report, function):
    """The call paths of a function of `iterate`."""
    return [path for path in report["callpaths"]
            if path["region"] == function and report["callpaths"][path["parent"]]["region"] == "iterate"]


def time_of(report, path):
    """Computation in a call path and what it calls."""
    inside = {path["id"]}
    for other in report["callpaths"]:
        if other["parent"] in inside:
            inside.add(other["id"])
    return sum(cell["value"] for cell in report["severities"] if cell["metric"] == "comp" and cell["callpath"] in inside)


def check_sleeps(report, lines, failures):
    """Calls in which the program sleeps are told apart by their lines, as those of MPI are."""
    paths = sorted(paths_of(report, "usleep"), key=lambda path: path.get("callsite", {}).get("line", 0))
    if [path["callsite"]["line"] if "callsite" in path else None for path in paths] != lines:
        failures.append(f"usleep has the call paths {paths}, not those in {lines}")
    elif not all(time_of(report, path) >= 0.99 * least for path, least in zip(paths, LEAST_ASLEEP)):
        failures.append(f"usleep takes {[time_of(report, path) for path in paths]} s by lines")


def check_default(report, failures):
    for function in ("smooth", "exchange"):
        paths = paths_of(report, function)
        if len(paths) != 1 or "callsite" in paths[0]:
            failures.append(f"by default {function} has the call paths {paths}")


def check_lines(report, lines, failures):
    for function in ("smooth", "exchange"):
        paths = paths_of(report, function)
        found = sorted((path["callsite"]["line"], pathlib.Path(path["callsite"]["file"]).name) for path in paths)
        if found != [(line, SOURCE.name) for line in lines[function]]:
            failures.append(f"{function} is called in {found}, not in {lines[function]}")
        if len({path["line"] for path in paths}) != 1:
            failures.append(f"the definition of {function} is in several lines: {paths}")
    times = [time_of(report, path)
             for path in sorted(paths_of(report, "smooth"), key=lambda path: path["callsite"]["line"])]
    if len(times) != 2 or not times[1] > LONGER * times[0] > 0:
        failures.append(f"smooth takes {times} s by lines")


def check_texts(options, folder, csv, problem, line, failures):
    path = f"iterate/smooth@{SOURCE.name}:{line}"
    if f"/{path}" not in csv:
        failures.append(f"no {path} in CSV")
    if f"`smooth@{SOURCE.name}:{line}" not in problem or "on rank 1" not in problem:
        failures.append(f"the first problem is not that line: {problem}")
    part = run([options.fermata, "report", "run", "--callpath", f".../{path}", "--metric", "comp"], folder)
    if part.returncode != 0 or f"smooth@{SOURCE.name}:{line}" not in part.stdout:
        failures.append(f"report --callpath: {part.stdout} {part.stderr}")
    all_calls, one, again = [
        run([options.fermata, "whatif", "--callsites", "run", f"scale={where}:0.5"], folder).stdout.partition(": ")[2]
        for where in ("smooth", f"smooth@{SOURCE.name}:{line}", f".../{path}")]
    if not one or one != again or all_calls == one:
        failures.append(f"whatif: all calls: {all_calls}, of the second line: {one}, by its path: {again}")


def check_exports(options, folder, line, failures):
    exported = run([options.fermata, "export", "--to", "cubex", "-o", "run.cubex", "run"], folder)
    page = run([options.fermata, "view", "--html", "run.html", "run"], folder)
    if exported.returncode != 0 or page.returncode != 0 or "warning" in page.stderr:
        sys.exit(f"exports fail: {exported} {page}")
    with tarfile.open(pathlib.Path(folder) / "run.cubex") as archive:
        anchor = archive.extractfile("anchor.xml").read().decode()
    if re.search(rf'<cnode id="\d+" line="{line}" mod="[^"]*{SOURCE.name}" calleeId=', anchor) is None:
        failures.append(f"no line {line} in anchor.xml")


def main():
    parser = program_parser()
    parser.add_argument("--names", default="debug")
    options = parser.parse_args()
    failures, lines = [], lines_of_calls()
    with tempfile.TemporaryDirectory() as folder:
        record_program(options, pathlib.Path(folder) / "run", 2, [], failures)
        usual, _, _ = analyzed(options, folder, [])
        check_default(usual, failures)
        check_sleeps(usual, lines["usleep"] if options.names == "debug" else [None], failures)
        report, csv, problem = analyzed(options, folder, ["--callsites"])
        total = [sum(cell["value"] for cell in each["severities"] if cell["metric"] == "comp") for each in (usual, report)]
        if abs(total[0] - total[1]) > 1e-9:
            failures.append(f"all computation is {total[0]} s, with call sites {total[1]} s")
        if options.names == "debug":
            check_lines(report, lines, failures)
            check_texts(options, folder, csv, problem, lines["smooth"][1], failures)
            check_exports(options, folder, lines["smooth"][1], failures)
        elif len(re.findall(r"/exchange@[^/\n]*\+0x[0-9a-f]+", csv)) == 0:
            failures.append("no address in CSV")
    for failure in failures:
        print(failure)
    sys.exit(1 if failures else 0)


main()
