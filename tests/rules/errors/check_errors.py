# SPDX-License-Identifier: BSD-3-Clause
"""The errors of times in the report, where clocks of nodes differ and recording costs time.

usage: check_errors.py FERMATA FILE.scn              against values derived by hand, in FILE.json
       check_errors.py FERMATA random COUNT SEED     against the reference, on random executions
       check_errors.py FERMATA planted COUNT SEED    whether true times lie within the errors of those
                                                     by wrong clocks
                                                     (or more than COUNT: support/share.py)

`environment.json` beside the archive states the errors of the clocks and the cost of a recorded call, as
the recorder does. FILE.json has them as `call` and `clock` (between two nodes), in units of time, and
expected values of the report's JSON: {path of keys and numbers, separated by "/": value}; and `text`, what
the report prints: {options: [text, with single blanks]}.

The report file must not depend on the number of workers; without errors of the clocks and cost of recording,
only the errors differ.
"""

import json
import math
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "..", "reference"), os.path.join(HERE, ".."),
                os.path.join(HERE, "..", "..", "support")]
import check_clocks  # noqa: E402
import critical_path  # noqa: E402
import errors  # noqa: E402
import generate  # noqa: E402
import phases  # noqa: E402
import scenario_file  # noqa: E402
import severities  # noqa: E402
import share  # noqa: E402
import timeline  # noqa: E402

TICKS_PER_UNIT = scenario_file.TICKS_PER_UNIT
FOCUSES = (None, "iterations", "locks", "libraries", "omp", "hybrid", "pthread", "cuda")

# Parts of the ids of wait states: of each family some waits must be found that are not significant.
FAMILIES = {
    "messages": ("mpi_latesender", "mpi_latereceiver"),
    "collective": ("mpi_barrier", "mpi_wait_nxn", "mpi_latebroadcast", "mpi_early"),
    "one-sided": ("mpi_rma_",),
    "locks": ("lock_competition", "lock_wait", "_lock_"),
    "libraries": ("shmem", "armci", "caf"),
    "threads": ("omp_", "pthread_"),
}


def run(*command):
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120,
                          env={**os.environ, "LC_ALL": "C", "COLUMNS": "100"})
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}: exit status {done.returncode}: {done.stdout}{done.stderr}")
    return done.stdout


def state(experiment, rate, call, clock):
    """Writes what the recorder states about its times. Both are in ticks and rounded up by the analysis."""
    (experiment / "environment.json").write_text(json.dumps({
        "clock": {"ticks_per_second": rate, "largest_deviation_ticks": clock / 2, "doubt": None},
        "recorder": {"nanoseconds_per_call": max(call - 0.5, 0) * 1e9 / rate}}))


def rate_of(scenario):
    """Ticks of a second."""
    return round(TICKS_PER_UNIT / float(scenario.unit))


def reports(fermata, scenario, folder, call, clock):
    """The report as JSON with these errors (ticks), and with none."""
    experiment = folder / "experiment"
    options = [f"--{name}={value}" for name, value in scenario.options.items()]
    rate = rate_of(scenario)
    found = []
    for case in (call, clock), (0, 0):
        state(experiment, rate, *case)
        files = []
        for workers in "1", "3", "16":
            file = folder / f"{workers}.fer"
            run(fermata, "analyze", "-q", "--check", "-j", workers, "-o", str(file), *options,
                str(experiment))
            files.append(file.read_bytes())
        if any(other != files[0] for other in files):
            sys.exit(f"{folder}: the report depends on the number of workers")
        found.append(json.loads(run(fermata, "report", "--format=json", str(folder / "1.fer"))))
    return found


ERRORS = re.compile(r"error$|errors$|^insignificant|^unexpected_messages$")  # what errors may change


def without_errors(value):
    if isinstance(value, dict):
        return {key: without_errors(each) for key, each in value.items() if not ERRORS.search(key)}
    return [without_errors(each) for each in value] if isinstance(value, list) else value


