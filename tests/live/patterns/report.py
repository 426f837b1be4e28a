# SPDX-License-Identifier: BSD-3-Clause
"""The wait states in what `fermata report --format=json` prints."""

import collections

WAIT_METRICS = [
    "mpi_init_wait", "mpi_finalize_wait", "mpi_comm_wait", "mpi_file_wait",
    "mpi_rma_wait_at_create", "mpi_rma_wait_at_free", "mpi_barrier_wait",
    "mpi_rma_sync_late_post", "mpi_rma_early_wait", "mpi_rma_late_complete",
    "mpi_rma_wait_at_fence", "mpi_rma_early_fence", "mpi_rma_sync_lock_competition",
    "mpi_rma_sync_wait_for_progress", "mpi_latesender", "mpi_latesender_wo",
    "mpi_lswo_different", "mpi_lswo_same", "mpi_latereceiver", "mpi_latereceiver_wo",
    "mpi_earlyreduce", "mpi_earlyscan", "mpi_latebroadcast", "mpi_wait_nxn",
    "mpi_rma_comm_late_post", "mpi_rma_comm_lock_competition", "mpi_rma_comm_wait_for_progress"]


def wait_severities(report, part_of):
    """Maps each part of the program to its waits, as seconds by (metric, rank, region): inclusive in
    the metric, exclusive in the call path, summed over the part's call paths that end in the region.
    `part_of` returns the part for the regions of a call path, from the root on."""
    if (report.get("format"), report.get("version")) != ("fermata-report", 2):
        raise ValueError("not a report of fermata, version 2")
    parent = {metric["id"]: metric["parent"] for metric in report["metrics"]}
    missing = [metric for metric in WAIT_METRICS if metric not in parent]
    if missing:
        raise ValueError(f"the report does not know {', '.join(missing)}")
    regions = {}
    for path in report["callpaths"]:  # parents come first
        regions[path["id"]] = [*regions.get(path["parent"], []), path["region"]]
    rank = {location["id"]: location["rank"] for location in report["locations"]}

    parts = collections.defaultdict(lambda: collections.defaultdict(float))
    for severity in report["severities"]:
        metric, path = severity["metric"], regions[severity["callpath"]]
        while metric is not None:
            if metric in WAIT_METRICS:
                parts[part_of(path)][metric, rank[severity["location"]], path[-1]] += severity["value"]
            metric = parent[metric]
    return parts
