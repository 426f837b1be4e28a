# SPDX-License-Identifier: BSD-3-Clause
"""Waiting by parts of the run, and phases with more iterations than a report keeps one by one."""
import json
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
import fermata_command  # noqa: E402

# Parts of the run and locations of a row, at most; iterations of a phase.
BINS = 200
ROWS = 1024
ITERATIONS = 65536


def report_of(text, folder, name):
    """The JSON report of a scenario."""
    archive = os.path.join(folder, name)
    fermata_command.synthesize(text, archive)
    status, _, error = fermata_command.run("analyze", "-q", "--check", archive)
    assert status == 0, error
    status, output, error = fermata_command.run("report", "--format=json", archive)
    assert status == 0, error
    return json.loads(output)


def receive_late(begin, end, rank, source):
    """Rank `rank` waits from `begin` to `end` for a message."""
    return (f"{begin} {rank} enter MPI_Recv\n{end} {source} enter MPI_Send\n"
            f"{end} {source} send {rank} 0 8\n{end} {source} leave MPI_Send\n"
            f"{end} {rank} recv {source} 0 8\n{end} {rank} leave MPI_Recv\n")


def waiting_by_parts(folder):
    """A run from 1000 to 1200: each of the 200 parts is 1 long, and its begin belongs to it."""
    text = ("ranks 3\n1000 0 enter main\n1000 1 enter main\n1000 2 enter main\n"
            + receive_late(1003.25, 1005.5, 1, 0) + receive_late(1007, 1008, 1, 0)
            + receive_late(1199.5, 1200, 2, 0)
            + "1200 0 leave main\n1200 1 leave main\n1200 2 leave main\n")
    bins = report_of(text, folder, "parts")["time_bins"]
    assert bins == {"count": BINS, "locations_per_row": 1, "waiting": [
        {"metric": "mpi_latesender", "row": 1,
         "bins": [[3, 0.75], [4, 1], [5, 0.5], [7, 1]]},
        {"metric": "mpi_latesender", "row": 2, "bins": [[199, 0.5]]}]}, bins


def short_run(folder):
    """A run of 3 ticks: most parts are empty, none is lost."""
    text = "ranks 2\n" + receive_late(0, 0.002, 1, 0) + "0.003 1 enter foo\n0.003 1 leave foo\n"
    waiting = report_of(text, folder, "short")["time_bins"]["waiting"]
    assert [bin for bin, _ in waiting[0]["bins"]] == [66, 133], waiting
    assert [value for _, value in waiting[0]["bins"]] == [0.001, 0.001], waiting


def many_ranks(folder):
    """1026 ranks: rows of two. Everybody waits from 0 to 200 for the last one."""
    ranks = ROWS + 2
    text = f"ranks {ranks}\n"
    for rank in range(ranks):
        begin = 0 if rank + 1 < ranks else 200
        text += (f"{begin} {rank} enter MPI_Barrier\n{begin} {rank} coll_begin\n"
                 f"200 {rank} coll_end barrier world - 0 0\n200 {rank} leave MPI_Barrier\n")
    report = report_of(text, folder, "ranks")
    bins = report["time_bins"]
    assert bins["locations_per_row"] == 2
    assert [row["row"] for row in bins["waiting"]] == list(range(ranks // 2))
    for row in bins["waiting"]:
        waiting = 2 if row["row"] + 1 < ranks // 2 else 1
        assert row["bins"] == [[number, waiting] for number in range(BINS)], row
    assert len(report["matrices"]["delays"]["links"]) == ranks - 1


def many_iterations(folder):
    """More than twice as many iterations as rows: rows of three."""
    count = 2 * ITERATIONS + 3
    lines = ["ranks 1", "phase step"]
    for number in range(count):
        lines += [f"{2 * number} 0 enter step", f"{2 * number + 1} 0 leave step"]
    phase = report_of("\n".join(lines) + "\n", folder, "iterations")["phases"][0]
    assert phase["iterations"] == phase["total"]["count"] == count
    assert phase["total"]["duration"] == phase["total"]["computation"] == count
    assert len(phase["rows"]) == (count + 2) // 3 <= ITERATIONS
    second, last = phase["rows"][1], phase["rows"][-1]
    assert (second["first"], second["count"], second["begin"], second["end"]) == (3, 3, 6, 11)
    assert second["duration"] == second["computation"] == second["longest_computation"] == 3
    assert second["parallel_efficiency"] == 1 and second["slowest"] == 0
    assert last["first"] + last["count"] == count


def main():
    with fermata_command.Folder() as folder:
        waiting_by_parts(folder)
        short_run(folder)
        many_ranks(folder)
        many_iterations(folder)


main()
