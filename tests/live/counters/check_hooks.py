# SPDX-License-Identifier: BSD-3-Clause
"""Hooks in Open MPI count what is known inside the library, and in MPICH its own bytes; with other versions
they stay off, say so, and the program runs on.

usage: check_hooks.py FERMATA MPIRUN PROGRAM STUB EAGER OWN_BYTES LIBRARY
"""

import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "support"))
from mpi_launcher import mpi_command  # noqa: E402
from shown_counters import shown_counters  # noqa: E402

fermata, mpirun, program, stub, eager, own_bytes, library = sys.argv[1:]
MESSAGES, LARGE, COLLECTIVES, THREADS, ROUNDS, WINDOW = 20, 3, 4, 3, 40, 64
FLOOD = 20000
TESTED = "Open MPI v4.1.4 and MPICH 4.0.2"


def recorded(experiment, names, communicators="each", version=None, only=False, flood=0, allreduces=0, **variables):
    environment = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
                       **variables)
    command = [program, communicators, str(flood), str(allreduces)]
    if version is not None:
        environment["STUB_VERSION"] = version
        command = ["sh", "-c", f'LD_PRELOAD="{stub} $LD_PRELOAD" exec {program} {communicators}']
    keep = ["--counters-only"] if only else []
    done = subprocess.run([fermata, "record", "--hooks", f"--counters={names}", *keep, "-o",
                           experiment, "--", *mpi_command(mpirun, 2, command)],
                          capture_output=True, text=True, check=False, env=environment)
    assert done.returncode == 0, done.stdout + done.stderr
    return (*shown_counters(fermata, experiment), done.stderr)


def check_messages(counters):
    unexpected = counters["UNEXPECTED"]["values"]
    arrivals = [sum(pair) for pair in zip(counters["EAGER_MESSAGES"]["values"],
                                          counters["NOT_EAGER_MESSAGES"]["values"])]
    assert MESSAGES <= unexpected[1] <= arrivals[1], unexpected
    assert arrivals[1] >= MESSAGES + THREADS * ROUNDS * WINDOW, arrivals
    assert counters["NOT_EAGER_MESSAGES"]["values"][1] >= LARGE
    assert unexpected[0] <= arrivals[0] < MESSAGES + 100, (unexpected, arrivals)
    assert counters["MATCH_TIME"]["values"][1] > 0
    assert counters["MATCH_TIME"]["obtained"] == "upper bound (hook)"
    assert counters["OOS_MATCH_TIME"]["obtained"] == "exact (hook)"
    assert counters["UNEXPECTED"]["obtained"] == "exact (hook)"
    assert counters["OOS_IN_QUEUE"]["values"] == [0, 0], counters["OOS_IN_QUEUE"]
    for rank in range(2):
        out = counters["OUT_OF_SEQUENCE"]["values"][rank]
        most = counters["MAX_OOS_IN_QUEUE"]["values"][rank]
        assert (out == 0) == (most == 0) and most <= out <= arrivals[rank]
        # Matching calls the functions that handle messages out of sequence.
        time = counters["OOS_MATCH_TIME"]["values"][rank]
        assert (out == 0) == (time == 0) and time <= counters["MATCH_TIME"]["values"][rank], time


def check_algorithms(counters):
    """The algorithm that is forced is counted, by size, and no other one."""
    uses = {name: counter for name, counter in counters.items() if name.startswith("BASE_BCAST")}
    assert len(uses) == 6, uses
    for name, counter in uses.items():
        expected = COLLECTIVES if name == "BASE_BCAST_BINOMIAL" else 0
        assert counter["values"] == [expected, expected], (name, counter)
    bins = [bin["values"][0] for bin in uses["BASE_BCAST_BINOMIAL"]["bins"]]
    assert bins == [COLLECTIVES - 1, 0, 1, 0], bins


def total_in_report(experiment, name):
    """@return the sum of a counter in the report of a trace, in seconds if it is a time"""
    done = subprocess.run([fermata, "export", "--to", "json", "-o", "-", experiment],
                          capture_output=True, text=True, check=True)
    report = json.loads(done.stdout)
    metric = next(each["id"] for each in report["metrics"] if each["name"] == name)
    return sum(each["value"] for each in report["severities"] if each["metric"] == metric)


def check_handed_over(folder):
    """Ring hands allreduces of fewer elements than ranks over: that both count them is no finding."""
    experiment, calls = f"{folder}/ring", 300
    counters, _, _ = recorded(experiment, "OMPI_SPC_BASE_*", only=True, allreduces=calls,
                              OMPI_MCA_coll_tuned_use_dynamic_rules="1",
                              OMPI_MCA_coll_tuned_allreduce_algorithm="4")
    for name in ("BASE_ALLREDUCE_RING", "BASE_ALLREDUCE_RECURSIVE_DOUBLING"):
        assert min(counters[name]["values"]) >= calls, counters[name]
    assert "algorithms" not in findings(experiment), findings(experiment)


