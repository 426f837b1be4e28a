# SPDX-License-Identifier: BSD-3-Clause
"""Counters of all worlds of a program are read, with the ranks of the trace."""

import csv
import io
import json
import pathlib
import subprocess
import sys
import tempfile

import recorded_worlds
from recorded_worlds import TIMEOUT, fermata_run, mpi_command

BYTES = 400  # a message of rank 1 of world 1 to rank 0 of world 0


def record(chosen, experiment, mode, *arguments):
    fermata_run.run([chosen.fermata, "record", *arguments, "-o", str(experiment), "--",
                     *mpi_command(chosen.mpirun, 2, [chosen.program, mode])])


def shown(chosen, command, experiment, *arguments):
    return subprocess.run([chosen.fermata, "counters", command, *arguments, str(experiment)],
                          capture_output=True, text=True, check=True, timeout=TIMEOUT).stdout


def values(chosen, experiment):
    document = json.loads(shown(chosen, "show", experiment, "--format=json", "--all"))
    places = [(rank["rank"], rank["world"], rank["world_rank"]) for rank in document["ranks"]]
    return document["size"], places, {counter["name"]: counter["values"]
                                      for counter in document["counters"]}


def check_only(chosen, folder):
    experiment = folder / "only"
    record(chosen, experiment, "message", "--counters-only", "--snapshot", "0.1")
    size, places, counters = values(chosen, experiment)
    if size != 4 or places != [(0, 0, 0), (1, 0, 1), (2, 1, 0), (3, 1, 1)]:
        yield f"size {size}, ranks {places}"
    if counters["mpi.bytes_sent"] != [0, 0, 0, BYTES] or counters["mpi.bytes_received"] != [BYTES, 0, 0, 0]:
        yield f"sent {counters['mpi.bytes_sent']}, received {counters['mpi.bytes_received']}"
    text = shown(chosen, "show", experiment)
    if "counters of 4 of 4 ranks: 4 ended" not in text or "world 1: 2 ranks, from rank 2 on" not in text:
        yield f"text: {text[:400]}"
    sums = shown(chosen, "sum", experiment)
    if not any(line.split()[:2] == ["mpi.bytes_sent", str(BYTES)] for line in sums.splitlines()):
        yield f"sums: {sums}"
    cells = list(csv.DictReader(io.StringIO(
        subprocess.run([chosen.fermata, "counters", "heatmap", "--format=csv", str(experiment), "mpi.bytes_sent"],
                       capture_output=True, text=True, check=True).stdout)))
    if {cell["rank"] for cell in cells} != {"0", "1", "2", "3"} or \
            sum(float(cell["value"]) for cell in cells if cell["rank"] == "3") != BYTES:
        yield f"heatmap: {cells}"
    communicators = json.loads(shown(chosen, "communicators", experiment, "--format=json"))["communicators"]
    sums = sorted((row["world"], row["size"], row["remote_size"], row["sent"]["bytes"], row["received"]["bytes"])
                  for row in communicators if row["sent"]["count"] or row["received"]["count"])
    if sums != [(0, 2, 2, 0, BYTES), (1, 2, 2, BYTES, 0)]:
        yield f"communicators: {communicators}"
    document = json.loads(fermata_run.report(chosen, experiment, "--format=json"))
    sends = {rank for _, rank, path, _ in fermata_run.severities(document) if path[-1] == "MPI_Send"}
    ranks = [(place["rank"], place["world"], place["world_rank"]) for place in document["locations"]]
    if ranks != places or sends != {3}:
        yield f"report: {document['locations']}, sends of {sends}"


def check_traced(chosen, folder):
    """Three worlds; the report compares their counters with the joined trace."""
    experiment = folder / "traced"
    record(chosen, experiment, "each", "--counters")
    report = recorded_worlds.Report(chosen, experiment)
    size, places, counters = values(chosen, experiment)
    if size != 6 or places != report.ranks():
        yield f"size {size}, ranks {places}; in the report {report.ranks()}"
    sent = {row["from"] for row in report.document["matrices"]["messages"]["links"]}
    if {rank for rank, bytes_sent in enumerate(counters["mpi.bytes_sent"]) if bytes_sent} != sent:
        yield f"sent {counters['mpi.bytes_sent']}, in the trace {sent}"
    if any(finding["id"] == "counters-and-trace" for finding in report.document["findings"]):
        yield f"findings: {report.document['findings']}"


def main():
    chosen = recorded_worlds.options()
    recorded_worlds.skip_without_spawn(chosen, 2, "message")
    with tempfile.TemporaryDirectory() as folder:
        problems = [problem for check in (check_only, check_traced)
                    for problem in check(chosen, pathlib.Path(folder))]
    print("\n".join(problems))
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