def same(one, other):
    if isinstance(other, (int, float)) and not isinstance(other, bool) and isinstance(one, (int, float)):
        return math.isclose(one, other, rel_tol=1e-9, abs_tol=1e-12)
    return one == other


def value_at(report, path):
    for key in path.split("/"):
        report = report[int(key)] if isinstance(report, list) else report[key]
    return report


def synthesize(fermata, path, folder):
    run(fermata, "synth", str(path), "-o", str(folder / "experiment"))
    return scenario_file.read_scenario(str(path))


def check_by_hand(fermata, path):
    expected = json.loads(path.with_suffix(".json").read_text())
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        scenario = synthesize(fermata, path, folder)
        call, clock = (round(expected[key] * TICKS_PER_UNIT) for key in ("call", "clock"))
        report, exact = reports(fermata, scenario, folder, call, clock)
        if without_errors(report) != without_errors(exact):
            sys.exit(f"{path}: errors of times change other numbers")
        for where, value in expected["report"].items():
            found = value_at(report, where)
            if not same(found, value):
                sys.exit(f"{path}: {where} is {found} instead of {value}")
        state(folder / "experiment", rate_of(scenario), call, clock)
        run(fermata, "analyze", "-q", str(folder / "experiment"))
        for options, lines in expected.get("text", {}).items():
            shown = " ".join(run(fermata, "report", *options.split(), str(folder / "experiment")).split())
            for line in lines:
                if line not in shown:
                    sys.exit(f"{path}: report {options} lacks {line!r}:\n{shown}")
    print(f"{path.name}: {len(expected['report'])} values")


class Reference:
    """What the report must have, in seconds."""

    def __init__(self, scenario, report, call, clock):
        self._times = timeline.Timeline(scenario)
        self._result = severities.compute(self._times)
        self._intervals = severities.intervals_of(self._times, self._result)
        self._errors = errors.Errors(scenario, self._intervals, call, clock, report["experiment"]["events"])
        self._regions = scenario.phases
        self._tick = float(scenario.unit) / TICKS_PER_UNIT
        self._numbers = {(location["rank"], location["thread"]): location["id"]
                         for location in report["locations"]}
        paths = {}
        for path in report["callpaths"]:
            paths[path["id"]] = paths.get(path["parent"], ()) + (path["region"],)
        self._paths = {path: number for number, path in paths.items()}

    def statistics(self):
        return {metric: (error * self._tick, count, time * self._tick)
                for metric, (error, count, time) in self._errors.kinds().items()}

    def links(self):
        return {(self._numbers[one], self._numbers[other], metric): error * self._tick
                for (one, other, metric), error in self._errors.links().items()}

    def path(self):
        segments, followed = critical_path.follow(self._intervals)
        found, short = self._errors.path(segments, followed)
        return ({self._paths[path]: error * self._tick for path, error in found.items() if error},
                len(followed), short)

    def phases(self):
        """{region: [{metric: error}]}, by iteration."""
        found = {}
        for region in self._regions:
            iterations = []
            for loc, location in sorted(self._intervals.locations.items()):
                if location.first is not None:
                    for number, instance in enumerate(phases.instances(self._intervals, region, loc)):
                        iterations += [{}] if number == len(iterations) else []
                        iterations[number][loc] = instance
            if iterations:
                found[region] = [{metric: error * self._tick for metric, error
                                  in self._errors.inside(instances).items()} for instances in iterations]
        return found


