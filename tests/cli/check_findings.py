# SPDX-License-Identifier: BSD-3-Clause
"""`fermata check` finds each inconsistency, and nothing in an archive without one; `fermata info`
tells what is there."""
import json
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
import fermata_command  # noqa: E402

HEAD = "unit 1\nranks 2 threads 1\nwindow w world\n0 0 enter main\n"
TAIL = "9 0 leave main\n"

FINDINGS = [
    ("", "", None),
    ("1 0 enter a\n2 0 enter b\n3 0 leave a\n", "", "at 3000: leaves a inside of b"),
    ("1 0 leave a\n", "", "leaves a without having entered it"),
    ("", "9 0 enter a\n", "1 calls never return; the innermost is a"),
    # Where processes ended, what was under way need not be complete.
    ("", "9 0 enter a\n9.5 0 heartbeat\n", None),
    ("", "ended 0\n9 0 enter MPI_Barrier\n9 0 coll_begin\n9 0 members world\n", None),
    ("1 0 put w 1 8 3\n1 0 lock_request w 1 0\n", "9 0 enter a\n9 0 heartbeat\n", None),
    ("", "9 0 enter a\n9 0 coll_begin\n9 0 enter b\n9 0 heartbeat\n",
     "the last collective operation has no end record"),
    ("1 0 isend_complete 5\n", "", "MpiIsendComplete of request 5, which is not started"),
    ("1 0 isend 1 0 0 5\n2 0 isend_complete 5\n3 0 isend_complete 5\n", "",
     "at 3000: MpiIsendComplete of request 5, which is not started or complete already"),
    ("1 0 isend 1 0 0 5\n2 0 isend 1 0 0 5\n3 0 isend_complete 5\n", "",
     "request 5 is started again before it is completed"),
    ("1 0 isend 1 0 0 5\n2 0 irecv 1 0 0 5\n", "", "MpiIrecv of request 5, which is a send"),
    ("1 0 irecv_request 5\n2 0 request_cancelled 5\n", "", None),
    ("1 0 irecv_request 5\n", "", None),
    ("1 0 coll_end barrier world - 0 0\n", "", "MpiCollectiveEnd without MpiCollectiveBegin"),
    ("1 0 enter a\n1 0 coll_begin\n2 0 leave a\n", "",
     "MpiCollectiveBegin without MpiCollectiveEnd in the same call"),
    ("1 0 coll_begin\n2 0 coll_begin\n3 0 coll_end barrier world - 0 0\n", "",
     "MpiCollectiveBegin, but the one before has no MpiCollectiveEnd"),
    ("1 0 rma_coll_end barrier w\n", "", "RmaCollectiveEnd without RmaCollectiveBegin"),
    ("1 0 put w 1 8 3\n", "", "1 one-sided operations of its process are never completed"),
    ("1 0 put w 1 8 3\n1 0 get w 1 8 3\n2 0 done_remote w 3\n", "", None),
    ("1 0 done_remote w 3\n", "", "operation 3 on window 0, which was never started"),
    ("1 0 lock_request w 1 0\n", "", "1 window locks of its process are never released"),
    ("1 0 lock_release w 1 0\n", "", "release of lock 0 on window 0, which was not requested"),
    ("1 0 lock_request w 1 0\n1 0 lock_request w 1 0\n2 0 lock_release w 1 0\n", "",
     "RmaRequestLock of lock 0 on window 0, which is not released yet"),
    ("1 0 lock_request w 1 0\n1 0 lock_acquire w 1 0\n2 0 lock_release w 1 0\n", "", None),
    ("1 0 lock_request w all 0 s\n2 0 lock_release w all 0\n", "", None),
    ("1 0 release_lock 3 1\n", "", "1 releases of thread locks that its process never acquired"),
]


