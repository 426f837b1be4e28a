# SPDX-License-Identifier: BSD-3-Clause
"""Records programs that use a simulated accelerator (program.c, stub/), and compares the streams of the
archive with what the program does on them, and the report with what is planted.

usage: check_cuda.py --fermata FERMATA [--home FOLDER] [--mpirun MPIRUN] PROGRAM CASE
"""
import argparse
import collections
import ctypes
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import otf2

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "support"))
from fermata_command import skip  # noqa: E402
from mpi_launcher import mpi_command  # noqa: E402

STEPS, FAST, SLOW, SMALL = 4, 0.010, 0.060, 4000
CORRELATION, STREAM, EVENT = "accelerator correlation", "accelerator stream", "accelerator event"
METRICS = ("smsp__cycles_active.avg.pct_of_peak_sustained_elapsed",
           "smsp__thread_inst_executed_per_inst_executed.ratio", "dram__throughput.avg.pct_of_peak_sustained_elapsed")
# values: what is active inside of the accelerator, in the order of METRICS, {} if that is not known
Work = collections.namedtuple("Work", "rank stream name begin end number values")
Call = collections.namedtuple("Call", "rank name path enter leave numbers streams events")


class Archive:
    """streams: names by (rank, location); works: those of all streams, by time; calls: those of CUDA."""

    def __init__(self, anchor):
        self.streams, self.works, self.calls, self.threads = {}, [], [], 0
        open_regions = collections.defaultdict(list)
        with otf2.reader.open(str(anchor)) as archive:
            second = archive.timer_resolution
            groups = {group.name: n for n, group in enumerate(archive.definitions.location_groups)}
            names = {}
            for location in archive.definitions.locations:
                names[location._ref] = location.name
                if location.type == otf2.LocationType.ACCELERATOR_STREAM:
                    self.streams[location._ref] = location.name
                else:
                    self.threads += 1
            for location, event in archive.events:
                rank, stack = groups[location.group.name], open_regions[location._ref]
                kind = type(event).__name__
                if kind == "Enter":
                    stack.append([event.region.name, event.time / second, [], [], [], {}])
                elif kind == "ParameterUnsignedInt":
                    if event.parameter.name == CORRELATION:
                        stack[-1][2].append(event.value)
                    elif event.parameter.name == STREAM:
                        stack[-1][3].append(names.get(event.value))
                    elif event.parameter.name == EVENT:
                        stack[-1][4].append(event.value)
                elif kind == "Metric" and location._ref in self.streams:
                    assert len(event.values) == 1 and len(stack) == 1, event
                    stack[-1][5][event.metric.members[0].name] = event.values[0]
                elif kind == "Leave":
                    path = [region[0] for region in stack[:-1]]
                    name, enter, numbers, streams, events, values = stack.pop()
                    if location._ref in self.streams:
                        assert not stack, f"{name} is inside of {stack}"
                        self.works.append(Work(rank, location.name, name, enter, event.time / second,
                                               numbers[0] if numbers else None, values))
                    elif event.region.paradigm == otf2.Paradigm.CUDA:
                        self.calls.append(Call(rank, name, path, enter, event.time / second,
                                               numbers, streams, events))

    def launch_of(self, work):
        launches = [call for call in self.calls
                    if call.rank == work.rank and work.number in call.numbers]
        assert len(launches) == 1, f"{work} is launched by {launches}"
        return launches[0]

    def works_named(self, name):
        return [work for work in self.works if work.name == name]

    def calls_named(self, name):
        return [call for call in self.calls if call.name == name]


