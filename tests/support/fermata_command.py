# SPDX-License-Identifier: BSD-3-Clause
"""Runs the command fermata, whose path is the first argument, for scripts that check it."""
import glob
import os
import shutil
import subprocess
import sys
import tempfile

TESTS = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
SCENARIOS = os.path.join(TESTS, "rules", "scenarios")
ALL_EVENTS = os.path.join(TESTS, "formats", "scenario", "all-events.scn")
FERMATA = sys.argv[1]


def run(*arguments, **options):
    """Runs fermata; returns (exit status, standard output, standard error)."""
    done = subprocess.run([FERMATA, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          text=True, errors="replace", timeout=120, check=False, **options)
    return done.returncode, done.stdout, done.stderr


def scenarios():
    """All scenario files of the tests."""
    return [ALL_EVENTS] + sorted(glob.glob(os.path.join(SCENARIOS, "**", "*.scn"), recursive=True))


def synthesize(text, directory):
    """Makes the archive `directory` of a scenario."""
    with tempfile.NamedTemporaryFile("w", suffix=".scn") as file:
        file.write(text)
        file.flush()
        status, _, error = run("synth", file.name, "-o", directory)
    assert status == 0, error


class Folder:
    """A temporary folder, in memory where possible."""

    def __enter__(self):
        place = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
        self.path = tempfile.mkdtemp(prefix="fermata-test-", dir=place)
        return self.path

    def __exit__(self, *_):
        shutil.rmtree(self.path)


def skip(reason):
    """Ends the test without a result."""
    print("skipped:", reason)
    sys.exit(77)
