# SPDX-License-Identifier: BSD-3-Clause
"""Records the programs of workloads/planted and checks that the report's first problem is what was
planted: the function, the ranks, the iterations, the waiting that it explains, and what the run would
gain without it: as planted, and compared with the program that is really fixed, in both ways.

The planted delays are long against what other processes on the machine can take away from the ranks;
how long they were is read from the program's options, not from a clock. What a fix really gains is how
much shorter the computation of the slowest rank becomes, as the program measures it. If other processes
take away more than LIMIT of the computation, or make it longer by as much, or a real gain differs from the
planted one by more than GAIN_LIMIT, the program is run again. One that is disturbed TRIES times is not
judged: its other ranks were late, too. The exit status then is 77.

usage: check_causes.py --fermata F --mpirun M --program P [--no-fixes] [NAME...]
"""

import argparse
import json
import pathlib
import re
import sys
import tempfile

sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent / "cases"))

import fermata_run  # noqa: E402

BASE, EXCESS, ITERATIONS = 0.04, 0.3, 10
SLOW, ALL, SLOW_EXCESS = 20, 60, 0.15  # of slow-iterations
DELAY = EXCESS * ITERATIONS
LIMIT, GAIN_LIMIT = 0.1, 0.02  # of the influence of other processes: on computation, on gains
TRIES = 2
GOOD, WRONG, DISTURBED, SKIPPED = "good", "wrong answers", "not judged, disturbed", 77
FUNCTIONS = ("compute", "assemble", "solve", "relax", "update_table", "pack", "react", "prepare")


class Answer:
    """The problems of a report, with names instead of numbers."""

    def __init__(self, document):
        self._regions, self._parents = {}, {}
        for callpath in document["callpaths"]:
            self._regions[callpath["id"]] = callpath["region"]
            self._parents[callpath["id"]] = callpath["parent"]
        self._ranks = {place["id"]: place["rank"] for place in document["locations"]}
        self.problems = document["problems"]
        self.waiting = sum(problem["cost"] for problem in self.problems)
        self._times = {"stolen_time": 0.0, "measured_time": 0.0}
        for severity in document["severities"]:
            if severity["metric"] in self._times:
                self._times[severity["metric"]] += severity["value"]

    def lost(self):
        """The share of the computation in which the ranks had no processor."""
        return self._times["stolen_time"] / max(self._times["measured_time"], 1e-9)

    def function(self, problem):
        """The planted function if the cause is it or something that it calls, else the cause."""
        place = problem["cause"]["callpath"]
        while place is not None and self._regions[place] not in FUNCTIONS:
            place = self._parents[place]
        place = problem["cause"]["callpath"] if place is None else place
        return None if place is None else self._regions[place]

    def ranks(self, problem):
        return [self._ranks[place] for place in problem["cause"]["locations"]]

    def symptoms(self, problem):
        """(metric, function) of the waiting that the problem explains, the longest first."""
        return [(symptom["metric"], self._regions[symptom["callpath"]])
                for symptom in problem["symptoms"]]

    def describe(self):
        return "\n".join(f"  {self.function(problem)} on {self.ranks(problem)}: "
                         f"{json.dumps(problem)}" for problem in self.problems[:4])


class Failure(Exception):
    pass


def expect(condition, text):
    if not condition:
        raise Failure(text)


def expect_cause(answer, problem, function, ranks, kind="imbalance"):
    found = answer.function(problem), answer.ranks(problem), problem["cause"]["kind"]
    expect(found == (function, ranks, kind), f"{found} instead of {function} on {ranks}, {kind}")


def expect_gain(problem, balanced, removed):
    """Bounds may exceed what was planted by the ranks' waiting for a processor. Without marks in the
    program a stretch of computation is known to one period of the samples at either end."""
    for name, planted in (("balanced", balanced), ("removed", removed)):
        found = problem["gain"][name]
        expect(0.9 * planted <= found <= 1.3 * planted,
               f"gain if {name}: {found:.3f} s, planted {planted:.3f} s")


def expect_named(report, functions):
    """The headline of the first problem names a planted function."""
    headline = re.search(r"^  1\. `([^`]*)`", report, re.MULTILINE)
    named = headline.group(1).split("/") if headline else []
    expect(set(named) & set(functions), f"the first problem is called {named}")


def check_hidden_computation(answer, ranks):
    first = answer.problems[0]
    expect_cause(answer, first, "compute", [1])
    expect(first["cost"] >= 0.7 * answer.waiting, "most waiting stems from compute")
    expect(first["when"] == [], "all iterations are alike")
    expect(answer.symptoms(first)[0][0] == "mpi_latesender", "its symptom is Late Sender")
    expect_gain(first, DELAY * (ranks - 1) / ranks, DELAY if ranks > 2 else DELAY / 2)


