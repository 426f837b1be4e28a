# SPDX-License-Identifier: BSD-3-Clause
"""`fermata hang` names who waits for whom at the end of a run: deadlocks with their circles, calls that wait for
what does not come, and no deadlock where none is proved."""
import json
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
import fermata_command  # noqa: E402

NOTHING, STUCK, NOT_PROVED = 0, 1, 4
END = 60  # all processes live so long


def run_of(ranks, *calls, head="", threads=1):
    """A scenario of calls; each process lives to the end. A call: (location, begin, function, records...), with a
    last number the time at which it returns."""
    lines = [f"ranks {ranks} threads {threads}", head] if head else [f"ranks {ranks} threads {threads}"]
    for location, begin, function, *records in calls:
        end = records.pop() if records and not isinstance(records[-1], str) else None
        lines.append(f"{begin} {location} enter {function}")
        lines += [f"{begin} {location} {record}" for record in records]
        if end is not None:
            lines.append(f"{end} {location} leave {function}")
    lines += [f"{END} {rank} heartbeat" for rank in range(ranks)]
    return "\n".join(lines) + "\n"


def barrier(location, begin, end=None, function="MPI_Barrier", comm="world", root=""):
    if end is None:
        return (location, begin, function, "coll_begin", f"members {comm} {root}".strip())
    return (location, begin, function, "coll_begin", f"coll_end barrier {comm} - 0 0", end)


