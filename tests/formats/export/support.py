# SPDX-License-Identifier: BSD-3-Clause
"""Experiments for the tests of exports: scenarios, synthesized and analysed once for a test case."""

import glob
import json
import os
import subprocess
import sys
import tempfile
import unittest

TESTS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
sys.path.append(os.path.join(TESTS, "support"))
import share  # noqa: E402

FERMATA = os.environ["FERMATA"]


def late_sender(delay, program="main", extra=""):
    """Rank 1 waits `delay` seconds for a message of rank 0, which computes in `work` meanwhile."""
    return f"""
unit 1
ranks 2
0             0 enter {program}
1             0 enter work
{1 + delay}   0 leave work
{1 + delay}   0 enter MPI_Send
{1 + delay}   0 send 1 7 1024
{1.5 + delay} 0 leave MPI_Send
{extra}
20            0 leave {program}
0             1 enter {program}
1             1 enter MPI_Recv
{1.5 + delay} 1 recv 0 7 1024
{1.5 + delay} 1 leave MPI_Recv
20            1 leave {program}
"""


def fermata(*arguments, status=0):
    """Runs a command; @return its standard output, or with another status what it complains."""
    done = subprocess.run([FERMATA, *arguments], capture_output=True, timeout=300)
    if done.returncode != status:
        raise AssertionError(
            f"fermata {' '.join(arguments)}: status {done.returncode}, not {status}:\n"
            + done.stderr.decode()
        )
    return done.stdout if status == 0 else done.stderr.decode()


def some_scenarios():
    """Paths of scenarios of all families: what they have in common, files of reports and of timelines,
    needs not all of each."""
    return share.some(sorted(glob.glob(os.path.join(TESTS, "rules", "scenarios", "*", "*.scn"))), 4)


class Experiments(unittest.TestCase):
    """A test case with experiments made of scenarios, in a folder of its own."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def path(self, name):
        return os.path.join(self.folder, name)

    def experiment(self, name, scenario):
        """Makes an analysed experiment of the text of a scenario; @return its path."""
        source = self.path(name + ".scn")
        with open(source, "w", encoding="utf-8") as file:
            file.write(scenario)
        fermata("synth", source, "-o", self.path(name))
        fermata("analyze", "-q", self.path(name))
        return self.path(name)

    @staticmethod
    def report(place):
        return json.loads(fermata("report", "--format=json", place))
