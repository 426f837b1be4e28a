# SPDX-License-Identifier: BSD-3-Clause
"""Traces as PyTorch's profiler writes them, made by hand, and what fermata reports of them."""

import gzip
import json
import os
import subprocess
import tempfile
import unittest

FERMATA = os.environ["FERMATA"]
PROCESS = 100  # and number of its main thread


def event(category, name, begin, duration, thread=PROCESS, process=PROCESS, **arguments):
    """A complete event; times are microseconds."""
    return {"ph": "X", "cat": category, "name": name, "pid": process, "tid": thread, "ts": begin, "dur": duration,
            "args": {key.replace("_", " "): value for key, value in arguments.items()}}


def operator(name, begin, duration, thread=PROCESS, **arguments):
    return event("cpu_op", name, begin, duration, thread, **arguments)


def step(number, begin, duration):
    return event("user_annotation", f"ProfilerStep#{number}", begin, duration)


def call(name, begin, duration, correlation=0, **arguments):
    return event("cuda_runtime", name, begin, duration, correlation=correlation, **arguments)


def kernel(name, begin, duration, correlation=0, stream=7, **arguments):
    return event("kernel", name, begin, duration, stream, 0, correlation=correlation, device=0, stream=stream,
                 **arguments)


def copy(direction, begin, duration, correlation, size, stream=7):
    return event("gpu_memcpy", f"Memcpy {direction}", begin, duration, stream, 0, correlation=correlation, bytes=size)


def trace(events, rank=None, size=None, **members):
    content = {"schemaVersion": 1, "deviceProperties": []}
    if rank is not None:
        content["distributedInfo"] = {"backend": "nccl", "rank": rank, "world_size": size or 1}
    content.update(members)
    content["traceEvents"] = events
    return content


class Report:
    """The report of an experiment."""

    def __init__(self, experiment):
        text = subprocess.run([FERMATA, "report", "--format=json", experiment], check=True, capture_output=True).stdout
        self.json = json.loads(text)
        self.warnings = " ".join(self.json["warnings"])
        self.locations = {location["id"]: location for location in self.json["locations"]}
        self.paths = {}
        for path in self.json["callpaths"]:
            above = "" if path["parent"] is None else self.paths[path["parent"]] + "/"
            self.paths[path["id"]] = above + path["region"]

    def value(self, metric, path=None, place=None):
        """Exclusive value of a metric in microseconds or counts. `place`: rank and name of a location."""
        total = 0
        for row in self.json["severities"]:
            location = self.locations[row["location"]]
            if row["metric"] == metric and path in (None, self.paths[row["callpath"]]) and (
                    place in (None, (location["rank"], location["name"]))):
                total += row["value"]
        unit = next(known["unit"] for known in self.json["metrics"] if known["id"] == metric)
        return round(total * 1e6, 4) if unit == "sec" else total


class Traces(unittest.TestCase):
    def setUp(self):
        self.place = tempfile.TemporaryDirectory()
        self.addCleanup(self.place.cleanup)
        self.folder = os.path.join(self.place.name, "traces")
        os.mkdir(self.folder)

    def write(self, name, content):
        data = content if isinstance(content, bytes) else json.dumps(content).encode()
        path = os.path.join(self.folder, name)
        with (gzip.open if name.endswith(".gz") else open)(path, "wb") as file:
            file.write(data)
        return path

    def analyze(self, path=None, *options):
        return subprocess.run([FERMATA, "analyze", "--check", *options, path or self.folder], capture_output=True,
                              text=True)

    def report(self, path=None, experiment=None):
        done = self.analyze(path)
        self.assertEqual((done.returncode, done.stdout.count("all invariants hold")), (0, 1), done.stderr)
        experiment = experiment or self.folder + ".fermata"
        checked = subprocess.run([FERMATA, "check", experiment], capture_output=True, text=True)
        self.assertEqual(checked.returncode, 0, checked.stdout + checked.stderr)
        return Report(experiment)

    def text(self):
        done = subprocess.run([FERMATA, "report", self.folder + ".fermata"], check=True, capture_output=True, text=True)
        return " ".join(done.stdout.split())

    def refused(self, path, *texts, status=3):
        done = self.analyze(path)
        self.assertEqual(done.returncode, status, done.stderr)
        for text in texts:
            self.assertIn(text, done.stderr)
        self.assertFalse(os.path.exists(self.folder + ".fermata"))