# (name, scenario, exit status, what is said)
STATES = [
    ("receives in a circle",
     run_of(2, (0, 1, "MPI_Recv", "probe 1 7"), (1, 1, "MPI_Recv", "probe 0 7")),
     STUCK, ["Deadlock: both ranks wait for each other in a circle", "rank 0 -> rank 1 -> rank 0",
             "for a message from rank 1 with tag 7"]),
    ("sends in a circle",
     run_of(2, (0, 1, "MPI_Ssend", "send 1 7 8"), (1, 1, "MPI_Ssend", "send 0 7 8")),
     STUCK, ["Deadlock", "for rank 1 to receive its message with tag 7"]),
    ("standard sends in a circle of three",
     run_of(3, (0, 1, "MPI_Send", "send 1 7 1000000"), (1, 1, "MPI_Send", "send 2 7 1000000"),
            (2, 1, "MPI_Send", "send 0 7 1000000")),
     STUCK, ["Deadlock: all 3 ranks", "rank 0 -> rank 1 -> rank 2 -> rank 0"]),
    ("more sends than receives",
     run_of(2, (0, 1, "MPI_Send", "send 1 7 1000000"), barrier(1, 1)),
     STUCK, ["Deadlock", "for rank 1 to receive", "for rank 0 to come"]),
    ("any source without an exit",
     run_of(3, *[(r, 1, "MPI_Recv", "probe any any") for r in range(3)]),
     STUCK, ["Deadlock", "from any other rank"]),
    ("any source with an exit",
     run_of(3, (0, 1, "MPI_Recv", "probe any any"), (1, 1, "MPI_Recv", "probe 0 7"), (2, 1, "compute")),
     NOT_PROVED, ["Waiting, but no deadlock is proved", "while rank 2 could still go on", "in compute"]),
    ("another tag",
     run_of(2, (0, 1, "MPI_Recv", "probe 1 7"), (1, 1, "MPI_Send", "send 0 8 8", 2),
            (1, 3, "MPI_Recv", "probe 0 9")),
     STUCK, ["Deadlock", "rank 1 has sent it a message with tag 8 on MPI_COMM_WORLD"]),
    ("a member that is elsewhere",
     run_of(3, barrier(0, 1), barrier(1, 1), (2, 1, "MPI_Recv", "probe 0 7")),
     STUCK, ["Deadlock", "ranks 0 and 1: in MPI_Barrier for rank 2 to come"]),
    ("a member that has ended",
     run_of(2, barrier(0, 1), head="ended 1", ) + "0 1 enter main\n2 1 leave main\n",
     STUCK, ["can never go on", "rank 1, which will never come", "rank 1: ended before"]),
    ("other collectives",
     run_of(2, barrier(0, 1), barrier(1, 1, function="MPI_Allreduce")),
     STUCK, ["can never go on", "rank 1 calls MPI_Allreduce there"]),
    ("other roots",
     run_of(3, barrier(0, 1, function="MPI_Bcast", root="1"), barrier(1, 1, function="MPI_Bcast", root="2"),
            barrier(2, 1, function="MPI_Bcast", root="0")),
     STUCK, ["can never go on", "names root"]),
    ("two communicators in different orders",
     run_of(2, barrier(0, 1, comm="first"), barrier(1, 1, comm="second"),
            head="comm first 0 1\ncomm second 0 1"),
     STUCK, ["Deadlock"]),
    ("an inter-communicator",
     run_of(2, (0, 1, "MPI_Recv", "probe 0 7 both"), (1, 1, "MPI_Recv", "probe 0 7 both"),
            head="intercomm both 1 0 1"),
     STUCK, ["Deadlock", "rank 0 -> rank 1 -> rank 0"]),
    ("requests",
     run_of(2, (0, 0, "MPI_Irecv", "irecv_request 1", 1), (0, 1, "MPI_Waitall", "probe 1 7", "failed 1"),
            (1, 0, "MPI_Isend", "isend 0 8 8 2", 1), (1, 1, "MPI_Waitall", "failed 2")),
     STUCK, ["Deadlock", "receives from it with tag 7"]),
    ("epochs",
     run_of(2, (0, 1, "MPI_Win_start", "group_sync w 1"), (1, 1, "MPI_Win_start", "group_sync w 0"),
            head="window w world"),
     STUCK, ["Deadlock", "to post its exposure"]),
    ("locks of windows in different orders",
     run_of(2, (0, 0, "MPI_Win_lock", "lock_request w 0 0", 1), (0, 2, "MPI_Win_lock", "lock_request v 1 0"),
            (1, 0, "MPI_Win_lock", "lock_request v 1 0", 1), (1, 2, "MPI_Win_lock", "lock_request w 0 0"),
            head="window w world\nwindow v world"),
     STUCK, ["Deadlock", "holds"]),
    ("variables that nobody changes",
     run_of(2, (0, 1, "shmem_int_wait_until"), (1, 1, "shmem_int_wait_until")),
     STUCK, ["Deadlock", "for a change"]),
    ("locks of OpenMP in different orders",
     run_of(1, (0, 0, "omp_set_lock", "acquire_lock 1 0", 1), (0, 2, "omp_set_lock", "object 2"),
            ("0.1", 0, "omp_set_lock", "acquire_lock 2 0", 1), ("0.1", 2, "omp_set_lock", "object 1"), threads=2),
     STUCK, ["Deadlock"]),
    ("mutexes in different orders",
     run_of(1, (0, 2, "pthread_mutex_lock", "object 2", "owner 1 fill (cache.c:17)"),
            ("0.1", 2, "pthread_mutex_lock", "object 1", "owner 0"), threads=2),
     STUCK, ["Deadlock", "taken in fill (cache.c:17)"]),
    ("a mutex that its stated owner has released since",
     run_of(1, (0, 1.5, "pthread_mutex_unlock", "release_lock 1 0", 2), (0, 3, "pthread_mutex_lock", "object 2", "owner 1"),
            ("0.1", 1, "pthread_mutex_lock", "object 1", "owner 0"), threads=2),
     NOT_PROVED, ["No progress"]),
    ("mutexes in different orders in one of two processes",
     run_of(2, (0, 1, "compute"), ("0.1", 1, "compute"), (1, 2, "pthread_mutex_lock", "object 2", "owner 1"),
            ("1.1", 2, "pthread_mutex_lock", "object 1", "owner 0"), threads=2),
     STUCK, ["Deadlock: the threads of rank 1 wait for each other in a circle."]),
    ("a condition that nobody signals",
     run_of(1, (0, 1, "pthread_cond_wait", "object 1"), ("0.1", 1, "pthread_cond_wait", "object 1"), threads=2),
     STUCK, ["Deadlock", "for a signal of another thread"]),
    ("a condition that other processes may signal",
     run_of(1, (0, 1, "pthread_cond_wait"), ("0.1", 1, "pthread_cond_wait"), threads=2),
     NOT_PROVED, ["what for is not recorded"]),
    ("a mutex and a message",
     run_of(2, (0, 1, "MPI_Recv", "probe 1 7"), ("0.1", 2, "pthread_mutex_lock", "object 1", "owner 0"),
            (1, 1, "MPI_Recv", "probe 0 9"), threads=2, head="thread_level multiple 0 1"),
     STUCK, ["Deadlock"]),
    ("a thread that could still send",
     run_of(2, (0, 1, "MPI_Recv", "probe 1 7"), ("0.1", 2, "compute"),
            (1, 1, "MPI_Recv", "probe 0 9"), ("1.1", 2, "compute"), threads=2, head="thread_level multiple 0 1"),
     NOT_PROVED, ["Waiting"]),
    ("threads that may not call MPI",
     run_of(2, (0, 1, "MPI_Recv", "probe 1 7"), ("0.1", 2, "compute"),
            (1, 1, "MPI_Recv", "probe 0 9"), ("1.1", 2, "compute"), threads=2, head="thread_level funneled 0 1"),
     STUCK, ["Deadlock"]),
    # Slow but sound.
    ("a long computation", run_of(2, (0, 1, "MPI_Recv", "probe 1 7"), (1, 1, "compute")),
     NOT_PROVED, ["for a message from rank 1 with tag 7", "rank 1: last seen in compute"]),
    ("a message under way",
     run_of(2, (0, 1, "MPI_Recv", "probe 1 7"), (1, 1, "MPI_Send", "send 0 7 1000000")),
     NOT_PROVED, ["which was sent and may be under way", "No progress"]),
    ("an eager send that nobody has received yet",
     run_of(2, (0, 1, "compute"), (1, 1, "MPI_Send", "send 0 7 8", 2), (1, 3, "MPI_Recv", "probe 0 8")),
     NOT_PROVED, ["Waiting"]),
    ("a library that works", run_of(2, barrier(0, 1), barrier(1, 1)),
     NOT_PROVED, ["all that it needs are there"]),
    ("a poll", run_of(2, (0, 1, "MPI_Recv", "probe 1 7"), (1, 1, "MPI_Iprobe")), NOT_PROVED, ["while rank 1 could still go on"]),
    ("receives that are posted",
     "ranks 2\n" + "".join(f"0 {r} enter MPI_Irecv\n0 {r} irecv_request 1\n1 {r} leave MPI_Irecv\n"
                           f"1 {r} enter MPI_Send\n1 {r} send {1 - r} 7 1000000\n60 {r} heartbeat\n" for r in (0, 1)),
     NOT_PROVED, ["No progress"]),
    ("short calls",
     "ranks 2\n59.5 0 enter MPI_Recv\n59.5 0 probe 1 7\n59.5 1 enter MPI_Recv\n59.5 1 probe 0 7\n"
     "60 0 heartbeat\n60 1 heartbeat\n", NOTHING, ["none of which had lasted for long"]),
    ("calls that usually take long",
     "ranks 2\n0 0 enter MPI_Recv\n0.5 0 recv 1 7 8\n0.5 0 leave MPI_Recv\n0.5 0 enter MPI_Recv\n0.5 0 probe 1 8\n"
     "0 1 enter MPI_Send\n0 1 send 0 7 8\n0.5 1 leave MPI_Send\n0.5 1 enter MPI_Recv\n0.5 1 probe 0 8\n"
     "8 0 heartbeat\n8 1 heartbeat\n", NOTHING, ["none of which had lasted for long"]),
    ("an end", "ranks 2\n0 0 enter main\n1 0 leave main\n0 1 enter main\n1 1 leave main\n",
     NOTHING, ["did not end inside of calls"]),
]


