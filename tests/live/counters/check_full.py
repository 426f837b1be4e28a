"""Counters on a file system without room: each rank whose counters cannot be kept says so, the program goes on, and what
is shown is right: no rank without room is taken for one that was killed.

usage: check_full.py FERMATA MPIRUN PROGRAM
"""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "support"))
from mpi_launcher import mpi_command  # noqa: E402

fermata, mpirun, program = sys.argv[1:]
SKIPPED = 77
MOUNTED = ["unshare", "--map-root-user", "--mount", "sh", "-c",
           'mount -t tmpfs -o size=$0 tmpfs disk || exit 77; "$@" >out 2>err; status=$?; '
           '"$FERMATA" counters show --format json disk/run >shown 2>unshown; exit $status']


def check(size, folder):
    environment = dict(os.environ, FERMATA=fermata, OMPI_ALLOW_RUN_AS_ROOT="1",
                       OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1", OMPI_MCA_rmaps_base_oversubscribe="1")
    command = [fermata, "record", "--counters-only", "-o", "disk/run", "--", *mpi_command(mpirun, 2, [program])]
    done = subprocess.run([MOUNTED[0], *MOUNTED[1:], size, *command], cwd=folder, env=environment, timeout=100,
                          check=False)
    if done.returncode == SKIPPED:
        print("no file system can be mounted here")
        sys.exit(SKIPPED)
    errors = (folder / "err").read_text()
    assert done.returncode == 0, errors
    refused = set(re.findall(r"rank (\d): calls are not counted: cannot write \S+: No space left on device", errors))
    assert refused == set(re.findall(r"rank (\d): calls are not counted", errors)), errors
    kept = {str(rank) for rank in range(2)} - refused
    shown = (folder / "shown").read_text()
    if kept:
        ranks = json.loads(shown)["ranks"]
        assert [(str(rank["rank"]), rank["state"]) for rank in ranks] == [(rank, "ended") for rank in sorted(kept)], ranks
    else:
        assert shown == "" and "killed" not in (folder / "unshown").read_text(), shown
    return len(refused)


counts = set()
for room in ("20k", "100k", "200k", "300k", "400k", "4m"):
    with tempfile.TemporaryDirectory() as name:
        (pathlib.Path(name) / "disk").mkdir()
        counts.add(check(room, pathlib.Path(name)))
assert {0, 2} <= counts, counts  # with all and with no counters kept