class Run:
    """A recorded run: its experiment, what it printed, and how it ended."""

    def __init__(self, options, folder, arguments, ranks=1, settings=None, record=None):
        environment = dict(os.environ)
        if options.home:
            environment["CUDA_HOME"] = options.home
            environment["LD_LIBRARY_PATH"] = os.path.join(options.home, "lib64")
        environment.update(settings or {})
        environment.pop("CUDA_INJECTION64_PATH", None)
        self.fermata, self.folder = options.fermata, folder
        self.experiment = pathlib.Path(folder) / "run"
        program = [options.program, *arguments]
        if options.mpirun:
            program = mpi_command(options.mpirun, ranks, program)
        done = subprocess.run([options.fermata, "record",
                               *(["--gpu"] if record is None else record),
                               "-o", str(self.experiment), "--", *program],
                              env=environment, capture_output=True, text=True, timeout=150)
        self.status, self.output, self.errors = done.returncode, done.stdout, done.stderr

    def command(self, *words):
        done = subprocess.run([self.fermata, *words], capture_output=True, text=True, timeout=150)
        assert done.returncode == 0, f"fermata {words}: {done.stdout}{done.stderr}"
        return done.stdout

    def archive(self):
        self.command("check", str(self.experiment))
        self.command("analyze", "--check", str(self.experiment))
        return Archive(self.experiment / "traces.otf2")

    def report(self):
        return json.loads(self.command("report", "--format=json", str(self.experiment)))


def total(report, metric):
    return sum(row["value"] for row in report["severities"] if row["metric"] == metric)


def check_first_problem(report, ranks):
    """The kernel `force` of these ranks is what makes the others wait."""
    paths = {path["id"]: path for path in report["callpaths"]}
    locations = {location["id"]: location for location in report["locations"]}
    cause = report["problems"][0]["cause"]
    assert paths[cause["callpath"]]["region"] == "kernel force<float>", paths[cause["callpath"]]
    found = {locations[location]["rank"] for location in cause["locations"]}
    assert found == ranks, f"the first problem is on ranks {found} instead of {ranks}"


def check_launch_lines(report):
    """A kernel has the line of its launch in the program."""
    source = pathlib.Path(__file__).with_name("program.c").read_text().splitlines()
    lines = {path["region"]: path["line"] for path in report["callpaths"]
             if path["region"].startswith("kernel ")}
    for kernel, call in (("kernel force<float>", "cudaLaunchKernel("), ("kernel update", "cuLaunchKernel(")):
        line = lines[kernel]
        assert line and call in source[line - 1], f"{kernel} is launched in line {line}"


def check_late(archive, slow, ranks):
    """Every work has the call that launched it, and takes as long as planted."""
    assert len(archive.works) == 3 * STEPS * ranks, len(archive.works)
    for work in archive.works_named("kernel force<float>"):
        launch = archive.launch_of(work)
        assert launch.name == "cudaLaunchKernel" and launch.path[-1] == "launch_forces", launch
        assert launch.enter < work.begin, f"{launch} is behind {work}"
        planted = SLOW if work.rank in slow else FAST
        assert abs(work.end - work.begin - planted) < 0.001, f"{work} takes not {planted}"
        waits = [call for call in archive.calls_named("cudaStreamSynchronize")
                 if call.rank == work.rank and call.enter < work.end <= call.leave]
        assert len(waits) == 1 and waits[0].streams == [work.stream], (work, waits)
    for work in archive.works_named("kernel update"):
        assert archive.launch_of(work).path[-1] == "launch_update"
    for work in archive.works_named("cuda copy to host"):
        assert archive.launch_of(work).name == "cudaMemcpy"
    inner = {"call", "begin", "copy", "work"} & {name for call in archive.calls for name in call.path}
    assert not inner, f"functions of the library are in call paths: {inner}"


def check_alone(options, folder):
    for settings in ({}, {"STUB_THREAD": "1"}):
        with tempfile.TemporaryDirectory() as own:
            run = Run(options, own, ["late"], settings=settings)
            assert run.output == "rank 0 ends\n" and "accelerators" not in run.errors, run.errors
            archive = run.archive()
            names = sorted(archive.streams.values())
            assert names == [f"CUDA device 0 context 1 stream {n}" for n in (13, 14, 7)], names
            assert archive.threads == 1, archive.threads
            check_late(archive, {0}, 1)
            report = run.report()
            check_first_problem(report, {0})
            check_launch_lines(report)
            assert total(report, "cuda_stream_wait") > 0.9 * STEPS * SLOW
            run.command("view", "--help")
    without = Run(options, folder, ["late"], record=[])
    assert without.output == "rank 0 ends\n" and not without.experiment.exists()


