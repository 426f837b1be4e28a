# SPDX-License-Identifier: BSD-3-Clause
"""Records exchanges of messages from 4 B to 4 MiB with a process that is late, and compares the kind and
the length of each wait in MPI_Waitall with what the events of the same run say.

Which sends wait for their receive is the library's choice: the plain sends of the run show it. A size at which
some waited and others did not is not checked. How long a machine takes for anything plays no role.
"""

import argparse
import collections
import json
import pathlib
import re
import subprocess
import sys
import tempfile

import otf2

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "support"))

from mpi_launcher import TIMEOUT, mpi_command  # noqa: E402

TAG_PLAIN, TAG_EXCHANGE = 0, 1
FUNCTION = re.compile(r"(send|receive)_first_(\d+)$")
SIMILAR = 256  # a call that was late by less than this part of a wait shows nothing about it
TOLERANCE = 0.02  # of a wait, for the repair of the clocks

Wait = collections.namedtuple("Wait", "rank function enter leave sent posted")


class Call:
    def __init__(self, region, enter, function):
        self.region, self.enter, self.leave, self.function = region, enter, None, function


class Run:
    """What the archive says: plain sends as (bytes, lateness, waited), and the exchanges' waits."""

    def __init__(self, anchor):
        self.sends = collections.defaultdict(list)  # (rank, tag) -> [(start, complete, bytes)]
        self.receives = collections.defaultdict(list)  # (rank, tag) -> [(post, complete)]
        with otf2.reader.open(str(anchor)) as archive:
            self.second = archive.timer_resolution
            self._read(archive)
        self.plain = []
        for (start, complete, size), (post, _) in zip(self.sends[0, TAG_PLAIN],
                                                      self.receives[1, TAG_PLAIN]):
            lateness = post.enter - complete.enter
            if lateness > 0:
                self.plain.append((size, lateness, post.enter <= complete.leave))

    def _read(self, archive):
        ranks = {group.name: number
                 for number, group in enumerate(archive.definitions.location_groups)}
        stacks, requests = collections.defaultdict(list), {}
        for location, event in archive.events:
            rank = ranks[location.group.name]
            stack = stacks[rank]
            if isinstance(event, otf2.events.Enter):
                stack.append(Call(event.region.name, event.time,
                                  function_of(event, stack)))
            elif isinstance(event, otf2.events.Leave):
                stack.pop().leave = event.time
            elif isinstance(event, otf2.events.MpiSend):
                self.sends[rank, event.msg_tag].append((stack[-1], stack[-1], event.msg_length))
            elif isinstance(event, otf2.events.MpiIsend):
                requests[rank, event.request_id] = (stack[-1], event.msg_tag, event.msg_length)
            elif isinstance(event, otf2.events.MpiIsendComplete):
                start, tag, size = requests.pop((rank, event.request_id))
                self.sends[rank, tag].append((start, stack[-1], size))
            elif isinstance(event, otf2.events.MpiIrecvRequest):
                requests[rank, event.request_id] = stack[-1]
            elif isinstance(event, otf2.events.MpiRecv):
                self.receives[rank, event.msg_tag].append((stack[-1], stack[-1]))
            elif isinstance(event, otf2.events.MpiIrecv):
                post = requests.pop((rank, event.request_id))
                self.receives[rank, event.msg_tag].append((post, stack[-1]))

    def waits(self):
        """The MPI_Waitall of each exchange, in the order of the run."""
        for rank in (0, 1):
            own, other = self.sends[rank, TAG_EXCHANGE], self.sends[1 - rank, TAG_EXCHANGE]
            posts = self.receives[1 - rank, TAG_EXCHANGE]
            for (_, complete, _), (start, _, _), (post, _) in zip(own, other, posts):
                yield Wait(rank, complete.function, complete.enter, complete.leave, start.enter,
                           post.enter)


def function_of(event, stack):
    """The exchange that a call belongs to: by its call path, which is an attribute or the stack."""
    return event.region.name if FUNCTION.search(event.region.name) else (
        stack[-1].function if stack else None)


