# SPDX-License-Identifier: BSD-3-Clause
"""md-voids: its atoms against a crystal with voids that is made here, its imbalance against the work, the tables of
its model, and `fermata gpu-imbalance` on them and on a recorded run.

usage: check_md_voids.py --mpirun M --program P --fermata F
"""

import argparse
import csv
import json
import pathlib
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "support"))
from mpi_launcher import mpi_command, run_mpi

LATTICE, CUTOFF, DISPLACED = 3.615, 2.5 * 2.315, 0.1
CELLS, VOIDS = 8, 10
MASK = 2 ** 64 - 1


def fractions(state):
    """The numbers of the generator splitmix64 from 0 to 1."""
    while True:
        state = (state + 0x9E3779B97F4A7C15) & MASK
        z = ((state ^ (state >> 30)) * 0xBF58476D1CE4E5B9) & MASK
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
        yield ((z ^ (z >> 31)) >> 11) / 2 ** 53


def crystal(ranks, radius, least):
    """Atoms of each domain of a row of domains along x, whose boxes lose atoms while there are at least `least`."""
    edge = CELLS * LATTICE
    boxes = int(edge / (CUTOFF + 2 * DISPLACED))
    numbers = fractions(1)
    whole = (ranks * edge, edge, edge)
    centres = [[next(numbers) * length for length in whole] for _ in range(VOIDS)]

    def is_void(site):
        for centre in centres:
            distances = (abs((s + 0.5) * LATTICE / 2 - c) for s, c in zip(site, centre))
            if sum(min(d, w - d) ** 2 for d, w in zip(distances, whole)) < radius ** 2:
                return True
        return False

    atoms = []
    for rank in range(ranks):
        content = {}
        for z in range(2 * CELLS):
            for y in range(2 * CELLS):
                for x in range(2 * CELLS):
                    if (x + y + z) % 2 == 0:
                        box = tuple((2 * s + 1) * boxes // (4 * CELLS) for s in (z, y, x))
                        content.setdefault(box, []).append((x + 2 * CELLS * rank, y, z))
        left = 4 * CELLS ** 3
        for box in sorted(content):
            if left >= least:
                left -= sum(is_void(site) for site in content[box])
        atoms.append(left)
    return atoms


def run(options, ranks, *arguments):
    done = run_mpi(options.mpirun, ranks, [options.program, *map(str, arguments)])
    if done.returncode != 0:
        sys.exit(f"{arguments}: exit code {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def atoms_of(output):
    return [int(count) for count in re.findall(r"^rank +\d+ +(\d+) atoms", output, re.MULTILINE)]


def imbalances(output):
    line = re.search(r"^imbalance: .*", output, re.MULTILINE).group()
    return {name: float(value) for name, value in re.findall(r"(\w+) (-?[\d.]+)%", line)}


def check_atoms(options):
    """The atoms of each rank; the floor; the imbalance grows with the radius; forces have counterforces."""
    before = -1
    for ranks in 2, 4:
        for radius, least in (0, 0), (7, 0), (9, 0), (11, 1200), (13, 1200):
            output = run(options, ranks, "--cells", CELLS, "--radius", radius, "--floor", least, "--steps", 1, "--grid",
                         f"{ranks}x1x1")
            assert "the forces add up to 0" in output, output
            assert atoms_of(output) == crystal(ranks, radius, least), (ranks, radius, output)
            assert min(atoms_of(output)) >= least - 64, output
    for radius in 0, 15, 20, 25, 30:
        output = run(options, 1, "--cells", 16, "--grid", "2x2x2", "--floor", 5120, "--radius", radius, "--model",
                     "--kernel", "packed")
        now = float(re.search(r"imbalance of atoms ([\d.]+)%", output).group(1))
        assert now > before, (radius, now, before)
        before = now


def check_times(options):
    """Times of the processor follow the pairs that are compared. Other programs disturb them: one run must agree."""
    for ranks in 2, 4:
        seen = []
        for _ in range(5):
            found = imbalances(run(options, ranks, "--cells", 14, "--radius", 20, "--steps", 10, "--timing"))
            seen.append(found)
            if abs(found["time"] - found["interactions"]) < 10:
                break
        else:
            sys.exit(f"{ranks} ranks: the times are unlike the work: {seen}")


def load_json(options, *arguments):
    done = subprocess.run([options.fermata, "gpu-imbalance", *map(str, arguments), "--format=json"],
                          capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def rows_of(path):
    with open(path) as table:
        return list(csv.DictReader(table))


def check_model(options, folder):
    """Chunks in bins; threads that work; the adjusted time follows the work where the measured one does not."""
    full = folder / "full"
    run(options, 1, "--cells", 40, "--grid", "1x1x1", "--model", "--kernel", "packed", "--output", full)
    (kernel,) = rows_of(full / "kernels.csv")
    # 250 chunks in 80 bins: 3 or 4; 2 or 5 would be farther apart
    assert 1.25 < float(kernel["sm_cycles_max"]) / float(kernel["sm_cycles_min"]) < 1.45, kernel
    assert kernel["device"].startswith("model"), kernel
    voids = ["--cells", 32, "--grid", "2x2x2", "--floor", 40960, "--radius", 45, "--model"]
    run(options, 1, *voids, "--kernel", "packed", "--output", folder / "packed")
    (result,) = load_json(options, folder / "packed")["runs"]
    loads = result["loads"]
    assert loads["adjusted"]["correlation"] > 0.99 > loads["measured"]["correlation"], loads
    run(options, 1, *voids, "--kernel", "naive", "--output", folder / "naive")
    threads = [float(row["work"]) for row in rows_of(folder / "naive" / "threads.csv")]
    # at most 32 of 64 slots are filled, with 16 threads each
    assert len(threads) == 1024 and threads[0] > 0 and not any(threads[512:]), threads
    again = run_mpi(options.mpirun, 1, [options.program, "--model", "--kernel", "naive", "--output", str(folder / "naive")])
    assert again.returncode == 1 and "File exists" in again.stderr, again


def check_recorded(options, folder):
    """The work of the ranks beside the times of an experiment: as many seconds as the program itself states."""
    experiment, output = folder / "experiment", folder / "output"
    command = mpi_command(options.mpirun, 2, [options.program, "--cells", "12", "--radius", "18", "--steps", "20",
                                              "--output", str(output)])
    for call in (["record", "-o", str(experiment), "--", *command], ["analyze", str(experiment)]):
        done = subprocess.run([options.fermata, *call], capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
    work = rows_of(output / "ranks.csv")
    table = folder / "work.csv"
    table.write_text("rank,work\n" + "".join(f"{row['rank']},{row['work']}\n" for row in work))
    report = json.loads(subprocess.run([options.fermata, "report", str(experiment), "--format=json"],
                                       capture_output=True, text=True).stdout)
    regions = {each["id"]: each for each in report["callpaths"]}

    def path_of(callpath):
        parent = regions[callpath]["parent"]
        name = regions[callpath]["region"]
        return name if parent is None else f"{path_of(parent)}/{name}"

    (force,) = [path_of(i) for i in regions if regions[i]["region"] == "force"]
    (result,) = load_json(options, experiment, table, "--callpath", force)["runs"]
    for rank, row in zip(result["ranks"], work):
        assert rank["loads"]["work"] == float(row["work"]), (rank, row)
        # the region is a little longer than what it encloses, and never shorter
        assert rank["loads"]["measured"] >= 0.99 * float(row["time"]), (rank, row)


parser = argparse.ArgumentParser()
for name in "--mpirun", "--program", "--fermata":
    parser.add_argument(name, required=True)
arguments = parser.parse_args()
with tempfile.TemporaryDirectory() as place:
    check_atoms(arguments)
    check_times(arguments)
    check_model(arguments, pathlib.Path(place))
    check_recorded(arguments, pathlib.Path(place))
print("md-voids: right")