def check_no_findings(experiment, reason):
    text = subprocess.run([fermata, "counters", "findings", experiment], capture_output=True, text=True,
                          check=True).stdout
    assert "The run has no counters of messages inside of" in text and reason in text, text


def findings(experiment):
    """@return {id of a finding of the report: (statement, whether it is a contradiction)}"""
    done = subprocess.run([fermata, "export", "--to", "json", "-o", "-", experiment],
                          capture_output=True, text=True, check=True)
    return {finding["id"]: (finding["statement"], finding["is_contradiction"])
            for finding in json.loads(done.stdout)["findings"]}


def check_report(folder):
    """The report has the findings of counters, and says where they contradict the trace."""
    for name, only in (("traced", False), ("only", True)):
        experiment = f"{folder}/{name}-flood"
        counters, _, _ = recorded(experiment, "all,OMPI_SPC_*", only=only, flood=FLOOD)
        if not only:
            subprocess.run([fermata, "analyze", "--quiet", experiment], check=True)
            shown, reported = sum(counters["MATCH_TIME"]["values"]), total_in_report(experiment, "MATCH_TIME")
            assert 0.5 * shown < reported <= 1.01 * shown, (shown, reported)
        found = findings(experiment)
        assert not any(wrong for _, wrong in found.values()), found
        statement = found["unexpected"][0]
        assert statement.startswith("Rank 1: ") and "arrived before their receive" in statement, found
        text = " ".join(subprocess.run([fermata, "report", experiment], capture_output=True, text=True,
                                       check=True).stdout.split())
        assert "Also worth knowing" in text and "Post receives before the messages come" in text, text
        subprocess.run([fermata, "view", experiment, "--html", f"{folder}/page.html"], check=True,
                       capture_output=True)
    # The counters of the flood beside a trace without one.
    other = f"{folder}/other-trace"
    shutil.copytree(f"{folder}/each", other)
    shutil.rmtree(f"{other}/counters")
    shutil.copytree(f"{folder}/traced-flood/counters", f"{other}/counters")
    subprocess.run([fermata, "analyze", "--quiet", other], check=True)
    found = findings(other)
    assert found["counters-and-trace"][1], found
    assert "Counters and trace contradict each other in 1 of 2 ranks: rank 1 has" in \
        found["counters-and-trace"][0], found


def check_boundaries(folder):
    """Boundaries between bins are Open MPI's parameters, of messages and of collectives independent of each
    other; the boundary itself is small."""
    def bins(**parameters):
        counters, _, _ = recorded(f"{folder}/{'-'.join(parameters.values())}", "BASE_BCAST_BINOMIAL,mpi.*",
                                  OMPI_MCA_coll_tuned_use_dynamic_rules="1",
                                  OMPI_MCA_coll_tuned_bcast_algorithm="6",
                                  **{f"OMPI_MCA_mpi_spc_{key}_boundary": value
                                     for key, value in parameters.items()})
        return [([bin["values"][0] for bin in counters[name]["bins"]],
                 [bin["name"] for bin in counters[name]["bins"]])
                for name in ("mpi.messages_by_boundary", "BASE_BCAST_BINOMIAL")]
    threads = THREADS * ROUNDS * WINDOW
    # Three of the broadcasts have 64 bytes; there are two ranks.
    messages, (broadcasts, _) = bins(p2p_message="100", collective_message="64", collective_comm="1")
    assert messages == ([threads + MESSAGES - LARGE, LARGE], ["up to 100", "above 100"]), messages
    assert broadcasts == [0, COLLECTIVES - 1, 0, 1], broadcasts
    messages, (broadcasts, _) = bins(p2p_message="99", collective_message="63", collective_comm="2")
    assert messages == ([threads, MESSAGES], ["up to 99", "above 99"]), messages
    assert broadcasts == [0, 0, COLLECTIVES, 0], broadcasts


def check_eager(folder):
    """The limit of eager messages: that of the transport, without the 56 bytes of the head."""
    environment = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
                       OMPI_MCA_pml="ob1")
    for transport, limit in (("vader", 4096 - 56), ("tcp", 65536 - 56)):
        for bytes_sent, expected in ((limit, 0), (limit + 1, 50)):
            experiment = f"{folder}/{transport}-{bytes_sent}"
            environment["OMPI_MCA_btl"] = f"{transport},self"
            subprocess.run([fermata, "record", "--hooks", "--counters-only",
                            "--counters=NOT_EAGER_MESSAGES,EAGER_MESSAGES", "-o", experiment, "--",
                            *mpi_command(mpirun, 2, [eager, str(bytes_sent)])], check=True,
                           capture_output=True, env=environment)
            counters, _ = shown_counters(fermata, experiment)
            assert counters["NOT_EAGER_MESSAGES"]["values"] == [0, expected], (transport, bytes_sent,
                                                                               counters)
            assert counters["EAGER_MESSAGES"]["values"][1] >= 50 - expected, counters


