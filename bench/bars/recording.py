# SPDX-License-Identifier: BSD-3-Clause
"""Bars of the recorder, measured with tight loops of calls: P1, P2, P10, P14, P15."""

import json
import os
import re
import shutil
from dataclasses import dataclass

from .measure import Figure, ProgramFailed, alternate, median, mpich, open_mpi, open_shmem, run

LOOPS = ("p2p", "rma", "locks")
OPENMP_LOOPS = ("omp-barrier", "omp-loop", "omp-critical")


@dataclass(frozen=True)
class Library:
    """A communication library, with the program of its tight loops."""

    name: str
    program: str
    launcher: list
    loops: tuple
    eztrace: str = ""  # EZTrace's module for it; "": there is none
    crashes: bool = False  # its programs may crash at their end
    in_place: str = ""  # preloaded: OTF2's writer at the places of the records; "": there is none
    remark: str = ""  # behind the names of its figures
    bar: float | None = 0.6


MPI = Library("MPI", "mpi_call_loop_openmpi", open_mpi(1), LOOPS, eztrace="openmpi")
# P14. EZTrace has no modules for them.
LIBRARIES = (
    Library("SHMEM", "shmem_call_loop", open_shmem(1), ("shmem-put", "shmem-get", "shmem-atomic"),
            crashes=True),
    Library("ARMCI", "armci_call_loop", open_mpi(1), ("armci-put", "armci-get")),
    Library("OpenMP, idle runtime", "thread_call_loop_idle", [], OPENMP_LOOPS,
            in_place="otf2_in_place.so"),
    # Its barrier may enter the kernel: its time varies by more than recording adds.
    Library("OpenMP", "thread_call_loop", [], OPENMP_LOOPS, in_place="otf2_in_place.so",
            remark=", with GCC's runtime", bar=None),
)
THREADS = Library("POSIX threads", "thread_call_loop", [], ("mutex",))
MPI_4 = Library("MPI 4", "mpi_call_loop_mpich", mpich(1), ("pready",))
TIGHT_LOOPS = 25  # in a run, each with all turns: the fastest one counts
MUTEX_TURNS = 100  # times as many as of other calls, which cost more


def nanoseconds(sample, what="per call"):
    """The figure in a benchmark program's output."""
    found = re.search(rf"([0-9.]+) ns {what}$", sample.output, re.MULTILINE)
    if found is None:
        raise ProgramFailed(f"no figure '{what}' in: {sample.output}")
    return float(found.group(1))


class Archives:
    """Runs the loop in each of its ways. Each way writes its archive to a separate folder."""

    def __init__(self, programs, folder, loop, turns, library=MPI):
        self.programs = programs
        self.library = library
        self.folder = folder / f"calls-{loop}"
        self.loop = loop
        self.program = [*library.launcher, programs.bench / library.program, loop, str(turns),
                        str(TIGHT_LOOPS)]
        self.turns = turns
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir(parents=True)

    def plain(self):
        return run(self.program, may_fail=self.library.crashes)

    def fermata(self, callpath="flat"):
        """Flushes the buffers in the pause between the loops, so that their memory is reused."""
        shutil.rmtree(self.folder / "fermata", ignore_errors=True)
        return run([self.programs.fermata, "record", f"--callpath={callpath}",
                    "-o", self.folder / "fermata", "--", *self.program],
                   environment=dict(os.environ, FERMATA_FLUSH_INTERVAL="0.7", FERMATA_SAMPLE="off"),
                   may_fail=self.library.crashes)

    def with_counters(self, *options):
        shutil.rmtree(self.folder / "fermata", ignore_errors=True)
        return run([self.programs.fermata, "record", *(options or ("--counters", "--callpath=flat")),
                    "-o", self.folder / "fermata", "--", *self.program],
                   environment=dict(os.environ, FERMATA_FLUSH_INTERVAL="0.7", FERMATA_SAMPLE="off"),
                   may_fail=self.library.crashes)

    def with_call_sites(self):
        return self.with_counters("--counters-only")

    def with_stacks(self):
        return self.fermata("stack")

    def eztrace(self):
        directory = self.folder / "eztrace"
        shutil.rmtree(directory, ignore_errors=True)
        directory.mkdir()
        launcher, program = self.program[:-4], self.program[-4:]
        return run([*launcher, "eztrace", "-t", self.library.eztrace, *program],
                   directory=directory)

    def otf2(self):
        shutil.rmtree(self.folder / "otf2", ignore_errors=True)
        return run([self.programs.bench / "write_records", self.loop, str(self.turns),
                    self.folder / "otf2", str(TIGHT_LOOPS)])

    def otf2_in_place(self):
        directory = self.folder / "in-place"
        shutil.rmtree(directory, ignore_errors=True)
        return run(self.program, environment=dict(
            os.environ, LD_PRELOAD=str(self.programs.bench / self.library.in_place),
            OTF2_IN_PLACE=str(directory)))

    def contents(self, name):
        """Number of records of an archive and bytes of its event files."""
        anchor = next((self.folder / name).rglob("*.otf2"))
        read = run([self.programs.read_archive, anchor])
        size = sum(file.stat().st_size for file in (self.folder / name).rglob("*.evt"))
        return int(read.output.split()[0]), size

    def remove(self):
        shutil.rmtree(self.folder)


