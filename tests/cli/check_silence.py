# SPDX-License-Identifier: BSD-3-Clause
"""Archives that call functions about whose waiting they say nothing: each gap has a sentence with the names of
the functions, in `analyze`, in the report, in JSON and in `check`; complete archives have none.
"""

import argparse
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile

BEGIN = "unit 1\nranks 2\nwindow w0 world\n"

# Per gap: the calls of rank 0 (names, each with the records inside), and what its sentence contains.
GAPS = {
    "messages": (["MPI_Send", "MPI_Irecv"], ["no record of a message", "Late Sender"]),
    "collectives": (["MPI_Barrier", "MPI_Allreduce", "MPI_Ibcast", "MPI_Comm_dup"],
                    ["no collective record", "waiting in them was not looked for"]),
    "large counts": (["MPI_Alltoall_c"], ["no collective record"]),
    "files": (["MPI_File_open"], ["no collective record", "Wait at file call"]),
    "collective accesses": (["MPI_File_write_all", "MPI_File_sync"],
                            ["no collective record", "Wait at collective I/O"]),
    "accesses": (["MPI_File_write"], ["no record of the bytes"]),
    "fences": (["MPI_Win_create", "MPI_Win_fence"], ["Wait at Create, Fence and Free"]),
    "epochs": (["MPI_Win_start", "MPI_Win_complete", "MPI_Win_post", "MPI_Win_wait"],
               ["Late Post and Early Wait"]),
    "lock requests": (["MPI_Win_lock"], ["request or acquisition", "Lock Contention"]),
    "lock releases": ([("MPI_Win_lock", "lock_request w0 1 0 x"), "MPI_Win_unlock"],
                      ["no record of a lock's release", "Lock Contention"]),
    "flushes": ([("MPI_Win_lock_all", "lock_request w0 all 0 s"), ("MPI_Put", "put w0 1 8 1"),
                 "MPI_Win_flush",
                 ("MPI_Win_unlock_all", "lock_release w0 all 0 s")],
                ["flush's target", "Wait for Progress"]),
    "operations": (["MPI_Put", "MPI_Rget"], ["no record of a one-sided operation"]),
    "partitioned": (["MPI_Psend_init", "MPI_Pready", "MPI_Parrived", ("MPI_Start", None)],
                    ["no record of the messages of this partitioned communication"]),
    "persistent collectives": (["MPI_Barrier_init", "MPI_Allreduce_init_c",
                                "MPI_Neighbor_alltoall_init", "MPIX_Scan_init",
                                ("MPI_Start", "isend 1 0 8 1")],
                               ["no collective record of the starts of these persistent collectives"]),
    "send-receives": (["MPI_Isendrecv"], ["no record of the messages of these calls"]),
    "spawned processes": (["MPI_Comm_spawn", "MPI_Comm_accept"], ["not part of this archive"]),
    "SHMEM operations": (["shmem_putmem", "shmem_int_wait_until"],
                         ["no record of a one-sided operation"]),
    "ARMCI operations": (["ARMCI_Put"], ["no record of a one-sided operation"]),
    "coarray operations": (["caf put", "caf event post", "caf event wait"], ["no record of a one-sided operation"]),
    "SHMEM collectives": (["shmem_barrier_all", "shmem_int_sum_to_all", "shmem_malloc"],
                          ["no collective record of these calls"]),
    "SHMEM locks": (["shmem_set_lock"], ["no record of a lock's acquisition", "Lock Contention"]),
    "ARMCI mutexes": ([("ARMCI_Lock", "lock_acquire w0 1 0 x"), "ARMCI_Unlock"],
                      ["no record of a lock's release", "Lock Contention"]),
    "SHMEM quiet": ([("shmem_putmem", "put w0 1 8 1"), "shmem_quiet"],
                    ["no record of an operation's completion", "Wait for Progress"]),
    "sync images": (["caf sync images"], ["the images that these calls name"]),
    "teams": (["!$omp barrier"], ["no record of teams of threads"]),
    "tasks": (["!$omp taskwait"], ["no record of tasks", "Wait for child tasks"]),
    "OpenMP locks": (["omp_set_lock", "!$omp critical", "!$omp ordered"],
                     ["no record of a thread's lock", "Lock Contention"]),
    "mutexes": (["pthread_mutex_lock", "pthread_rwlock_rdlock"],
                ["no record of a thread's lock", "Lock Contention"]),
    "objects": (["pthread_cond_wait", "pthread_barrier_wait", "sem_wait"],
                ["does not state what these calls synchronize by"]),
    "threads": (["pthread_join"], ["no record of the end of threads"]),
    "launches": (["cudaStreamSynchronize", "cudaMemcpy"],
                 ["which launches have made which work of streams", "Wait for stream"]),
    "stream events": ([("cudaLaunchKernel", "correlation 1"), "cudaStreamWaitEvent"],
                      ["which streams these calls let wait for which events", "Wait for other stream"]),
}