def check_kinds(options, folder):
    run = Run(options, folder, ["kinds"], settings={"STUB_STRANGE": "1", "STUB_REVERSE": "1"})
    assert "1 work of accelerators is missing" in run.errors and "not understood" in run.errors, run.errors
    archive = run.archive()
    expected = ["cuda copy to device", "cuda set", "kernel force<float>", "cuda copy between devices"]
    for device, stream in ((0, 13), (1, 14)):
        own = f"CUDA device {device} context {device + 1} stream {stream}"
        found = [work.name for work in archive.works if work.stream == own]
        assert found == expected, found
        other = f"CUDA device {device} context {device + 1} stream 7"
        found = [work.name for work in archive.works if work.stream == other]
        assert found == ["cuda wait for event", "kernel second"], found
    waits = [call.streams for call in archive.calls_named("cudaEventSynchronize")]
    assert waits == [["CUDA device 0 context 1 stream 13"], ["CUDA device 1 context 2 stream 14"]], waits
    first, second = (call.streams for call in archive.calls_named("cudaDeviceSynchronize"))
    assert sorted(first) == ["CUDA device 0 context 1 stream 13", "CUDA device 0 context 1 stream 7"]
    assert sorted(second) == ["CUDA device 1 context 2 stream 14", "CUDA device 1 context 2 stream 7"]
    for work in archive.works:
        if work.name != "cuda wait for event":
            archive.launch_of(work)


def check_order(options, folder):
    """Records in any order are the same works."""
    run = Run(options, folder, ["late"], settings={"STUB_REVERSE": "1"})
    check_late(run.archive(), {0}, 1)


def check_inner(options, folder):
    """Works may have the number of the driver's call inside the call of the program."""
    run = Run(options, folder, ["late"], settings={"STUB_NUMBERS": "driver"})
    check_late(run.archive(), {0}, 1)


def check_graph(options, folder):
    works = Run(options, folder, ["graph"]).archive().works
    lengths = [round(1000 * (work.end - work.begin)) for work in works]
    assert lengths == [20, 1, 1], lengths
    assert all(a.end <= b.begin for a, b in zip(works, works[1:])), works


def event_waits(archive, rank):
    """@return how long the waiting stream of `events` waits for the kernels in front of the events, in
    seconds, by the times of the archive"""
    on = {name: [work for work in archive.works if work.rank == rank and work.stream.endswith(name)]
          for name in ("stream 13", "stream 14")}
    forces = [work for work in on["stream 13"] if work.name == "kernel force<float>"]
    first, *updates = on["stream 14"]
    assert first.name == "cuda wait for event" and first.begin == first.end, first
    assert len(forces) == STEPS and len(updates) == 2 * STEPS - 1, (forces, updates)
    waiting = 0
    for force, before, work in zip(forces, [first, *updates[1::2]], updates[::2]):
        if force.end > max(before.end, archive.launch_of(work).enter):
            waiting += force.end - before.end
    return waiting


def check_events(options, folder):
    """A stream waits for the kernel `force` of another stream, not for the one behind the event."""
    run = Run(options, folder, ["events"])
    archive, report = run.archive(), run.report()
    records, waits, syncs = (archive.calls_named(name) for name in (
        "cudaEventRecord", "cudaStreamWaitEvent", "cudaEventSynchronize"))
    numbers = [call.events for call in records]
    assert len({number for [number] in numbers}) == STEPS, numbers
    assert [call.events for call in waits] == [call.events for call in syncs] == numbers, (waits, syncs)
    prefix = "CUDA device 0 context 1 stream "
    assert [call.streams for call in records] == [[prefix + "13"]] * STEPS, records
    assert [call.streams for call in waits] == [[prefix + "14"]] * STEPS, waits
    assert [call.streams for call in syncs] == [[prefix + "13"]] * STEPS, syncs
    waiting = event_waits(archive, 0)
    assert waiting > 0, archive.works
    assert abs(total(report, "cuda_event_wait") - waiting) < 1e-6, (waiting, total(report, "cuda_event_wait"))
    blame = [row for row in report["severities"] if row["metric"] == "blame_cuda_event_wait" and row["value"] > 0]
    paths = {path["id"]: path for path in report["callpaths"]}
    assert {paths[row["callpath"]]["region"] for row in blame} == {"kernel force<float>"}, blame
    check_launch_lines(report)
    text = " ".join(run.command("report", str(run.experiment)).split())
    assert re.search(r"`kernel force<float>` \(program\.c:\d+\) on stream 1 makes others wait", text), text
    assert "Launch in `launch_forces` (program.c:" in text, text
    assert re.search(r"Wait for other stream in cuda idle on stream 2 \([\d.]+ ms\)", text), text
    chain = " ".join(run.command("report", "--why", "cuda_event_wait", str(run.experiment)).split())
    assert "rank 0, stream 1 was in kernel force<float>" in chain and "kernel behind" not in chain, chain


