"""Records the programs of workloads/planted and checks that the report's first problem is what was
planted: the function, the ranks, the iterations, the waiting that it explains, and what the run would
gain without it.

The planted delays are long against what other processes on the machine can take away from the ranks;
how long they were is read from the program's options, not from a clock.

usage: check_causes.py --fermata F --mpirun M --program P [NAME...]
"""

import argparse
import json
import pathlib
import sys
import tempfile

sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent / "cases"))

import fermata_run  # noqa: E402

BASE, EXCESS, ITERATIONS = 0.01, 0.06, 20
DELAY = EXCESS * ITERATIONS
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


# Name: ranks, check, options of the program.
PLANTS = {
    "hidden-computation": (3, check_hidden_computation, []),
    "two-causes": (2, check_two_causes, []),
    "ring": (3, check_ring, []),
    "critical-section": (4, check_critical_section, []),
    "small-messages": (2, check_small_messages, []),
    "small-messages --receive-first": (2, check_small_messages, ["--receive-first"]),
    "slow-iterations": (3, check_slow_iterations, ["--iterations", "60"]),
    "circular-calls": (4, check_circular_calls, []),
}


def check(options, name):
    ranks, judge, arguments = PLANTS[name]
    plant = name.split()[0]
    program = [options.program, "--iterations", str(ITERATIONS), "--base", str(BASE), "--excess",
               str(EXCESS), *arguments, plant]
    with tempfile.TemporaryDirectory(dir=options.keep) as scratch:
        folder = pathlib.Path(scratch) / "experiment"
        output = fermata_run.record(options, folder, ranks, program, samples=True)
        if f"planted: {plant} took" not in output:
            sys.exit(f"the program's own output is missing from\n{output}")
        answer = Answer(json.loads(fermata_run.report(options, folder, "--format=json")))
        try:
            judge(answer, ranks)
            return True
        except Failure as failure:
            print(f"{name}: {failure}\n{answer.describe()}")
            print(fermata_run.report(options, folder))
            return False


def main():
    parser = argparse.ArgumentParser()
    for option in ("--fermata", "--mpirun", "--program"):
        parser.add_argument(option, required=True)
    parser.add_argument("--keep", help="a folder for the experiments")
    parser.add_argument("names", nargs="*", default=list(PLANTS))
    options = parser.parse_args()
    failures = [name for name in options.names or PLANTS if not check(options, name)]
    sys.exit(f"wrong answers: {', '.join(failures)}" if failures else 0)


if __name__ == "__main__":
    main()
