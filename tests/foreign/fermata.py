"""What the scripts of this folder need of fermata."""

import collections
import json
import subprocess

TIMEOUT = 300  # seconds; only a program that hangs takes so long


def run(command, statuses=(0,), **options):
    """Runs a command and returns the completed process; its exit status must be one of these."""
    done = subprocess.run(command, capture_output=True, text=True, errors="replace",
                          timeout=TIMEOUT, check=False, **options)
    if done.returncode not in statuses:
        raise SystemExit(f"exit status {done.returncode}: {' '.join(map(str, command))}\n"
                         f"{done.stdout}{done.stderr}")
    return done


def severities(program, report, metrics):
    """Maps (metric, rank, region) to seconds for these metrics, each with all its parts, summed over
    the call paths that end in the region."""
    content = json.loads(run([program, "report", "--format=json", report]).stdout)
    parent = {metric["id"]: metric["parent"] for metric in content["metrics"]}
    region = {path["id"]: path["region"] for path in content["callpaths"]}
    rank = {location["id"]: location["rank"] for location in content["locations"]}
    seconds = collections.defaultdict(float)
    for severity in content["severities"]:
        metric = severity["metric"]
        while metric is not None and metric not in metrics:
            metric = parent[metric]
        if metric is not None:
            seconds[metric, rank[severity["location"]],
                    region[severity["callpath"]]] += severity["value"]
    return dict(seconds)