def check_capture(options, folder):
    """Calls that are captured execute nothing: their events have no number."""
    archive = Run(options, folder, ["capture"]).archive()
    assert [call.events for call in archive.calls_named("cudaEventRecord")] == [[], [], [1]]
    waits = archive.calls_named("cudaStreamWaitEvent")
    assert [call.events for call in waits] == [[], [], [], [1]], waits
    assert [work.name for work in archive.works] == ["kernel update", "kernel force<float>", "kernel update"]


def check_many(options, folder):
    archive = Run(options, folder, ["many"], settings={"STUB_THREAD": "1"}).archive()
    assert len(archive.works_named("kernel small")) == SMALL, len(archive.works)
    numbers = [work.number for work in archive.works]
    assert numbers == sorted(numbers)


def check_dropped(options, folder):
    run = Run(options, folder, ["many"], settings={"STUB_DROP": "7"})
    assert "7 works of accelerators are missing: CUDA had no room" in run.errors, run.errors
    assert len(run.archive().works) == SMALL - 7


def check_refused(options, _):
    """Without CUDA's interface, the program and its recording go on."""
    cases = [({"STUB_VERSION": "5"}, "is older than that of CUDA 10.0"),
             ({"STUB_SUBSCRIBE": "39"}, "another tool is attached to CUDA"),
             ({"STUB_SUBSCRIBE": "35"}, "the administrator must permit profiling")]
    for settings, reason in cases:
        with tempfile.TemporaryDirectory() as folder:
            run = Run(options, folder, ["late"], settings=settings)
            assert run.status == 0 and run.output == "rank 0 ends\n", run.errors
            assert run.errors.count("accelerators are not recorded: ") == 1, run.errors
            assert reason in run.errors, run.errors
            assert not run.archive().streams
    with tempfile.TemporaryDirectory() as folder:
        run = Run(options, folder, ["late"], record=["--gpu", "--flight-recorder", "1M"])
        assert run.status != 0 and "keeps no work of accelerators" in run.errors, run.errors
    try:
        ctypes.CDLL("libcuda.so.1")
        return
    except OSError:
        pass
    done = subprocess.run([options.fermata, "record", "--gpu", "true"], capture_output=True, text=True)
    assert "there is no NVIDIA driver on this machine" in done.stderr, done.stderr


MEASURED = ["--gpu=metrics"]


def fractions(*values):
    return dict(zip(METRICS, values))


def loads(report):
    """{rank: (adjusted, composite)} in seconds."""
    found = {}
    ranks = {location["id"]: location["rank"] for location in report["locations"]}
    for row in report["severities"]:
        if row["metric"] in ("kernel_adjusted", "kernel_composite"):
            load = found.setdefault(ranks[row["location"]], [0, 0])
            load[row["metric"] == "kernel_composite"] += row["value"]
    return found


