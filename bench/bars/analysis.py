# SPDX-License-Identifier: BSD-3-Clause
"""Bars of the analysis, measured on synthetic traces: P4, P5, P6, P7, P8, P9, P13, P16."""

import os
import re
import shutil

from .measure import (Figure, alternate, cpu_of, median, mpich, open_mpi, ratios_of, run,
                      wall_of)

VARIANTS = ("p2p", "fence", "gats")
RARELY = 4096  # maximum number of iterations between two messages of a far pair
NEVER = 1000000  # number of iterations between reductions: none


class Traces:
    """Writes synthetic traces to a folder and removes them again."""

    def __init__(self, programs, folder):
        self.programs = programs
        self.folder = folder

    def make(self, variant, ranks, events, reduce_every=10, partners=()):
        """A trace: its folder and its exact number of events. `partners` are further options."""
        name = "-".join(map(str, (variant, ranks, events, reduce_every, *partners)))
        path = self.folder / name.replace("--", "")
        shutil.rmtree(path, ignore_errors=True)
        made = run([self.programs.synthesize, "--variant", variant, "--ranks", str(ranks),
                    "--events", str(events), "--reduce-every", str(reduce_every), *partners, path])
        return path, int(made.output.split()[0])

    @staticmethod
    def remove(path):
        shutil.rmtree(path)


LIBRARIES = {"Open MPI": ("openmpi", open_mpi), "MPICH": ("mpich", mpich)}
AS_FERMATA_STARTS = {"OMPI_MCA_pml": "ob1"}  # on one machine


def _analyze(programs, trace, *options, watch=False):
    return run([programs.fermata, "analyze", "--predict=no", *options, trace], watch=watch)


def _analyze_by(processes, programs, trace):
    return run([*processes, programs.fermata, "analyze", "-j1", trace])


def _read(programs, trace):
    return run([programs.read_archive, trace / "traces.otf2"])


def gets(programs, folder, options):
    """GETS: gets analysed per second in traces of SRUMMA [H17 table A.9], all with about as many gets."""
    for ranks in options.get_ranks:
        trace = folder / f"srumma-{ranks}"
        shutil.rmtree(trace, ignore_errors=True)
        made = run([programs.bench / "synthesize_srumma", str(ranks), str(options.gets), trace])
        events, count = int(made.output.split()[0]), int(made.output.split()[5])
        samples = alternate({
            "analyze": lambda: _analyze(programs, trace, "-j1"),
            "read": lambda: _read(programs, trace),
        }, options.repeats)
        details = {name: _rates(samples[name], events) for name in samples}
        details.update(events=events, gets=count, gets_of_a_rank=count / ranks)
        yield Figure("GETS", f"million gets analysed per second of CPU time, {ranks} ranks",
                     [count / s.cpu / 1e6 for s in samples["analyze"]], None, details=details)
        yield Figure("GETS", f"analysis / OTF2 reader, CPU time, {ranks} ranks",
                     ratios_of(samples["analyze"], samples["read"], cpu_of), None)
        Traces.remove(trace)


def _rates(samples, events):
    """Medians for the table: seconds and million events a second."""
    wall, cpu = median([s.wall for s in samples]), median([s.cpu for s in samples])
    return {"wall_s": wall, "cpu_s": cpu, "million_events_per_cpu_s": events / cpu / 1e6}


def throughput(programs, folder, options):
    """P4: one thread of the analysis against OTF2's reader."""
    traces = Traces(programs, folder)
    for variant in VARIANTS:
        trace, events = traces.make(variant, options.ranks, options.events)
        samples = alternate({
            "analyze": lambda: _analyze(programs, trace, "-j1"),
            "read": lambda: _read(programs, trace),
        }, options.repeats)
        details = {name: _rates(samples[name], events) for name in samples}
        details["events"] = events
        details["wall_ratio"] = median(ratios_of(samples["analyze"], samples["read"], wall_of))
        yield Figure("P4", f"analysis / OTF2 reader, CPU time, {variant}",
                     ratios_of(samples["analyze"], samples["read"], cpu_of), 2.0, details=details)
        traces.remove(trace)