def check_two_causes(answer, ranks):
    first, second = answer.problems[:2]
    found = sorted((answer.function(problem), answer.ranks(problem)[0])
                   for problem in (first, second))
    expect(found == [("assemble", 0), ("solve", 1)], f"causes are {found}")
    expect_cause(answer, first, "assemble", [0])
    expect(answer.symptoms(first)[0] == ("mpi_wait_nxn", "MPI_Allreduce"),
           "its symptom is Wait at N x N")


def check_ring(answer, ranks):
    first = answer.problems[0]
    expect_cause(answer, first, "relax", [1])
    expect(first["cost"] >= 0.7 * answer.waiting, "most waiting stems from relax")


def check_critical_section(answer, ranks):
    first = answer.problems[0]
    expect_cause(answer, first, "update_table", list(range(ranks)), "serialization")


def check_small_messages(answer, ranks):
    first = answer.problems[0]
    expect_cause(answer, first, "pack", list(range(1, ranks, 2)))
    expect(answer.symptoms(first)[0] == ("mpi_latesender", "MPI_Waitall"),
           f"a message of 4 bytes blocks no sender: {answer.symptoms(first)}")


def check_slow_iterations(answer, ranks):
    first = answer.problems[0]
    expect_cause(answer, first, "react", [ranks - 1])
    (when,) = first["when"]
    expect((when["first"], when["last"]) == (25, 44), f"iterations {when}, planted 25 to 44")
    expect(when["share"] >= 0.9, f"share of these iterations: {when['share']}")


def check_circular_calls(answer, ranks):
    first = answer.problems[0]
    expect_cause(answer, first, "prepare", [2])
    expect(first["cost"] >= 0.7 * answer.waiting, "most waiting stems from prepare")


class Plant:
    """A problem: ranks, check of the answer, planted functions, options of the program, and what its
    fixes gain: {name: seconds, or the least and the most}."""

    iterations = slow_iterations = ITERATIONS
    excess = EXCESS
    parts = 1  # computations of an iteration, in parts of one

    def __init__(self, ranks, check, functions, options=(), **gains):
        self.ranks, self.check, self.functions = ranks, check, functions
        self.options, self.gains = list(options), gains


def late_in(function, check, ranks, options=(), delay=DELAY):
    """One rank is late in a function."""
    return Plant(ranks, check, [function], options, removed=delay,
                 balanced=delay * (ranks - 1) / ranks)


PLANTS = {
    "hidden-computation": late_in("compute", check_hidden_computation, 3),
    "two-causes": Plant(2, check_two_causes, ["assemble", "solve"], removed=1.5 * DELAY,
                        balanced=0.75 * DELAY),
    "ring": late_in("relax", check_ring, 3),
    # Balanced: over the locks of all ranks. Then all ranks compute at once.
    # Two ranks: more that spin for the lock than there are processors delay the one that holds it.
    # While one holds it, the other may compute outside, if its library can pass the lock on meanwhile.
    "critical-section": Plant(2, check_critical_section, ["update_table"],
                              balanced=(DELAY - (ITERATIONS - 1) * BASE, DELAY)),
    "small-messages": late_in("pack", check_small_messages, 2),
    "small-messages --receive-first": late_in("pack", check_small_messages, 2,
                                              ["--receive-first"]),
    "slow-iterations": late_in("react", check_slow_iterations, 3, ["--iterations", str(ALL)],
                               SLOW * SLOW_EXCESS),
    "circular-calls": late_in("prepare", check_circular_calls, 4),
}


PLANTS["two-causes"].parts = 1.5
PLANTS["slow-iterations"].iterations, PLANTS["slow-iterations"].slow_iterations = ALL, SLOW
PLANTS["slow-iterations"].excess = SLOW_EXCESS


def command_of(options, name, fix=None):
    plant = PLANTS[name]
    return [options.program, "--iterations", str(ITERATIONS), "--base", str(BASE), "--excess",
            str(plant.excess), *plant.options, *(["--fix", fix] if fix else []), name.split()[0]]


def read_times(name, output):
    """(duration of the run, computation of the slowest rank), as the program has printed them."""
    found = re.search(rf"planted: {name.split()[0]} took ([0-9.]+) s, ([0-9.]+) s of it", output)
    if not found:
        sys.exit(f"the program's own output is missing from\n{output}")
    return float(found.group(1)), float(found.group(2))