def findings(folder):
    for index, (middle, end, reason) in enumerate(FINDINGS):
        directory = os.path.join(folder, str(index))
        fermata_command.synthesize(HEAD + middle + TAIL + end, directory)
        status, output, error = fermata_command.run("check", directory)
        lines = output.splitlines()
        assert not error, error
        if reason is None:
            assert status == 0 and len(lines) == 1, output
            assert ", 0 findings" in lines[0]
        else:
            assert status == 1, (middle, output)
            assert lines[0].startswith("location 0 (MPI Rank 0, Master thread)"), output
            assert any(reason in line for line in lines), (reason, output)


def threads(folder):
    """Requests, operations and locks may be finished by another thread of the process."""
    directory = os.path.join(folder, "threads")
    text = HEAD.replace("threads 1", "threads 2") + TAIL
    fine = ("1 0 isend 1 0 0 5\n1 0 put w 1 8 3\n1 0 lock_request w 1 0\n",
            "2 0.1 isend_complete 5\n2 0.1 done_remote w 3\n2 0.1 lock_release w 1 0\n")
    fermata_command.synthesize(text.replace(TAIL, "") + fine[0] + TAIL + fine[1], directory)
    status, output, _ = fermata_command.run("check", directory)
    assert status == 0, output
    directory = os.path.join(folder, "threads-wrong")
    fermata_command.synthesize(text + fine[1], directory)
    status, output, _ = fermata_command.run("check", directory)
    assert status == 1
    for reason in ("1 completions of requests that its process never started",
                   "1 completions of operations that its process never started",
                   "1 releases of window locks that its process never requested"):
        assert reason in output, output


BETWEEN_HEAD = ("unit 1\nranks 3 threads 1\ncomm pair 1 0\nwindow w world\n"
                "intercomm both 1 0 1\n")


def call(rank, begin, end, function, *records):
    """A call whose records have the time of its Leave."""
    return (f"{begin} {rank} enter {function}\n" +
            "".join(f"{end} {rank} {record}\n" for record in records) +
            f"{end} {rank} leave {function}\n")


def send(rank, begin, to, tag=7, size=8, comm="world"):
    return call(rank, begin, begin + 1, "MPI_Send", f"send {to} {tag} {size} {comm}")


def receive(rank, begin, end, source, tag=7, size=8, comm="world"):
    return call(rank, begin, end, "MPI_Recv", f"recv {source} {tag} {size} {comm}")


def collective(rank, begin, function, record):
    return call(rank, begin, begin + 1, function, "coll_begin", "coll_end " + record)


EARLY = receive(1, 1, 2, 0) + send(0, 5, 1)
EARLY_TEXT = ("location 1 (MPI Rank 1, Master thread) at 2000: receives tag 7 of MPI Rank 0 on "
              "communicator 0 3000 ticks before the send begins")


def starts(rank, begin, function, request):
    return call(rank, begin, begin + 1, function, f"nb_coll_request {request}")


def completes(rank, begin, request, record):
    return call(rank, begin, begin + 1, "MPI_Wait", f"nb_coll_complete {record} {request}")


