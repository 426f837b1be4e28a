# SPDX-License-Identifier: BSD-3-Clause
"""What must hold for every trace, on random scenarios: the report does not depend on the number of
workers, on when the run began, on the unit of time, or on the numbers of the ranks; computation behind
the last communication costs nobody anything; all invariants hold; waiting by parts of the run and the
matrices add up to the severities, problems and their symptoms to all waiting.

usage: check_properties.py FERMATA COUNT SEED     (or more scenarios than COUNT: support/share.py)
"""

import collections
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "..", "rules", "reference"), os.path.join(HERE, "..", "support")]
import generate  # noqa: E402
import intervals  # noqa: E402
import share  # noqa: E402
import transformations  # noqa: E402

SEVERAL_WORKERS = (2, 3, 7)  # in turn, beside one
FACTOR = 3
# Costs are shares of ticks, rounded: so far may they differ from what an exact sum gives.
COST_TOLERANCE = 1e-9
COST_ROOTS = ("delay", "interval_delay", "wait_direct", "wait_indirect", "wait_propagating",
              "wait_terminal", "critical_path", "performance_impact", "imbalance")
WAIT_COST_ROOTS = ("delay", "interval_delay")
IDLE_METRICS = ("omp_idle_threads", "omp_limited_parallelism")
SHOWN_PROBLEMS = 32  # that are examined further at most
# Kinds of wait states that the scenarios have; what is below them in the tree is a part of them.
WAIT_STATES = set(intervals.SYNCHRONIZATION_KINDS) | set(intervals.CONTENTION_KINDS)
# Values of an iteration that are no times.
PLAIN_VALUES = ("count", "locations", "parallel_efficiency", "load_balance",
                "communication_efficiency")


class Failure(Exception):
    """A property that does not hold."""


def run(command):
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
    if done.returncode != 0:
        raise Failure(f"{' '.join(command[1:3])}: exit status {done.returncode}: {done.stderr}")
    return done.stdout


class Analysis:
    """What the report of a scenario says."""

    def __init__(self, fermata, folder, scenario, workers=(1,)):
        path = os.path.join(folder, "scenario.scn")
        archive = os.path.join(folder, "archive")
        with open(path, "w", encoding="utf-8") as file:
            file.write(transformations.write(*scenario))
        shutil.rmtree(archive, ignore_errors=True)
        run([fermata, "synth", path, "-o", archive])
        contents = set()
        for number in workers:
            report = os.path.join(folder, "report.fer")
            run([fermata, "analyze", "-q", "--check", "-j", str(number), "-o", report,
                 *transformations.options(scenario), archive])
            with open(report, "rb") as file:
                contents.add(file.read())
        if len(contents) != 1:
            raise Failure(f"{len(contents)} different reports for {workers} workers")
        self.content = json.loads(run([fermata, "report", "--format=json", report]))
        self.units = {metric["id"]: metric["unit"] for metric in self.content["metrics"]}
        self.parents = {metric["id"]: metric["parent"] for metric in self.content["metrics"]}
        self.roots = {}
        for metric in self.parents:
            root = metric
            while self.parents[root] is not None:
                root = self.parents[root]
            self.roots[metric] = root
        self.values = self.read_values()

    def callpath_names(self):
        names = {}
        for path in self.content["callpaths"]:
            names[path["id"]] = (names.get(path["parent"], ()) + (path["region"],))
        return names

    def read_values(self):
        paths = self.callpath_names()
        places = {location["id"]: (location["rank"], location["thread"])
                  for location in self.content["locations"]}
        return {(severity["metric"], paths[severity["callpath"]], places[severity["location"]]):
                severity["value"] for severity in self.content["severities"]}

    def statistics(self):
        """By metric, without where the longest waits were."""
        return {entry["metric"]: {key: value for key, value in entry.items()
                                  if isinstance(value, (int, float))}
                for entry in self.content["statistics"]}

    def kind_of(self, metric):
        """The kind of wait state that a metric is or is a part of; None: it is none."""
        kind = None
        while metric is not None:
            kind = metric if metric in WAIT_STATES else kind
            metric = self.parents[metric]
        return kind

    def waiting(self):
        """{(kind, location): seconds}, from the severities."""
        sums = collections.defaultdict(float)
        for severity in self.content["severities"]:
            kind = self.kind_of(severity["metric"])
            if kind is not None:
                sums[kind, severity["location"]] += severity["value"]
        return sums

    def without_experiment(self):
        return {key: value for key, value in self.content.items() if key != "experiment"}