def expect_fixed(options, name, answer, times):
    """The bound of each fix's gain holds for the program with this fix, and is no more than 1.3 times
    as large; a prediction, which is no bound, is at most 6 % of the run time too small. Returns whether all of it could be judged."""
    plant, judged = PLANTS[name], True
    serial = answer.problems[0]["cause"]["kind"] == "serialization"
    problems = [problem for problem in answer.problems[:3]
                if answer.function(problem) in plant.functions]
    for fix, planted in plant.gains.items():
        output = fermata_run.run(fermata_run.mpi_command(options.mpirun, plant.ranks,
                                                         command_of(options, name, fix)))
        fixed = read_times(name, output)
        real = times[0] - fixed[0] if serial else times[1] - fixed[1]
        least, most = planted if isinstance(planted, tuple) else (planted, planted)
        if not (1 - GAIN_LIMIT) * least <= real <= (1 + GAIN_LIMIT) * most:
            judged = False
            continue
        # A part of the planted function that is found to be transfer has no gain.
        # What balance gains is predicted of a call path, and what the lack of a lock gains of the lock. It
        # is stated at each of their problems; one with a small part of the lock's time states its own gain.
        gains = {}
        for problem in problems:
            proved = problem["gain"]["proved"]
            of_callpath = proved and fix == "balanced" and not serial
            place = (problem["cause"]["callpath"], None if of_callpath else problem["id"])
            if proved and serial and problem["lock"] is not None:
                place = ("lock", problem["lock"])
            gain = problem["gain"]["removed" if serial else fix] or 0
            gains[place] = max(gains.get(place, 0), gain)
        bound = sum(gains.values())
        predicted = any(problem["gain"]["proved"] for problem in problems)
        expect(real <= bound + (0.06 if predicted else 0.03) * times[0] and bound <= 1.3 * real,
               f"gain if {fix}: {bound:.3f} s by the report, really {real:.3f} s")
    return judged


def is_disturbed(name, answer, times):
    """Other processes took the processors away, or made the computation of the slowest rank longer: samples
    by CPU time then show little of the computation, and other ranks are late, too."""
    if answer.lost() > LIMIT:
        return True
    plant = PLANTS[name]
    slow = plant.slow_iterations
    planted = slow * (BASE + plant.excess) + (plant.iterations - slow) * BASE
    return times[1] - plant.parts * planted > LIMIT * plant.parts * planted


def judge(options, name, folder):
    """Records a program and looks at the report. Returns (what is wrong or None, whether the program was
    disturbed, whether its fixes were judged)."""
    plant = PLANTS[name]
    output = fermata_run.record(options, folder, plant.ranks, command_of(options, name),
                                samples=True)
    times = read_times(name, output)
    answer = Answer(json.loads(fermata_run.report(options, folder, "--format=json")))
    text = fermata_run.report(options, folder)
    try:
        plant.check(answer, plant.ranks)
        expect_named(text, plant.functions)
        return None, False, options.no_fixes or expect_fixed(options, name, answer, times)
    except Failure as failure:
        wrong = f"{name}: {failure}\n{answer.describe()}\n{text}"
        return wrong, is_disturbed(name, answer, times), True


def check(options, name):
    """Returns GOOD, WRONG or DISTURBED."""
    outcome = DISTURBED
    with tempfile.TemporaryDirectory(dir=options.keep) as scratch:
        for number in range(TRIES):
            wrong, disturbed, judged = judge(options, name, pathlib.Path(scratch) / str(number))
            if not disturbed and judged:
                outcome = WRONG if wrong else GOOD
                break
    if wrong:
        print(wrong)
    if outcome == DISTURBED:
        print(f"{name}: other processes have disturbed it {TRIES} times")
    return outcome


def main():
    parser = argparse.ArgumentParser()
    for option in ("--fermata", "--mpirun", "--program"):
        parser.add_argument(option, required=True)
    parser.add_argument("--keep", help="a folder for the experiments")
    parser.add_argument("--no-fixes", action="store_true", help="the programs as planted only")
    parser.add_argument("names", nargs="*", default=list(PLANTS))
    options = parser.parse_args()
    outcomes = {name: check(options, name) for name in options.names or PLANTS}
    for outcome in (WRONG, DISTURBED):
        names = [name for name in outcomes if outcomes[name] == outcome]
        if names:
            print(f"{outcome}: {', '.join(names)}")
    sys.exit(1 if WRONG in outcomes.values() else SKIPPED if DISTURBED in outcomes.values() else 0)


if __name__ == "__main__":
    main()
