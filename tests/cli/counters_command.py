# SPDX-License-Identifier: BSD-3-Clause
"""fermata counters: the catalogue, and what is refused."""
import json
import os
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "support"))
from fermata_command import Folder, run  # noqa: E402


def refused(status, message, *arguments):
    done = run(*arguments)
    assert done[0] == status and message in done[2] and done[1] == "", (arguments, done)


def calibrate_counters():
    """What chosen counters cost a call by the model: which calls update them, formulas and sums."""
    status, out, error = run("counters", "calibrate", "SEND,BYTES_SENT_USER", "P2P_MESSAGE_SIZE", "EAGER_MESSAGES",
                             "MATCH_TIME", "UNEXPECTED", "BARRIER", "--format", "json")
    shown = json.loads(out)
    costs = {cost["name"]: cost["ns"] for cost in shown["costs"]}
    assert list(costs) == ["T_if", "T_func", "T_bitmap", "T_comp", "T_assign", "T_atomic", "T_sub", "T_cyc"], costs
    assert len(shown["updates"]) == 6 and all(update["measured_ns"] >= 0 for update in shown["updates"]), shown
    off = costs["T_if"] + costs["T_bitmap"]
    on = off + costs["T_func"] + costs["T_atomic"]
    compared = costs["T_if"] + costs["T_comp"]
    timer = off + 2 * costs["T_cyc"] + costs["T_sub"]
    calls = {call["function"]: call for call in shown["calls"]}
    assert status == 0 and error == "" and list(calls) == ["MPI_Send", "MPI_Recv", "MPI_Barrier"], out
    for function, model, expected in (("MPI_Send", "4*O_On + O_Bin", 4 * on + compared),
                                      ("MPI_Recv", "O_On + O_Timer + 2*O_Off", on + timer + 2 * off),
                                      ("MPI_Barrier", "O_On", on)):
        assert calls[function]["model"] == model, calls
        assert abs(calls[function]["predicted_ns"] - expected) <= 1e-6 * expected, (calls, expected)
    assert calls["MPI_Send"]["comparisons"] == 1, calls
    # Off is what is not chosen; the rest of a call's cost is that of its counters.
    for function, switched_off in (("MPI_Send", 0), ("MPI_Recv", 2)):
        of_counters = sum(counter["predicted_ns"] for counter in shown["counters"] if counter["function"] == function)
        assert abs(calls[function]["predicted_ns"] - of_counters - switched_off * off) <= 1e-6 * (1 + of_counters)
    rows = {counter["name"]: counter for counter in shown["counters"]}
    assert rows["UNEXPECTED"]["function"] is None and rows["UNEXPECTED"]["when"].startswith("only messages"), rows
    assert "ping_pong" not in shown, shown
    status, out, _ = run("counters", "calibrate")
    assert status == 0 and out.count("O_On") == 5 and "predicted/ns" in out and "MPI_Send" not in out, out
    # Without a launcher that works the prediction is there, and the reason why there is no more.
    status, out, error = run("counters", "calibrate", "SEND", "--", "true", "-n", "2")
    assert status == 1 and "no ping-pong: " in error, (status, error)
    assert "O_On + 3*O_Off" in out and "Ping-pong of" not in out, out
    status, out, error = run("counters", "calibrate", "SEND", "--format", "csv", "--", "./no-launcher")
    names = [line.rsplit(",", 2)[0] for line in out.splitlines()]
    assert status == 1 and "no ping-pong: " in error, (status, error)
    assert names[-2:] == ["MPI_Send", "MPI_Recv"] and names[0] == "name", out