def causes(programs, folder, options):
    """P13: the time of the analysis with blame, serialization and the times of problems, relative to that without these
    stages. Nearly each call of these traces waits."""
    traces = Traces(programs, folder)
    for variant in (*VARIANTS, "locks"):
        trace, _ = traces.make(variant, options.ranks, options.events)
        tables = [run([programs.fermata, "analyze", "-j1", "--verbose", trace]).output
                  for _ in range(options.repeats)]
        yield Figure("P13", f"analysis with / without blame and problems, {variant}",
                     [_with_and_without(table, ("blame", "problems")) for table in tables], 1.15)
        traces.remove(trace)


def _with_and_without(table, stages):
    """The ratio of the times of the analysis, from the table of `fermata analyze --verbose`."""
    seconds = {found.group(1): float(found.group(2))
               for found in re.finditer(r"^(\S.*?) {2,}([0-9.]+) ", table, re.M)}
    return seconds["total"] / (seconds["total"] - sum(seconds[stage] for stage in stages))


def _cpu_of_stage(table, stage):
    """The processor time of a stage that one worker ran, from the table of --verbose."""
    return float(re.search(rf"^{stage} .* ([0-9.]+)$", table, re.M).group(1))


def replay(programs, folder, options):
    """P16: one replay more, that of the identity check, and that of a change, which decides who gets locks,
    relative to the analysis; and a prediction as a whole, which reads the trace and finds the dependencies, too."""
    traces = Traces(programs, folder)
    for variant in (*VARIANTS, "locks"):
        trace, _ = traces.make(variant, options.ranks, options.events)
        predict = [programs.fermata, "whatif", "-j1", trace, "scale=main:0.5"]
        samples = alternate({
            "analyze": lambda: _analyze(programs, trace, "-j1"),
            "gains": lambda: run([programs.fermata, "analyze", "-j1", "--predict=yes", trace]),
            "predict": lambda: run(predict),
            "stages": lambda: run([*predict, "--check", "--verbose"]),
        }, options.repeats)
        # A replay is short: of each sort the fastest counts, for what else a machine does only makes it slower.
        least = min(sample.cpu for sample in samples["analyze"])
        for name, stage in (("without changes", "replay without changes"),
                            ("of a change", "replay of the changes")):
            yield Figure("P16", f"a replay {name} / analysis, CPU time, {variant}",
                         [min(_cpu_of_stage(sample.output, stage) for sample in samples["stages"]) / least], 0.5)
        yield Figure("P16", f"a prediction with reading / analysis, CPU time, {variant}",
                     ratios_of(samples["predict"], samples["analyze"], cpu_of), None)
        yield Figure("P16", f"analysis with predicted gains / without, CPU time, {variant}",
                     ratios_of(samples["gains"], samples["analyze"], cpu_of), None)
        traces.remove(trace)


def speed_up(programs, folder, options):
    """P5: one thread or process against two."""
    traces = Traces(programs, folder)
    for variant in VARIANTS:
        trace, events = traces.make(variant, options.ranks, 2 * options.long_events)
        yield from _threads(programs, trace, events, variant, options)
        yield from _processes(programs, trace, events, variant, options)
        traces.remove(trace)


def _threads(programs, trace, events, variant, options):
    samples = alternate({
        "one": lambda: _analyze(programs, trace, "-j1"),
        "two": lambda: _analyze(programs, trace, "-j2"),
    }, options.repeats)
    details = {name: _rates(samples[name], events) for name in samples}
    details["events"] = events
    details["cpu_two_over_one"] = median(ratios_of(samples["two"], samples["one"], cpu_of))
    yield Figure("P5", f"speed-up by 2 threads, {variant}",
                 ratios_of(samples["one"], samples["two"], wall_of), 1.8, at_most=False,
                 details=details)