# (events, the finding; None: there is none)
BETWEEN = [
    (receive(1, 1, 6, 0) + send(0, 5, 1), None),
    (EARLY, EARLY_TEXT + ": a violation of clocks that differ by at least 3000 ticks, or a wrong match"),
    # The other direction limits how much the clocks may differ.
    (EARLY + send(1, 10, 0, 3) + receive(0, 10, 14, 1, 3),
     EARLY_TEXT + ": a violation of clocks that differ by 3000 to 4000 ticks, or a wrong match"),
    (EARLY + send(1, 10, 0, 3) + receive(0, 10, 12, 1, 3),
     EARLY_TEXT + ": a wrong match or drifting clocks: no constant difference fits both directions"),
    # Records that are missing.
    (receive(1, 1, 2, 0) + send(0, 5, 1, size=16),
     EARLY_TEXT + ": a wrong match (a record is missing or doubled): 16 bytes are sent, 8 received"),
    (EARLY + receive(1, 6, 7, 0),
     EARLY_TEXT + ": a wrong match (a record is missing or doubled): 1 sends, 2 receives"),
    # Channels: tag, communicator, partner.
    (receive(1, 1, 2, 0) + send(0, 5, 1, tag=8), None),
    (receive(1, 1, 2, 1, comm="pair") + send(0, 5, 1), None),
    (receive(1, 1, 2, 1, comm="pair") + send(0, 5, 0, comm="pair"),
     "receives tag 7 of MPI Rank 0 on communicator 2 3000 ticks before the send begins"),
    (receive(1, 1, 2, 0, comm="both") + send(0, 5, 0, comm="both"),
     "receives tag 7 of MPI Rank 0 on communicator 3 3000 ticks before the send begins"),
    (receive(2, 1, 2, 0) + send(0, 5, 1), None),
    (call(0, 1, 2, "MPI_Recv", "recv 0 1 8 self") + call(0, 5, 6, "MPI_Send", "send 0 1 8 self"),
     "3000 ticks before the send begins: a wrong match, of one process and one clock"),
    # The first of several, and their number; the pair's largest difference.
    (EARLY + receive(1, 7, 8, 0, 9) + send(0, 12, 1, 9),
     EARLY_TEXT + " (2 such messages): a violation of clocks that differ by at least 4000 ticks"),
    # Receives in the order of their posts: the second one ends at 3, the second send begins at 5.
    (call(1, 0, 1, "MPI_Irecv", "irecv_request 1") + call(1, 1, 2, "MPI_Irecv", "irecv_request 2") +
     call(1, 2, 3, "MPI_Wait", "irecv 0 7 8 2") + call(1, 3, 9, "MPI_Wait", "irecv 0 7 8 1") +
     send(0, 1, 1) + send(0, 5, 1), "2000 ticks before the send begins"),
    (call(1, 0, 1, "MPI_Irecv", "irecv_request 1") + call(1, 1, 2, "MPI_Irecv", "irecv_request 2") +
     call(1, 2, 3, "MPI_Wait", "irecv 0 7 8 2") +
     call(1, 3, 4, "MPI_Wait", "request_cancelled 1") + send(0, 1, 1) + send(0, 5, 1), None),
    # The first send is that of an Isend, which a Wait completes later.
    (call(0, 0, 1, "MPI_Isend", "isend 1 7 8 4") + send(0, 5, 1) +
     call(0, 7, 8, "MPI_Wait", "isend_complete 4") + receive(1, 1, 2, 0) + receive(1, 3, 6, 0), None),
    # Only the Enter and Leave of the calls count, not where the records are.
    ("0 0 enter MPI_Send\n4 0 send 1 7 8\n5 0 leave MPI_Send\n" + receive(1, 1, 3, 0), None),
    # What matched probes take has another order; processes that paused have other numbers.
    (call(1, 1, 2, "MPI_Mrecv", "recv 0 7 8") + send(0, 5, 1), None),
    ("0 0 recording_off\n1 0 recording_on\n" + EARLY, None),
    # Collective operations.
    (collective(0, 1, "MPI_Bcast", "bcast world 0 24 8") + collective(1, 1, "MPI_Bcast", "bcast world 0 0 8") +
     collective(2, 1, "MPI_Bcast", "bcast world 0 0 8"), None),
    (collective(0, 1, "MPI_Bcast", "bcast world 0 24 8") + collective(1, 1, "MPI_Bcast", "bcast world 0 0 8") +
     collective(2, 1, "MPI_Allreduce", "allreduce world - 24 24"),
     "location 2 (MPI Rank 2, Master thread) at 1000: collective operation 1 on communicator 0 is "
     "MPI_Allreduce here, MPI_Bcast on MPI Rank 0"),
    # The member that differs from most others is the first one.
    (collective(0, 1, "MPI_Allreduce", "allreduce world - 24 24") +
     collective(1, 1, "MPI_Bcast", "bcast world 1 24 8") + collective(2, 1, "MPI_Bcast", "bcast world 1 0 8"),
     "location 0 (MPI Rank 0, Master thread) at 1000: collective operation 1 on communicator 0 is "
     "MPI_Allreduce here, MPI_Bcast on MPI Rank 1"),
    # The first one of several, which later processes may have.
    (collective(0, 1, "MPI_Barrier", "barrier world - 0 0") +
     collective(0, 3, "MPI_Barrier", "barrier world - 0 0") +
     collective(1, 1, "MPI_Barrier", "barrier world - 0 0") +
     collective(1, 3, "MPI_Allreduce", "allreduce world - 24 24") +
     collective(2, 1, "MPI_Allreduce", "allreduce world - 24 24"),
     "location 2 (MPI Rank 2, Master thread) at 1000: collective operation 1 on communicator 0 is "
     "MPI_Allreduce here, MPI_Barrier on MPI Rank 0"),
    (collective(0, 1, "MPI_Reduce", "reduce world 0 8 24") + collective(1, 1, "MPI_Reduce", "reduce world 0 8 0") +
     collective(2, 1, "MPI_Reduce", "reduce world 2 8 24"),
     "location 2 (MPI Rank 2, Master thread) at 1000: collective operation 1 on communicator 0, "
     "MPI_Reduce, has root 2 here, 0 on MPI Rank 0"),
    # Sizes: the root sends to all, MPI_IN_PLACE leaves out its own part.
    (collective(0, 1, "MPI_Bcast", "bcast world 0 24 8") + collective(1, 1, "MPI_Bcast", "bcast world 0 0 8") +
     collective(2, 1, "MPI_Bcast", "bcast world 0 0 16"),
     "collective operation 1 on communicator 0, MPI_Bcast, receives 16 bytes here, 8 on MPI Rank 1"),
    (collective(0, 1, "MPI_Gather", "gather world 0 0 16") + collective(1, 1, "MPI_Gather", "gather world 0 8 0") +
     collective(2, 1, "MPI_Gather", "gather world 0 8 0"), None),
    (collective(0, 1, "MPI_Allgather", "allgather world - 24 24") +
     collective(1, 1, "MPI_Allgather", "allgather world - 24 24") +
     collective(2, 1, "MPI_Allgather", "allgather world - 48 24"),
     "MPI_Allgather, sends 48 bytes here, 24 on MPI Rank 0"),
    (collective(0, 1, "MPI_Allgatherv", "allgatherv world - 24 40") +
     collective(1, 1, "MPI_Allgatherv", "allgatherv world - 48 40"), None),
    (collective(0, 1, "MPI_Scan", "scan world - 24 8") + collective(1, 1, "MPI_Scan", "scan world - 16 16"), None),
    # One function has several names.
    (collective(0, 1, "MPI_Barrier", "barrier world - 0 0") +
     collective(1, 1, "mpi_barrier_", "barrier world - 0 0"), None),
    (collective(0, 1, "MPI_Allreduce_c", "allreduce world - 24 24") +
     collective(1, 1, "MPI_Allreduce", "allreduce world - 24 24"), None),
    # MPI_Init and MPI_Init_thread are one operation; MPI_Comm_create_group is one of its members only.
    (collective(0, 1, "MPI_Init", "create_handle world - 0 0") +
     collective(1, 1, "MPI_Init_thread", "create_handle world - 0 0"), None),
    (collective(0, 1, "MPI_Comm_create_group", "create_handle world - 0 0") +
     collective(0, 3, "MPI_Barrier", "barrier world - 0 0") +
     collective(1, 1, "MPI_Barrier", "barrier world - 0 0"), None),
    # Each process has a communicator MPI_COMM_SELF of its own.
    (collective(0, 1, "MPI_Barrier", "barrier self - 0 0") +
     collective(1, 1, "MPI_Allreduce", "allreduce self - 8 8"), None),
    # On an inter-communicator the root of one group is another number than in the other group.
    (collective(0, 1, "MPI_Bcast", "bcast both - 8 0") +
     collective(1, 1, "MPI_Bcast", "bcast both 0 0 8"), None),
    # Non-blocking operations count at their start.
    (starts(0, 1, "MPI_Ibarrier", 1) + collective(0, 3, "MPI_Bcast", "bcast world 0 24 8") +
     completes(0, 5, 1, "barrier world - 0 0") +
     starts(1, 1, "MPI_Ibarrier", 1) + completes(1, 3, 1, "barrier world - 0 0") +
     collective(1, 5, "MPI_Bcast", "bcast world 0 0 8"), None),
    (starts(0, 1, "MPI_Ibarrier", 1) + completes(0, 3, 1, "barrier world - 0 0") +
     collective(1, 1, "MPI_Barrier", "barrier world - 0 0"),
     "is MPI_Barrier here, MPI_Ibarrier on MPI Rank 0"),
    # On which communicator an operation is that is never completed is not known.
    (starts(0, 1, "MPI_Ibarrier", 1) + collective(0, 3, "MPI_Bcast", "bcast world 0 24 8") +
     collective(1, 1, "MPI_Barrier", "barrier world - 0 0"), None),
    # Windows have an order of their own.
    (call(0, 1, 2, "MPI_Win_fence", "rma_coll_begin", "rma_coll_end barrier w") +
     call(1, 1, 2, "MPI_Win_free", "rma_coll_begin", "rma_coll_end destroy_handle w"),
     "collective operation 1 on window 0 is MPI_Win_free here, MPI_Win_fence on MPI Rank 0"),
    (call(0, 1, 2, "shmem_barrier_all", "rma_coll_begin", "rma_coll_end barrier w") +
     call(1, 1, 2, "shmem_sync_all", "rma_coll_begin", "rma_coll_end barrier w"),
     "collective operation 1 on window 0 is shmem_sync_all here, shmem_barrier_all on MPI Rank 0"),
]


