# SPDX-License-Identifier: BSD-3-Clause
"""What the report says beyond its numbers: the command line, a warning of more threads than
processors, and only then, of messages without partner, and why a gain is small.

usage: check_words.py FERMATA SCENARIO     (a scenario of two ranks)
"""

import json
import pathlib
import shlex
import subprocess
import sys
import tempfile

fermata, scenario = sys.argv[1:]
failures = []


def run(*arguments):
    return subprocess.run([fermata, *arguments], capture_output=True, text=True, check=True,
                          timeout=60).stdout


def report(experiment):
    return json.loads(run("report", experiment, "--format=json"))


with tempfile.TemporaryDirectory() as folder:
    trace = pathlib.Path(folder) / "trace"
    run("synth", scenario, "-o", trace)
    for environment, expected in (({"processors": 1}, "2 threads shared the 1 processor of "),
                                  ({"processors": 2}, None), ({}, None)):
        (trace / "environment.json").write_text(json.dumps(environment))
        run("analyze", trace)
        warnings = report(trace)["warnings"]
        told = [text for text in warnings if "shared the" in text]
        if expected is None and told or expected is not None and (
                len(told) != 1 or not told[0].startswith(expected)):
            failures.append(f"{environment}: {warnings}")
    for delay, processors, expected in ((0.25, 1, "for 25% of the run, MPI calls included (2 threads on "
                                         "1 processor)"),
                                        (0.25, 4, "for 25% of the run, MPI calls included (other "
                                         "programs used the processors)"),
                                        (0.04, 4, None), (0.04, 1, "shared the 1 processor of ")):
        (trace / "environment.json").write_text(json.dumps(
            {"processors": processors, "run_delay": {"run_seconds": 8, "delay_seconds": 8 * delay}}))
        run("analyze", trace)
        warnings = report(trace)["warnings"]
        told = [text for text in warnings if "processor" in text]
        if len(told) != (expected is not None) or expected is not None and expected not in told[0]:
            failures.append(f"run delay {delay}: {warnings}")
    environment = {"command": ["./sor", "--title", "it's \"hot\"", ""]}
    (trace / "environment.json").write_text(json.dumps(environment))
    run("analyze", trace)
    command = report(trace)["experiment"]["command"]
    if command is None or shlex.split(command) != environment["command"]:
        failures.append(f"command: {command}")
    for call, told in ("MPI_Send", False), ("MPI_Finalize", True):
        name = pathlib.Path(folder) / f"{call}.scn"
        name.write_text(f"unit 1\nranks 1\n0 0 enter main\n1 0 enter {call}\n2 0 leave {call}\n"
                        "9 0 leave main\n")
        run("synth", name, "-o", name.with_suffix(""))
        (name.with_suffix("") / "environment.json").write_text('{"recorded": "rank 7 only"}')
        run("analyze", name.with_suffix(""))
        warnings = report(name.with_suffix(""))["warnings"]
        if (len(warnings) == 2 and "Nothing of that came to pass" in warnings[1]) != told:
            failures.append(f"{call}: {warnings}")
    # Of every library, by the tables of functions.
    for call, told in (("MPI_Init_thread", True), ("shmem_init", True), ("shmem_start_pes", True),
                       ("shmem_barrier_all", False), ("ARMCI_Init_args", True),
                       ("ARMCI_Barrier", False), ("caf init", True), ("caf sync all", False),
                       ("!$omp barrier @a.c:7", False), ("pthread_mutex_lock", False)):
        name = pathlib.Path(folder) / f"{call.replace(' ', '_')}.scn"
        name.write_text(f"unit 1\nranks 1\n0 0 enter main\n1 0 enter {call}\n2 0 leave {call}\n"
                        "9 0 leave main\n")
        run("synth", name, "-o", name.with_suffix(""))
        (name.with_suffix("") / "environment.json").write_text('{"recorded": "rank 7 only"}')
        run("analyze", name.with_suffix(""))
        warnings = report(name.with_suffix(""))["warnings"]
        if any("Nothing of that came to pass" in warning for warning in warnings) != told:
            failures.append(f"{call}: {warnings}")
    for count, expected in ((1, "1 send has no matching receive: not analysed."),
                            (2, "2 sends have no matching receive: not analysed.")):
        name = pathlib.Path(folder) / f"{count}.scn"
        sends = "".join(f"{i} 0 enter MPI_Send\n{i} 0 send 1 0 8\n{i} 0 leave MPI_Send\n"
                        for i in range(1, count + 1))
        name.write_text(f"unit 1\nranks 2\n0 0 enter main\n{sends}9 0 leave main\n"
                        "0 1 enter main\n9 1 leave main\n")
        run("synth", name, "-o", name.with_suffix(""))
        run("analyze", name.with_suffix(""))
        warnings = report(name.with_suffix(""))["warnings"]
        if warnings != [expected]:
            failures.append(f"{count} sends: {warnings}")
        # What concerns the whole run comes first: the report tells the first warnings up front.
        (name.with_suffix("") / "environment.json").write_text('{"processors": 1}')
        run("analyze", name.with_suffix(""))
        warnings = report(name.with_suffix(""))["warnings"]
        if len(warnings) != 2 or "shared the" not in warnings[0] or warnings[1] != expected:
            failures.append(f"{count} sends on one processor: {warnings}")
    # What one thread alone executes makes no other thread late.
    for name, bound, predicted in (
            ("excess-of-a-single-thread", "20.00 s -> 14.00 s",
             "16.00 s instead of 20.00 s (-20.0%) if it took no time on thread 1"),
            ("excess-beside-the-critical-path",
             "less than 0.5% of the run time: little or none of it is on the critical path",
             "no gain if it took no time on thread 1, because little or none of it is on the critical path"),
            ("gain-beside-the-critical-path",
             "less than 0.5% of the run time: little or none of it is on the critical path",
             "no gain if it took no time on rank 1, because little or none of it is on the critical path"),
            # Its holder is on the critical path, its waiting is not.
            ("lock-beside-the-critical-path",
             "less than 0.5% of the run time if it needed no lock: the waiting for the lock is beside the "
             "critical path",
             "no gain if it needed no lock, because the waiting for it is beside the critical path")):
        trace = pathlib.Path(folder) / name
        run("synth", pathlib.Path(scenario).parents[1] / "problems" / f"{name}.scn", "-o", trace)
        for predict, told in ("no", bound), ("yes", f"predicted: {predicted}"):
            run("analyze", "--predict", predict, trace)
            text = " ".join(run("report", "--top", "9", trace).split())
            if f"Gain {told}" not in text or "nearly as late" in text or "Balancing the work" in text:
                failures.append(f"{name}: {text}")
for failure in failures:
    print(failure)
sys.exit(1 if failures else 0)