def main():
    status, out, _ = run("counters", "list", "--format", "json")
    counters = json.loads(out)["counters"]
    names = [counter["name"] for counter in counters]
    assert status == 0 and len(set(names)) == len(names)
    assert sum(counter["is_spc"] for counter in counters) == 161
    for counter in counters:
        unavailable = counter["tier"] == "unavailable"
        assert unavailable == (counter["source"] is None), counter
        assert unavailable == (counter["unavailable_because"] is not None), counter
    # Hooks count these where messages arrive.
    for name in ("EAGER_MESSAGES", "NOT_EAGER_MESSAGES"):
        meaning = next(counter["meaning"] for counter in counters if counter["name"] == name)
        assert "arrived" in meaning and meaning.endswith("at their receiver"), meaning
    status, out, _ = run("counters", "list", "OMPI_SPC_S*", "shmem.*", "--format", "csv")
    rows = [line.split(",") for line in out.splitlines()]
    assert status == 0 and rows[0][0] == "name", rows[0]
    assert {row[0] for row in rows[1:]} >= {"SEND", "SSEND", "shmem.puts"}
    assert not any(row[0].startswith("mpi.") for row in rows)
    status, out, _ = run("counters", "list")
    assert status == 0 and "161 counters of Open MPI" in out
    assert "the library chooses algorithms inside" in out
    assert "and 1 by a variable of the library, if the recording names it." in out, out[-400:]
    named = [counter["name"] for counter in counters if counter["read_if_named"]]
    assert named == ["UNEXPECTED_IN_QUEUE"], named
    calibrate_counters()
    refused(2, "there is no counter x; see", "counters", "calibrate", "SEND", "x")
    refused(2, "choose no counter", "counters", "calibrate", "time:MPI_*")
    refused(2, "give the counters that the ping-pong is measured with", "counters", "calibrate", "--", "true")
    refused(1, "no counter is called so", "counters", "list", "nonsense")
    refused(2, "give list, show, findings, sites, watch, heatmap, matrix, communicators, sum, diff, convert, reset, bounds or calibrate", "counters")
    refused(2, "give list, show, findings, sites, watch, heatmap, matrix, communicators, sum, diff, convert, reset, bounds or calibrate", "counters", "nonsense")
    refused(2, "watch prints text or csv", "counters", "watch", "x", "--format", "json")
    refused(2, "heatmap prints SVG or csv", "counters", "heatmap", "x", "y", "--format", "json")
    refused(2, "heatmap, an experiment or two, and a counter", "counters", "heatmap", "x")
    refused(2, "--grid shows one experiment", "counters", "heatmap", "--grid", "2", "x", "y", "z")
    refused(2, "findings prints text or json", "counters", "findings", "x", "--format", "csv")
    refused(2, "sites prints text or json", "counters", "sites", "x", "--format", "csv")
    refused(2, "--snapshot needs a period from 50ms on", "record", "--snapshot", "0", "--", "true")
    refused(2, "needs counters", "record", "--snapshot", "1", "--", "true")
    refused(2, "--hooks needs counters", "record", "--hooks", "--", "true")
    refused(2, "--size-bins needs counters", "record", "--size-bins", "64", "--", "true")
    refused(2, "ascending sizes, as in 64,1K,64KB", "record", "--counters", "--size-bins", "64,64", "--", "true")
    refused(2, "--period needs 50ms to 1000000s, not '0'", "top", "x", "--period", "0")
    refused(4, "No such file", "top", "missing")
    refused(2, "show and an experiment", "counters", "show")
    refused(2, "reset and an experiment", "counters", "reset")
    refused(2, "diff and two experiments", "counters", "diff", "x")
    with Folder() as folder:
        refused(3, "record the program with --counters", "counters", "show", folder)
        refused(4, "No such file", "counters", "show", folder + "/missing")
        refused(2, "there is no counter nonsense", "counters", "show", folder, "nonsense")
        os.mkdir(folder + "/counters")
        refused(3, "has no counters of processes", "counters", "sum", folder)
        pathlib.Path(folder, "counters", "rank.0").write_bytes(b"FERMCNT\n" + bytes(100))
        refused(3, "not a file of counters", "counters", "show", folder)
    for names in ("mpi.bytes_sent", "SEND,calls:MPI_*", "all"):
        refused(2, f"{names} is taken for the command, not for counters: write --counters={names}",
                "record", "--counters", names, "--", "true")
    status, _, error = run("record", "--counters", "--dry-run", "--", "yes")
    assert status == 0 and "taken for the command" not in error, (status, error)
    refused(2, "there is none called nonsense", "record", "--counters=SEND,nonsense", "--", "true")


main()
