# SPDX-License-Identifier: BSD-3-Clause
"""Programs that deadlock, and programs that are only slow, are recorded and killed: `fermata hang` names who waits
for whom, while they run and afterwards, and calls none of the slow ones deadlocked.

usage: check_hang.py --fermata F [--mpirun M] --program P [--together] NAME...

With --together all programs run in one launch, each on its own ranks; else one after the other, and end in
different ways. Without a launcher each is a process by itself.
"""

import argparse
import json
import os
import pathlib
import re
import shlex
import signal
import subprocess
import sys
import tempfile
import time
import typing

DEADLOCK, MISSING, SLOW, NONE = "deadlock", "missing", "no_progress", "none"
STATUS = {DEADLOCK: 1, MISSING: 1, SLOW: 4, NONE: 0}
BEGIN, LASTS = 90, 2.3  # seconds in which a program begins; for which its calls are open


class Case(typing.NamedTuple):
    """What is said of a program. {0} stands for its rank 0."""
    ranks: int
    kinds: tuple  # that are right
    stuck: tuple  # ranks that can never go on
    says: tuple


def at(who, path, awaits):
    """A line: who, in which function and call, for what."""
    return rf"{who}: in \S*{path}\S*( \(\S+\))? {awaits}"


def message(rank):
    return f"for a message from rank {rank}"


def deadlock(ranks, *says, kinds=(DEADLOCK,), stuck=None):
    return Case(ranks, kinds, tuple(range(ranks)) if stuck is None else stuck, says)


def slow(ranks, *says, kinds=(SLOW,)):
    return Case(ranks, kinds, (), says)


