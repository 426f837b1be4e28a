# SPDX-License-Identifier: BSD-3-Clause
"""fermata analyze --only and --without: wait states and patterns of the user that are switched off.

usage: pattern_selection.py FERMATA EXAMPLES
"""
import json
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
import fermata_command  # noqa: E402
import share  # noqa: E402

EXAMPLES = sys.argv[2]


def read(archive):
    status, output, error = fermata_command.run("report", archive, "--format", "json")
    assert status == 0, error
    return json.loads(output)


def analyze(archive, *words, status=0):
    found, _, error = fermata_command.run("analyze", archive, "--check", *words)
    assert found == status, (words, found, error)
    return error


def totals(report):
    found = {}
    for cell in report["severities"]:
        found[cell["metric"]] = found.get(cell["metric"], 0) + cell["value"]
    return found


def time_of(report):
    """The whole time tree."""
    parents = {metric["id"]: metric["parent"] for metric in report["metrics"]}

    def root(metric):
        while parents[metric] is not None:
            metric = parents[metric]
        return metric

    return sum(value for metric, value in totals(report).items() if root(metric) == "time")


def synthesized(folder, name):
    archive = os.path.join(folder, os.path.basename(name))
    scenario = os.path.join(fermata_command.SCENARIOS, name + ".scn")
    assert fermata_command.run("synth", scenario, "-o", archive)[0] == 0
    return archive


def check_one(folder):
    archive = synthesized(folder, "p2p/wrong-order-same-source")
    analyze(archive)
    whole = read(archive)
    assert totals(whole)["mpi_lswo_same"] > 0 and whole["options"]["switched_off"] == []
    analyze(archive, "--without", "mpi_latesender")
    report = read(archive)
    found = totals(report)
    assert "mpi_lswo_same" not in found and "mpi_latesender" not in found, found
    assert time_of(report) == time_of(whole)
    assert found["mpi_point2point"] == totals(whole).get("mpi_point2point", 0) + \
        totals(whole)["mpi_lswo_same"], found
    assert {"mpi_latesender", "mpi_lswo_same"} <= set(report["options"]["switched_off"])
    assert any("without mpi_latesender" in warning for warning in report["warnings"]), report["warnings"]
    assert not report["problems"]
    # A case of another kind becomes one of this.
    analyze(archive, "--without", "mpi_lswo_*")
    assert totals(read(archive))["mpi_latesender_wo"] == totals(whole)["mpi_lswo_same"]
    analyze(archive, "--without", "mpi_latesender_wo")
    assert totals(read(archive))["mpi_latesender"] == totals(whole)["mpi_lswo_same"]
    analyze(archive, "--only", "mpi_latesender,mpi_barrier_wait")
    assert totals(read(archive))["mpi_lswo_same"] == totals(whole)["mpi_lswo_same"]
    analyze(archive, "--only", "mpi_barrier_wait")
    assert "mpi_lswo_same" not in totals(read(archive))
    _, output, _ = fermata_command.run("report", archive, "--metric", "mpi_latesender")
    assert "Late Sender was not searched for." in output, output
    _, output, _ = fermata_command.run("report", archive)
    assert "No wait states of those searched for were found." in output, output
    # The page has the timeline of the same analysis.
    page = os.path.join(folder, "page.html")
    status, _, error = fermata_command.run("view", archive, "--html", page)
    assert status == 0 and not error, error
    for words, message in ((("--only", "mpi_late"), "there is no wait state"), (("--without", ""), "empty"),
                           (("--without", "a,"), "empty")):
        error = analyze(archive, *words, status=2)
        assert message in error, error
    mean = os.path.join(folder, "mean.fer")
    assert fermata_command.run("mean", "-o", mean, archive, archive)[0] == 0
    assert "mpi_latesender" in read(mean)["options"]["switched_off"]


def check_all(folder):
    """The invariants hold without any kind, in a share of all scenarios."""
    kinds = ("mpi_*", "*_wait", "mpi_barrier_wait", "mpi_latesender,mpi_latereceiver", "mpi_rma_*", "*lock*", "omp_*",
             "*late*")
    for number, scenario in enumerate(share.some(fermata_command.scenarios(), 8)):
        archive = os.path.join(folder, "all-" + os.path.basename(scenario))
        if fermata_command.run("synth", scenario, "-o", archive)[0] != 0:
            continue
        status, _, error = fermata_command.run("analyze", archive, "--check")
        if status != 0:
            continue  # one that is to be refused
        whole = read(archive)
        analyze(archive, "--without", kinds[number % len(kinds)])
        assert abs(time_of(read(archive)) - time_of(whole)) < 1e-9 * max(1, time_of(whole)), scenario


def check_own(folder):
    archive = synthesized(folder, "p2p/late-sender-recv")
    error = analyze(archive, "--pattern", EXAMPLES, "--without", "small_messages_in_a_row")
    if "built without Lua" in error:
        return
    report = read(archive)
    known = {metric["id"] for metric in report["metrics"]}
    assert "small_messages_in_a_row" not in known and "late_posted_receives" in known
    assert report["options"]["switched_off"] == ["small_messages_in_a_row"]
    analyze(archive, "--pattern", EXAMPLES, "--only", "late_posted_receives")
    report = read(archive)
    known = {metric["id"] for metric in report["metrics"]}
    assert "late_posted_receives" in known and "counter_imbalance" not in known
    assert "mpi_latesender" not in totals(report)
    error = analyze(archive, "--pattern", EXAMPLES, "--without", "late_posted_receives", status=2)
    assert "late_receives_in_a_row needs late_posted_receives, which is switched off" in error, error
    error = analyze(archive, "--pattern", EXAMPLES, "--without", "mpi_latesender", status=2)
    assert "late_sender_in_function needs mpi_latesender, which is switched off" in error, error


with fermata_command.Folder() as place:
    check_one(place)
    check_all(place)
    check_own(place)
