# SPDX-License-Identifier: BSD-3-Clause
"""Visits and times of an archive whose visits may be merged."""
import collections

import otf2


class Totals:
    """Of an archive, by the names of regions: visits and ticks without those of the regions inside."""

    def __init__(self, experiment):
        self.visits, self.ticks, self.events = collections.Counter(), collections.Counter(), 0
        self.merged, self.shortest, self.longest = collections.Counter(), {}, {}
        self.locks = collections.defaultdict(list)
        self.paths = collections.defaultdict(list)  # of the visits of constructs, by their names without lines
        with otf2.reader.open(str(experiment / "traces.otf2")) as trace:
            self.resolution = trace.definitions.clock_properties.timer_resolution
            open_regions = collections.defaultdict(list)  # [name, enter, ticks inside]
            for location, event in trace.events:
                self.events += 1
                kind, regions = type(event).__name__, open_regions[location]
                if kind == "Enter":
                    self.paths[event.region.name.split(" @")[0]].append([name for name, _, _ in regions])
                    regions.append([event.region.name, event.time, 0])
                    self.visits[event.region.name] += 1
                elif kind == "Leave":
                    name, enter, inside = regions.pop()
                    assert name == event.region.name, (name, event)
                    self.ticks[name] += event.time - enter - inside
                    if regions:
                        regions[-1][2] += event.time - enter
                elif kind == "ParameterUnsignedInt":
                    self.note_merged(regions[-1][0], event)
                elif kind in ("ThreadAcquireLock", "ThreadReleaseLock"):
                    self.locks[event.lock_id].append((event.acquisition_order, kind, event.time, location))
            assert not any(open_regions.values()), open_regions

    def note_merged(self, name, event):
        if event.parameter.name == "merged visits":
            self.visits[name] += event.value - 1
            self.merged[name] += event.value
        elif event.parameter.name == "shortest merged visit":
            self.shortest[name] = min(event.value, self.shortest.get(name, event.value))
        elif event.parameter.name == "longest merged visit":
            self.longest[name] = max(event.value, self.longest.get(name, event.value))

    def seconds(self, name):
        return self.ticks[name] / self.resolution
