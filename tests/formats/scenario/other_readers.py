# SPDX-License-Identifier: BSD-3-Clause
"""Other readers read every archive made of a scenario of the tests: OTF2's Python module finds in it
exactly the events of the file, otf2-print has no warning."""
import collections
import os
import shutil
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../support"))
import fermata_command  # noqa: E402

try:
    import otf2
except ImportError:
    otf2 = None

# otf2-print begins by clearing 22 tables of 8 MiB. On a heap of huge pages this takes a tenth of the time.
HUGE_PAGES = dict(os.environ, GLIBC_TUNABLES="glibc.malloc.hugetlb=1:glibc.malloc.mmap_threshold=1073741824")


def lines_per_location(path):
    """Number of records of each location, and the last time in ticks. A line is a record, but a probe is
    three, a merged call, awaited members or targets and an owner with its place two, a failed test without a
    request and a heartbeat none."""
    counts = collections.Counter()
    last = 0
    with open(path, encoding="utf-8") as file:
        for line in file:
            words = line.split("#")[0].split()
            if words and words[0][0].isdigit():
                rank, _, thread = words[1].partition(".")
                records = {"probe": 3, "merged": 2, "members": 2, "target": 2, "failed": len(words) - 3,
                           "owner": min(len(words) - 3, 2), "heartbeat": 0}.get(words[2], 1)
                if records == 0:
                    continue
                counts[int(rank) | int(thread or 0) << 32] += records
                whole, _, fraction = words[0].partition(".")
                last = max(last, int(whole) * 1000 + int((fraction + "000")[:3]))
    return counts, last


def check_warnings(path, directory):
    done = subprocess.run(["otf2-print", "--silent", "-Werror", os.path.join(directory, "traces.otf2")],
                          stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, check=False, env=HUGE_PAGES)
    assert done.returncode == 0, f"{path}: {done.stderr}"


def check_events(path, directory):
    counts, last = lines_per_location(path)
    found = collections.Counter()
    previous = collections.defaultdict(int)
    with otf2.reader.open(os.path.join(directory, "traces.otf2")) as trace:
        locations = {location._ref for location in trace.definitions.locations}
        assert set(counts) <= locations, path
        assert trace.definitions.clock_properties.global_offset == 0
        for location, event in trace.events:
            found[location._ref] += 1
            assert event.time >= previous[location._ref], path
            previous[location._ref] = event.time
        for location in trace.definitions.locations:
            assert location.number_of_events == found[location._ref], path
    if has_sampled_paths(path):  # each with the Enters and Leaves that lead to it and back
        assert all(found[location] >= count for location, count in counts.items()), path
    else:
        assert found == counts, f"{path}: {found} instead of {counts}"
    assert max(previous.values(), default=0) == last, path


def has_sampled_paths(path):
    with open(path, encoding="utf-8") as file:
        return any(line.split()[2:3] == ["sample"] and len(line.split()) > 3 for line in file)


def has_intercomm(path):
    """OTF2's Python module cannot read them: its definition of InterComm lacks the name (OTF2 3.0.2)."""
    with open(path, encoding="utf-8") as file:
        return any(line.startswith("intercomm ") for line in file)


def main():
    with_print = shutil.which("otf2-print") is not None
    if otf2 is None and not with_print:
        fermata_command.skip("neither the Python module otf2 nor otf2-print")
    seen = 0
    with fermata_command.Folder() as folder:
        for index, path in enumerate(fermata_command.scenarios()):
            directory = os.path.join(folder, str(index))
            status, _, error = fermata_command.run("synth", path, "-o", directory)
            assert status == 0, error
            if with_print:
                check_warnings(path, directory)
            if otf2 is not None and not has_intercomm(path):
                check_events(path, directory)
                seen += 1
    assert seen or otf2 is None
    print("otf2-print:", "all archives" if with_print else "absent", "| module otf2:", seen, "archives")


main()
