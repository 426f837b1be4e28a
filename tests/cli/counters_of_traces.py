# SPDX-License-Identifier: BSD-3-Clause
"""Counters of archives as metrics of the report: by call path where the recorder states that values belong to the code
around them, else of the whole location; as often as threads and processes of the analysis divide the locations."""
import collections
import csv
import os
import sys

import otf2
from otf2.enums import GroupType, LocationType, MetricMode, MetricOccurrence, Paradigm, Type

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
import fermata_command  # noqa: E402

RANKS = 2


def write(folder):
    with otf2.writer.open(folder, timer_resolution=1000000) as archive:
        define = archive.definitions
        node = define.system_tree_node("machine", parent=None)
        ranks = [define.location("Master thread", type=LocationType.CPU_THREAD,
                                 group=define.location_group(f"MPI Rank {r}", system_tree_parent=node))
                 for r in range(RANKS)]
        define.group("", group_type=GroupType.COMM_LOCATIONS, paradigm=Paradigm.MPI, members=ranks)
        define.comm("MPI_COMM_WORLD", define.group("", group_type=GroupType.COMM_GROUP, paradigm=Paradigm.MPI,
                                                   members=range(RANKS)))

        def counter(name, mode, occurrence, unit="", **options):
            member = define.metric_member(name, metric_mode=mode, value_type=Type.UINT64, unit=unit, **options)
            return define.metric_class((member,), occurrence=occurrence)

        strict, apart = MetricOccurrence.SYNCHRONOUS_STRICT, MetricOccurrence.ASYNCHRONOUS
        cycles = counter("PAPI_TOT_CYC", MetricMode.ACCUMULATED_START, strict)
        added = counter("added bytes", MetricMode.RELATIVE_LAST, MetricOccurrence.SYNCHRONOUS, "B", exponent=3)
        energy = counter("spent", MetricMode.ACCUMULATED_START, apart, "ms")
        level = counter("level", MetricMode.ABSOLUTE_POINT, strict)
        kernel = counter("usage.preemptions", MetricMode.ACCUMULATED_START, apart)
        main, solve = define.region("main"), define.region("solve")
        for rank, location in enumerate(ranks):
            events = archive.event_writer_from_location(location)
            # As Score-P: the values at an Enter or Leave are in front of it.
            for time, region, is_enter, value in ((0, main, True, 0), (10, solve, True, 100 + rank), (20, solve, False, 700),
                                                  (30, solve, True, 710), (40, solve, False, 709), (50, main, False, 1000)):
                events.metric(time, cycles, [value])
                events.metric(time, level, [5])
                (events.enter if is_enter else events.leave)(time, region)
                if time == 10:
                    events.metric(time, added, [3])
                    events.metric(time, energy, [2])
                    events.metric(time, added, [4])
                if time == 40:
                    events.metric(time, added, [1])
                    events.metric(time, kernel, [9])


def values(experiment):
    status, output, error = fermata_command.run("export", "--to", "csv", "-o", "-", experiment)
    assert status == 0, error
    cells = collections.defaultdict(dict)
    for row in csv.DictReader(output.splitlines()):
        if row["metric"].startswith("counter:"):
            cells[row["metric"]][row["callpath"].strip("/"), int(row["rank"])] = float(row["value"])
    return dict(cells)


def check(folder):
    experiment = os.path.join(folder, "counters")
    write(experiment)
    expected = {
        # Growth before the Enter of solve is that of main; a total that falls does not grow.
        "counter:papi_tot_cyc": {("main", 0): 100 + 10 + 291, ("main", 1): 101 + 10 + 291,
                                 ("main/solve", 0): 600, ("main/solve", 1): 599},
        "counter:added_bytes": {("main/solve", 0): 7000, ("main/solve", 1): 7000, ("main", 0): 1000, ("main", 1): 1000},
        "counter:spent": {("main", 0): 0.002, ("main", 1): 0.002},
    }
    seen = []
    for words in (["-j", "1"], ["-j", "2"]):
        status, _, error = fermata_command.run("analyze", "-q", "--check", *words, experiment)
        assert status == 0, error
        found = values(experiment)
        assert found == expected, found
        with open(os.path.join(experiment, "report.fer"), "rb") as file:
            seen.append(file.read())
    assert seen[0] == seen[1]
    status, output, error = fermata_command.run("report", "--metric", "counter:papi_tot_cyc", experiment)
    assert status == 0 and "each at the call path that the later one was recorded in" in " ".join(output.split()), output + error
    status, output, error = fermata_command.run("report", "--explain", "all")
    assert "papi" not in output
    check_names(experiment)


def check_names(experiment):
    """Metrics of counters are named by the counter, in any case; messages name those that there are."""
    def report(*words):
        return fermata_command.run("report", *words, experiment)
    expected = report("--metric", "counter:papi_tot_cyc")
    for name in ("counter:PAPI_TOT_CYC", "Counter:Papi_tot_cyc", "counter:OMPI_SPC_PAPI_TOT_CYC"):
        assert report("--metric", name) == expected, (name, report("--metric", name))
        assert report("--explain", name)[0] == 0, name
        status, output, error = report("--define", f"x = {name} / visits", "--metric", "x")
        assert status == 0 and "x" in output, error
        status, output, error = fermata_command.run("diff", "--metric", name, "--fail-if", f"{name} > 1%", experiment, experiment)
        assert status == 0 and "PAPI_TOT_CYC" in output, (output, error)
    assert report("--metric", "counter:added bytes")[0] == 0
    status, _, error = fermata_command.run("export", "--to", "speedscope", "--metric", "counter:PAPI_TOT_CYC",
                                           "-o", "-", experiment)
    assert status == 0, error
    status, output, error = report("--metric", "counter:NOTHING")
    assert status == 2 and "there is no metric 'counter:NOTHING'; metrics of counters: counter:usage." in error, error
    assert "counter:papi_tot_cyc" in error and f"`fermata report --explain all {experiment}` lists them" in error, error
    assert "counter:papi_tot_cyc" in report("--explain", "all")[1]
    status, _, error = report("--define", "x = counter:NOTHING")
    assert status == 2 and "`fermata report --explain all DIR` lists" in error, error
    # Without a report it is not known which counters it has.
    status, _, error = fermata_command.run("report", "--metric", "counter:PAPI_TOT_CYC", experiment + "/missing")
    assert status != 2 and "no metric" not in error, error


def main():
    with fermata_command.Folder() as folder:
        check(folder)


main()