def _processes(programs, trace, events, variant, options):
    environment = dict(os.environ, **AS_FERMATA_STARTS)
    for name, (library, start) in LIBRARIES.items():
        start_end = programs.bench / f"mpi_start_end_{library}"
        samples = alternate({
            "one": lambda: _analyze_by(start(1), programs, trace),
            "two": lambda: _analyze_by(start(2), programs, trace),
            "start_end": lambda: run([*start(2), start_end, "at-once"],
                                     environment=environment),
            "launch": lambda: run([*start(1), "true"]),
        }, options.repeats)
        details = {kind: median([s.wall for s in samples[kind]]) for kind in samples}
        details["events"] = events
        yield Figure("P5", f"speed-up by 2 processes of {name}, {variant}",
                     ratios_of(samples["one"], samples["two"], wall_of), 1.7, at_most=False,
                     details=details)
        overhead = details["start_end"] - details["launch"]
        yield Figure("P5", f"the same without {name}'s start and end",
                     [a.wall / (b.wall - overhead)
                      for a, b in zip(samples["one"], samples["two"])], None, at_most=False)


def _phases(programs, trace, repeats):
    samples = alternate({
        "analyze": lambda: _analyze(programs, trace, "-j1"),
        "load": lambda: run([programs.load_archive, trace]),
        "read": lambda: _read(programs, trace),
    }, repeats)
    after = [a.cpu - l.cpu for a, l in zip(samples["analyze"], samples["load"])]
    return samples, after


def ranks(programs, folder, options):
    """P6: the same number of events on few and on many ranks."""
    traces = Traces(programs, folder)
    for variant in VARIANTS + ("locks",):
        after, loading = {}, {}
        for count in options.rank_counts:
            trace, events = traces.make(variant, count, options.scaling_events)
            samples, phases = _phases(programs, trace, options.repeats)
            traces.remove(trace)
            after[count] = [seconds / events for seconds in phases]
            loading[count] = ratios_of(samples["load"], samples["read"], cpu_of)
        first, last = min(after), max(after)
        details = {"ns_per_event_after_loading": {c: median(after[c]) * 1e9 for c in after},
                   "loading_over_reading": {c: median(loading[c]) for c in loading}}
        yield Figure("P6", f"stages after loading, {last} ranks / {first} ranks, {variant}",
                     [b / a for a, b in zip(after[first], after[last])], 1.3, details=details)
        yield Figure("P6", f"loading / OTF2 reader at {last} ranks, relative to {first}, {variant}",
                     [b / a for a, b in zip(loading[first], loading[last])], 1.2, details=details)


def passive(programs, folder, options):
    """P7: passive-target against active-target synchronization, time per event."""
    traces = Traces(programs, folder)
    paths, events = {}, {}
    for variant in ("locks", "gats"):
        paths[variant], events[variant] = traces.make(variant, options.ranks, options.events)
    samples = alternate({variant: lambda path=path: _analyze(programs, path, "-j1")
                         for variant, path in paths.items()}, options.repeats)
    for path in paths.values():
        traces.remove(path)
    times = {variant: [s.cpu / events[variant] for s in samples[variant]] for variant in samples}
    yield Figure("P7", "CPU time of an event, locks / gats",
                 [a / b for a, b in zip(times["locks"], times["gats"])], 1.5,
                 details={"ns_per_event": {v: median(times[v]) * 1e9 for v in times},
                          "events": events})


def growth(programs, folder, options):
    """P8: a trace 64 times as long; pairs that rarely synchronize."""
    traces = Traces(programs, folder)
    yield from _growth_with_length(programs, traces, options)
    yield from _growth_with_distance(programs, traces, options)