def check_measured(options, folder):
    """Kernels have the values that were planted for them, whichever number their works have, and do not overlap."""
    for settings in ({}, {"STUB_NUMBERS": "driver", "STUB_THREAD": "1"}, {"STUB_PASSES": "1,2"}):
        with tempfile.TemporaryDirectory() as own:
            run = Run(options, own, ["late"], record=MEASURED, settings=settings)
            assert run.status == 0 and run.output == "rank 0 ends\n", run.errors
            assert "executed one at a time, to be measured" in run.errors, run.errors
            assert "it is not known what was active" not in run.errors, run.errors
            archive = run.archive()
            names = METRICS[:2] if "STUB_PASSES" in settings else METRICS
            assert len(archive.works) == 3 * STEPS
            for work in archive.works:
                values = {"kernel force<float>": fractions(12.5, 16, 50), "kernel update": fractions(50, 32, 75)}
                expected = values.get(work.name, {})
                assert work.values == {name: expected[name] for name in names if name in expected}, work
            works = sorted((work for work in archive.works if work.values), key=lambda work: work.begin)
            assert all(a.end <= b.begin for a, b in zip(works, works[1:])), works
            report = run.report()
            seconds = {name: sum(work.end - work.begin for work in archive.works_named(name))
                       for name in ("kernel force<float>", "kernel update")}
            force, update = seconds["kernel force<float>"], seconds["kernel update"]
            assert abs(total(report, "kernel_adjusted") - force / 16 - update / 2) < 1e-6
            assert abs(total(report, "kernel_idle") - force * 7 / 8 - update / 2) < 1e-6
            assert abs(total(report, "kernel_inactive") - force / 16) < 1e-6
            exponents = (0.5, 0.5) if "STUB_PASSES" in settings else (0.5, 0.25)
            composite = force * (1 / 16) ** exponents[0] + update * 0.5 ** exponents[1]
            assert abs(total(report, "kernel_composite") - composite) < 1e-6
            assert any("measured while they ran, one at a time" in text for text in report["warnings"]), report["warnings"]
    plain = Run(options, folder, ["late"])
    assert not any(work.values for work in plain.archive().works)
    assert "one at a time" not in plain.errors + " ".join(plain.report()["warnings"])


def check_measured_batches(options, folder):
    """More kernels than a batch has room for."""
    run = Run(options, folder, ["many"], record=MEASURED, settings={"STUB_THREAD": "1"})
    works = run.archive().works_named("kernel small")
    assert len(works) == SMALL and all(work.values == fractions(100, 32, 0) for work in works)
    assert "it is not known" not in run.errors, run.errors


def check_measured_partly(options, folder):
    """Kernels of graphs have no values, a launch that fails has no kernel, a value may be missing."""
    run = Run(options, folder, ["mixed"], record=MEASURED)
    found = [(work.name, work.values) for work in run.archive().works]
    update = ("kernel update", fractions(50, 32, 75))
    assert found == [update, *[("kernel node", {})] * 3, update, ("kernel force<float>", fractions(75, 16, 50))], found
    assert "it is not known" not in run.errors, run.errors
    with tempfile.TemporaryDirectory() as own:
        run = Run(options, own, ["kinds"], record=MEASURED)
        second = run.archive().works_named("kernel second")
        assert [set(work.values) for work in second] == 2 * [{METRICS[0], METRICS[2]}], second
        report = run.report()
        regions = {path["id"]: path["region"] for path in report["callpaths"]}
        measured = {regions[row["callpath"]] for row in report["severities"] if row["metric"] == "kernel_adjusted"}
        assert measured == {"kernel force<float>"}, measured
        text = run.command("report", "--efficiency", str(run.experiment))
        assert "of the kernels' time it is not known what was active inside of" in text, text
    # no value can be used: the kernels were executed one at a time nevertheless
    for settings in {"STUB_LOSE": "1"}, {"STUB_FAIL": "cuptiRangeProfilerDecodeData:35"}:
        with tempfile.TemporaryDirectory() as own:
            run = Run(options, own, ["late"], record=MEASURED, settings=settings)
            assert run.status == 0 and "of 8 kernels it is not known what was active" in run.errors, run.errors
            assert "executed one at a time" in run.errors, run.errors
            assert ("does not decode what it has measured" in run.errors) == ("STUB_FAIL" in settings), run.errors
            assert not any(work.values for work in run.archive().works)
            assert any("one at a time" in text for text in run.report()["warnings"]), settings


def check_measured_exclusive(options, folder):
    """A CUPTI that does not report the kernels that it measures."""
    run = Run(options, folder, ["late"], record=MEASURED, settings={"STUB_EXCLUSIVE": "1"})
    assert "8 works of accelerators are missing: CUPTI has measured them, but returned no record" in run.errors, run.errors
    assert [work.name for work in run.archive().works] == STEPS * ["cuda copy to host"]


