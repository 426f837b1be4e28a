# SPDX-License-Identifier: BSD-3-Clause
"""A queue of hundreds for one lock: of its waits only some instants are examined for the problems. What the
problems say must agree with the blame, which is exact, hardly depend on the instants, and not at all on the number of
workers.

usage: check_deep_queue.py FERMATA
"""

import heapq
import json
import pathlib
import random
import subprocess
import sys
import tempfile

RANKS, EPOCHS, HOLD = 400, 2, 5
SLOW, SLOW_RANK = 700, 7  # microseconds in a function under the lock, where it takes so long
TOLERANCE = 0.02


def scenario(begin):
    """All ranks lock the same target; one computes under the lock. At the end they wait for the last."""
    random.seed(1)
    queue = [(begin + random.randint(0, 50), rank, 0) for rank in range(RANKS)]
    heapq.heapify(queue)
    events = [["0 %d enter main"] for _ in range(RANKS)]
    free, number = begin, 0
    while queue:
        asked, rank, epoch = heapq.heappop(queue)
        number += 1
        own = events[rank]
        acquired = max(asked + 3, free + HOLD)
        own += [f"{asked} %d enter MPI_Win_lock", f"{asked} %d lock_request w0 0 0 x",
                f"{asked + 1} %d leave MPI_Win_lock",
                f"{asked + 1} %d enter MPI_Put", f"{asked + 1} %d put w0 0 8 {number}",
                f"{asked + 2} %d leave MPI_Put",
                f"{asked + 2} %d enter MPI_Win_flush", f"{acquired} %d done_remote w0 {number}",
                f"{acquired} %d sync w0 0", f"{acquired} %d leave MPI_Win_flush"]
        released = acquired + (SLOW if (rank, epoch) == (SLOW_RANK, 0) else 1)
        own += [f"{acquired} %d enter work", f"{released} %d leave work",
                f"{released} %d enter MPI_Win_unlock", f"{released + 1} %d lock_release w0 0 0",
                f"{released + 1} %d leave MPI_Win_unlock"]
        free = released + 1
        if epoch + 1 < EPOCHS:
            heapq.heappush(queue, (free + random.randint(1, 200), rank, epoch + 1))
        else:
            own += [f"{free + 1} %d enter MPI_Barrier", (free + 1,)]
    lines = ["unit 1e-6", f"ranks {RANKS}", "window w0 world"]
    for rank, own in enumerate(events):
        lines += [line % rank for line in own[:-1]]
        lines += [f"{own[-1][0]} {rank} coll_begin", f"{free + 2} {rank} coll_end barrier world - 0 0",
                  f"{free + 3} {rank} leave MPI_Barrier",
                  f"{free + 4} {rank} leave main"]
    return "\n".join(lines) + "\n"


def run(*words):
    return subprocess.run([str(word) for word in words], capture_output=True, text=True, check=True)


def costs_of(fermata, begin):
    """What `work` of the slow rank is blamed for, and what its problems cost, in seconds."""
    with tempfile.TemporaryDirectory(prefix="fermata-queue-") as name:
        folder = pathlib.Path(name)
        (folder / "queue.scn").write_text(scenario(begin))
        run(fermata, "synth", folder / "queue.scn", "-o", folder / "trace")
        reports = [folder / f"{workers}.fer" for workers in (1, 3)]
        for workers, report in zip((1, 3), reports):
            said = run(fermata, "analyze", "--check", f"-j{workers}", "-o", report, folder / "trace").stderr
        assert reports[0].read_bytes() == reports[1].read_bytes()
        assert "waits for locks saw hundreds of holders" in said, said
        report = json.loads(run(fermata, "report", "--format=json", "--top=1000", reports[0]).stdout)
    paths = {path["id"]: path["region"] for path in report["callpaths"]}
    blame = sum(row["value"] for row in report["severities"]
                if row["metric"].startswith("blame_") and paths[row["callpath"]] == "work"
                and row["location"] == SLOW_RANK)
    costs = sum(problem["cost"] for problem in report["problems"]
                if paths[problem["cause"]["callpath"]] == "work"
                and problem["cause"]["locations"] == [SLOW_RANK])
    print(f"`work` of rank {SLOW_RANK}: blamed for {blame:.6f} s, problems of {costs:.6f} s")
    return blame, costs


def main():
    # Begun at another time, a run is examined at other instants. Costs have what waits cause in turn, too.
    (blame, costs), (same, others) = (costs_of(sys.argv[1], begin) for begin in (0, 12345))
    assert blame == same > 1e-6 * SLOW * RANKS / 2, (blame, same)
    assert costs > (1 - TOLERANCE) * blame
    assert abs(costs - others) < TOLERANCE * costs


main()