def differences(report, reference):
    """Texts about what differs."""
    expected = reference.statistics()
    for record in report["statistics"]:
        found = record["error"], record["insignificant"], record["insignificant_sum"]
        if not all(map(same, found, expected.pop(record["metric"]))):
            yield f"{record['metric']}: {found}"
    if expected:
        yield f"statistics lack {expected}"
    expected = reference.links()
    found = {(link["from"], link["to"], link["metric"]): link["error"]
             for link in report["matrices"]["delays"]["links"]}
    for key in sorted(set(found) | set(expected)):
        if not same(found.get(key), expected.get(key)):
            yield f"link {key}: {found.get(key)} instead of {expected.get(key)}"
    path = report["critical_path_errors"]
    if path is None:
        # Of a run that ended inside of calls no critical path is stated.
        if report["hang"] is None:
            yield "no errors of the critical path"
        yield from phase_differences(report, reference.phases())
        return
    expected, turns, short = reference.path()
    found = {part["callpath"]: part["error"] for part in path["callpaths"]}
    for key in sorted(set(found) | set(expected)):
        if not same(found.get(key), expected.get(key)):
            yield f"path in {key}: {found.get(key)} instead of {expected.get(key)}"
    if (path["turns"], path["insignificant_turns"]) != (turns, short):
        yield f"turns: {path['turns']}, {path['insignificant_turns']} instead of {turns}, {short}"
    yield from phase_differences(report, reference.phases())


def phase_differences(report, expected):
    for phase in report["phases"]:
        iterations = expected.pop(phase["region"], [])
        if len(iterations) != len(phase["rows"]):
            yield f"phase {phase['region']}: {len(phase['rows'])} rows"
            continue
        for row, by_kind in zip(phase["rows"], iterations):
            if row["wait_errors"].keys() != by_kind.keys() or not all(
                    same(error, by_kind[kind]) for kind, error in row["wait_errors"].items()):
                yield f"iteration {row['first']}: {row['wait_errors']} instead of {by_kind}"
            if not same(row["waiting_error"], sum(by_kind.values())):
                yield f"iteration {row['first']}: {row['waiting_error']}"
        total = sum(sum(by_kind.values()) for by_kind in iterations)
        if not same(phase["total"]["waiting_error"], total):
            yield f"phase {phase['region']}: {phase['total']['waiting_error']} instead of {total}"
    if expected:
        yield f"phases lack {expected}"


def with_nodes(text, chooser, ranks):
    """A scenario with other nodes and without expectations."""
    lines = [line for line in text.splitlines() if not line.startswith(("node ", "expect"))]
    place = next(number for number, line in enumerate(lines) if line.startswith("ranks ")) + 1
    members = {}
    for rank in range(ranks):
        members.setdefault(chooser.choice(("node", "second", "third")), []).append(str(rank))
    lines[place:place] = [f"node {name} {' '.join(those)}" for name, those in members.items()]
    return "\n".join(lines) + "\n"


def families_of(report):
    """Those of which the report has waits that are not significant."""
    return {family for record in report["statistics"] if record["insignificant"]
            for family, parts in FAMILIES.items() if any(part in record["metric"] for part in parts)}


def check_random(fermata, count, seed):
    failed, seen = 0, set()
    for index in range(count):
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            chooser = random.Random(f"errors {seed} {index}")
            focus = FOCUSES[index % len(FOCUSES)]
            generate.main(["--seed", str(seed), "--first", str(index), "--count", "1", "--ranks", "2..8",
                           "--out", str(folder / "made"), *(["--focus", focus] if focus else [])])
            made = next((folder / "made").iterdir())
            path = folder / "random.scn"
            path.write_text(with_nodes(made.read_text(), chooser,
                                       scenario_file.read_scenario(str(made)).ranks))
            scenario = synthesize(fermata, path, folder)
            call, clock = chooser.randint(0, 40), chooser.choice((0, 1, 500, 5000))
            report, exact = reports(fermata, scenario, folder, call, clock)
            found = list(differences(report, Reference(scenario, report, call, clock)))
            if without_errors(report) != without_errors(exact):
                found.append("errors of times change other numbers")
            seen |= families_of(report)
            failed += bool(found)
            for text in found[:10]:
                print(f"seed {seed}, {index} ({focus}), call {call}, clock {clock}: {text}")
    print(f"{count} executions, {failed} of them differ; not significant: waits of {sorted(seen)}")
    return 1 if failed or (count >= 4 * len(FOCUSES) and seen != set(FAMILIES)) else 0