def check_measured_events(options, folder):
    """Calls state their events in a measured run, too; no stream waits for another one, because kernels do not overlap."""
    run = Run(options, folder, ["events"], record=MEASURED)
    archive, report = run.archive(), run.report()
    numbers = [call.events for call in archive.calls_named("cudaEventRecord")]
    assert len({number for [number] in numbers}) == STEPS, numbers
    assert [call.events for call in archive.calls_named("cudaStreamWaitEvent")] == numbers
    values = {"kernel force<float>": fractions(12.5, 16, 50), "kernel behind": fractions(100, 32, 0),
              "kernel update": fractions(50, 32, 75), "cuda wait for event": {}}
    assert [work.values for work in archive.works] == [values[work.name] for work in archive.works]
    works = sorted(archive.works, key=lambda work: work.begin)
    assert len(works) == 4 * STEPS and all(a.end <= b.begin for a, b in zip(works, works[1:])), works
    assert total(report, "cuda_event_wait") == 0, total(report, "cuda_event_wait")
    parts = sum(total(report, metric) for metric in ("kernel_adjusted", "kernel_inactive", "kernel_idle"))
    assert abs(parts - sum(work.end - work.begin for work in works)) < 1e-6, (parts, works)


def check_measured_threads(options, folder):
    """The order of launches at the same time is not known."""
    run = Run(options, folder, ["threads"], record=MEASURED)
    archive = run.archive()
    assert [work.values for work in archive.works_named("kernel both")] == [{}, {}]
    assert [work.values for work in archive.works_named("kernel update")] == [fractions(50, 32, 75)]
    assert "of 2 kernels it is not known what was active" in run.errors, run.errors


def check_measured_captures(options, folder):
    """What is captured is not executed: it neither disturbs the values of others, nor is anything decoded meanwhile."""
    run = Run(options, folder, ["capture"], record=MEASURED)
    assert run.status == 0 and "it is not known" not in run.errors, run.errors
    update, force = fractions(50, 32, 75), fractions(75, 16, 50)
    assert [work.values for work in run.archive().works] == [update, force, update]


def check_measured_contexts(options, folder):
    works = Run(options, folder, ["contexts"], record=MEASURED).archive().works
    assert [work.values for work in works] == 2 * [fractions(75, 16, 50)], works


def check_measured_refused(options, _):
    """Where kernels cannot be measured, the recording is that without metrics, and one sentence says why."""
    administrator = "CUPTI_ERROR_INSUFFICIENT_PRIVILEGES; the administrator must permit profiling"
    cases = [({"STUB_FAIL": f"{function}:35"}, administrator)
             for function in ("cuptiProfilerInitialize", "cuptiProfilerGetCounterAvailability",
                              "cuptiRangeProfilerEnable", "cuptiRangeProfilerStart")]
    cases += [({"STUB_FAIL": "cuptiProfilerHostConfigAddMetrics:17"}, "CUPTI_ERROR_INVALID_METRIC_NAME"),
              ({"STUB_FAIL": "cuptiProfilerInitialize:15"}, "libnvperf_host.so must be beside CUPTI"),
              ({"STUB_LEVEL": "0"}, "cannot profile device 0: it is too old"),
              ({"STUB_LEVEL": "2"}, "it is virtual"),
              ({"STUB_PASSES": "2,3"}, "on the chip GS100 kernels would have to be executed 2 times"),
              ({"CUDA_HOME": options.home + "_old"}, "older than that of CUDA 12.6 Update 2")]
    for settings, reason in cases:
        with tempfile.TemporaryDirectory() as folder:
            run = Run(options, folder, ["late"], record=MEASURED, settings=settings)
            assert run.status == 0 and run.output == "rank 0 ends\n", (settings, run.errors)
            assert run.errors.count("what is active inside of accelerators is not measured: ") == 1, (settings, run.errors)
            assert reason in run.errors, (settings, run.errors)
            archive = run.archive()
            check_late(archive, {0}, 1)
            assert not any(work.values for work in archive.works), settings
            assert not any("one at a time" in text for text in run.report()["warnings"]), settings
    with tempfile.TemporaryDirectory() as folder:
        run = Run(options, folder, ["late"], record=["--gpu=metric"])
        assert run.status != 0 and "gpu needs yes, no or metrics" in run.errors, run.errors


