# SPDX-License-Identifier: BSD-3-Clause
"""Messages out of sequence: the finding is there if and only if the counted share reaches its threshold.

Messages of one thread that overtake those that wait for a buffer are certainly out of sequence. Whether threads that
share a communicator overtake each other depends on the moments at which they lose their processors; threads with a
communicator each do not.

usage: check_disorder.py FERMATA MPIRUN MESSAGE_RATE OVERTAKE
"""

import pathlib
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "support"))
from mpi_launcher import mpi_command  # noqa: E402
from hooked_run import hooked_run  # noqa: E402

fermata, mpirun, message_rate, overtake = sys.argv[1:]
SHARE, THREADS, MESSAGES, ATTEMPTS = 0.02, 4, 5000, 3
PAIRS = 400  # of overtake.c


def disorder(experiment, arrivals, command, **variables):
    """@return the share of messages out of sequence in rank 1, and the finding about it"""
    shown = hooked_run(fermata, experiment, mpi_command(mpirun, 2, command),
                       variables={"OMPI_MCA_btl": "vader,self", **variables})
    values = {name: counter["values"] for name, counter in shown.items()}
    arrived = values["EAGER_MESSAGES"][1] + values["NOT_EAGER_MESSAGES"][1]
    assert arrived >= arrivals, values
    assert (values["OUT_OF_SEQUENCE"][1] == 0) == (values["OOS_MATCH_TIME"][1] == 0), values
    assert values["OOS_IN_QUEUE"] == [0, 0], values
    share = values["OUT_OF_SEQUENCE"][1] / arrived
    text = " ".join(subprocess.run([fermata, "counters", "findings", experiment], capture_output=True,
                                   text=True, check=True).stdout.split())
    found = re.search(r"Rank 1: [^%]*%\) arrived out of sequence.*?MPI_Comm_dup", text)
    assert (found is not None) == (share >= SHARE), (share, text)
    if found:
        assert f"({100 * share:.1f}%)" in text and "on the queue of messages out of sequence" in text, text
    return share


def main():
    with tempfile.TemporaryDirectory() as folder:
        share = disorder(f"{folder}/overtake", 2 * PAIRS, [overtake, f"{folder}/sent"],
                         OMPI_MCA_btl_vader_free_list_max="8")
        assert share >= SHARE, share
        share = disorder(f"{folder}/in-order", 2 * PAIRS, [overtake, f"{folder}/sent-in-order"],
                         OMPI_MCA_btl_vader_free_list_max="4096")
        assert share == 0, share
        rate = [message_rate, "--threads", str(THREADS), "--messages", str(MESSAGES), "--communicator"]
        share = disorder(f"{folder}/each", THREADS * MESSAGES, [*rate, "each"])
        assert share < SHARE, share
        for attempt in range(ATTEMPTS):
            share = disorder(f"{folder}/shared-{attempt}", THREADS * MESSAGES, [*rate, "shared"])
            print(f"shared communicator: {100 * share:.2f}% out of sequence")


main()
