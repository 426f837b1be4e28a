# SPDX-License-Identifier: BSD-3-Clause
"""A process with more contended locks of threads than a report keeps: those with the longest waiting are in it,
and the others are counted. check_many.py FERMATA"""

import json
import pathlib
import subprocess
import sys
import tempfile

LOCKS, KEPT = 700, 256


def scenario():
    """Lock i is held by one thread, and waited for by the other, for i % 350 + 1 ticks."""
    lines = ["unit 1", "ranks 1 threads 3"]
    holder, waiter, now = [], [], 1
    for lock in range(1, LOCKS + 1):
        end = now + lock % 350 + 1
        holder += [f"{end} 0.1 enter pthread_mutex_unlock", f"{end} 0.1 release_lock {lock} 1 {now - 0.5} hold",
                   f"{end + 0.5} 0.1 leave pthread_mutex_unlock"]
        waiter += [f"{now - 0.5} 0.2 enter pthread_mutex_lock", f"{end + 0.5} 0.2 acquire_lock {lock} 2",
                   f"{end + 0.5} 0.2 leave pthread_mutex_lock", f"{end + 0.5} 0.2 enter pthread_mutex_unlock",
                   f"{end + 0.5} 0.2 release_lock {lock} 2", f"{end + 0.5} 0.2 leave pthread_mutex_unlock"]
        now = end + 2
    return "\n".join(lines + ["0 0.1 enter work", "0 0.2 enter work"] + holder + waiter
                     + [f"{now} 0.1 leave work", f"{now} 0.2 leave work"]) + "\n"


def run(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True, timeout=100).stdout


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "many.scn").write_text(scenario())
        run(sys.argv[1], "synth", folder / "many.scn", "-o", folder / "many")
        run(sys.argv[1], "analyze", "-q", "--check", "-o", folder / "many.fer", folder / "many")
        report = json.loads(run(sys.argv[1], "report", "--format=json", folder / "many.fer"))
        text = " ".join(run(sys.argv[1], "report", "--locks", folder / "many.fer").split())
    waits = sorted((lock % 350 + 2 for lock in range(1, LOCKS + 1)), reverse=True)
    # Of two locks with one waiting time the one with the lower number is kept.
    kept = sorted(range(1, LOCKS + 1), key=lambda lock: (-(lock % 350), lock))[:KEPT]
    found = [lock["name"] for lock in report["locks"]]
    assert found == [f"lock {lock}" for lock in sorted(kept)], found
    assert [round(lock["waiting"]) for lock in report["locks"]] == [lock % 350 + 2 for lock in sorted(kept)]
    left_out = report["locks_left_out"]
    assert left_out["count"] == LOCKS - KEPT, left_out
    assert abs(left_out["waiting"] - sum(waits[KEPT:])) < 1e-6, (left_out, sum(waits[KEPT:]))
    assert f"{LOCKS} locks had to be waited for" in text, text[:300]
    assert f"and {LOCKS - KEPT} more locks with less waiting" in text, text[-300:]


main()