def check_ranks_refused(options, _):
    """One process reports what is the same for all, each one what concerns itself."""
    for result, count in (35, 1), (26, 2):
        with tempfile.TemporaryDirectory() as folder:
            run = Run(options, folder, ["late", "1"], ranks=2, record=MEASURED,
                      settings={"STUB_FAIL": f"cuptiRangeProfilerStart:{result}"})
            assert run.status == 0, run.errors
            assert run.errors.count("is not measured: CUPTI does not start profiling") == count, run.errors
            assert ("another process or tool profiles the device" in run.errors) == (result == 26), run.errors


def check_ranks_measured(options, folder):
    """A slow kernel that uses fewer multiprocessors is no larger load: the imbalance is inside of the accelerator."""
    run = Run(options, folder, ["late", "1"], ranks=3, record=MEASURED)
    archive, report = run.archive(), run.report()
    kernels = {rank: sum(work.end - work.begin for work in archive.works if work.rank == rank and work.values)
               for rank in range(3)}
    expected = {rank: sum((work.end - work.begin) * work.values[METRICS[0]] * work.values[METRICS[1]] / 3200
                          for work in archive.works if work.rank == rank and work.values) for rank in range(3)}
    found = loads(report)
    assert set(found) == {0, 1, 2} and all(abs(found[rank][0] - expected[rank]) < 1e-6 for rank in found), found
    levels = {level["level"]: level for level in report["efficiency"]["load_levels"]}
    accelerators = levels["thread"]
    largest = 3 * max(expected.values()) / sum(expected.values()) - 1
    assert levels["stream"]["units"] == 6, levels["stream"]
    # the mean over two of three streams of each rank: the third one copies
    assert abs(accelerators["adjusted"]["imbalance"] - largest) < 1e-5, (accelerators, expected)
    assert accelerators["measured"]["imbalance"] > 0.5 > accelerators["adjusted"]["imbalance"], accelerators
    imbalance = json.loads(run.command("gpu-imbalance", "--format=json", str(run.experiment)))["runs"][0]
    for row in imbalance["ranks"]:
        rank = row["rank"]
        assert row["launches"] == 2 * STEPS, row
        assert abs(row["loads"]["measured"] - kernels[rank]) < 1e-6, (row, kernels)
        assert abs(row["loads"]["adjusted"] - expected[rank]) < 1e-6, (row, expected)
        assert abs(row["loads"]["composite"] - found[rank][1]) < 1e-6, (row, found)
    assert any("measured while they ran" in text for text in imbalance["warnings"]), imbalance["warnings"]


def check_pause(options, folder):
    """Work that is launched while recording is paused is not recorded."""
    run = Run(options, folder, ["late"], record=["--gpu", "--window", ":0.1"],
              settings={"STUB_THREAD": "1"})
    archive = run.archive()
    assert 0 < len(archive.works) < 3 * STEPS, archive.works
    for work in archive.works:
        archive.launch_of(work)


def check_ranks(options, folder):
    """All ranks share device 0; a slow kernel of rank 1 makes the others wait in MPI."""
    run = Run(options, folder, ["late", "1"], ranks=3)
    archive = run.archive()
    assert len(archive.streams) == 9 and archive.threads == 3, archive.streams
    check_late(archive, {1}, 3)
    report = run.report()
    check_first_problem(report, {1})
    seen = {symptom["metric"] for symptom in report["problems"][0]["symptoms"]}
    assert {"barrier_wait", "cuda_stream_wait"} & seen, seen


def check_ranks_events(options, folder):
    """A slow kernel of rank 1 makes a stream beside it wait, and by it its host, and the other ranks."""
    run = Run(options, folder, ["events", "1"], ranks=3)
    archive = run.archive()
    report = run.report()
    for rank in range(3):
        waiting = event_waits(archive, rank)
        locations = {location["id"] for location in report["locations"] if location["rank"] == rank}
        found = sum(row["value"] for row in report["severities"]
                    if row["metric"] == "cuda_event_wait" and row["location"] in locations)
        assert abs(found - waiting) < 1e-6, (rank, found, waiting)