def _growth_with_length(programs, traces, options):
    variants = [(variant, variant, 10) for variant in VARIANTS]
    variants.append(("rotate", "all pairs in turn", NEVER))
    for variant, name, reduce_every in variants:
        times = {}
        for events in (options.long_events // 64, options.long_events):
            trace, exact = traces.make(variant, options.ranks, events, reduce_every)
            samples = alternate({"analyze": lambda: _analyze(programs, trace, "-j1")},
                                options.repeats)
            traces.remove(trace)
            times[exact] = [s.cpu / exact for s in samples["analyze"]]
        short, long = min(times), max(times)
        yield Figure("P8", f"time per event, trace {long / short:.0f} times as long, {name}",
                     [b / a for a, b in zip(times[short], times[long])], 1.15,
                     details={"ns_per_event": {n: median(times[n]) * 1e9 for n in times}})


def _growth_with_distance(programs, traces, options):
    """Traces of equal length and with equal numbers of messages, which differ only in the number
    of iterations between the messages of a pair: far pairs that rarely exchange messages, and
    all pairs in turn, each for some iterations. And ranks with many partners instead of one,
    whose tables are then partly evicted from the cache."""
    others = str(options.ranks - 1)
    patterns = (
        ("rare", {1: ("--period", "1"), 64: ("--period", "64"),
                  RARELY: ("--period", str(RARELY))},
         f"far pairs synchronize once in {RARELY} iterations / in each", 1.15),
        ("rotate", {1: ("--dwell", others), options.ranks - 1: ("--dwell", "1")},
         f"all pairs synchronize once in {others} iterations / {others} times in a row", 1.15),
        ("rotate", {1: ("--period", "1"), options.ranks - 1: ("--period", others)},
         f"each rank has {others} partners in turn / 1", None),
    )
    for variant, partners, what, bar in patterns:
        paths, events = {}, {}
        for distance, option in partners.items():
            paths[distance], events[distance] = traces.make(variant, options.ranks, options.events,
                                                            NEVER, option)
        samples = alternate({distance: lambda path=path: _analyze(programs, path, "-j1")
                             for distance, path in paths.items()}, options.repeats)
        for path in paths.values():
            traces.remove(path)
        times = {d: [s.cpu / events[d] for s in samples[d]] for d in samples}
        yield Figure("P8", f"time per event, {what}",
                     [b / a for a, b in zip(times[1], times[max(times)])], bar,
                     details={"ns_per_event": {d: median(times[d]) * 1e9 for d in times},
                              "events": events})


def memory(programs, folder, options):
    """P9: growth of peak memory with the number of events, and a limit of a quarter of the
    tables."""
    traces = Traces(programs, folder)
    for variant in VARIANTS:
        peaks = {}
        for events in (options.long_events // 4, options.long_events):
            trace, exact = traces.make(variant, options.ranks, events)
            peaks[exact] = _analyze(programs, trace, "-j1", watch=True)
            if events != options.long_events:
                traces.remove(trace)
        short, long = min(peaks), max(peaks)
        growth = (peaks[long].peak - peaks[short].peak) / (long - short)
        yield Figure("P9", f"peak memory per event, {variant}", [growth], 32, unit="bytes",
                     details={"peak_mib": {n: peaks[n].peak / 2**20 for n in peaks}})
        yield _limited(programs, trace, variant, peaks[long], options)
        traces.remove(trace)


def _limited(programs, trace, variant, unlimited, options):
    limit = unlimited.anonymous // 4
    samples = alternate({
        "limited": lambda: _analyze(programs, trace, "-j1", "--memory", str(limit), watch=True),
        "free": lambda: _analyze(programs, trace, "-j1", watch=True),
    }, options.repeats)
    peak = {name: median([s.peak for s in samples[name]]) for name in samples}
    anonymous = {name: median([s.anonymous for s in samples[name]]) for name in samples}
    details = {
        "limit_mib": limit / 2**20,
        "peak_mib": {name: peak[name] / 2**20 for name in peak},
        "anonymous_mib": {name: anonymous[name] / 2**20 for name in anonymous},
        "peak_over_limit": peak["limited"] / limit,
        "anonymous_over_limit": anonymous["limited"] / limit,
    }
    return Figure("P9", f"time with --memory a quarter of the tables, {variant}",
                  ratios_of(samples["limited"], samples["free"], wall_of), 3.0, details=details)