def same_values(expected, found, roots, what):
    """Compares values of two analyses; those of costs up to their rounding."""
    total = sum(abs(value) for value in expected.values())
    for key in expected.keys() | found.keys():
        root = roots[key[0]]
        should, does = expected.get(key, 0), found.get(key, 0)
        tolerance = COST_TOLERANCE * total if root in COST_ROOTS else 1e-12 * abs(should)
        if abs(should - does) > tolerance:
            raise Failure(f"{what}: {key} is {does!r} instead of {should!r}")


def near(expected, found, what):
    if abs(expected - found) > 1e-9 * max(abs(expected), 1e-9):
        raise Failure(f"{what} is {found!r} instead of {expected!r}")


def check_sums(analysis):
    """Waiting by parts of the run and the matrices are the severities, divided in another way."""
    waiting = analysis.waiting()
    found = collections.defaultdict(float)
    for row in analysis.content["time_bins"]["waiting"]:
        found[row["metric"], row["row"]] += sum(value for _, value in row["bins"])
    for key in waiting.keys() | found.keys():
        near(waiting.get(key, 0), found.get(key, 0), f"waiting by parts of the run of {key}")
    matrices = analysis.content["matrices"]
    found = collections.defaultdict(float)
    for link in matrices["delays"]["links"]:
        found[link["metric"], link["to"]] += link["seconds"]
    for key in waiting.keys() | found.keys():
        near(waiting.get(key, 0), found.get(key, 0), f"delays of {key}")
    for matrix, metrics in (("messages", {"bytes_sent"}), ("operations", {"bytes_put", "bytes_get"})):
        for location in analysis.content["locations"]:
            sent = sum(severity["value"] for severity in analysis.content["severities"]
                       if severity["metric"] in metrics
                       and severity["location"] == location["id"])
            near(sent, sum(link["bytes"] for link in matrices[matrix]["links"]
                           if link["from"] == location["id"]), f"{matrix} of {location}")


def check_problems(analysis):
    """The problems of waiting cost all waiting, those of idle threads all idle time; the symptoms of a problem that
    is examined further, its cost."""
    idle = sum(value for (metric, *_), value in analysis.values.items() if metric in IDLE_METRICS)
    for is_idle, whole in ((False, sum(analysis.waiting().values())), (True, idle)):
        check_class([problem for problem in analysis.content["problems"]
                     if (problem["cause"]["kind"] == "idle") == is_idle], whole)


def check_class(problems, whole):
    near(whole, sum(problem["cost"] for problem in problems), "the cost of all problems")
    for problem in problems[:SHOWN_PROBLEMS]:
        if problem["cost"] < whole / 100 * (1 - 1e-9):
            break
        near(problem["cost"], sum(symptom["cost"] for symptom in problem["symptoms"]),
             f"the symptoms of problem {problem['id']}")


def problem_costs(analysis, places=None, factor=1):
    """{(kind, call path, locations): cost}; ranks r are called places[r]."""
    paths = analysis.callpath_names()
    where = {location["id"]: (places[location["rank"]] if places else location["rank"],
                              location["thread"])
             for location in analysis.content["locations"]}
    found = {}
    for problem in analysis.content["problems"]:
        cause = problem["cause"]
        key = (cause["kind"], paths.get(cause["callpath"]),
               tuple(sorted(where[location] for location in cause["locations"])))
        found[key] = problem["cost"] * factor
    return found


def same_costs(expected, found, what):
    """Compares costs of problems up to their rounding."""
    total = sum(expected.values())
    for key in expected.keys() | found.keys():
        if abs(expected.get(key, 0) - found.get(key, 0)) > COST_TOLERANCE * total:
            raise Failure(f"{what}: problem {key} costs {found.get(key, 0)!r} instead of "
                          f"{expected.get(key, 0)!r}")


def iterations(analysis, factor=1):
    """{(region, iteration, value): number}; times are multiplied by `factor`."""
    found = {}
    for phase in analysis.content["phases"]:
        for row in phase["rows"] + [dict(phase["total"], first="all")]:
            for name, value in list(row.items()) + list(row["waits"].items()):
                if name in PLAIN_VALUES:
                    found[phase["region"], row["first"], name] = value or 0
                elif name not in ("first", "slowest", "waits", "waiting_error"):
                    found[phase["region"], row["first"], name] = value * factor
    return found