def between(folder):
    """What the records of several processes have to do with each other."""
    for index, (events, reason) in enumerate(BETWEEN):
        directory = os.path.join(folder, f"between-{index}")
        fermata_command.synthesize(BETWEEN_HEAD + events, directory)
        status, output, error = fermata_command.run("check", directory)
        assert not error, error
        lines = output.splitlines()[:-1]
        if reason is None:
            assert status == 0 and not [line for line in lines if "note:" not in line], (events, output)
        else:
            found = [line for line in lines if "note:" not in line]
            assert status == 1 and len(found) == 1 and reason in found[0], (events, reason, output)


def threads_between(folder):
    """Threads that send on one channel do so in an order that is not known; a collective operation of
    each thread in that of the times."""
    head = BETWEEN_HEAD.replace("threads 1", "threads 2")
    cases = [
        (EARLY + send("0.1", 0, 1), None),
        (receive(1, 1, 2, 0) + send("0.1", 5, 1), EARLY_TEXT),
        (collective("0", 5, "MPI_Bcast", "bcast world 0 24 8") +
         collective("0.1", 1, "MPI_Barrier", "barrier world - 0 0") +
         collective("1", 1, "MPI_Barrier", "barrier world - 0 0") +
         collective("1", 5, "MPI_Bcast", "bcast world 0 0 8"), None),
    ]
    for index, (events, reason) in enumerate(cases):
        directory = os.path.join(folder, f"threads-between-{index}")
        fermata_command.synthesize(head + events, directory)
        status, output, _ = fermata_command.run("check", directory)
        assert status == (0 if reason is None else 1), (events, output)
        assert reason is None or reason in output, (reason, output)