# Sentences of the analysis alone, which matches records: calls with records, and what is warned of.
UNMATCHED = {
    "init": ([("MPI_Init", None)], "has no collective record: matched by the call"),
    "acquisition": ([("MPI_Win_lock", "lock_acquire w0 1 0 x"),
                     ("MPI_Win_unlock", "lock_release w0 1 0 x")], "no record of its request"),
    "release": ([("MPI_Win_lock", "lock_request w0 1 0 x"),
                 ("MPI_Put", "put w0 1 8 1"),
                 ("MPI_Win_unlock", None)], "no record of its release"),
    "release before another epoch": (
        [("MPI_Win_lock", "lock_request w0 1 0 x"), ("MPI_Win_unlock", None),
         ("MPI_Win_lock", "lock_request w0 1 0 x"), ("MPI_Win_unlock", "lock_release w0 1 0 x")],
        "1 lock of a window has no record of its release"),
    "release of a mutex": (
        [("pthread_mutex_lock", "acquire_lock 1 1"), ("pthread_mutex_unlock", None),
         ("pthread_mutex_lock", "acquire_lock 1 2"),
         ("pthread_mutex_unlock", "release_lock 1 2")],
        "1 acquisition of a thread's lock has no record of its release"),
    "doubled record": (
        [("MPI_Barrier", "coll_end barrier world - 0 0", "coll_end alltoall world - 8 8")],
        "1 record repeats a collective or an epoch that its call has recorded already"),
    "start of a non-blocking collective": (
        [("MPI_Ibarrier", None), ("MPI_Wait", "nb_coll_complete barrier world - 0 0 1")],
        "1 non-blocking collective operation lacks the record of its start: not analysed"),
    "init with several records": (
        [("MPI_Init", "coll_end create_handle world - 0 0", "coll_end barrier world - 0 0"),
         ("MPI_Finalize", None)],
        "1 call of MPI_Init or MPI_Finalize has no collective record"),
}

# Archives that lack nothing.
COMPLETE = {
    "all-kinds": [("MPI_Send", "send 1 0 8"),
                  ("MPI_Barrier", "coll_begin", "coll_end barrier self - 0 0"),
                  ("MPI_Win_lock", "lock_request w0 1 0 x"), ("MPI_Put", "put w0 1 8 1"),
                  ("MPI_Win_flush", "done_remote w0 1"),
                  ("MPI_Win_unlock", "lock_release w0 1 0 x"), ("MPI_Comm_rank",), ("MPI_Wtime",)],
    "persistent": [("MPI_Send_init",), ("MPI_Barrier_init",), ("MPI_Bcast_init",),
                   ("MPI_Startall", "isend 1 0 8 1", "nb_coll_request 2"),
                   ("MPI_Waitall", "isend_complete 1", "nb_coll_complete barrier self - 0 0 2"),
                   ("MPI_Isendrecv_c", "isend 1 0 8 1", "irecv_request 3")],
    "never started": [("MPI_Send_init",), ("MPI_Barrier_init",)],
    "nocheck": [("MPI_Win_lock_all",), ("MPI_Put", "put w0 1 8 1"), ("MPI_Win_flush_all",),
                ("MPI_Win_unlock_all", "done_remote w0 1")],
    "threads": [("pthread_mutex_lock", "acquire_lock 1 1"),
                ("pthread_mutex_unlock", "release_lock 1 1"), ("pthread_mutex_trylock",),
                ("pthread_cond_wait", "object 2"), ("pthread_create",), ("omp_init_lock",),
                ("!$omp critical", "acquire_lock 3 1", "release_lock 3 1")],
    "nothing-to-flush": [("MPI_Win_lock_all", "lock_request w0 all 0 s"), ("MPI_Win_flush_all",),
                         ("MPI_Win_unlock_all", "lock_release w0 all 0 s")],
    "launches": [("cudaLaunchKernel", "correlation 1"), ("cudaMemcpy", "correlation 2"), ("cudaStreamSynchronize",),
                 ("cudaMalloc",)],
    "stream events": [("cudaLaunchKernel", "correlation 1"), ("cudaEventRecord", "event 1"),
                      ("cudaStreamWaitEvent", "event 1")],
    "events": [("caf event post", "atomic w0 1 4 1", "done_remote w0 1"), ("caf event wait", "wait_change w0")],
}


