# SPDX-License-Identifier: BSD-3-Clause
"""Every event of the language becomes the right OTF2 record: otf2-print's view of all-events.scn, of
threads.scn with the teams of threads, of accelerators.scn with a stream, and of open-calls.scn with calls
that are never left.

`golden.py FERMATA --update` writes the expected output anew; read the difference before keeping it.
"""
import os
import shutil
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../support"))
import fermata_command  # noqa: E402

OTHERS = [os.path.join(os.path.dirname(os.path.abspath(__file__)), name)
          for name in ("threads.scn", "accelerators.scn", "open-calls.scn")]


def otf2_print(*arguments):
    return subprocess.run(["otf2-print", *arguments], stdout=subprocess.PIPE, text=True,
                          check=True).stdout


def print_archive(scenario):
    with fermata_command.Folder() as folder:
        directory = os.path.join(folder, "archive")
        status, _, error = fermata_command.run("synth", scenario, "-o", directory)
        assert status == 0, error
        anchor = os.path.join(directory, "traces.otf2")
        output = otf2_print("-G", anchor) + otf2_print(anchor)
        status, output_of_check, _ = fermata_command.run("check", directory)
        assert status == 0, output_of_check
    return output


def main():
    if shutil.which("otf2-print") is None:
        fermata_command.skip("no otf2-print")
    for scenario in [fermata_command.ALL_EVENTS, *OTHERS]:
        path = scenario.replace(".scn", ".expected")
        output = print_archive(scenario)
        if "--update" in sys.argv:
            with open(path, "w", encoding="utf-8") as file:
                file.write(output)
            continue
        with open(path, encoding="utf-8") as file:
            expected = file.read().splitlines()
        for number, (left, right) in enumerate(zip(expected, output.splitlines()), 1):
            assert left == right, f"{path}:{number}:\nexpected {left}\ngot      {right}"
        assert len(expected) == len(output.splitlines()), f"{path}: number of lines"


main()
