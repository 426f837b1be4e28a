"""Another reader, OTF2's Python module, reads every archive made of a scenario of the tests and
finds in it exactly the events of the file."""
import collections
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../support"))
import fermata_command  # noqa: E402

try:
    import otf2
except ImportError:
    fermata_command.skip("no Python module otf2")


def lines_per_location(path):
    """Number of event lines of each location, and the last time in ticks."""
    counts = collections.Counter()
    last = 0
    with open(path, encoding="utf-8") as file:
        for line in file:
            words = line.split("#")[0].split()
            if words and words[0][0].isdigit():
                rank, _, thread = words[1].partition(".")
                counts[int(rank) | int(thread or 0) << 32] += 1
                whole, _, fraction = words[0].partition(".")
                last = max(last, int(whole) * 1000 + int((fraction + "000")[:3]))
    return counts, last


def check(path, directory):
    counts, last = lines_per_location(path)
    status, _, error = fermata_command.run("synth", path, "-o", directory)
    assert status == 0, error
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
            assert location.number_of_events == counts[location._ref], path
    assert found == counts, f"{path}: {found} instead of {counts}"
    assert max(previous.values(), default=0) == last, path


def has_intercomm(path):
    """OTF2's Python module cannot read them: its definition of InterComm lacks the name (OTF2 3.0.2)."""
    with open(path, encoding="utf-8") as file:
        return any(line.startswith("intercomm ") for line in file)


def main():
    paths = [path for path in fermata_command.scenarios() if not has_intercomm(path)]
    assert paths
    with fermata_command.Folder() as folder:
        for index, path in enumerate(paths):
            check(path, os.path.join(folder, str(index)))
    print(len(paths), "archives")


main()
