# SPDX-License-Identifier: BSD-3-Clause
"""NWChem with its one-sided communication by MPI, with and without the recorder: its slowdown, and how
much of its one-sided time is waiting for progress (docs/case-studies/nwchem.md). These figures have
no bar: they depend on the MPI library and, with more ranks than processors, on the scheduler."""

import json
import re
import shutil

from .measure import Figure, ProgramFailed, alternate, cpu_of, open_mpi, ratios_of, run, wall_of

RANKS = (2, 4)
PROGRAM = "nwchem.openmpi"
ONE_SIDED = ("mpi_rma_synchronization", "mpi_rma_communication")
PROGRESS = ("mpi_rma_sync_wait_for_progress", "mpi_rma_comm_wait_for_progress")
SAME_ENERGY = 1e-7  # hartree: sums depend on the order in which the ranks take their tasks


def _energy(output):
    found = re.search(r"Total DFT energy =\s+(-?[0-9.]+)", output)
    if found is None:
        raise ProgramFailed(f"NWChem: no energy\n{output}")
    return float(found.group(1))


def share_of_progress(report):
    """Shares of Wait for Progress in the one-sided time, and of that in all time, of a JSON report."""
    exclusive = {}
    for severity in report["severities"]:
        name = severity["metric"]
        exclusive[name] = exclusive.get(name, 0) + severity["value"]
    children = {}
    for metric in report["metrics"]:
        children.setdefault(metric["parent"], []).append(metric["id"])

    def inclusive(name):
        return exclusive.get(name, 0) + sum(map(inclusive, children.get(name, ())))

    one_sided = sum(map(inclusive, ONE_SIDED))
    return sum(map(inclusive, PROGRESS)) / one_sided, one_sided / inclusive("time")


def _measure(programs, folder, options, ranks):
    command = [*open_mpi(ranks), "--mca", "mpi_yield_when_idle", "1", PROGRAM,
               programs.sources / "water.nw"]
    archive = folder / "nwchem"
    shares, energies = [], []

    def measured(*front):
        sample = run([*front, *command], directory=folder)
        energies.append(_energy(sample.output))
        return sample

    def recorded():
        shutil.rmtree(archive, ignore_errors=True)
        sample = measured(programs.fermata, "record", "-o", archive, "--")
        run([programs.fermata, "analyze", "-q", archive])
        run([programs.fermata, "check", archive])
        report = run([programs.fermata, "report", "--format=json", archive]).output
        shares.append(share_of_progress(json.loads(report)))
        return sample

    samples = alternate({"plain": measured, "recorded": recorded}, options.repeats)
    shutil.rmtree(archive)
    if max(energies) - min(energies) > SAME_ENERGY:
        raise ProgramFailed(f"NWChem: energies differ: {energies}")
    shares = shares[1:]  # the first run only warmed up
    about = f"NWChem, {ranks} ranks"
    details = {"wall_s": {name: [s.wall for s in samples[name]] for name in samples},
               "cpu_s": {name: [s.cpu for s in samples[name]] for name in samples},
               "energies": energies}
    yield Figure("NWCHEM", f"CPU time, {about}",
                 ratios_of(samples["recorded"], samples["plain"], cpu_of), None, details=details)
    yield Figure("NWCHEM", f"elapsed time, {about}",
                 ratios_of(samples["recorded"], samples["plain"], wall_of), None)
    yield Figure("NWCHEM", f"one-sided calls, share of all time, {about}",
                 [100 * share for _, share in shares], None, unit="%")
    yield Figure("NWCHEM", f"Wait for Progress, share of the time of one-sided calls, {about}",
                 [100 * share for share, _ in shares], None, unit="%")


def progress(programs, folder, options):
    """NWChem with more and more ranks, without and with the recorder, in turn."""
    if shutil.which(PROGRAM) is None:
        raise ProgramFailed(f"{PROGRAM} is not installed (Debian: nwchem-openmpi)")
    for ranks in RANKS:
        yield from _measure(programs, folder, options, ranks)
