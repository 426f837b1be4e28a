# SPDX-License-Identifier: BSD-3-Clause
"""The MPI calls of a recorded run, read from its OTF2 archive with none of fermata's code."""

import collections

Call = collections.namedtuple("Call", "rank region enter leave")  # times in ticks

DELAY_MARKER = "MPI_Pcontrol"


class RecordedTrace:
    """The MPI calls of all ranks.

    calls_of_rank: a list of Call per rank, in the order of Enter;
    ticks_per_second; has_topology: whether the archive defines a cartesian topology.
    """

    def __init__(self, calls_of_rank, ticks_per_second, has_topology):
        self.calls_of_rank = calls_of_rank
        self.ticks_per_second = ticks_per_second
        self.has_topology = has_topology
        self.size = len(calls_of_rank)

    def calls(self, rank, *regions):
        """The rank's calls of one of these regions, in order."""
        return [call for call in self.calls_of_rank[rank] if call.region in regions]

    def instances(self, region):
        """The calls of a collective over all ranks: a list of lists, one call per rank each."""
        per_rank = [self.calls(rank, region) for rank in range(self.size)]
        if len({len(calls) for calls in per_rank}) != 1:
            raise ValueError(f"{region} is not called equally often on all ranks")
        return [list(instance) for instance in zip(*per_rank)]

    def delays(self, rank):
        """The rank's planted delays in ticks: (begin, end) between the two markers of each."""
        markers = self.calls(rank, DELAY_MARKER)
        if len(markers) % 2 != 0:
            raise ValueError(f"rank {rank} has {len(markers)} calls of {DELAY_MARKER}: not pairs")
        return [(first.leave, second.enter) for first, second in zip(markers[::2], markers[1::2])]


def read_archive(anchor_file, part_of):
    """Reads the archive; ranks are numbered as its location groups are. Returns a RecordedTrace for
    each part of the program: `part_of` returns the part for the open regions, from the outermost on."""
    import otf2

    parts = collections.defaultdict(lambda: collections.defaultdict(list))
    open_regions = collections.defaultdict(list)
    with otf2.reader.open(anchor_file) as archive:
        ranks = {group.name: rank
                 for rank, group in enumerate(archive.definitions.location_groups)}
        for location, event in archive.events:
            rank = ranks[location.group.name]
            if isinstance(event, otf2.events.Enter):
                open_regions[location.group.name].append((event.region.name, event.time))
            elif isinstance(event, otf2.events.Leave):
                region, enter = open_regions[location.group.name].pop()
                if region.startswith("MPI_"):
                    part = part_of([name for name, _ in open_regions[location.group.name]])
                    parts[part][rank].append(Call(rank, region, enter, event.time))
        return {part: RecordedTrace([calls_of_rank[rank] for rank in range(len(ranks))],
                                    archive.timer_resolution,
                                    len(list(archive.definitions.cart_topologies)) > 0)
                for part, calls_of_rank in parts.items()}


def read_whole_archive(anchor_file):
    """The RecordedTrace of the whole program."""
    return read_archive(anchor_file, lambda regions: None)[None]
