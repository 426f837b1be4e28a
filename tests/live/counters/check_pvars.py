# SPDX-License-Identifier: BSD-3-Clause
"""Performance variables of MPI libraries: of a stub with variables of many sorts, and of the library
itself.

usage: check_pvars.py FERMATA MPIRUN PROGRAM STUB LIBRARY
"""

import os
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "support"))
from mpi_launcher import mpi_command  # noqa: E402
from shown_counters import shown_counters  # noqa: E402

fermata, mpirun, program, stub, library = sys.argv[1:]
BARRIERS, BROADCASTS, BYTES, EARLY, POSTED = 5, 4, 64, 5, 3

# The stub's variables of queues: kind, unit, and the values of rank 0 after each number of barriers;
# those of rank 1 are twice as large.
OF_QUEUES = {
    "posted_recvq_length": ("level", "", [0, 2, 5, 3, 0, 4]),
    "unexpected_recvq_length": ("level", "", [1, 4, 2, 6, 3, 2]),
    "posted_recvq_match_attempts": ("count", "", [0, 3, 3, 10, 4294967301, 4294967302]),
    "unexpected_recvq_match_attempts": ("count", "", [0, 1, 5, 5, 6, 13]),
    "time_failed_matching_postedq": ("real", "s", [0, 0.25, 0.25, 1.5, 1.75, 2.125]),
    "time_matching_unexpectedq": ("real", "s", [0, 1e-6, 3e-6, 0.1, 0.3, 0.7]),
    "unexpected_recvq_buffer_size": ("level", "", [64, 9000000001, 128, 30000000003, 512, 5000000007]),
}


def recorded(experiment, names, use_stub=False, arguments="", options=(), **variables):
    environment = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
                       **variables)
    command = [program, *arguments.split()]
    if use_stub:
        command = ["sh", "-c", f'LD_PRELOAD="{stub} $LD_PRELOAD" exec {program} {arguments}']
    done = subprocess.run([fermata, "record", f"--counters={names}", *options, "-o", experiment, "--",
                           *mpi_command(mpirun, 2, command)], capture_output=True, text=True,
                          check=False, env=environment)
    assert done.returncode == 0, done.stdout + done.stderr
    return shown_counters(fermata, experiment)


def check_sorts(folder):
    """Each sort of variable is read as it must be, or is unavailable for the reason that it has."""
    counters, lacks = recorded(f"{folder}/sorts", "mpit:*", True)
    values = {name: counter["values"][0] for name, counter in counters.items()}
    kinds = {name: counter["kind"] for name, counter in counters.items()}
    assert values["mpit:started_per_peer"] == 3 * (1 << 45) + 3 * BARRIERS, values
    assert values["mpit:least_free"] == 40 - BARRIERS - 1
    assert values["mpit:negative_level"] == -BARRIERS
    assert kinds["mpit:least_free"] == "low watermark" and kinds["mpit:negative_level"] == "level"
    assert kinds["mpit:started_per_peer"] == "count"
    assert counters["mpit:started_per_peer"]["meaning"] == (
        "what started_per_peer means, sum over the ranks of MPI_COMM_WORLD")
    assert "PSM2" in lacks["mpit:mtl_psm2_sends"], lacks
    for name in ("of_windows", "window_level", "window_most", "of_files"):
        assert values["mpit:" + name] == 0, (name, values)  # there were none
    assert "other than communicators, windows and files" in lacks["mpit:of_groups"], lacks
    assert "not numbers" in lacks["mpit:name_of_something"]
    assert "refuses" in lacks["mpit:refused"] and "refuses" in lacks["mpit:too_large"]
    assert not any("left_by" in name for name in [*counters, *lacks])


def check_objects(folder):
    """Variables of windows and files: of those that exist, and that have existed. The first window
    is there during five barriers, the second one during two, the file during three."""
    counters, lacks = recorded(f"{folder}/objects", "mpit:*", True, "objects",
                               STUB_VERSION="Open MPI v4.1.4, x", OMPI_MCA_osc="^rdma")
    values = {name.removeprefix("mpit:"): counter["values"] for name, counter in counters.items()}
    assert values["of_windows"] == [7, 7] and values["of_files"] == [3, 3], values
    assert values["window_level"] == [0, 0], values  # they are gone
    assert values["window_most"] == [5, 5] and values["window_least"] == [2, 2], values
    assert values["window_time"] == [7 / 8, 7 / 8], values
    assert counters["mpit:of_windows"]["meaning"].endswith(
        ", sum over the windows that have it"), counters["mpit:of_windows"]
    assert "selects that one alone" in lacks["mpit:osc_rdma_retries"], lacks
    counters, _ = recorded(f"{folder}/osc", "mpit:osc_*", True, "objects", STUB_OSC="1",
                           STUB_VERSION="another library")
    assert counters["mpit:osc_rdma_retries"]["values"] == [7, 7], counters