WINDOW = r"window \d+ \(MPI_Win_create, deadlocks.c:\d+\)"
EXPECTED = {
    "head_to_head": deadlock(2, at("rank {0}", "head_to_head/MPI_Send", "for rank {1} to receive its message with tag 7"),
                             at("rank {1}", "head_to_head/MPI_Send", "for rank {0} to receive")),
    "receive_ring": deadlock(3, at("rank {0}", "receive_ring/MPI_Recv", message("{2}")),
                             at("rank {2}", "receive_ring/MPI_Recv", message("{1}"))),
    "send_to_self": deadlock(1, at("rank {0}", "send_to_self/MPI_Ssend", "for rank {0} to receive its message")),
    "wrong_tag": deadlock(2, at("rank {1}", "wrong_tag/MPI_Recv", message("{0}") + ".*?rank {0} has sent it a message with tag 8"),
                          at("rank {0}", "wrong_tag/MPI_Barrier", "for rank {1} to come")),
    "wrong_communicator": deadlock(2, at("rank {1}", "wrong_communicator/MPI_Recv",
                                         message("{0}") + ".*?rank {0} has sent it a message with tag 7 on")),
    "wrong_source": deadlock(3, at("rank {0}", "wrong_source/MPI_Recv", message("{1}")),
                             at("ranks {1} and {2}", "wrong_source/MPI_Barrier", "for rank {0} to come")),
    "shift_by_sendrecv": deadlock(3, at("rank {0}", "shift_by_sendrecv/MPI_Sendrecv", message("{1}"))),
    "forgotten_sends": deadlock(3, at("rank {0}", "forgotten_sends/MPI_Waitall",
                                      message("{1}") + ".*?, and " + message("{2}"))),
    "probe_for_nothing": deadlock(2, at("rank {0}", "probe_for_nothing/MPI_Probe", message("{1}") + " with tag 7")),
    "all_wait_for_any": deadlock(3, at("(all 3 ranks|ranks {0}-{2})", "all_wait_for_any/MPI_Recv", "for a message from any other rank")),
    "early_finalize": deadlock(2, at("rank {0}", "early_finalize/MPI_Recv", message("{1}")), kinds=(DEADLOCK, MISSING), stuck=(0,)),
    "missing_member": deadlock(3, at("ranks {0} and {1}", "missing_member/MPI_Allreduce", "for rank {2} to come"),
                               at("rank {2}", "missing_member/MPI_Recv", message("{0}"))),
    "different_collectives": deadlock(2, at("rank {0}", "different_collectives/MPI_Barrier",
                                            "for rank {1}, which will never come .*?rank {1} calls MPI_Allreduce there"),
                                      kinds=(MISSING,)),
    "different_roots": deadlock(3, at("rank {0}", "different_roots/MPI_Bcast", "for rank {1}, which will never come .*?names root"),
                                kinds=(MISSING,)),
    "different_order": deadlock(2, at("rank {0}", "different_order/MPI_Barrier", "for rank {1} to come")),
    "collective_and_message": deadlock(2, at("rank {0}", "collective_and_message/MPI_Ssend", "for rank {1} to receive"),
                                       at("rank {1}", "collective_and_message/MPI_Wait", "for rank {0} to come")),
    "start_without_post": deadlock(2, at("rank {0}", "start_without_post/MPI_", "for rank {1} to post its exposure of " + WINDOW)),
    "wait_without_complete": deadlock(2, at("rank {0}", "wait_without_complete/MPI_Win_wait",
                                            "for rank {1} to complete its access to " + WINDOW)),
    "held_lock": deadlock(2, at("rank {1}", "held_lock/MPI_Win_", f"for the lock of {WINDOW} on rank {{0}}, which rank {{0}} "
                                r"holds, taken in \S*held_lock/MPI_Win_lock")),
    "missing_fence": deadlock(2, at("rank {1}", "missing_fence/MPI_Win_fence", "for rank {0} to come"),
                              at("rank {0}", "missing_fence/MPI_Recv", message("{1}"))),
    "mutex_order": deadlock(1, at("thread 1", "left_first/take_both/pthread_mutex_lock",
                                  r"for the lock right \(deadlocks.c:\d+\), which thread 2 holds, "
                                  r"taken in take_both \(deadlocks.c:\d+\)")),
    "thread_barrier": deadlock(1, at("", "meet/pthread_barrier_wait", "for a signal of another thread")),
    "multiple_mutex_and_message": deadlock(2, at("", "send_with_mutex/pthread_mutex_lock",
                                                 r"for the lock left \(deadlocks.c:\d+\), which thread 0 holds, "
                                                 "taken in multiple_mutex_and_message")),
    "long_computation": slow(3, at("ranks {0} and {2}", "long_computation/receive_from/MPI_Recv", message("{1}")),
                             r"rank {1}: last seen in \S*long_computation/compute"),
    "long_sleep": slow(2, at("rank {0}", "long_sleep/MPI_Barrier", "for rank {1} to come"), "rank {1}: last seen in"),
    "read_of_a_pipe": slow(2, at("rank {0}", "read_of_a_pipe/MPI_Allreduce", "for rank {1} to come"),
                           "rank {1}: "),
    "polls": slow(3, at("rank {2}", "polls/receive_from/MPI_Recv", message("{1}")), r"rank {1}: last seen in \S*polls\b"),
    "send_that_is_awaited": slow(2, at("rank {0}", "send_that_is_awaited/MPI_Send", "for its message .*? to arrive at rank {1}")),
    "master_and_workers": slow(3, at("rank {0}", "receive_from/MPI_Recv", "for a message from any other rank")),
    "one_of_two": slow(3, at("rank {0}", "one_of_two/MPI_Waitany", message("{1}") + ".*?, or " + message("{2}"))),
    "unlock_without_progress": slow(2, "rank {0}: in", r"rank {1}: last seen in \S*unlock_without_progress/compute"),
    "short_steps": slow(2, kinds=(NONE, SLOW)),  # the killed one leaves the other waiting
    "mutex_of_a_busy_thread": slow(1, r"which thread 1 holds, taken in compute_with_mutex \(slow.c:\d+\)"),
    "condition_of_a_busy_thread": slow(1, "for a signal of another thread"),
    "multiple_sender_computes": slow(2, at("", "multiple_sender_computes/receive_from/MPI_Recv", "for a message")),
    "omp_lock_order": deadlock(1, at("thread 0", ".*?take/omp_set_lock",
                                     r"for the lock locks.*?, which thread 1 holds, taken in .*?take/omp_set_lock"),
                               "thread 0 -> thread 1 -> thread 0"),
    "omp_lock_and_barrier": deadlock(1, at("thread 0", ".*?barrier @", "for thread 1 to reach the barrier"),
                                     at("thread 1", ".*?take/omp_set_lock", r"for the lock locks.*?, which thread 0 holds")),
    "omp_busy_critical": slow(1, at("thread 1", ".*?critical @", r"for critical \(part\), which thread 0 holds"),
                              "thread 0: last seen in .*?compute"),
    "shmem_wait_first": deadlock(2, at("both PEs", "shmem_wait_first/shmem_long_wait_until", "for a change")),
    "shmem_lock_order": deadlock(2, at("PE 0", "shmem_lock_order/shmem_set_lock",
                                       r"for SHMEM lock \S+, which PE 1 holds, taken in \S*shmem_lock_order/shmem_set_lock")),
}