def limits(run, lateness):
    """(smallest size that waited, largest that passed) of plain sends that were similarly late."""
    similar = [(size, waited) for size, late, waited in run.plain if late * SIMILAR > lateness]
    return (min((size for size, waited in similar if waited), default=float("inf")),
            max((size for size, waited in similar if not waited), default=-1))


def expected_wait(run, wait, size):
    """(kind, ticks) of a wait; (None, 0): none; None: the run does not say which."""
    sent = wait.sent - wait.enter if wait.enter < wait.sent <= wait.leave else 0
    posted = wait.posted - wait.enter if wait.enter < wait.posted <= wait.leave else 0
    if posted > 0:
        waited, passed = limits(run, posted)
        if waited <= size <= passed:
            return None
        if size < waited:
            posted = 0
    if posted > sent:
        return "mpi_latereceiver", posted
    return ("mpi_latesender", sent) if sent > 0 else (None, 0)


def reported_waits(report):
    """Maps (function, rank, metric) to seconds in MPI_Waitall."""
    region = {path["id"]: path["region"] for path in report["callpaths"]}
    parent = {path["id"]: path["parent"] for path in report["callpaths"]}
    rank = {location["id"]: location["rank"] for location in report["locations"]}
    metric_parent = {metric["id"]: metric["parent"] for metric in report["metrics"]}
    seconds = collections.defaultdict(float)
    for severity in report["severities"]:
        path = severity["callpath"]
        metric = severity["metric"]
        while metric not in ("mpi_latesender", "mpi_latereceiver", None):
            metric = metric_parent[metric]
        if metric is not None and region[path] == "MPI_Waitall":
            while path is not None and not FUNCTION.search(region[path]):
                path = parent[path]
            seconds[region[path], rank[severity["location"]], metric] += severity["value"]
    return seconds


def check(run, report):
    """Yields what is wrong; a function with a wait of which the run does not say the kind is left out."""
    expected, unclear, functions = collections.defaultdict(float), set(), set()
    for wait in run.waits():
        size = int(FUNCTION.search(wait.function).group(2))
        outcome = expected_wait(run, wait, size)
        functions.add(wait.function)
        if outcome is None:
            unclear.add((wait.function, wait.rank))
        elif outcome[0] is not None:
            expected[wait.function, wait.rank, outcome[0]] += outcome[1] / run.second
    if len(functions) != 16:
        yield f"{len(functions)} functions with exchanges instead of 16"
    reported = reported_waits(report)
    for where in sorted(expected.keys() | reported.keys()):
        function, rank, _ = where
        should, does = expected[where], reported[where]
        if (function, rank) not in unclear and abs(should - does) > TOLERANCE * should + 1e-6:
            yield f"{where}: {does:.6f} s instead of {should:.6f} s"
    for order in ("send", "receive"):
        if expected[f"{order}_first_4", 0, "mpi_latesender"] == 0:
            yield f"{order}_first_4: rank 0 did not wait, or plain sends of 4 bytes waited"
    waiting = [size for size, _, waited in run.plain if waited and size > 4]
    print(f"plain sends wait from {min(waiting, default=0)} bytes on, {len(expected)} waits, "
          f"{len(unclear)} unclear")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--fermata", required=True)
    parser.add_argument("--mpirun", required=True)
    parser.add_argument("--program", required=True)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="fermata-exchanges-") as folder:
        experiment = pathlib.Path(folder) / "run"
        command = [options.fermata, "run", "-o", str(experiment), "--",
                   *mpi_command(options.mpirun, 2, [options.program])]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, timeout=TIMEOUT)
        report = subprocess.run([options.fermata, "report", str(experiment), "--format=json"],
                                check=True, capture_output=True, text=True, timeout=TIMEOUT)
        wrong = list(check(Run(experiment / "traces.otf2"), json.loads(report.stdout)))
    if wrong:
        sys.exit("\n".join(wrong))


main()
