# SPDX-License-Identifier: BSD-3-Clause
"""Records the four variants of bt-rma and compares their pair-wise synchronizations, and how many of them are
unneeded, with what their own events say; `fermata diff` shows both.

usage: check_bt_rma.py --fermata F --mpirun M --program P
"""

import argparse
import collections
import pathlib
import re
import sys
import tempfile

import fermata_run
import otf2
from otf2.events import Enter, RmaAtomic, RmaCollectiveEnd, RmaGet, RmaGroupSync, RmaPut

RANKS = 5
VARIANTS = ["fence-only", "gats-fence", "gats-single", "gats-multi"]


def read(archive):
    """@return {rank: [(region, window, group or None, targets of operations since the last call of this kind)]} of
    the calls that end epochs"""
    calls, region = collections.defaultdict(list), {}
    targets = collections.defaultdict(set)
    with otf2.reader.open(str(archive)) as trace:
        ranks = {location: location.group.name.split()[-1] for location in trace.definitions.locations}
        for location, event in trace.events:
            rank = int(ranks[location])
            if isinstance(event, Enter):
                region[rank] = event.region.name
            elif isinstance(event, (RmaPut, RmaGet, RmaAtomic)):
                targets[rank, event.win].add(event.remote if isinstance(event.remote, int) else
                                             int(ranks[event.remote]))
            elif isinstance(event, RmaCollectiveEnd) and region[rank] == "MPI_Win_fence":
                calls[rank].append(("fence", event.win, None, targets.pop((rank, event.win), set())))
            elif isinstance(event, RmaGroupSync) and region[rank] == "MPI_Win_complete":
                group = {int(ranks[member]) for member in event.group.members}
                calls[rank].append(("complete", event.win, group, targets.pop((rank, event.win), set())))
            elif isinstance(event, RmaGroupSync) and region[rank] == "MPI_Win_wait":
                group = {int(ranks[member]) for member in event.group.members}
                calls[rank].append(("wait", event.win, group, None))
    return calls


def count(calls):
    """@return (pair-wise synchronizations, unneeded ones)"""
    fences = collections.defaultdict(lambda: collections.defaultdict(list))  # window, rank: targets of each epoch
    accesses = collections.defaultdict(list)  # (window, origin, target): whether there was an operation
    for rank, of_rank in calls.items():
        for kind, window, group, targets in of_rank:
            if kind == "fence":
                fences[window][rank].append(targets)
            elif kind == "complete":
                for target in group:
                    accesses[window, rank, target].append(target in targets)
    pairs = unneeded = 0
    for epochs in fences.values():
        for number in range(len(epochs[0])):
            for rank in range(RANKS):
                needed = {other for other in range(RANKS) if other != rank and (
                    other in epochs[rank][number] or rank in epochs[other][number])}
                pairs += RANKS - 1
                unneeded += RANKS - 1 - len(needed)
    for rank, of_rank in calls.items():
        exposed = collections.Counter()
        for kind, window, group, targets in of_rank:
            if kind == "complete":
                pairs += len(group)
                unneeded += len(group - targets)
            elif kind == "wait":
                for origin in group:
                    pairs += 1
                    unneeded += not accesses[window, origin, rank][exposed[window, origin]]
                    exposed[window, origin] += 1
    return pairs, unneeded


def main():
    parser = argparse.ArgumentParser()
    for name in ("fermata", "mpirun", "program"):
        parser.add_argument("--" + name, required=True)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        folders = [pathlib.Path(folder) / variant for variant in VARIANTS]
        found = []
        for place, variant in zip(folders, VARIANTS):
            fermata_run.record(options, place, RANKS, [options.program, "--work", "0", "--variant", variant])
            found.append(fermata_run.pairwise_synchronizations(options, place))
            expected = count(read(place / "traces.otf2"))
            if found[-1] != expected:
                sys.exit(f"{variant}: {found[-1]} synchronizations and unneeded ones instead of {expected}")
        if not (found[0] > found[1] > found[2] == found[3] and found[0][1] > found[1][1] > 0 == found[2][1]):
            sys.exit(f"not the order of the variants: {found}")
        text = re.sub(r"\s+", " ", fermata_run.run([options.fermata, "diff", *map(str, folders)]))
        for row, column in (("Pair-wise one-sided synchronizations", 0), ("Unneeded", 1)):
            shown = re.search(row + r" ([\d,]+) ([\d,]+) \S+ ([\d,]+) \S+ ([\d,]+) \S+", text)
            if shown is None or [int(each.replace(",", "")) for each in shown.groups()] != [
                    each[column] for each in found]:
                sys.exit(f"{row}: {shown} of\n{text}")


main()
