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
        limits(folder)
        information(folder)
        paradigms(folder)
        usage(folder)


main()