def fail(*words):
    raise AssertionError(" ".join(str(word) for word in words))


def pid_of(folder, rank):
    return int((folder / str(rank)).read_text())


def wait_for(folder, ranks, run):
    end = time.monotonic() + BEGIN
    while not all((folder / str(rank)).exists() for rank in range(ranks)):
        if time.monotonic() > end or run.poll() is not None:
            run.kill()
            fail("the program has not begun:", *run.communicate())
        time.sleep(0.02)


def kill_rank(run, folder, ranks):
    """One process is killed, and the launcher ends the others."""
    os.kill(pid_of(folder, ranks - 1), signal.SIGKILL)


def terminate(run, folder, ranks):
    """As `timeout` does."""
    run.terminate()


def interrupt(run, folder, ranks):
    """Control-C."""
    os.killpg(run.pid, signal.SIGINT)


def lives(process):
    try:
        return pathlib.Path(f"/proc/{process}/stat").read_text().rpartition(") ")[2][0] not in "ZX"
    except (FileNotFoundError, ProcessLookupError):
        return False


def kill_all(run, folder, ranks):
    """Nobody is left who completes the experiment."""
    os.killpg(run.pid, signal.SIGKILL)
    processes = [pid_of(folder, rank) for rank in range(ranks)]
    for process in processes:
        try:
            os.kill(process, signal.SIGKILL)
        except ProcessLookupError:
            pass  # it has ended with its launcher
    while any(lives(process) for process in processes):
        time.sleep(0.02)


ENDINGS = (kill_rank, terminate, interrupt, kill_all)


def ask(options, folder):
    return subprocess.run([options.fermata, "hang", "experiment"], cwd=folder, capture_output=True, text=True)


def record(options, folder, names, ending):
    """Records the programs until they are killed. @return what `fermata hang` says while they run, and then; the
    report"""
    ranks = sum(EXPECTED[name].ranks for name in names)
    launcher = [*shlex.split(options.mpirun), "-n", str(ranks)] if options.mpirun else []
    environment = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
                       OMPI_MCA_mpi_yield_when_idle="1", OMPI_MCA_rmaps_base_oversubscribe="1",
                       OMPI_MCA_osc="^rdma", OMPI_MCA_sshmem="sysv")
    run = subprocess.Popen([options.fermata, "record", "-o", "experiment", "--", *launcher, options.program,
                            folder, *names], cwd=folder, env=environment, stdout=subprocess.DEVNULL,
                           stderr=subprocess.PIPE, text=True, start_new_session=True)
    wait_for(folder, ranks, run)
    time.sleep(LASTS)
    look = ask(options, folder)
    ending(run, folder, ranks)
    _, errors = run.communicate(timeout=BEGIN)
    said = ask(options, folder)
    report = subprocess.run([options.fermata, "report", "--format=json", "experiment"], cwd=folder,
                            capture_output=True, text=True)
    if report.returncode != 0:
        fail("no report:", report.stderr, said.stderr, errors)
    return look, said, json.loads(report.stdout)


