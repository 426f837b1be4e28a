#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Runs a program with the setuid bit, owned by root, as an ordinary user, with the recorder asked for
in every way there is: nothing of it may act, even where the loader lets it in. The same program
without the bit is recorded.

usage: check_secure.py --preload LIBRARY --recorder LIBRARY --wrappers LIBRARY --compiler MPICC
                       --source SECURE.C

Needs root and the user nobody; skipped (77) otherwise.
"""

import argparse
import os
import pathlib
import pwd
import shutil
import subprocess
import sys
import tempfile

SKIPPED = 77


def skip(reason):
    print("skipped:", reason)
    sys.exit(SKIPPED)


class Place:
    """A folder that the user can reach, with the programs, the libraries, and room for results."""

    def __init__(self, folder, options, user):
        self.folder, self.user = folder, user
        self.results = folder / "results"
        self.results.mkdir()
        folder.chmod(0o755)
        self.results.chmod(0o777)
        (folder / "lib").mkdir()
        for library in (options.preload, options.recorder, options.wrappers):
            shutil.copy(library, folder / "lib")
        self.preload = folder / "lib" / pathlib.Path(options.preload).name
        self.compile = [options.compiler, options.source]

    def build(self, name, *libraries):
        """The program, linked with the libraries given, which it finds wherever it runs."""
        program = self.folder / name
        subprocess.run([*self.compile, "-o", program, "-Wl,--no-as-needed", *libraries,
                        f"-Wl,-rpath,{self.folder}/lib"], check=True)
        return program

    def add(self, program, name, secure):
        copy = self.folder / name
        shutil.copy(program, copy)
        os.chown(copy, 0, 0)
        copy.chmod(0o4755 if secure else 0o755)
        return copy

    def run(self, name, *command, **environment):
        experiment = self.results / name
        environment = {"PATH": os.environ["PATH"], "HOME": str(self.results),
                       "TMPDIR": str(self.results), "FERMATA_EXPERIMENT_DIRECTORY": str(experiment),
                       **environment}
        result = subprocess.run([str(part) for part in command], user=self.user.pw_uid,
                                group=self.user.pw_gid, extra_groups=[], env=environment,
                                cwd=self.results, capture_output=True, text=True, timeout=120)
        return result, experiment.exists()


def main():
    parser = argparse.ArgumentParser()
    for name in ("--preload", "--recorder", "--wrappers", "--compiler", "--source"):
        parser.add_argument(name, required=True)
    options = parser.parse_args()
    try:
        user = pwd.getpwnam("nobody")
    except KeyError:
        skip("there is no user nobody")
    if os.geteuid() != 0:
        skip("only root can make a program setuid root")
    failures = []
    with tempfile.TemporaryDirectory() as name:
        place = Place(pathlib.Path(name), options, user)
        if os.statvfs(name).f_flag & os.ST_NOSUID:
            skip(f"{name} lies on a file system without setuid programs")
        # One that is to be preloaded into, one that itself names the library among those it needs.
        plain, needing = place.build("plain"), place.build("needing", place.preload)
        preloads = {"LD_PRELOAD": str(place.preload)}
        loader = shutil.which("ld.so") or "/lib64/ld-linux-x86-64.so.2"
        cases = [
            # name, command, environment, secure, library is loaded, recorded
            ("secure-plain", [place.add(plain, "a", True)], {}, 1, 0, 0),
            ("secure-preload", [place.add(plain, "b", True)], preloads, 1, 0, 0),
            ("secure-needed", [place.add(needing, "c", True)], {}, 1, 1, 0),
            ("needed", [place.add(needing, "d", False)], {}, 0, 1, 1),
            ("preload", [place.add(plain, "e", False)], preloads, 0, 1, 1),
            # The loader as a program: the kernel does not see the bit, it is the user's program.
            ("loader", [loader, "--preload", place.preload, place.add(plain, "f", True)], {},
             0, 1, 1),
        ]
        for name, command, environment, secure, loaded, recorded in cases:
            result, exists = place.run(name, *command, **environment)
            expected = f"rank 0: secure {secure}, preload {loaded}, wrappers {recorded}\n"
            if result.returncode != 0 or result.stdout != expected:
                failures.append(f"{name}: exit code {result.returncode}, {result.stdout!r}, expected"
                                f" {expected!r}; {result.stderr}")
            if exists != bool(recorded):
                failures.append(f"{name}: {'an' if exists else 'no'} experiment")
            if not recorded and "fermata" in result.stderr:
                failures.append(f"{name}: {result.stderr}")
        left = [path for path in place.results.rglob("*fermata*")]
        if left:
            failures.append(f"left over: {left}")
    for failure in failures:
        print(failure)
    sys.exit(1 if failures else 0)


main()
