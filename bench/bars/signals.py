# SPDX-License-Identifier: BSD-3-Clause
"""Programs that use signals, recorded with samples at their default rate: SIGNALS.

The program of the test live_stack_signals interrupts its own reads, waits for signals, and has timers of
its own; it prints what came of each. It takes less than a second. A run is disturbed if it prints
something else than without the recorder, or fails."""

import shutil

from .measure import Figure, ProgramFailed, mpich, open_mpi, run

LAUNCHERS = {"openmpi": open_mpi, "mpich": mpich}


def _results(command):
    """What the program prints, without messages of the recorder."""
    return sorted(line for line in run(command).output.splitlines()
                  if not line.startswith("fermata: "))


def disturbed_runs(programs, folder, options):
    """SIGNALS: disturbed runs among options.signal_runs, half of them with each MPI library."""
    archive = folder / "signals"
    disturbed = 0
    for library, launcher in LAUNCHERS.items():
        command = [*launcher(1), programs.stack_tests / library / "signals"]
        expected = _results(command)
        for _ in range(options.signal_runs // len(LAUNCHERS)):
            shutil.rmtree(archive, ignore_errors=True)
            try:
                found = _results([programs.fermata, "record", "-o", archive, "--", *command])
            except ProgramFailed:
                found = None
            disturbed += found != expected
    shutil.rmtree(archive, ignore_errors=True)
    yield Figure("SIGNALS", f"disturbed runs of {options.signal_runs}", [disturbed], 0)
