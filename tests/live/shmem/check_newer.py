# SPDX-License-Identifier: BSD-3-Clause
"""Records a program that uses OpenSHMEM 1.5 with a library that has no profiling names.

usage: check_newer.py FERMATA STUB_RUN PROGRAM
"""
import json
import pathlib
import sys
import tempfile

import otf2
from shmem_archive import compare, recorded, run

PES = 4


def expected(pe):
    next_pe = (pe + 1) % PES
    calls = ["shmem_init create collective:CREATE_HANDLE:4:0:0:-", "shmem_my_pe", "shmem_n_pes",
             *["shmem_malloc collective:ALLOCATE:4:0:0:-"] * 2,
             f"shmem_int_put_signal put:{next_pe}:8 blocking:{next_pe}", "shmem_signal_wait_until change",
             f"shmem_putmem_signal_nbi put:{next_pe}:4",
             f"shmem_int_atomic_fetch_add_nbi atomic:{next_pe}:FETCH_AND_ADD:4:4",
             f"shmem_quiet remote:{next_pe} local:{next_pe} remote:{next_pe}",
             "shmem_signal_wait_until change", "shmem_signal_fetch", "shmem_int_wait_until_all change",
             "shmem_int_wait_until_any change", "shmem_int_test_any", "shmem_int_test_some",
             "shmem_team_split_strided collective:CREATE_HANDLE:4:0:0:-"]
    if pe >= PES - 2:
        other = PES - 1 if pe == PES - 2 else PES - 2
        calls += ["shmem_team_create_ctx", "shmem_team_my_pe",
                  f"shmem_ctx_int_put put:{other}:4 blocking:{other}", f"shmem_ctx_quiet remote:{other}",
                  "shmem_ctx_destroy", "shmem_team_sync collective:BARRIER:2:0:0:-",
                  f"shmem_broadcastmem collective:BCAST:2:{8 if pe == PES - 1 else 0}:4:1",
                  "shmem_team_destroy collective:DESTROY_HANDLE:2:0:0:-"]
    return calls + ["shmem_team_split_2d collective:CREATE_HANDLE:4:0:0:-",
                    *["shmem_int_sum_reduce collective:ALLREDUCE:2:8:8:-"] * 2,
                    "shmem_team_sync collective:BARRIER:2:0:0:-",
                    "shmem_team_sync collective:BARRIER:4:0:0:-",
                    "shmem_finalize destroy collective:DESTROY_HANDLE:4:0:0:-"]


def check_teams(archive):
    """Members of the teams: the last two; rows and columns; the pairs of the predefined team, whose
    members are those of rows, but which is no team that the program made."""
    with otf2.reader.open(str(archive)) as trace:
        teams = sorted(tuple(int(member.group.name.split()[-1]) for member in window.comm.group.members)
                       for window in trace.definitions.rma_wins)
    wanted = sorted([(0, 1, 2, 3), (2, 3), (0, 1), (2, 3), (0, 2), (1, 3), (0, 1), (2, 3)])
    assert teams == wanted, f"teams {teams} instead of {wanted}"


def main():
    fermata, stub_run, program = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        experiment = pathlib.Path(folder) / "experiment"
        result = run([fermata, "record", "--sample=off", "-o", experiment, "--", sys.executable, stub_run,
                      PES, program])
        calls = recorded(experiment / "traces.otf2")
        assert sorted(calls) == list(range(PES)), result.stderr
        for pe in range(PES):
            compare(calls[pe], expected(pe), f"PE {pe}")
        check_teams(experiment / "traces.otf2")
        environment = json.loads((experiment / "environment.json").read_text())
        assert environment["shmem_library"] == "OpenSHMEM 1.5, stub", environment
        assert "0 findings" in run([fermata, "check", experiment]).stdout


main()