def links(analysis, places=None, factor=1):
    """{(matrix, from, to, metric, value): number}; ranks r are called places[r]."""
    found = {}
    where = {location["id"]: (places[location["rank"]] if places else location["rank"],
                              location["thread"])
             for location in analysis.content["locations"]}
    for name, matrix in analysis.content["matrices"].items():
        for link in matrix["links"]:
            key = name, where[link["from"]], where[link["to"]], link["metric"]
            found[key + ("count",)] = link["count"]
            found[key + ("amount",)] = (link["seconds"] * factor if "seconds" in link
                                        else link["bytes"])
    return found


def same_numbers(expected, found, what):
    for key in expected.keys() | found.keys():
        near(expected.get(key, 0), found.get(key, 0), f"{what}: {key}")


def check_shift(fermata, folder, scenario, plain):
    analysis = Analysis(fermata, folder, transformations.shifted(scenario, 10 ** 12 + 7))
    if analysis.without_experiment() != plain.without_experiment():
        same_values(plain.values, analysis.values, plain.roots, "shift")
        raise Failure("shift: the report is another one")


def check_scale(fermata, folder, scenario, plain):
    analysis = Analysis(fermata, folder, transformations.scaled(scenario, FACTOR))
    expected = {key: value * (FACTOR if plain.units[key[0]] == "sec" else 1)
                for key, value in plain.values.items()}
    same_values(expected, analysis.values, plain.roots, "scale")
    same_numbers(iterations(plain, FACTOR), iterations(analysis), "scale")
    same_numbers(links(plain, factor=FACTOR), links(analysis), "scale")
    same_costs(problem_costs(plain, factor=FACTOR), problem_costs(analysis), "scale")


def check_permutation(fermata, folder, scenario, chooser):
    scenario = transformations.without_ties(scenario)
    plain = Analysis(fermata, folder, scenario)
    ranks = 1 + max(location["rank"] for location in plain.content["locations"])
    places = transformations.places_of(scenario, ranks, chooser)
    analysis = Analysis(fermata, folder, transformations.permuted(scenario, places))
    expected = {(metric, path, (places[rank], thread)): value
                for (metric, path, (rank, thread)), value in plain.values.items()}
    same_values(expected, analysis.values, plain.roots, f"permutation {places}")
    same_numbers(iterations(plain), iterations(analysis), f"permutation {places}")
    same_numbers(links(plain, places), links(analysis), f"permutation {places}")
    same_costs(problem_costs(plain, places), problem_costs(analysis), f"permutation {places}")
    if plain.statistics() != analysis.statistics():
        raise Failure(f"permutation {places}: other statistics")


def check_longer_end(fermata, folder, scenario, plain):
    longer = transformations.with_longer_end(scenario, 12345)
    if longer is None:
        return
    analysis = Analysis(fermata, folder, longer)
    waits = {metric for metric in plain.statistics()}
    for values in (plain.values, analysis.values):
        for key in [key for key in values if plain.roots[key[0]] not in WAIT_COST_ROOTS
                    and key[0] not in waits]:
            del values[key]
    same_values(plain.values, analysis.values, plain.roots, "longer end")
    same_numbers(links(plain), links(analysis), "longer end")
    # Threads may be idle meanwhile.
    same_costs(*({key: cost for key, cost in problem_costs(of).items() if key[0] != "idle"}
                 for of in (plain, analysis)), "longer end")


def check_scenario(fermata, folder, index, seed):
    chooser = random.Random(f"{seed}:{index}")
    lines = generate.generate(seed, index, (2, 24))
    scenario = transformations.parse("\n".join(lines))
    several = SEVERAL_WORKERS[index % len(SEVERAL_WORKERS)]
    plain = Analysis(fermata, folder, scenario, (1, several))
    check_sums(plain)
    check_problems(plain)
    check_shift(fermata, folder, scenario, plain)
    is_sampled = any(" sample" in line for line in lines)
    polls = any(value and plain.roots[key[0]] == "polling" for key, value in plain.values.items())
    # What samples tell is in whole ticks; which gaps are those of polling loops depends on microseconds.
    if not is_sampled and not polls and not any(" merged " in line for line in lines):
        check_scale(fermata, folder, scenario, plain)
    check_permutation(fermata, folder, scenario, chooser)
    check_longer_end(fermata, folder, scenario, plain)


def main():
    fermata, count, seed = sys.argv[1], share.count(int(sys.argv[2])), sys.argv[3]
    failures = 0
    place = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    with tempfile.TemporaryDirectory(dir=place) as folder:
        for index in range(count):
            try:
                check_scenario(fermata, folder, index, seed)
            except Failure as failure:
                print(f"seed {seed}, scenario {index}: {failure}")
                failures += 1
    print(f"{count} scenarios, {failures} failed")
    sys.exit(failures != 0)


main()
