# SPDX-License-Identifier: BSD-3-Clause
"""`mpirun -n M fermata analyze`: the same report and output as without, every failure told once and
with its exit status, nothing left behind, less memory for each process.

usage: check_command.py --fermata F --mpirun M --library L --libraries L... --trace DIR
                        --synthesize S --module FILE --fault FILE --fail PROGRAM [PART...]
"""

import argparse
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile

import launcher

# What launchers and MPI libraries say by themselves.
OURS = re.compile(r"^fermata\b.*", re.MULTILINE)
MEASURE = """
import os, resource, subprocess, sys
status = subprocess.run(sys.argv[2:], close_fds=False).returncode
with open(os.path.join(sys.argv[1], str(os.getpid())), "w") as file:
    file.write(str(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss))
sys.exit(status)
"""


class Check:
    def __init__(self, options, folder):
        self.options = options
        self.folder = folder
        self.failures = []
        self.trace = folder / "trace"
        shutil.copytree(options.trace, self.trace)
        self.report = folder / "report.fer"

    def expect(self, condition, what):
        if not condition:
            self.failures.append(what)

    def launch(self, processes, *command, **variables):
        return launcher.run([self.options.mpirun, "-n", processes, *command], **variables)

    def analyze(self, processes, *arguments, **variables):
        return self.launch(processes, self.options.fermata, "analyze", "--predict", "no", *arguments, **variables)

    def alone(self, *arguments):
        """The report of a process alone, and what it says. Several processes predict nothing."""
        done = launcher.run([self.options.fermata, "analyze", "-j1", "--predict", "no", "-o", self.report,
                             *arguments])
        self.expect(done.returncode == 0, f"alone: {done.stderr}")
        content = self.report.read_bytes()
        self.report.unlink()
        return content, done

    def told(self, done):
        return OURS.findall(done.stdout + done.stderr)

    def expect_failure(self, what, done, status, *words):
        """Told once, with that exit status (None: any but 0)."""
        told = self.told(done)
        seen = f"{what}: exit status {done.returncode}: {done.stdout}{done.stderr}"
        self.expect(done.returncode != 0 if status is None else done.returncode == status, seen)
        self.expect(len(told) == 1 and all(word in told[0] for word in words), seen)
        self.expect(not self.report.exists(), f"{what}: there is a report")

    def expect_report(self, what, done, expected):
        content = self.report.read_bytes() if self.report.exists() else b""
        self.expect(done.returncode == 0, f"{what}: {done.returncode}: {done.stderr}")
        self.expect(content == expected, f"{what}: another report")
        self.report.unlink(missing_ok=True)

    def expect_nothing_left(self, what):
        self.expect(launcher.wait_until(lambda: not launcher.processes_with(self.report)),
                    f"{what}: processes are left")

    # ---- parts ----

    def reports(self):
        expected, alone = self.alone("--check", self.trace)
        for processes, jobs in ((1, ["-j2"]), (2, ["-j1"]), (3, []), (6, ["-j2"])):
            done = self.analyze(processes, "--check", *jobs, "-o", self.report, self.trace)
            what = f"{processes} processes {jobs}"
            self.expect(self.told(done) == self.told(alone), f"{what} say {self.told(done)}")
            self.expect_report(what, done, expected)
        done = self.analyze(1, "--mpi", self.options.library, "-o", self.report, self.trace)
        self.expect_report("MPI for one process", done, expected)
        done = self.analyze(2, "--mpi=none", "--quiet", "-o", self.report, self.trace)
        self.expect_report("two that know nothing of one another", done, expected)
        done = launcher.run(["ldd", self.options.fermata])
        self.expect("libmpi" not in done.stdout, "fermata is linked to an MPI library")

    def patterns(self):
        """Patterns of the user, built-in ones that are switched off: as a process alone."""
        examples = pathlib.Path(__file__).parents[3] / "share" / "examples" / "patterns"
        for words in (["--pattern", examples], ["--without", "mpi_latesender"],
                      ["--pattern", examples, "--only", "late_posted_receives"]):
            done = launcher.run([self.options.fermata, "analyze", "-j1", "-o", self.report, *words, self.trace])
            if "built without Lua" in done.stderr:
                continue
            expected, alone = self.alone("--check", *words, self.trace)
            for processes, jobs in ((2, ["-j2"]), (3, [])):
                done = self.analyze(processes, "--check", *jobs, *words, "-o", self.report, self.trace)
                what = f"{processes} processes {words}"
                self.expect(self.told(done) == self.told(alone), f"{what} say {self.told(done)}")
                self.expect_report(what, done, expected)
        command = [self.options.fermata, "analyze", "-o", self.report, self.trace]
        done = self.launch(1, *command, ":", "-n", "1", *command, "--pattern", examples)
        if "built without Lua" not in done.stderr:
            self.expect_failure("patterns of one", done, 2, "--pattern", "the same options")
        self.expect_failure("a wrong pattern", self.analyze(2, *command[2:], "--pattern", "missing.lua"), 4,
                            "cannot open")

    def refusals(self):
        out = ["-o", self.report]
        self.expect_failure("no archive", self.analyze(3, *out, self.folder / "missing"), 3,
                            "No such file")
        self.expect_failure("no number", self.analyze(3, *out, "--jobs", "x", self.trace), 2,
                            "--jobs")
        self.expect_failure("no library", self.analyze(3, *out, "--mpi", "x", self.trace), 2,
                            "--mpi needs one of")
        self.expect_failure("no option", self.analyze(3, *out, "--foo", self.trace), 2, "--foo")
        self.expect_failure("no room", self.analyze(3, "-o", self.folder / "missing/x.fer",
                                                    self.trace), 4, "missing/x.fer")
        command = [self.options.fermata, "analyze", *out, self.trace]
        done = self.launch(1, *command, ":", "-n", "1", *command, "--progress", "async")
        self.expect_failure("other options", done, 2, "process 1", "other options")
        done = self.launch(2, *command, ":", "-n", "1", *command, "--jobs", "x")
        self.expect_failure("wrong options of one", done, 2, "--jobs")
        for other in set(self.options.libraries) - {self.options.library}:
            # Open MPI, when it ends without its launcher, crashes now and then.
            for _ in range(8 if other == "openmpi" else 1):
                done = self.analyze(2, *out, "--mpi", other, self.trace)
                self.expect_failure("another library", done, 2, "launcher", "--mpi")

    def faulty(self, fault, processes, which, arguments):
        """Something happens to one process."""
        script = self.folder / "faulty"
        script.write_text('#!/bin/sh\n[ "${OMPI_COMM_WORLD_RANK:-$PMI_RANK}" = "$WHICH" ] &&'
                          ' export LD_PRELOAD="$LIBRARY"\nexec "$@"\n')
        script.chmod(0o755)
        return ([self.options.mpirun, "-n", processes, script, self.options.fermata, "analyze",
                 "-o", self.report, *arguments],
                {"FAULT": fault, "WHICH": str(which), "LIBRARY": self.options.fault})

    def faults(self):
        # The launcher of MPICH has an exit status of its own for processes that it had to kill.
        crashed = 3 if self.options.library == "openmpi" else None
        large = self.synthesize(200000)
        for which in (0, 2):
            command, variables = self.faulty("crash", 3, which, [self.trace])
            self.expect_failure(f"process {which} crashes", launcher.run(command, **variables),
                                crashed, "crashed")
            command, variables = self.faulty("memory", 3, which, [large])
            self.expect_failure(f"process {which} without memory",
                                launcher.run(command, **variables), 4, "no memory")
        self.expect_nothing_left("after faults")

    def kill(self):
        """A process is killed while the others wait for it."""
        command, variables = self.faulty("wait", 3, 1, [self.trace])
        # Before all have begun, it would be the launcher's own start that is disturbed.
        reached = self.folder / "reached"
        mpirun = launcher.start(command, FAULT_REACHED=str(reached), **variables)

        def parents():
            found = launcher.processes_with(self.report)
            analyses = {process for process, parent in found.items() if parent in found}
            return [parent for process, parent in found.items()
                    if process in analyses and found[parent] != os.getpid()]

        self.expect(launcher.wait_until(lambda: reached.exists() and len(parents()) == 3),
                    "three processes start")
        for parent in parents()[:1]:
            os.kill(parent, signal.SIGKILL)
        try:
            self.expect(mpirun.wait(launcher.TIMEOUT) != 0, "killed: exit status 0")
        except subprocess.TimeoutExpired:
            self.expect(False, "killed: the others go on")
            mpirun.kill()
        self.expect_nothing_left("after a kill")

    def cut_short(self):
        """Process 0 rebuilds the archive of a run that was killed."""
        recorded = self.folder / "cut-short"
        launcher.run([self.options.mpirun, "-n", "3", self.options.fermata, "record", "-o",
                      recorded, self.options.fail, "kill"], FERMATA_FLUSH_INTERVAL="0")
        self.expect((recorded / "journal").exists(), "there is no run that was cut short")
        copy = self.folder / "copy"
        shutil.copytree(recorded, copy)
        expected, alone = self.alone(copy)
        done = self.analyze(3, "-o", self.report, recorded)
        self.expect_report("a run that was cut short", done, expected)
        self.expect("incomplete run" in done.stderr and self.told(done) == self.told(alone),
                    f"a run that was cut short: {done.stderr}")
        self.expect(not (recorded / "journal").exists(), "the archive is not rebuilt")

    def other_commands(self):
        launcher.run([self.options.fermata, "analyze", "-q", "-o", self.report, self.trace])
        # Open MPI makes the output a terminal, so that it looks different than without.
        done = self.launch(3, self.options.fermata, "report", self.report)
        self.expect(done.stdout.count("Top problems") == 1 and done.returncode == 0,
                    f"report by three processes: {done.returncode}: {done.stdout}{done.stderr}")
        done = self.launch(3, self.options.fermata, "analyze", "--help")
        self.expect(done.stdout.count("usage:") == 1 and done.returncode == 0,
                    f"--help by three processes: {done.returncode}: {done.stdout}{done.stderr}")
        done = self.launch(3, self.options.fermata, "bogus")
        self.expect(len(self.told(done)) == 1 and done.returncode == 2,
                    f"bogus by three processes: {done.returncode}: {done.stdout}{done.stderr}")
        self.report.unlink()

    def installation(self):
        """The module is found where it is installed, and missed with a clear message."""
        (self.folder / "usr/bin").mkdir(parents=True)
        (self.folder / "usr/lib/fermata").mkdir(parents=True)
        program = shutil.copy(self.options.fermata, self.folder / "usr/bin")
        expected, _ = self.alone(self.trace)
        command = [program, "analyze", "-o", self.report, self.trace]
        self.expect_failure("no module", self.launch(1, *command, "--mpi", self.options.library),
                            4, pathlib.Path(self.options.module).name)
        shutil.copy(self.options.module, self.folder / "usr/lib/fermata")
        self.expect_report("installed", self.launch(2, *command), expected)

    def synthesize(self, events):
        trace = self.folder / f"trace-{events}"
        subprocess.run([self.options.synthesize, "--variant", "gats", "--ranks", "16", "--events",
                        str(events), trace], check=True, stdout=subprocess.DEVNULL)
        return trace

    def memory(self):
        """Each process has its part of the tables only, and may be told to keep less."""
        # So large that the tables count: what is under way at once is the same for each process.
        trace = self.synthesize(6000000)
        expected, _ = self.alone(trace)
        peaks = {}
        for processes in (1, 2, 4):
            # Not the tables, but what MPI and the program themselves need.
            floor = self.peak(processes, self.trace)[0]
            peak, done = self.peak(processes, trace)
            self.expect_report(f"peak of {processes} processes", done, expected)
            peaks[processes] = peak - floor
        self.expect(peaks[2] < 0.75 * peaks[1] and peaks[4] < 0.5 * peaks[1],
                    f"peak memory of each of 1, 2, 4 processes: {peaks} KiB")
        done = self.analyze(2, "--memory", "8M", "-o", self.report, trace)
        self.expect_report("--memory", done, expected)

    def peak(self, processes, trace):
        """Of the largest process, in KiB."""
        folder = pathlib.Path(tempfile.mkdtemp(dir=self.folder))
        done = self.launch(processes, sys.executable, "-c", MEASURE, folder, self.options.fermata,
                           "analyze", "--predict", "no", "-q", "-j1", "-o", self.report, trace)
        measured = [int(file.read_text()) for file in folder.iterdir()]
        self.expect(len(measured) == processes, f"{processes} processes: {done.stderr}")
        return max(measured, default=0), done


PARTS = ("reports", "patterns", "refusals", "faults", "kill", "cut_short", "other_commands", "installation",
         "memory")


def main():
    parser = argparse.ArgumentParser()
    for name in ("fermata", "mpirun", "library", "trace", "synthesize", "module", "fault", "fail"):
        parser.add_argument(f"--{name}", required=True)
    parser.add_argument("--libraries", required=True, nargs="+")
    parser.add_argument("parts", nargs="*")
    options = parser.parse_args()
    failures = []
    for part in options.parts or PARTS:
        with tempfile.TemporaryDirectory() as folder:
            check = Check(options, pathlib.Path(folder))
            getattr(check, part)()
            print(f"{part}: {len(check.failures)} failures", flush=True)
            failures += [f"{part}: {failure}" for failure in check.failures]
    print("\n".join(failures))
    sys.exit(bool(failures))


main()