def limits(folder):
    directory = os.path.join(folder, "many")
    fermata_command.synthesize(HEAD + "1 0 leave a\n" * 150 + TAIL, directory)
    status, output, _ = fermata_command.run("check", directory)
    assert status == 1
    assert len(output.splitlines()) == 102
    assert "... and 50 more findings" in output and "150 findings" in output
    status, output, _ = fermata_command.run("check", "-n", "0", os.path.join(directory, "traces.otf2"))
    assert status == 1 and len(output.splitlines()) == 2


def information(folder):
    directory = os.path.join(folder, "info")
    fermata_command.synthesize(HEAD + "1 0 enter MPI_Send\n1 0 send 1 0 64\n2 0 leave MPI_Send\n" + TAIL,
                       directory)
    with open(os.path.join(directory, "environment.json"), "w", encoding="utf-8") as file:
        json.dump({"command": "./app \x1b[2J", "ranks": 2}, file)
    status, output, error = fermata_command.run("info", "--format=json", directory)
    assert status == 0 and not error
    info = json.loads(output)
    assert info["event_kinds"] == {"Enter": 2, "Leave": 2, "MpiSend": 1}
    assert info["events"] == 5 and info["processes"] == 2 and info["max_threads"] == 1
    assert info["run_time_s"] == 9.0 and info["clock"]["ticks_per_second"] == 1000
    assert info["paradigms"] == ["MPI"]
    assert {"name": "MPI_Send", "paradigm": "MPI", "visits": 1} in info["regions"]
    assert info["communicators"][0] == {"id": 0, "name": "MPI_COMM_WORLD", "ranks": 2}
    assert info["windows"] == [{"id": 0, "name": "w", "communicator": 0}]
    size = sum(os.path.getsize(os.path.join(where, name)) for where, _, names in
               os.walk(directory) for name in names if name != "environment.json")
    assert info["bytes"] == size
    assert info["environment"]["ranks"] == 2 and info["warnings"] == []
    status, output, error = fermata_command.run("info", directory)
    assert status == 0 and not error
    assert "\x1b" not in output
    for text in ("fermata", "2 processes", "9.000000 s", "MpiSend", "MPI_COMM_WORLD", "./app"):
        assert text in output, (text, output)


