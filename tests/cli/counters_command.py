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
    status, out, _ = run("counters", "calibrate", "--format", "json")
    costs = json.loads(out)
    assert status == 0 and [cost["name"] for cost in costs["costs"]] == [
        "T_if", "T_func", "T_bitmap", "T_comp", "T_assign", "T_atomic", "T_sub", "T_cyc"]
    assert len(costs["updates"]) == 6 and all(
        update["measured_ns"] >= 0 for update in costs["updates"]), costs
    status, out, _ = run("counters", "calibrate")
    assert status == 0 and out.count("O_On") == 5 and "predicted/ns" in out, out
    refused(2, "calibrate alone", "counters", "calibrate", "x")
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