# --- wrong clocks ---------------------------------------------------------------------------------


def amounts(report):
    """What both reports of an execution are compared by, apart by kind of number:
    {what: {key: (number of waits or None, time, error)}}. Errors of times are None if not known."""
    found = {"kind": {record["metric"]: (record["count"], record["sum"], record["error"])
                      for record in report["statistics"]}}
    found["link"] = {(link["from"], link["to"], link["metric"]): (link["count"], link["seconds"], link["error"])
                     for link in report["matrices"]["delays"]["links"]}
    times, path = {}, report["critical_path_errors"]
    for cell in report["severities"]:
        if cell["metric"].startswith("critical_path") and not cell["metric"].endswith("activities"):
            times[cell["callpath"]] = times.get(cell["callpath"], 0) + cell["value"]
    of_path = {part["callpath"]: part["error"] for part in path["callpaths"]}
    found["path"] = {callpath: (None, time, of_path.get(callpath, 0)) for callpath, time in times.items()}
    return found


def is_same_path(one, other, clock):
    """Whether two paths turn at the same waits, by clocks that differ by that many seconds."""
    segments = [report["critical_path"] for report in (one, other)]
    return len(segments[0]) == len(segments[1]) and all(
        a["location"] == b["location"] and abs(a["begin"] - b["begin"]) <= 2 * clock
        for a, b in zip(*segments))


def analyzed(fermata, folder, lines, clock):
    """The report of a program, whose clocks may differ by that many ticks."""
    (folder / "program.scn").write_text("\n".join(lines) + "\n")
    scenario = synthesize(fermata, folder / "program.scn", folder)
    return reports(fermata, scenario, folder, 0, clock)[0]


def check_planted(fermata, count, seed):
    """Each rank's clock is wrong by a constant. Where that changes how many calls wait, or where the path
    leads, there is nothing to compare. Of two ranks that are nearly as late it may change which one is the
    last: a wait then counts for another pair, which the error of a pair does not cover."""
    compared, wrong = {}, {}
    for index in range(count):
        chooser = random.Random(f"planted {seed} {index}")
        clock = chooser.choice((50, 300, 1000, 4000))
        program = check_clocks.make_program(chooser)
        times = program.true_times()
        nodes = [f"node n{rank} {rank}" for rank in range(program.ranks)]
        found = []
        for shifts in [0] * program.ranks, [chooser.randint(0, clock) for _ in range(program.ranks)]:
            moved = [[time + shift for time in events] for events, shift in zip(times, shifts)]
            lines = program.lines(moved)
            lines[2:2] = nodes
            with tempfile.TemporaryDirectory() as folder:
                found.append(analyzed(fermata, pathlib.Path(folder), lines, clock))
        same_path = is_same_path(*found, clock * 1e-9)
        true, shown = map(amounts, found)
        for what, numbers in shown.items():
            for key, (same_waits, time, error) in numbers.items():
                before = true[what].get(key)
                if before is None or before[0] != same_waits or (what == "path" and not same_path):
                    continue
                compared[what] = compared.get(what, 0) + 1
                if abs(before[1] - time) > error + 1e-12:
                    wrong[what] = wrong.get(what, 0) + 1
                    print(f"seed {seed}, {index}: {what} {key}: {time} +- {error}, truly {before[1]}")
    print(f"{count} executions: {compared} compared, {wrong} are not within their errors")
    proves_little = any(compared.get(what, 0) < count for what in ("kind", "link", "path"))
    is_wrong = wrong.pop("link", 0) > compared["link"] * 0.02 or wrong
    return 1 if is_wrong or proves_little else 0


def main():
    fermata, what, *rest = sys.argv[1:]
    if what == "random":
        sys.exit(check_random(fermata, share.count(int(rest[0])), int(rest[1])))
    if what == "planted":
        sys.exit(check_planted(fermata, share.count(int(rest[0])), int(rest[1])))
    check_by_hand(fermata, pathlib.Path(what))


if __name__ == "__main__":
    main()