def _loop_cost(bar_id, programs, folder, options, library, loop):
    """The cost that recording adds to the calls of a loop."""
    archives = Archives(programs, folder, loop, options.turns, library)
    ways = {"plain": archives.plain, "fermata": archives.fermata, "otf2": archives.otf2}
    if library.eztrace:
        ways["eztrace"] = archives.eztrace
    if library.in_place:
        ways["in place"] = archives.otf2_in_place
    samples = alternate(ways, options.repeats)
    tools = [name for name in ("fermata", "eztrace") if name in ways]
    records = {name: archives.contents(name)[0] for name in tools}
    archives.remove()
    times = {name: [nanoseconds(s) for s in samples[name]] for name in samples}
    added = {name: [t - p for t, p in zip(times[name], times["plain"])] for name in tools}
    # What the readings of the clock that recording needs add to the same calls.
    clock = [nanoseconds(s, "per call with clocks") - p
             for s, p in zip(samples["plain"], times["plain"])]
    first = [nanoseconds(f, "per call at first") - nanoseconds(p, "per call at first")
             for f, p in zip(samples["fermata"], samples["plain"])]
    details = {
        "ns_per_call": {name: median(times[name]) for name in times},
        **{f"ns_added_by_{name}": median(added[name]) for name in tools},
        "ns_added_by_fermata_in_new_memory": median(first),
        "ns_added_by_clocks": median(clock),
        "ns_recorders_clock_in_a_row": median([nanoseconds(s, "for the recorder's clock")
                                             for s in samples["otf2"]]),
        "ns_clock_gettime_in_a_row": median([nanoseconds(s, "for clock_gettime")
                                             for s in samples["otf2"]]),
        "ns_otf2_flush_per_call": median([nanoseconds(s, "per call for flushes")
                                          for s in samples["otf2"]]),
        "records": records,
    }
    # A call needs two readings: at its Enter and at its Leave; constructs of OpenMP that are made
    # up of two calls need three or four.
    name = loop + library.remark
    yield Figure(bar_id, f"recording a call without clock / OTF2's writer, {name}",
                 [(a - c) / o for a, c, o in zip(added["fermata"], clock, times["otf2"])],
                 library.bar, details=details)
    if library.in_place:
        yield Figure(bar_id, f"the same / OTF2's writer at the same places, {name}",
                     [(a - c) / (o - p - c) for a, c, o, p
                      in zip(added["fermata"], clock, times["in place"], times["plain"])], None)
    yield Figure(bar_id, f"the same in memory that is used for the first time, {name}",
                 [(a - c) / o for a, c, o in zip(first, clock, times["otf2"])], None)
    if library.eztrace:
        yield Figure(bar_id, f"EZTrace / fermata, for each record, {loop}",
                     [(e / records["eztrace"]) / (f / records["fermata"])
                      for e, f in zip(added["eztrace"], added["fermata"])], 2.5, at_most=False)


def call_cost(programs, folder, options):
    """P1: the cost that recording adds to a call of MPI."""
    for loop in LOOPS:
        yield from _loop_cost("P1", programs, folder, options, MPI, loop)
    yield visit_cost(programs, folder, options)


def _is_built(programs, library):
    """Whether the loop of the library's calls was built; states it if not."""
    built = (programs.bench / library.program).exists()
    if not built:
        print(f"P14   not measured: {library.name} is not installed (see --install)", flush=True)
    return built


def other_call_cost(programs, folder, options):
    """P14: the cost that recording adds to a call of another library, as P1."""
    for library in LIBRARIES:
        if _is_built(programs, library):
            for loop in library.loops:
                yield from _loop_cost("P14", programs, folder, options, library, loop)
    yield from _short_cost(programs, folder, options, THREADS, MUTEX_TURNS,
                           "an uncontended mutex, lock and unlock")
    if _is_built(programs, MPI_4):
        yield from _short_cost(programs, folder, options, MPI_4, 1, "an MPI_Pready")


def counter_cost(programs, folder, options):
    """P15: what counters add to a recorded call: its number and time, messages, bytes, sizes; and the
    model of a library's counters."""
    yield from counter_model(programs, folder, options)
    yield site_cost(programs, folder, options)
    for library, loops in ((MPI, LOOPS), (LIBRARIES[0], LIBRARIES[0].loops)):
        for loop in loops:
            archives = Archives(programs, folder, loop, options.turns, library)
            samples = alternate({"plain": archives.plain, "fermata": archives.fermata,
                                 "counters": archives.with_counters}, options.repeats)
            archives.remove()
            times = {name: [nanoseconds(s) for s in samples[name]] for name in samples}
            # A few nanoseconds of some hundred: what else a machine does only makes runs slower.
            yield Figure("P15", f"counting a recorded call, fastest runs, {loop}",
                         [min(times["counters"]) - min(times["fermata"])], 15, unit="ns",
                         details={"ns_per_call": {name: median(times[name]) for name in times},
                                  "differences": [c - f for c, f in zip(times["counters"], times["fermata"])]})


