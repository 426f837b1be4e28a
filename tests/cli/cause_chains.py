"""Chains of causes name the same causes as the costs, also where samples tell which function took how long.

usage: cause_chains.py FERMATA
"""

import os
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "support"))
from fermata_command import SCENARIOS, Folder, run, synthesize  # noqa: E402


def chains(folder, scenario):
    """@return the text of --why for Late Sender"""
    place = os.path.join(folder, os.path.basename(scenario).removesuffix(".scn"))
    synthesize(pathlib.Path(scenario).read_text(), place)
    run("analyze", "-q", place)
    _, text, _ = run("report", place, "--why", "mpi_latesender")
    return " ".join(text.split())


def main():
    scenarios = os.path.join(SCENARIOS, "formation")
    with Folder() as folder:
        text = chains(folder, os.path.join(scenarios, "chain-of-three.scn"))
        assert "rank 2 waited itself for 5.000 s in main/MPI_Recv (Late Sender; 71% of what delayed it)" in text, text
        assert "rank 0 spent 3.000 s more in main/foo (100% of what delayed it)" in text, text

        text = chains(folder, os.path.join(scenarios, "samples-divide-equal-work-differently.scn"))
        assert "rank 0 waited itself for 4.000 s in main/MPI_Recv (Late Sender; 80% of what delayed it)" in text, text
        assert "rank 2 spent 4.000 s more in main/work (100% of what delayed it)" in text, text
        assert "slow" not in text, text

        text = chains(folder, os.path.join(scenarios, "samples-share-the-excess.scn"))
        assert "rank 0 spent 2.000 s more in main/" in text and "(33% of what delayed it)" in text, text


main()