def snapshots(experiment, counter, rank):
    """The value of a counter in each snapshot of a rank: rows have what has changed."""
    values = []
    with open(f"{experiment}/counters/snapshots.{rank}", encoding="ascii") as file:
        for row in list(file)[1:]:
            _, _, name, value = row.rstrip("\n").split(",")
            if name == "":
                values.append(values[-1] if values else 0)
            elif name == counter:
                values[-1] = float(value)
    return values


def check_queues(folder):
    """The variables of queues that an MPICH with --enable-mpit-pvars=recvq has: at the end of the
    run, and after each barrier. UNEXPECTED_IN_QUEUE is one of them."""
    names = "mpi.*,mpit:*recvq*,mpit:time_*"
    counters, lacks = recorded(f"{folder}/recvq", names, True)
    offered = {name.removeprefix("mpit:"): (counter["kind"], counter["unit"], counter["values"])
               for name, counter in counters.items() if name.startswith("mpit:")}
    assert offered == {name: (kind, unit, [values[BARRIERS], 2 * values[BARRIERS]])
                       for name, (kind, unit, values) in OF_QUEUES.items()}, offered
    assert "mpi.messages_sent" in counters and "UNEXPECTED_IN_QUEUE" not in counters, counters
    assert lacks == {}, lacks
    for name in OF_QUEUES:
        assert counters["mpit:" + name]["obtained"] == "library's variable", counters["mpit:" + name]
        assert counters["mpit:" + name]["meaning"] == f"what {name} means", counters["mpit:" + name]

    experiment = f"{folder}/steps"
    counters, _ = recorded(experiment, names + ",OMPI_SPC_UNEXPECTED_IN_QUEUE", True, "steps",
                           ("--snapshot", "phase:steps"))
    for name, (_, _, values) in OF_QUEUES.items():
        for rank in range(2):
            found = snapshots(experiment, "mpit:" + name, rank)
            assert found == [(rank + 1) * value for value in values], (name, rank, found)
    lengths = OF_QUEUES["unexpected_recvq_length"][2]
    queue = counters["UNEXPECTED_IN_QUEUE"]
    assert queue["values"] == [lengths[BARRIERS], 2 * lengths[BARRIERS]], queue
    assert snapshots(experiment, "UNEXPECTED_IN_QUEUE", 0) == lengths
    assert (queue["kind"], queue["unit"], queue["obtained"]) == (
        "level", "messages", "library's variable"), queue
    assert queue["meaning"] == ("messages in the queue of unexpected ones now (of all communicators, "
                                "in the library's own queue, by a variable of the library)"), queue


def check_spc(folder):
    """Open MPI's counters, by their own names; they are switched on."""
    names = "SEND,OMPI_SPC_UNEXPECTED,MATCH_TIME,OMPI_SPC_MAX_UNEXPECTED_IN_QUEUE,OUT_OF_SEQUENCE"
    is_open_mpi = library == "openmpi"
    counters, lacks = recorded(f"{folder}/spc", names, True, STUB_VERSION="Open MPI v4.1.4, x")
    assert counters["calls:MPI_Send"]["values"] == [0, 0]
    assert lacks["OUT_OF_SEQUENCE"] == "Open MPI v4.1.4 does not offer it", lacks
    if not is_open_mpi:  # nothing has switched them on
        assert "is switched off" in lacks["UNEXPECTED"], lacks
        counters, lacks = recorded(f"{folder}/on", names, True, STUB_VERSION="Open MPI v4.1.4, x",
                                   OMPI_MCA_mpi_spc_attach="all")
    assert counters["UNEXPECTED"]["values"] == [BARRIERS, BARRIERS], counters
    assert counters["UNEXPECTED"]["obtained"] == "library's variable", counters["UNEXPECTED"]
    assert abs(counters["MATCH_TIME"]["values"][0] - BARRIERS * 1e-6) < 1e-12
    assert counters["MAX_UNEXPECTED_IN_QUEUE"]["values"] == [7, 7]
    assert counters["MAX_UNEXPECTED_IN_QUEUE"]["kind"] == "high watermark"
    text = subprocess.run([fermata, "counters", "show", f"{folder}/{'spc' if is_open_mpi else 'on'}",
                           "OMPI_SPC_UNEXPECTED", "OMPI_SPC_UNEXPECTED_IN_QUEUE"],
                          capture_output=True, text=True, check=True)
    words = [line.split() for line in text.stdout.splitlines()]
    assert ["UNEXPECTED", str(2 * BARRIERS)] in [row[:2] for row in words], text.stdout
    assert words[-1][:2] == ["UNEXPECTED_IN_QUEUE", "2"] and words[-2][0] == "unavailable", text.stdout
    assert text.stderr == "", text.stderr
    counters, lacks = recorded(f"{folder}/five", names, True, STUB_VERSION="Open MPI v5.0.1, x",
                               OMPI_MCA_mpi_spc_attach="OMPI_SPC_MAX_UNEXPECTED_IN_QUEUE,MATCH_TIME")
    assert "never raises it" in lacks["MAX_UNEXPECTED_IN_QUEUE"], lacks
    assert "is switched off" in lacks["UNEXPECTED"] and "MATCH_TIME" in counters, lacks