def check_own_bytes(folder):
    """The bytes of the program and those of the library are apart, and neither lacks any."""
    environment = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
                       OMPI_MCA_pml="ob1")
    done = subprocess.run([fermata, "record", "--hooks", "--counters-only", "-o", f"{folder}/split",
                           "--counters=mpi.bytes_*,OMPI_SPC_BYTES_*_MPI", "--",
                           *mpi_command(mpirun, 2, [own_bytes])], check=True, capture_output=True,
                          text=True, env=environment)
    counters, lacks = shown_counters(fermata, f"{folder}/split")
    if "no hooks" in done.stderr:
        print("left out: hooks are not tested with this version")
        return
    assert lacks == {}, lacks
    values = {name: counter["values"] for name, counter in counters.items()}
    assert values["mpi.bytes_sent"] == [100700, 0], values
    assert values["BYTES_SENT_MPI"] == [256, 24], values
    assert values["BYTES_RECEIVED_MPI"] == [24, 256], values
    assert counters["BYTES_SENT_MPI"]["obtained"] == "exact (hook)", counters
    assert counters["BYTES_RECEIVED_MPI"]["obtained"] == "upper bound (hook)", counters


def check_open_mpi(folder):
    forced = {"OMPI_MCA_coll_tuned_use_dynamic_rules": "1",
              "OMPI_MCA_coll_tuned_bcast_algorithm": "6"}
    counters, lacks, _ = recorded(f"{folder}/each", "all", **forced)
    if not any(name == "UNEXPECTED" for name in counters):
        print("left out: hooks are not tested with this version")
        return
    check_messages(counters)
    check_algorithms(counters)
    check_report(folder)
    check_handed_over(folder)
    check_boundaries(folder)
    check_eager(folder)
    assert lacks == {}, lacks
    counters, lacks, _ = recorded(f"{folder}/one", "OMPI_SPC_*,OOS_*", "one", only=True)
    check_messages(counters)
    assert "MATCH_QUEUE_TIME" in lacks and "UNEXPECTED" not in lacks, lacks
    text = subprocess.run([fermata, "counters", "findings", f"{folder}/each"], capture_output=True,
                          text=True, check=True).stdout
    assert "The run has no counters" not in text and text != "", text
    folder_of_spc = f"{folder}/files"
    subprocess.run([fermata, "counters", "convert", f"{folder}/each", folder_of_spc], check=True)
    names = [name for name in os.listdir(folder_of_spc) if name.endswith(".xml")]
    text = pathlib.Path(folder_of_spc, names[0]).read_text(encoding="ascii")
    assert "OMPI_SPC_UNEXPECTED<" in text and "OMPI_SPC_BASE_BCAST_BINOMIAL<" in text
    counters, _, _ = recorded(f"{folder}/few", "UNEXPECTED,mpi.*")
    assert "UNEXPECTED" in counters and "MATCH_TIME" not in counters


def main():
    with tempfile.TemporaryDirectory() as folder:
        check_own_bytes(folder)
        if library == "openmpi":
            check_open_mpi(folder)
        _, lacks, told = recorded(f"{folder}/other", "all,OUT_OF_SEQUENCE,OMPI_SPC_BASE_BCAST_CHAIN",
                                  version="Open MPI v4.1.9, package: x")
        assert f"--hooks: no hooks: hooks are tested with {TESTED} only, this is Open MPI v4.1.9" \
            in told, told
        assert told.count("no hooks") == 1, told
        assert set(lacks) == {"EAGER_MESSAGES", "OUT_OF_SEQUENCE", "BASE_BCAST_CHAIN"} and all(
            reason.endswith("this is Open MPI v4.1.9") for reason in lacks.values()), lacks
        check_no_findings(f"{folder}/other", "its library: hooks are tested with "
                          f"{TESTED} only, this is Open MPI v4.1.9.")
        subprocess.run([fermata, "record", "--counters-only", "-o", f"{folder}/without", "--",
                        *mpi_command(mpirun, 2, [own_bytes])], check=True, capture_output=True,
                       env=dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1"))
        check_no_findings(f"{folder}/without", "`fermata record --hooks` counts them in Open MPI 4.1.4")
        if library != "openmpi":
            _, lacks, _ = recorded(f"{folder}/own", "mpi.*,UNEXPECTED")
            assert list(lacks) == ["UNEXPECTED"], lacks
            check_no_findings(f"{folder}/own", "its library: hooks in MPICH count its own bytes only.")
            counters, _, _ = recorded(f"{folder}/all", "all")
            assert "BYTES_SENT_MPI" in counters, counters
            check_no_findings(f"{folder}/all", "its library: hooks in MPICH count its own bytes only.")


main()