def site_cost(programs, folder, options):
    """P15: what it costs to count a call, its bytes and its time by call site, without a trace."""
    archives = Archives(programs, folder, "p2p", options.turns)
    samples = alternate({"plain": archives.plain, "sites": archives.with_call_sites},
                        options.repeats)
    archives.remove()
    times = {name: [nanoseconds(s) for s in samples[name]] for name in samples}
    return Figure("P15", "counting a call by call site, fastest runs, p2p",
                  [min(times["sites"]) - min(times["plain"])], 100, unit="ns",
                  details={"ns_per_call": {name: median(times[name]) for name in times}})


def counter_model(programs, _folder, options):
    """P15: the model of what a library's counters cost, against measured updates."""
    ratios = {}
    for _ in range(options.repeats):
        text = run([programs.fermata, "counters", "calibrate", "--format", "json"]).output
        for update in json.loads(text)["updates"]:
            ratios.setdefault(update["name"], []).append(
                max(update["predicted_ns"] / update["measured_ns"],
                    update["measured_ns"] / update["predicted_ns"]))
    for name, values in ratios.items():
        yield Figure("P15", f"cost of a counter, model and measurement apart by a factor, {name}",
                     values, 2)


def _short_cost(programs, folder, options, library, factor, what):
    """P14: what recording adds to an uncontended mutex, locked and unlocked, which by default is not
    recorded, and to a call that makes a partition ready. The bar contains a reading of the clock."""
    archives = Archives(programs, folder, library.loops[0], factor * options.turns, library)
    samples = alternate({"plain": archives.plain, "fermata": archives.fermata,
                         "stack": archives.with_stacks}, options.repeats)
    archives.remove()
    times = {name: [nanoseconds(s) for s in samples[name]] for name in samples}
    clock = median([(nanoseconds(s, "per call with clocks") - p) / 2
                    for s, p in zip(samples["plain"], times["plain"])])
    for name, how in (("fermata", "without"), ("stack", "with")):
        yield Figure("P14", f"recording {how} call stacks: added to {what}",
                     [f - p for f, p in zip(times[name], times["plain"])], 20 + clock, unit="ns",
                     details={"ns_added_by_a_clock": clock, "ns_without": median(times["plain"])})


def _with_stacks(archives, options):
    """The cost that recording adds to a loop without and with call stacks. Returns times and
    added costs, by kind of run, and the added cost of two readings of the clock; nanoseconds for
    each turn."""
    samples = alternate({"plain": archives.plain, "flat": archives.fermata,
                         "stack": archives.with_stacks}, options.repeats)
    archives.remove()
    times = {name: [nanoseconds(s) for s in samples[name]] for name in samples}
    clock = [nanoseconds(s, "per call with clocks") - p
             for s, p in zip(samples["plain"], times["plain"])]
    added = {name: [t - p for t, p in zip(times[name], times["plain"])]
             for name in ("flat", "stack")}
    return times, added, clock


def visit_cost(programs, folder, options):
    """P1: the cost that recording adds to an instrumented function, without a reference."""
    times, added, clock = _with_stacks(
        Archives(programs, folder, "functions", 10 * options.turns), options)
    details = {"ns_per_visit": {name: median(times[name]) for name in times},
               "ns_added": {name: median(added[name]) for name in added},
               "ns_added_by_two_clocks": median(clock)}
    return Figure("P1", "recording a visit of an instrumented function, with call stacks / two "
                  "readings of the clock", [s / c for s, c in zip(added["stack"], clock)], None,
                  details=details)


def stack_cost(programs, folder, options):
    """P2: the additional cost of call stacks."""
    for loop, what, bar in (("deep", "unchanged callers", 2),
                            ("changing", "two sets of callers in turn", 6),
                            ("varying", "others each time", None)):
        times, added, clock = _with_stacks(Archives(programs, folder, loop, options.turns), options)
        details = {"ns_per_call": {name: median(times[name]) for name in times},
                   "ns_added": {name: median(added[name]) for name in added},
                   "ns_added_by_two_clocks": median(clock)}
        yield Figure("P2", f"recording a call, 12 functions deep, {what} / no call stacks",
                     [s / f for s, f in zip(added["stack"], added["flat"])], bar, details=details)
        yield Figure("P2", f"the same without clock, {what}",
                     [(s - c) / (f - c) for s, f, c in zip(added["stack"], added["flat"], clock)],
                     None)


def trace_size(programs, folder, options):
    """P10: bytes per event."""
    for loop in LOOPS:
        archives = Archives(programs, folder, loop, options.turns)
        archives.fermata()
        archives.eztrace()
        archives.otf2()
        size = {}
        for name in ("fermata", "eztrace", "otf2"):
            records, total = archives.contents(name)
            size[name] = total / records
        archives.remove()
        yield Figure("P10", f"bytes of an event, fermata / plain OTF2, {loop}",
                     [size["fermata"] / size["otf2"]], 1.02, details={"bytes_per_event": size})
        yield Figure("P10", f"bytes of an event, fermata / EZTrace, {loop}",
                     [size["fermata"] / size["eztrace"]], 1.02)
