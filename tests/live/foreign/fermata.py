# SPDX-License-Identifier: BSD-3-Clause
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


class Report:
    """The severities of a report."""

    def __init__(self, program, report):
        self._content = json.loads(run([program, "report", "--format=json", report]).stdout)
        self._parent = {metric["id"]: metric["parent"] for metric in self._content["metrics"]}

    def _sum(self, name_of):
        """{(name, rank, region): seconds}; `name_of` tells the name of a metric, None: leave out."""
        region = {path["id"]: path["region"] for path in self._content["callpaths"]}
        rank = {location["id"]: location["rank"] for location in self._content["locations"]}
        seconds = collections.defaultdict(float)
        for severity in self._content["severities"]:
            name = name_of(severity["metric"])
            if name is not None:
                seconds[name, rank[severity["location"]],
                        region[severity["callpath"]]] += severity["value"]
        return dict(seconds)

    def _ancestor(self, metric, metrics):
        """The closest of `metrics` that the metric is or belongs to; None: it belongs to none."""
        while metric is not None and metric not in metrics:
            metric = self._parent[metric]
        return metric

    def of(self, metrics):
        """{(metric, rank, region): seconds} of these metrics, each with all its parts, summed over
        the call paths that end in the region."""
        return self._sum(lambda metric: self._ancestor(metric, metrics))

    def below(self, metrics):
        """The same of all metrics that are or belong to one of these, each without its parts."""
        return self._sum(lambda metric: metric if self._ancestor(metric, metrics) else None)


def severities(program, report, metrics):
    """Report.of() of a report file."""
    return Report(program, report).of(metrics)
