# SPDX-License-Identifier: BSD-3-Clause
"""Records a one-sided program in which one process comes late or holds a lock for long, and checks that the
report's first problem is what was planted: the function, the process, the kind of cause, and the waiting
that it costs, which is compared with what the recorded times make of it. The result is that of a run without the recorder.

usage: check_planted.py FERMATA NAME LAUNCHER PROGRAM

NAME: a row of PLANTS.
"""
import collections
import pathlib
import shlex
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path += [str(HERE.parent / "shmem"), str(HERE.parents[1] / "support")]

import first_problem  # noqa: E402
from shmem_archive import run  # noqa: E402

PROCESSES = 4
TOLERANCE = 0.05  # of the recorded waiting


class Plant:
    """A planted problem: options of the program; the function and its process; the ways in which the others
    wait for it: by the kind of the cause, the calls in which they wait, and the metrics of their waiting; the
    number of processes."""

    def __init__(self, options, function, process, ways, processes=PROCESSES):
        self.options, self.function, self.process, self.ways = options, function, process, ways
        self.processes = processes


SRUMMA = ["--blocks", 4, "--length", 16, "--late", "30:2"], "come_late", 2
QUEUE = ["--tasks", 32, "--owner", 1, "--task", 2000, "--hold", "20:1"], "inspect_queue", 1
PLANTS = {
    "srumma": Plant(*SRUMMA, {
        "imbalance": (["MPI_Barrier"], ["mpi_barrier_wait"]),
        "progress": (["MPI_Wait"], ["mpi_rma_comm_wait_for_progress"])}),
    # Whether a get needs the target's help depends on the transport.
    "shmem-srumma": Plant(*SRUMMA, {
        "imbalance": (["shmem_barrier_all"], ["shmem_barrier_wait"]),
        "progress": (["shmem_quiet"], ["shmem_sync_wait_for_progress"])}),
    "shmem-sor": Plant(["--iterations", 10, "--late", "30:2"], "come_late", 2, {
        "imbalance": (["shmem_long_wait_until"], ["shmem_wait_until"])}),
    # One pair: its target waits for what the origin computes behind its put.
    "shmem-put-sync": Plant([], "continue_work", 1, {
        "imbalance": (["shmem_long_wait_until"], ["shmem_wait_until"])}, 2),
    "shmem-queue": Plant(*QUEUE, {"serialization": (["shmem_set_lock"], ["shmem_lock_contention"])}),
    "srumma-armci": Plant(*SRUMMA, {
        "imbalance": (["ARMCI_Barrier"], ["armci_barrier_wait"]),
        "progress": (["ARMCI_Wait"], ["armci_sync_wait_for_progress"])}),
    "srumma-ga": Plant(*SRUMMA, {
        "imbalance": (["MPI_Barrier"], ["mpi_barrier_wait"]),
        "progress": (["ARMCI_Wait"], ["armci_sync_wait_for_progress"])}),
    # Two processes: with more than processors, MPICH is slow to pass a mutex on.
    "armci-mutex": Plant([10, 30], "hold_long", 1, {
        "serialization": (["ARMCI_Lock"], ["armci_lock_contention"])}, 2),
    "armci-mutex-set": Plant([10, 30, "set"], "hold_long", 1, {
        "serialization": (["ARMCIX_Lock_hdl"], ["armci_lock_contention"])}, 2),
    "armci-progress": Plant([5, 50], "compute", 0, {
        "progress": (["ARMCI_Acc"], ["armci_comm_wait_for_progress"])}, 2),
}


def waiting_meanwhile(visits, plant, found, calls):
    """@return the seconds for which other processes are in the calls while the process is in the function, or elsewhere in
    what the problem stands for; of calls that acquire a lock, those that acquire one that the process holds meanwhile"""
    late = (first_problem.spans_in(visits[plant.process], plant.function) +
            first_problem.spans_of(visits[plant.process], found.elsewhere))
    held = {first_problem.lock_held(visits[plant.process], begin) for begin, _ in late}
    return sum(first_problem.overlap([(call.enter, call.leave)], late)
               for process in visits if process != plant.process
               for call in first_problem.calls_of(visits[process], *calls)
               if call.lock is None or call.lock in held)


def times_of(visits, begin, end, barriers):
    """@return the seconds that a process spends in each call path itself, between two times: without the barrier that it
    enters last, in which it waits"""
    times = collections.Counter()
    for visit in visits:
        inside = max(0.0, min(visit.leave, end) - max(visit.enter, begin))
        times[visit.path[:-1]] -= inside
        if visit.path[-1] not in barriers or visit.enter < begin:
            times[visit.path] += inside
    return times