def check_state(folder, number, name, text, expected, said):
    directory = os.path.join(folder, str(number))
    fermata_command.synthesize(text, directory)
    status, output, error = fermata_command.run("hang", directory)
    flat = " ".join(output.split())
    assert status == expected, (name, status, output, error)
    for part in said:
        assert part in flat, (name, part, output)
    status, output, error = fermata_command.run("report", "--format=json", directory)
    assert status == 0, (name, error)
    hang = json.loads(output)["hang"]
    if expected == STUCK:
        assert hang["kind"] == ("deadlock" if hang["cycle"] else "missing"), (name, hang)
        assert any(wait["stuck"] for wait in hang["waits"]), (name, hang)
    elif expected == NOT_PROVED:
        assert hang["kind"] == "no_progress" and not hang["cycle"], (name, hang)
    return directory


def main():
    wrong = []
    with fermata_command.Folder() as folder:
        for number, state in enumerate(STATES):
            try:
                directory = check_state(folder, number, *state)
                if number == 0:
                    check_report(directory)
            except AssertionError as error:
                wrong.append(f"{error}")
        check_incomplete(folder)
        check_places(folder)
        status, _, error = fermata_command.run("hang", os.path.join(folder, "absent"))
        assert status == 3 and error, (status, error)
    status, _, _ = fermata_command.run("hang")
    assert status == 2
    assert not wrong, "\n\n".join(wrong)