def check_ranks_selected(options, folder):
    run = Run(options, folder, ["late", "1"], ranks=2, record=["--gpu", "--ranks", "1"])
    works = run.archive().works
    assert {work.rank for work in works} == {1} and len(works) == 3 * STEPS, works


def check_kill(options, folder):
    """The streams of a killed run are completed from the journals."""
    run = Run(options, folder, ["kill", "1"], ranks=2, record=["--gpu", "--flush-interval", "0"],
              settings={"STUB_THREAD": "1"})
    archive = run.archive()
    works = archive.works_named("kernel force<float>")
    assert len(works) == 6 and len(archive.streams) == 6, (works, archive.streams)
    for work in works:
        assert archive.launch_of(work).path[-1] == "launch_forces"
    check_first_problem(run.report(), {1})


def check_doctor(options, _):
    environment = dict(os.environ, CUDA_HOME=options.home,
                       LD_LIBRARY_PATH=os.path.join(options.home, "lib64"))
    done = subprocess.run([options.fermata, "doctor"], env=environment, capture_output=True, text=True)
    wanted = f"accelerators: CUPTI version 130001 ({options.home}/lib64/libcupti.so)"
    assert wanted in done.stdout, done.stdout


def lengths(output, kernel):
    """@return the lengths of a kernel that the program has measured, in seconds"""
    words = (line.split() for line in output.splitlines())
    return [float(row[1]) / 1000 for row in words if row[0] == kernel]


def check_measured_device(options, steps):
    """Where a real accelerator may be profiled: kernels of one block of 32 threads occupy one of many multiprocessors,
    with all threads of their warp."""
    with tempfile.TemporaryDirectory() as folder:
        run = Run(options, folder, [], record=MEASURED)
        assert run.status == 0, run.errors
        if "is not measured" in run.errors:
            print("kernels cannot be measured:", run.errors)
            return
        archive = run.archive()
        for kernel in ("spin_short", "spin_long"):
            works = archive.works_named(f"kernel {kernel}")
            assert len(works) == steps, (kernel, len(works), run.errors)
            for work in works:
                assert 0 < work.values[METRICS[0]] < 25 and 31 < work.values[METRICS[1]] <= 32, work
        print("measured:", run.output.splitlines()[-1], works[0].values)


def check_device(options, folder):
    """A real accelerator: the lengths of the kernels agree with those that CUDA's events measure in the
    program, and the long kernel is the first problem. Prints what recording a launch costs."""
    try:
        ctypes.CDLL("libcuda.so.1")
    except OSError:
        skip("there is no driver of NVIDIA")
    if not pathlib.Path(options.program).exists():
        skip("there is no compiler of CUDA")
    plain = subprocess.run([options.program], capture_output=True, text=True, timeout=100)
    if plain.returncode == 77:
        skip("there is no device")
    run = Run(options, folder, [])
    assert run.status == plain.returncode == 0, run.errors + plain.stderr
    assert "accelerators are not recorded" not in run.errors, run.errors
    archive = run.archive()
    for kernel in ("spin_short", "spin_long"):
        works = archive.works_named(f"kernel {kernel}")
        measured = lengths(run.output, kernel)
        assert len(works) == len(measured) > 0, (kernel, len(works), len(measured))
        for work, seconds in zip(works, measured):
            assert abs(work.end - work.begin - seconds) < 0.1 * seconds + 0.0002, (work, seconds)
            launch = archive.launch_of(work)
            assert kernel.replace("spin", "launch") in launch.path, launch
            assert launch.enter <= work.begin, (launch, work)
    check_measured_device(options, len(measured))
    report = run.report()
    first = report["problems"][0]["cause"]["callpath"]
    names = {path["id"]: path["region"] for path in report["callpaths"]}
    assert names[first] == "kernel spin_long", names[first]
    for text, output in (("without", plain.stdout), ("with", run.output)):
        print(text, "recording:", output.splitlines()[-1])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--fermata", required=True)
    parser.add_argument("--home", help="of the stub; without it, CUDA's own libraries are used")
    parser.add_argument("--mpirun")
    parser.add_argument("program")
    parser.add_argument("case")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        globals()[f"check_{options.case}"](options, folder)


main()
