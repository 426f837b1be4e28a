# SPDX-License-Identifier: BSD-3-Clause
"""Damaged archives: `check` and `info` tell it and never die of it.

usage: check_damaged.py FERMATA COUNT     (or more than COUNT: support/share.py)
"""
import os
import random
import shutil
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../support"))
import fermata_command  # noqa: E402
import share  # noqa: E402
from damage import damage  # noqa: E402


def run_both(directory, what):
    """Exit statuses of check and info, which must be regular ones with a message."""
    statuses = []
    for command in ("check", "info"):
        status, output, error = fermata_command.run(command, directory)
        assert status in (0, 1, 3), f"{command}: status {status} for {what}"
        assert "[OTF2]" not in error, f"{what}: {error}"
        assert len(error.splitlines()) == (1 if status == 3 else 0), f"{what}: {error}"
        assert output or status == 3, what
        statuses.append(status)
    return statuses


def main():
    generator = random.Random(20260101)
    variants = share.count(int(sys.argv[2]))
    with fermata_command.Folder() as folder:
        good = os.path.join(folder, "good")
        assert fermata_command.run("synth", fermata_command.ALL_EVENTS, "-o", good)[0] == 0
        files = sorted(os.path.relpath(os.path.join(where, name), good)
                       for where, _, names in os.walk(good) for name in names)
        bad = os.path.join(folder, "bad")
        noticed = 0
        for variant in range(variants):
            name = generator.choice(files)
            shutil.copytree(good, bad)
            path = os.path.join(bad, name)
            with open(path, "rb") as file:
                content = file.read()
            with open(path, "wb") as file:
                file.write(damage(content, generator))
            noticed += run_both(bad, f"variant {variant} of {name}")[0] != 0
            shutil.rmtree(bad)
        assert noticed > variants // 4, noticed
        for name in files:  # an empty or missing file is always noticed, except that of corrections
            for missing in (False, True):
                shutil.copytree(good, bad)
                os.remove(os.path.join(bad, name))
                if not missing:
                    open(os.path.join(bad, name), "w", encoding="utf-8").close()
                status = run_both(bad, f"{'missing' if missing else 'empty'} {name}")[0]
                local_definitions = name.startswith("traces/") and name.endswith(".def")
                assert status != 0 or (missing and local_definitions), name
                shutil.rmtree(bad)
        check_cut_files(good, bad, [name for name in files if name.endswith(".evt")], generator)


def check_cut_files(good, bad, names, generator):
    """OTF2 does not notice where a file of events ends that was cut off; `check` does."""
    for name in names:
        size = os.path.getsize(os.path.join(good, name))
        if size < 64:
            continue  # of a location without events, whose number is known otherwise
        # The last byte is the mark of the end: without it, no event is lost.
        for length in generator.sample(range(size - 1), min(size - 1, 20)):
            shutil.copytree(good, bad)
            os.truncate(os.path.join(bad, name), length)
            what = f"{name} cut to {length} of {size} bytes"
            _, output, _ = fermata_command.run("check", bad)
            assert "its events cannot be" in output, f"{what}: {output}"
            assert run_both(bad, what)[0] == 1, what
            shutil.rmtree(bad)


main()