def check_incomplete(folder):
    """Of a run that was cut short outside of recorded calls nothing is claimed."""
    directory = check_state(folder, "incomplete", "calls that return", run_of(2, barrier(0, 1, 2), barrier(1, 1, 2)),
                            NOTHING, [])
    with open(os.path.join(directory, "environment.json"), "w", encoding="utf-8") as file:
        json.dump({"complete": False, "incomplete": "missing are rank 0 after 2 s"}, file)
    status, output, error = fermata_command.run("hang", directory)
    assert status == 3 and not output and "unknown whether the run hung" in error, (status, output, error)


def check_places(folder):
    """Where the processes are that are in no call, and what remains of the classes of time."""
    directory = check_state(
        folder, "places", "a late sender that then computes",
        run_of(3, (0, 0, "MPI_Recv", "probe 1 7", "recv 1 7 8", 10), (1, 9, "MPI_Send", "send 0 7 8", 10),
               (0, 20, "MPI_Recv", "probe 1 7"), (1, 20, "compute")) + "0 2 enter main\n1 2 leave main\n",
        NOT_PROVED, ["rank 1: last seen in compute"])
    _, output, _ = fermata_command.run("report", "--format=json", directory)
    report = json.loads(output)
    places = [(place["location"], place["ended"], place["callpath"]) for place in report["hang"]["places"]]
    names = [None if path is None else report["callpaths"][path]["region"] for _, _, path in places]
    assert [place[:2] for place in places] == [(1, False), (2, False)] and names[0] == "compute", (places, names)
    _, output, _ = fermata_command.run("report", directory)
    flat = " ".join(output.split())
    assert "Calls never left" in flat and "40.00 s" in flat and "Late Sender" in flat, output


def check_report(directory):
    """The report begins with it, states no efficiency, and calls the time in it neither waiting nor transfer."""
    status, output, _ = fermata_command.run("report", directory)
    assert status == 0
    assert "inside of calls on 2 of 2 ranks" in output, output
    assert output.index("Deadlock") < output.index("Shares of all time"), output
    assert "Not stated" in output and "Load balance" not in output, output
    assert "Calls never left 100.0%" in " ".join(output.split()), output
    for wrong in ("without waiting", "No wait states were found.", "Fewer and bigger"):
        assert wrong not in output, output
    status, _, error = fermata_command.run("whatif", directory, "scale=main:0.5")
    assert status == 3 and "fermata hang" in error, error


main()