def check_own(folder):
    """The library itself: Open MPI's monitoring components, which are switched on; MPICH has none."""
    counters, lacks = recorded(f"{folder}/own", "mpit:coll_monitoring_o2a_*,mpit:pml_ob1_*,UNEXPECTED,"
                               "UNEXPECTED_IN_QUEUE")
    if library != "openmpi":
        assert counters == {} and len(lacks) == 4, (counters, lacks)
        assert all(reason.endswith("does not offer it") for reason in lacks.values()), lacks
        assert all("MPICH 4" in reason for reason in lacks.values()) or library != "mpich", lacks
        return
    assert counters["mpit:coll_monitoring_o2a_count"]["values"] == [BROADCASTS, 0], counters
    assert counters["mpit:coll_monitoring_o2a_size"]["values"] == [BROADCASTS * BYTES, 0], counters
    assert "mpit:pml_ob1_unexpected_msgq_length" in counters
    assert counters["UNEXPECTED_IN_QUEUE"]["obtained"] == "library's variable", counters
    assert "(of MPI_COMM_WORLD, by" in counters["UNEXPECTED_IN_QUEUE"]["meaning"], counters
    assert list(lacks) == ["UNEXPECTED"] or "UNEXPECTED" in counters, lacks
    counters, _ = recorded(f"{folder}/queues", "mpit:pml_ob1_*,UNEXPECTED_IN_QUEUE",
                           arguments="queues", OMPI_MCA_pml="ob1")
    assert counters["mpit:pml_ob1_posted_recvq_length"]["values"] == [0, POSTED], counters
    unexpected = counters["UNEXPECTED_IN_QUEUE"]["values"]
    assert unexpected[0] <= 1 and EARLY <= unexpected[1] <= EARLY + 1, unexpected


def check_matrix(folder):
    """What Open MPI's monitoring components write: the library's messages of four broadcasts."""
    environment = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
                       OMPI_MCA_pml_monitoring_enable="2", OMPI_MCA_pml_monitoring_enable_output="3",
                       OMPI_MCA_pml_monitoring_filename=f"{folder}/run")
    subprocess.run(mpi_command(mpirun, 2, [program]), check=True, env=environment, timeout=60,
                   capture_output=True)
    done = subprocess.run([fermata, "counters", "matrix", "--format", "csv", f"{folder}/run"],
                          capture_output=True, text=True, check=True)
    rows = [line.split(",") for line in done.stdout.splitlines()]
    assert rows[0] == ["kind", "from", "to", "messages", "bytes"], rows
    assert not any(row[0] == "user" for row in rows[1:]), rows  # the program sends none itself
    sent = {tuple(row[:3]): int(row[4]) for row in rows[1:]}
    assert sent["library", "0", "1"] >= BROADCASTS * BYTES, rows
    assert sent["collective", "0", "1"] == BROADCASTS * BYTES, rows
    done = subprocess.run([fermata, "counters", "matrix", f"{folder}/run", "collective"],
                          capture_output=True, text=True, check=True)
    assert f"0 to 1: {BROADCASTS * BYTES} bytes" in done.stdout, done.stdout
    done = subprocess.run([fermata, "counters", "matrix", f"{folder}/run", "all"],
                          capture_output=True, text=True, check=False)
    assert done.returncode == 2 and "none of user" in done.stderr, done


def main():
    with tempfile.TemporaryDirectory() as folder:
        check_sorts(folder)
        check_objects(folder)
        check_queues(folder)
        check_spc(folder)
        check_own(folder)
        if library == "openmpi":
            check_matrix(folder)


main()
