# SPDX-License-Identifier: BSD-3-Clause
"""P18: a lock that all ranks want, and a target that all of them flush, by threads and processes."""

import heapq
import random

from .measure import Figure, alternate, mpich, open_mpi, ratios_of, run, wall_of

RANKS = 32
EVENTS_OF_EPOCH = 10


def _hot_lock(epochs):
    """Lines of a scenario: every rank locks rank 0, puts and unlocks, in the order of the requests."""
    random.seed(1)
    queue = [(random.randint(0, 50), rank, 0) for rank in range(RANKS)]
    heapq.heapify(queue)
    lines = [[f"0 {rank} enter main"] for rank in range(RANKS)]
    free = 0
    while queue:
        asked, rank, epoch = heapq.heappop(queue)
        free = max(asked, free) + 5
        lines[rank] += [f"{time} {rank} {event}" for time, event in (
            (asked, "enter MPI_Win_lock"), (asked, "lock_request w0 0 0 x"), (asked + 1, "leave MPI_Win_lock"),
            (asked + 1, "enter MPI_Put"), (asked + 1, f"put w0 0 8 {epoch + 1}"), (asked + 2, "leave MPI_Put"),
            (asked + 2, "enter MPI_Win_unlock"), (free, f"done_remote w0 {epoch + 1}"),
            (free, "lock_release w0 0 0"), (free, "leave MPI_Win_unlock"))]
        if epoch + 1 < epochs:
            heapq.heappush(queue, (free + random.randint(1, 200), rank, epoch + 1))
        else:
            lines[rank].append(f"{free + 1} {rank} leave main")
    return lines


def _hot_target(epochs):
    """The same in shared epochs, each with a flush that ends when rank 0 makes progress."""
    random.seed(2)
    period = 40
    lines = [[f"0 {rank} enter main"] for rank in range(RANKS)]
    for step in range(1, epochs):
        lines[0] += [f"{step * period} 0 enter MPI_Win_sync", f"{step * period + 1} 0 leave MPI_Win_sync"]
    for rank in range(1, RANKS):
        time = 0
        lines[rank] += [f"0 {rank} enter MPI_Win_lock", f"0 {rank} lock_request w0 0 0 s",
                        f"1 {rank} leave MPI_Win_lock"]
        for epoch in range(1, epochs):
            time += random.randint(2, 30)
            done = (time + period) // period * period + random.randint(1, 3)
            lines[rank] += [f"{time} {rank} enter MPI_Put", f"{time} {rank} put w0 0 8 {epoch}",
                            f"{time + 1} {rank} leave MPI_Put", f"{time + 1} {rank} enter MPI_Win_flush",
                            f"{done} {rank} done_remote w0 {epoch}", f"{done} {rank} sync w0 0",
                            f"{done} {rank} leave MPI_Win_flush"]
            time = done
        lines[rank] += [f"{time + 1} {rank} enter MPI_Win_unlock", f"{time + 2} {rank} lock_release w0 0 0",
                        f"{time + 2} {rank} leave MPI_Win_unlock"]
    end = 1 + max(int(own[-1].split()[0]) for own in lines)
    for rank, own in enumerate(lines):
        own.append(f"{end} {rank} leave main")
    return lines


def scaling(programs, folder, options):
    """P18: speed-up by threads and processes where all ranks wait for one lock or one target."""
    epochs = max(2, round(options.hot_events / EVENTS_OF_EPOCH / RANKS))
    # A target takes a tenth of the time of a lock.
    for what, make, epochs in (("lock", _hot_lock, epochs), ("target", _hot_target, 8 * epochs)):
        scenario, trace = folder / f"hot-{what}.scn", folder / f"hot-{what}"
        scenario.write_text("\n".join(["unit 1e-6", f"ranks {RANKS}", "window w0 world",
                                       *(line for own in make(epochs) for line in own)]) + "\n")
        run([programs.fermata, "synth", scenario, "-o", trace])
        scenario.unlink()
        for predict in ("no", "yes"):
            analyze = [programs.fermata, "analyze", f"--predict={predict}", "-q"]
            commands = {"-j1": [*analyze, "-j1", trace], "-j2": [*analyze, "-j2", trace]}
            if predict == "no":
                commands.update({f"{name} {count}": [*start(count), *analyze, "-j1", trace]
                                 for name, start in (("Open MPI", open_mpi), ("MPICH", mpich))
                                 for count in (1, 2, 4)})
            samples = alternate({name: (lambda command=command: run(command))
                                 for name, command in commands.items()}, options.repeats)
            yield Figure("P18", f"speed-up by 2 threads, hot {what}, --predict={predict}",
                         ratios_of(samples["-j1"], samples["-j2"], wall_of), 1.3, at_most=False)
            for name in commands:
                library, _, count = name.rpartition(" ")
                if library and count != "1":
                    yield Figure("P18", f"speed-up by {count} processes of {library}, hot {what}",
                                 ratios_of(samples[f"{library} 1"], samples[name], wall_of), 1, at_most=False)