def check_words(name, first, said, more=()):
    """Yields what is not said about a program whose rank 0 is rank `first`."""
    for words in (*EXPECTED[name].says, *more):
        pattern = re.sub(r"{(\d)}", lambda match: str(first + int(match.group(1))), words)
        if not re.search(pattern, " ".join(said.stdout.split())):
            yield f"not said: {pattern}"


# What `fermata hang` says of ranks outside of calls while they run.
NOW = {
    "long_computation": r"rank {1}: last seen in \S*long_computation/compute.*?, now running",
    "long_sleep": r"rank {1}: last seen in .*?, now in clock_nanosleep \(asleep\)",
    "read_of_a_pipe": r"rank {1}: last seen in .*?, now in read of file descriptor \d+, a pipe",
}


def check(name, first, report):
    """Yields what is wrong about a program whose rank 0 is rank `first`."""
    case = EXPECTED[name]
    ranks = [first + rank for rank in range(case.ranks)]
    rank_of = [location["rank"] for location in report["locations"]]
    stuck = {rank_of[wait["location"]] for wait in (report["hang"] or {"waits": []})["waits"] if wait["stuck"]}
    wrong = stuck & set(ranks) if not case.stuck else {first + rank for rank in case.stuck} - stuck
    if wrong:
        yield f"ranks {sorted(wrong)} are {'' if stuck & wrong else 'not '}stuck"


def check_kind(said, report, kinds):
    kind = report["hang"]["kind"] if report["hang"] is not None else NONE
    if kind not in kinds or said.returncode != STATUS[kind]:
        yield f"{kind}, status {said.returncode}, instead of {kinds}"


def check_launch(options, names, ending):
    with tempfile.TemporaryDirectory() as name:
        look, said, report = record(options, pathlib.Path(name), names, ending)
    if options.show:
        print(f"---- {' '.join(names)}: {ending.__name__}\n{said.stdout}{said.stderr}", flush=True)
    kinds = EXPECTED[names[0]].kinds
    if len(names) > 1:
        kinds = (DEADLOCK,) if any(DEADLOCK in EXPECTED[name].kinds for name in names) else (SLOW,)
    failures = list(check_kind(said, report, kinds))
    if look.returncode not in {STATUS[kind] for kind in kinds} or "still runs" not in look.stderr:
        failures.append(f"while it runs: status {look.returncode}")
    first = 0
    for name in names:
        failures += [f"{name}: {failure}" for failure in check(name, first, report)]
        now = [NOW[name]] if name in NOW else []
        for when, text, more in (("while it runs", look, now), ("in the end", said, [])):
            failures += [f"{name}, {when}: {failure}" for failure in check_words(name, first, text, more)]
        first += EXPECTED[name].ranks
    if not failures:
        return []
    return [f"{' '.join(names)} ({ending.__name__}): "
            + "\n".join([*failures, look.stdout, look.stderr, said.stdout, said.stderr])]


def main():
    parser = argparse.ArgumentParser()
    for name in ("--fermata", "--program"):
        parser.add_argument(name, required=True)
    parser.add_argument("--mpirun")
    parser.add_argument("--together", action="store_true")
    parser.add_argument("--show", action="store_true", help="print all answers")
    parser.add_argument("name", nargs="+")
    options = parser.parse_args()
    failures = []
    launches = [options.name] if options.together else [[name] for name in options.name]
    for number, names in enumerate(launches):
        failures += check_launch(options, names, ENDINGS[number % len(ENDINGS)])
    sys.exit("\n".join(failures) if failures else 0)


main()