def waiting_for_late(visits, plant, found, function, process):
    """@return the seconds that the others wait in barriers that the process enters last, because of the function:
    the rule of delay costs. Of a wait state the function has the part that its time has of all that takes longer
    on the process than on the one that waits, since this one last waited for it, and at most its time. (Whether calls that
    take long wait for its progress is not recorded: the report states it.) It does not matter when the process is in the function: others that lack a processor then wait later for what it has not yet
    done."""
    barriers, _ = plant.ways["imbalance"]
    progress, _ = plant.ways["progress"] if (plant.function, "progress") in found.kinds else ([], [])
    late = first_problem.spans_in(visits[plant.process], plant.function)
    waits = {at: [call.leave for call in first_problem.calls_of(visits[at], *progress)
                  if at != plant.process and first_problem.overlap([(call.enter, call.leave)], late) > 0]
             for at in visits}
    total, begin = 0.0, min(visit.enter for each in visits.values() for visit in each)
    for instance in zip(*(first_problem.calls_of(visits[at], *barriers) for at in sorted(visits))):
        enters = dict(zip(sorted(visits), (call.enter for call in instance)))
        end = max(enters.values())
        for other in visits if enters[process] == end else ():
            start = max([begin, *(time for time in waits[other] if time < end)])
            own, others = (times_of(visits[at], start, end, barriers) for at in (process, other))
            longer = {path: own[path] - others[path] for path in own if own[path] > others[path]}
            part = sum(time for path, time in longer.items() if function in path)
            total += min(part, (end - enters[other]) * part / max(sum(longer.values()), 1e-9))
        begin = end
    return total


def waiting_at_all(visits, plant, calls):
    """@return the seconds for which processes are in the calls that acquire a lock which the process holds in the
    function: library calls under the lock are a part of the problem, too"""
    late = first_problem.spans_in(visits[plant.process], plant.function)
    held = {first_problem.lock_held(visits[plant.process], begin) for begin, _ in late}
    return sum(call.leave - call.enter for process in visits
               for call in first_problem.calls_of(visits[process], *calls) if call.lock in held)


def judge(plant, fermata, experiment):
    """@return what is wrong with the report; None: nothing"""
    visits = first_problem.read_visits(experiment / "traces.otf2")
    found = first_problem.FirstProblem(fermata, experiment, [plant.function])
    in_barriers = "imbalance" in plant.ways and plant.ways["imbalance"][1][0].endswith("barrier_wait")
    if in_barriers and found.kind == "transfer":
        # Other programs can make calls of the library longer than the function.
        proved = waiting_for_late(visits, plant, found, found.function, *found.processes)
        print(f"{found}; recorded: {proved:.4f} s")
        if not (1 - TOLERANCE) * found.cost <= proved <= (1 + TOLERANCE) * found.cost:
            return f"the first problem costs {found.cost:.4f} s, not {proved:.4f} s"
        found = first_problem.FirstProblem(fermata, experiment, [plant.function], kinds=plant.ways)
    if (found.function, found.processes) != (plant.function, [plant.process]):
        return f"the first problem is not `{plant.function}` on {plant.process}: {found}"
    if found.kind not in plant.ways:
        return f"its kind is not {' or '.join(plant.ways)}: {found}"
    calls, metrics = plant.ways[found.kind]
    expected = (waiting_for_late(visits, plant, found, plant.function, plant.process)
                if in_barriers and found.kind == "imbalance" else waiting_meanwhile(visits, plant, found, calls))
    print(f"{found}; recorded: {expected:.4f} s")
    if found.symptoms[0] not in metrics:
        return f"its first symptom is {found.symptoms[0]}"
    most = max(expected, waiting_at_all(visits, plant, calls)) if found.kind == "serialization" else expected
    if expected <= 0 or found.cost < (1 - TOLERANCE) * expected or found.cost > (1 + TOLERANCE) * most:
        return f"its cost is {found.cost:.4f} s, not {expected:.4f} s"
    asleep = sum(end - begin for begin, end in first_problem.spans_in(visits[plant.process], plant.function))
    if found.stolen > 0.1 * asleep:
        return f"it sleeps, but is said to have lacked a processor for {found.stolen:.4f} s"
    return None


def main():
    fermata, name, launcher, program = sys.argv[1:]
    plant = PLANTS[name]
    command = [*shlex.split(launcher), "-n", plant.processes, program, *plant.options]

    def result(text):
        return [line for line in text.splitlines() if line.startswith(f"{name}:")]

    plain = result(run(command, may_fail=True).stdout)
    assert plain and plain[0].endswith("right"), plain
    with tempfile.TemporaryDirectory() as folder:
        experiment = pathlib.Path(folder) / "experiment"
        recorded = run([fermata, "record", "-o", experiment, "--", *command], may_fail=True)
        assert result(recorded.stdout) == plain, recorded.stdout + recorded.stderr
        assert "0 findings" in run([fermata, "check", experiment]).stdout
        run([fermata, "analyze", "--check", "-q", experiment])
        sys.exit(judge(plant, fermata, experiment))


main()
