# SPDX-License-Identifier: BSD-3-Clause
"""fermata diff: each change names the rank at which a variant deviates most, in its call path."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
import fermata_command  # noqa: E402


def analyzed(folder, name, works):
    """A run of three ranks; works: seconds in each of its functions, by rank."""
    archive = os.path.join(folder, name)
    text = "unit 1\nranks 3\n"
    for rank in range(3):
        time = 0
        text += f"0 {rank} enter main\n"
        for function, seconds in works.items():
            text += f"{time} {rank} enter {function}\n{time + seconds[rank]} {rank} leave {function}\n"
            time += seconds[rank]
        text += f"100 {rank} leave main\n"
    fermata_command.synthesize(text, archive)
    assert fermata_command.run("analyze", archive)[0] == 0
    return archive


def main():
    with fermata_command.Folder() as folder:
        base = analyzed(folder, "base", {"a": [10, 10, 10], "b": [20, 20, 20], "c": [9, 9, 9]})
        variant = analyzed(folder, "variant", {"a": [12, 11, 19], "b": [20, 26, 19], "c": [2, 8, 9]})
        status, output, error = fermata_command.run("diff", base, variant, "--metric", "comp")
        assert status == 0, error
        for function, rank in (("main/a", 2), ("main/b", 1), ("main/c", 0)):
            line = [line for line in output.splitlines() if function in line]
            assert line and f"rank {rank}" in line[0], (function, output)


main()