def scenario(calls):
    lines = [BEGIN, "0 0 enter main"]
    for time, call in enumerate(calls):
        name, *records = (call,) if isinstance(call, str) else call
        lines.append(f"{time} 0 enter {name}")
        lines += [f"{time} 0 {record}" for record in records if record]
        lines.append(f"{time}.5 0 leave {name}")
    lines += [f"{len(calls)} 0 leave main", "0 1 enter main", f"{len(calls)} 1 leave main"]
    return "\n".join(lines) + "\n"


class Commands:
    def __init__(self, fermata, folder):
        self.fermata, self.folder = fermata, folder

    def run(self, *arguments):
        outcome = subprocess.run([self.fermata, *map(str, arguments)], capture_output=True,
                                 text=True)
        return outcome.stdout + outcome.stderr

    def texts(self, calls, number):
        """What each command says about the archive, lines joined."""
        file, archive = self.folder / f"{number}.scn", self.folder / f"archive-{number}"
        file.write_text(scenario(calls))
        self.run("synth", file, "-o", archive)
        texts = {"analyze": self.run("analyze", archive)}
        report = json.loads(self.run("report", "--format=json", archive))
        texts["json"] = "\n".join(report["warnings"])
        texts["report"] = self.run("report", archive)
        texts["check"] = self.run("check", archive)
        return {command: " ".join(text.split()) for command, text in texts.items()}


def check_gap(commands, gap, number):
    calls, phrases = GAPS[gap]
    names = [call for call in calls if isinstance(call, str)]
    for command, text in commands.texts(calls, number).items():
        for wanted in names + phrases:
            if wanted not in text:
                yield f"{gap}: `{command}` does not say {wanted!r}:\n{text}"


def check_advice(commands):
    """Records of fermata's own archives cannot be switched on: calls without them have failed. `synth` writes archives
    as fermata's recorder does; those of others name another creator in the anchor file."""
    calls, _ = GAPS["messages"]
    commands.texts(calls, "own")
    own, other = commands.folder / "archive-own", commands.folder / "archive-other"
    shutil.copytree(own, other)
    anchor = other / "traces.otf2"
    anchor.write_bytes(anchor.read_bytes().replace(b"fermata ", b"another "))
    for archive, phrase in ((own, "writes none for calls that fail"),
                            (other, "switch the recorder's point-to-point records on")):
        for command in ("analyze", "check"):
            text = " ".join(commands.run(command, archive).split())
            if phrase not in text or ("switch the recorder" in text) != (archive == other):
                yield f"{archive.name}: the advice of `{command}` is another one:\n{text}"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("fermata")
    options = parser.parse_args()
    wrong = []
    with tempfile.TemporaryDirectory(prefix="fermata-silence-") as folder:
        commands = Commands(options.fermata, pathlib.Path(folder))
        for number, gap in enumerate(GAPS):
            wrong += check_gap(commands, gap, number)
        for number, (gap, (calls, phrase)) in enumerate(UNMATCHED.items(), len(GAPS)):
            texts = commands.texts(calls, number)
            wrong += [f"{gap}: `{command}` does not say {phrase!r}:\n{texts[command]}"
                      for command in ("analyze", "json", "report") if phrase not in texts[command]]
        wrong += check_advice(commands)
        for name, calls in COMPLETE.items():
            for command, text in commands.texts(calls, name).items():
                for phrase in ("the archive has no", "not analysed:", "not looked for"):
                    if phrase in text:
                        wrong.append(f"{name}: `{command}` says {phrase!r}:\n{text}")
    if wrong:
        sys.exit("\n".join(wrong))


main()
