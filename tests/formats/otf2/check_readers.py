# SPDX-License-Identifier: BSD-3-Clause
"""The decoder of event files finds in archives what OTF2's reader finds: in those of scenarios,
recorded ones, synthetic ones, ones with all events that OTF2 can write, and damaged ones.

usage: check_readers.py PROGRAMS SYNTHESIZE_SOR ARCHIVES DAMAGED [--run MPIRUN SOR]...

PROGRAMS is the folder of fermata, compare_readers and write_random_events; ARCHIVES and DAMAGED tell
how many archives with random events are written and how many damaged (or more: support/share.py). With
--each one of so many scenarios is read. With --run, the workload sor is
recorded, and nothing else is done.
"""

import argparse
import glob
import os
import random
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
TESTS = os.path.join(HERE, "..", "..")
sys.path.insert(0, os.path.join(TESTS, "support"))
from damage import damage  # noqa: E402
import share  # noqa: E402
from mpi_launcher import mpi_command  # noqa: E402

VARIANTS = ["p2p", "p2p-blocking", "fence", "gats", "locks"]
BATCH = 25  # damaged archives that exist at the same time


def run(*command):
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)


def compare(options, archives, *arguments):
    done = subprocess.run([os.path.join(options.programs, "compare_readers"), *arguments,
                           *archives], check=False, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"exit status {done.returncode}\n{done.stdout}{done.stderr}")
    print(f"{len(archives)} archives: {done.stdout.strip()}")


def recorded(options, folder):
    """Experiments of all variants of sor with each MPI library."""
    for number, (mpirun, program) in enumerate(options.run):
        for variant in VARIANTS:
            experiment = os.path.join(folder, f"{variant}-{number}")
            run(os.path.join(options.programs, "fermata"), "record", "-o", experiment, "--",
                *mpi_command(mpirun, 4, [program, "--variant", variant, "--size", "64x64",
                                         "--iterations", "20"]))
            yield experiment


def synthesized(options, folder):
    """Archives of scenarios of the tests, of simulated solvers and of another recorder."""
    paths = sorted(glob.glob(os.path.join(TESTS, "**", "*.scn"), recursive=True))
    for number, path in enumerate(share.some(paths, options.each)):
        archive = os.path.join(folder, f"scenario-{number}")
        run(os.path.join(options.programs, "fermata"), "synth", path, "-o", archive)
        yield archive
    for variant in ["p2p", "fence", "gats", "locks"]:
        archive = os.path.join(folder, variant)
        run(options.synthesize_sor, "--variant", variant, "--ranks", "4", "--events", "20000",
            archive)
        yield archive
    yield os.path.join(TESTS, "traces", "scorep-waits")


def random_archives(options, folder, count, events):
    for seed in range(1, count + 1):
        archive = os.path.join(folder, f"random-{seed}")
        run(os.path.join(options.programs, "write_random_events"), archive, str(seed), str(events))
        yield archive


def damaged(originals, folder, count, chooser):
    """Copies with one damaged file, mostly of events."""
    for variant in range(count):
        bad = os.path.join(folder, f"bad-{variant}")
        shutil.copytree(chooser.choice(originals), bad)
        ending = chooser.choice(["evt", "evt", "evt", "def"])
        path = chooser.choice(sorted(glob.glob(os.path.join(bad, "traces", f"*.{ending}"))))
        with open(path, "rb") as file:
            content = file.read()
        with open(path, "wb") as file:
            file.write(damage(content, chooser))
        yield bad


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("programs")
    parser.add_argument("synthesize_sor")
    parser.add_argument("archives", type=int)
    parser.add_argument("damaged", type=int)
    parser.add_argument("--seed", default="1")
    parser.add_argument("--each", type=int, default=1)
    parser.add_argument("--run", nargs=2, action="append", default=[])
    options = parser.parse_args()
    place = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    with tempfile.TemporaryDirectory(dir=place) as folder:
        if options.run:
            compare(options, list(recorded(options, folder)))
            return
        compare(options, list(synthesized(options, folder)))
        compare(options, list(random_archives(options, folder, share.count(options.archives), 40000)))
        small = os.path.join(folder, "small")
        os.mkdir(small)
        originals = list(random_archives(options, small, 10, 1000))
        originals.append(os.path.join(folder, "scenario-0"))
        chooser = random.Random(options.seed)
        for _ in range(0, share.count(options.damaged), BATCH):
            bad = list(damaged(originals, folder, BATCH, chooser))
            compare(options, bad, "--damaged")
            for archive in bad:
                shutil.rmtree(archive)


main()
