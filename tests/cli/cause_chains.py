# SPDX-License-Identifier: BSD-3-Clause
"""Chains of causes name the same causes as the costs, also where samples tell which function took how long, and
where a thread waits for the creation of a task.

usage: cause_chains.py FERMATA
"""

import os
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "support"))
from fermata_command import SCENARIOS, Folder, run, synthesize  # noqa: E402


# Thread 1 begins 5 behind the fork, and works 0.5 longer than the master.
LATE_BEGIN = """unit 1
ranks 1 threads 2
team all 0.0 0.1
0 0.0 enter main
1 0.0 fork 2
1 0.0 team_begin all
1 0.0 enter !$omp parallel
3 0.0 enter !$omp implicit barrier
9 0.0 leave !$omp implicit barrier
9 0.0 leave !$omp parallel
9 0.0 team_end all
9 0.0 join
10 0.0 leave main
6 0.1 team_begin all
6 0.1 enter !$omp parallel
8.5 0.1 enter !$omp implicit barrier
9 0.1 leave !$omp implicit barrier
9 0.1 leave !$omp parallel
9 0.1 team_end all
"""


def chains(folder, name, scenario, kind="mpi_latesender"):
    """@return the text of --why for the kind of wait states"""
    place = os.path.join(folder, name)
    synthesize(scenario, place)
    run("analyze", "-q", place)
    _, text, _ = run("report", place, "--why", kind)
    return " ".join(text.split())


def formation(name):
    return pathlib.Path(SCENARIOS, "formation", name + ".scn").read_text()


def main():
    with Folder() as folder:
        text = chains(folder, "chain-of-three", formation("chain-of-three"))
        assert "rank 2 waited itself for 5.000 s in main/MPI_Recv (Late Sender; 71% of what delayed it)" in text, text
        assert "rank 0 spent 3.000 s more in main/foo (100% of what delayed it)" in text, text

        text = chains(folder, "samples-divide-equal-work-differently", formation("samples-divide-equal-work-differently"))
        assert "rank 0 waited itself for 4.000 s in main/MPI_Recv (Late Sender; 80% of what delayed it)" in text, text
        assert "rank 2 spent 4.000 s more in main/work (100% of what delayed it)" in text, text
        assert "slow" not in text, text

        text = chains(folder, "samples-share-the-excess", formation("samples-share-the-excess"))
        assert "rank 0 spent 2.000 s more in main/" in text and "(33% of what delayed it)" in text, text

        text = chains(folder, "late-begin", LATE_BEGIN, "omp_ibarrier_wait")
        assert "thread 1 spent 500.0 ms more in main/!$omp parallel (9% of what delayed it)" in text, text
        _, text, _ = run("report", os.path.join(folder, "late-begin"))
        text = " ".join(text.split())
        assert "How it takes 2.500 s there, 2.000 s on the other thread Other others wait longer than it takes: " \
               "for 3.000 s of the waiting the reason is in no call path" in text, text

        late = pathlib.Path(SCENARIOS, "threads", "tasks-created-late.scn").read_text()
        text = chains(folder, "tasks-created-late", late, "omp_ibarrier_wait")
        assert "<- for process 0, thread 0 in main/!$omp parallel/!$omp create task" in text, text
        assert "thread 0 spent 6.000 s more in main/!$omp parallel/slow (100% of what delayed it)" in text, text
        _, text, _ = run("report", os.path.join(folder, "tasks-created-late"), "--by", "symptom")
        assert ("thread 0 created the task that was missing, in main/!$omp parallel/!$omp create task, as in 2 of "
                "the 4 longest waits here." in " ".join(text.split())), text
        _, text, _ = run("whatif", os.path.join(folder, "tasks-created-late"))
        assert "not followed" not in text, text


main()
