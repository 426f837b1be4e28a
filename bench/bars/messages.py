# SPDX-License-Identifier: BSD-3-Clause
"""Number of messages of the recorder at start-up and finalization: P12.

The messages are counted below MPI, where collective operations consist of messages, too: by Open
MPI's monitoring of its point-to-point layer, and for MPICH by the calls of UCX, with shared
memory turned off. The program calls MPI_Init and MPI_Finalize only; its messages without the
recorder are subtracted."""

import math
import os
import re
import shutil

from .measure import Figure, ProgramFailed, mpich, open_mpi, run

BAR = 1.1


def _count_openmpi(programs, folder, ranks, recorded):
    """Sum of messages sent and received, for each rank."""
    counts = folder / "counts"
    command = [*open_mpi(ranks), "--mca", "mpi_yield_when_idle", "1",
               "--mca", "pml_monitoring_enable", "2",
               "--mca", "pml_monitoring_enable_output", "3",
               "--mca", "pml_monitoring_filename", str(counts),
               programs.bench / "mpi_start_end_openmpi"]
    _run(programs, folder, command, recorded, dict(os.environ))
    files = list(folder.glob("counts.*.prof"))
    messages = [0] * ranks
    if len(files) != ranks:
        raise ProgramFailed(f"{len(files)} of {ranks} ranks counted their messages")
    for file in files:
        # E: calls of the program; I: collective operations and the library itself
        for origin, target, count in re.findall(r"^[EI]\t(\d+)\t(\d+)\t\d+ bytes\t(\d+) msgs sent",
                                                file.read_text(), re.MULTILINE):
            messages[int(origin)] += int(count)
            messages[int(target)] += int(count)
        file.unlink()
    return messages


def _count_mpich(programs, folder, ranks, recorded):
    """Sum of messages sent and received, for each process, in no particular order."""
    environment = dict(os.environ, MPIR_CVAR_NOLOCAL="1",
                       LD_PRELOAD=str(programs.bench / "count_ucx_messages.so"),
                       COUNT_UCX_MESSAGES=str(folder / "counts"))
    command = [*mpich(ranks), programs.bench / "mpi_start_end_mpich"]
    _run(programs, folder, command, recorded, environment)
    messages, sent, received = [], 0, 0
    for file in folder.glob("counts.*"):
        numbers = [int(number) for number in file.read_text().split()]
        messages.append(sum(numbers))
        sent += numbers[0]
        received += numbers[1]
        file.unlink()
    if sent != received or len(messages) > ranks:
        raise ProgramFailed(f"MPICH, {ranks} ranks: {sent} messages sent, {received} received")
    return messages + [0] * (ranks - len(messages))


ATTEMPTS = 3  # on a busy machine, starting more than a hundred ranks can fail


def _run(programs, folder, command, recorded, environment):
    archive = folder / "start-end"
    if recorded:
        command = [programs.fermata, "record", "-o", archive, "--", *command]
    for attempt in range(1, ATTEMPTS + 1):
        shutil.rmtree(archive, ignore_errors=True)
        for left_over in folder.glob("counts.*"):
            left_over.unlink()
        try:
            run(command, environment=environment, directory=folder)
            break
        except ProgramFailed:
            if attempt == ATTEMPTS:
                raise
    if recorded and not (archive / "traces.otf2").exists():
        raise ProgramFailed(f"{' '.join(map(str, command))}: nothing was recorded")
    shutil.rmtree(archive, ignore_errors=True)


def _line(points):
    """Least squares: (c, d) of messages = c * ceil(log2 ranks) + d."""
    mean_x = sum(x for x, _ in points) / len(points)
    mean_y = sum(y for _, y in points) / len(points)
    slope = (sum((x - mean_x) * (y - mean_y) for x, y in points)
             / sum((x - mean_x) ** 2 for x, _ in points))
    return slope, mean_y - slope * mean_x


LIBRARIES = {"openmpi": ("Open MPI", _count_openmpi), "mpich": ("MPICH", _count_mpich)}


def growth(programs, folder, library, scales):
    """The busiest rank's messages at each of `scales` against c * ceil(log2 P) + d, where c and
    d are those of the smaller half of the scales: linear growth would exceed this by far at the
    largest scale."""
    name, count = LIBRARIES[library]
    busiest, mean, plain = {}, {}, {}
    for ranks in scales:
        messages = count(programs, folder, ranks, True)
        plain[ranks] = max(count(programs, folder, ranks, False))
        busiest[ranks] = max(messages) - plain[ranks]
        mean[ranks] = sum(messages) / ranks
    half = scales[:max(2, (len(scales) + 1) // 2)]
    c, d = _line([(math.ceil(math.log2(ranks)), busiest[ranks]) for ranks in half])
    worst = max(busiest[ranks] / (c * math.ceil(math.log2(ranks)) + d)
                for ranks in scales if ranks not in half)
    details = {"messages_of_the_busiest_rank": busiest, "messages_per_rank": mean,
               "without_recorder": plain, "c": c, "d": d, "fitted_up_to": half[-1]}
    return Figure("P12", f"messages of a rank / ({c:.0f} ceil(log2 P) {d:+.0f}), {name}, "
                  f"{scales[len(half)]}..{scales[-1]} ranks", [worst], BAR, details=details)


def start_and_end(programs, folder, options):
    """P12: messages of the recorder at the begin and at the end of a run."""
    folder = folder / "messages"
    folder.mkdir(exist_ok=True)
    yield growth(programs, folder, "openmpi", options.message_ranks)
    yield growth(programs, folder, "mpich", options.message_ranks_mpich)
    shutil.rmtree(folder)