def paradigms(folder):
    """Regions of models that OTF2 does not know are named like those that it does."""
    directory = os.path.join(folder, "libraries")
    calls = (("MPI_Barrier", "MPI"), ("shmem_quiet", "SHMEM"), ("ARMCI_Put", "ARMCI"),
             ("caf sync memory", "Coarrays"), ("solve", "user"))
    lines = "".join(f"{i} 0 enter {name}\n{i + 1} 0 leave {name}\n" for i, (name, _) in
                    enumerate(calls, start=1))
    fermata_command.synthesize(HEAD + lines + TAIL, directory)
    status, output, error = fermata_command.run("info", "--format=json", directory)
    assert status == 0 and not error
    found = {region["name"]: region["paradigm"] for region in json.loads(output)["regions"]}
    for name, paradigm in calls:
        assert found[name] == paradigm, (name, found)


def usage(folder):
    for command in ("check", "info"):
        for arguments in ([], ["a", "b"], ["--bogus", "a"]):
            assert fermata_command.run(command, *arguments)[0] == 2
        status, _, error = fermata_command.run(command, os.path.join(folder, "absent"))
        assert status == 3 and "absent" in error
        assert fermata_command.run(command, "--help")[0] == 0
    with open("/dev/full", "w", encoding="utf-8") as full:
        status = subprocess.run([fermata_command.FERMATA, "info", os.path.join(folder, "0")], stdout=full,
                                stderr=subprocess.DEVNULL, check=False).returncode
    assert status == 4
    assert fermata_command.run("check", "-n", "x", "a")[0] == 2
    assert fermata_command.run("info", "--format=xml", "a")[0] == 2


def main():
    with fermata_command.Folder() as folder:
        findings(folder)
        threads(folder)
        between(folder)
        threads_between(folder)
        limits(folder)
        information(folder)
        paradigms(folder)
        usage(folder)


main()
