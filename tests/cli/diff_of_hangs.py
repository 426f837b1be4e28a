# SPDX-License-Identifier: BSD-3-Clause
"""fermata diff of runs that ended inside of calls: it states how they ended, and compares nothing that depends on the
end."""
import json
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
import fermata_command  # noqa: E402

HEAD = "unit 1\nranks 2\n"
DEADLOCK = "Deadlock: both ranks wait for each other in a circle."


def whole(wait):
    """A run with a message that is `wait` late."""
    return HEAD + (f"0 0 enter main\n0 1 enter main\n1 0 enter MPI_Recv\n{1 + wait} 1 enter MPI_Send\n{1 + wait} 1 send 0 7 8\n"
                   f"{2 + wait} 0 recv 1 7 8\n{2 + wait} 0 leave MPI_Recv\n{2 + wait} 1 leave MPI_Send\n"
                   "20 0 leave main\n20 1 leave main\n")


DEADLOCKED = HEAD + ("0 0 enter main\n0 1 enter main\n1 0 enter MPI_Recv\n1 0 probe 1 7\n1 1 enter MPI_Recv\n1 1 probe 0 7\n"
                     "60 0 heartbeat\n60 1 heartbeat\n")
WAITING = HEAD + ("0 0 enter main\n0 1 enter main\n1 0 enter MPI_Recv\n1 0 probe 1 7\n1 1 enter compute\n"
                  "60 0 heartbeat\n60 1 heartbeat\n")
SHORT = HEAD + ("0 0 enter main\n0 1 enter main\n59.5 0 enter MPI_Recv\n59.5 0 probe 1 7\n59.5 1 enter MPI_Recv\n"
                "59.5 1 probe 0 7\n60 0 heartbeat\n60 1 heartbeat\n")


def diff(*arguments, status=0):
    found, output, error = fermata_command.run("diff", *arguments)
    assert found == status, (arguments, found, output, error)
    return output, error


def analyzed(folder, name, text):
    archive = os.path.join(folder, name)
    fermata_command.synthesize(text, archive)
    assert fermata_command.run("analyze", archive)[0] == 0
    return archive


def as_data(*arguments):
    return json.loads(diff(*arguments, "--format=json")[0])


def check_one(whole_run, hung, kind, text):
    """A hang against none, in both directions."""
    for pair in ((whole_run, hung), (hung, whole_run)):
        data = as_data(*pair)
        at = pair.index(hung)
        ends = [variant["hang"] for variant in data["variants"]]
        assert ends[1 - at] is None and ends[at]["kind"] == kind and text in ends[at]["text"], (kind, ends)
        assert data["variants"][at]["run_time"] is None and data["variants"][at]["parallel_efficiency"] is None, data
        assert data["variants"][1 - at]["run_time"] == 20, data["variants"]
        assert data["changes"] == [], data["changes"]
        output, _ = diff(*pair)
        flat = " ".join(output.split())
        assert f"{'AB'[at]} {text}" in flat and "ended inside of calls" in flat, output
        assert "Where more time" not in output and "Where less time" not in output, output
        for row in ("Run time", "Time"):
            line = next(line for line in output.splitlines() if line.strip().startswith(row + " "))
            assert line.rstrip().endswith("-") and "%" not in line, line
        output, _ = diff(*pair, "--format=markdown")
        rows = [line for line in output.splitlines() if line.startswith("| ") and "change |" not in line]
        assert "ended inside of calls" in output and rows, output
        assert all(row.endswith(("| - |", "|  |")) for row in rows), output


def check_conditions(whole_run, hung):
    for pair in ((whole_run, hung), (hung, hung)):
        _, error = diff(*pair, "--fail-if", "time > +5%", status=1)
        assert "not known" in error, error
        output, _ = diff(*pair, "--fail-if", "time < 0", "--format=json", status=1)
        assert json.loads(output)["met_conditions"] == [], output


def main():
    with fermata_command.Folder() as folder:
        runs = {name: analyzed(folder, name, text) for name, text in (
            ("before", whole(2)), ("after", whole(5)), ("deadlocked", DEADLOCKED), ("waiting", WAITING), ("short", SHORT))}
        check_one(runs["before"], runs["deadlocked"], "deadlock", DEADLOCK)
        check_one(runs["before"], runs["waiting"], "no_progress", "Waiting, but no deadlock is proved")
        check_one(runs["before"], runs["short"], "none", "The run ended inside of calls, none of which had lasted for long.")
        check_conditions(runs["before"], runs["deadlocked"])
        # Both hung: each is named, nothing is compared.
        data = as_data(runs["waiting"], runs["deadlocked"])
        assert [variant["hang"]["kind"] for variant in data["variants"]] == ["no_progress", "deadlock"], data
        assert data["changes"] == []
        # Whole runs beside a hung one are compared as without it.
        two = as_data(runs["before"], runs["after"])
        three = as_data(runs["before"], runs["deadlocked"], runs["after"])
        assert two["changes"] and [
            (change["callpath"], change["metric"], change["difference"]) for change in two["changes"]] == [
            (change["callpath"], change["metric"], change["difference"]) for change in three["changes"]], (two, three)
        output, _ = diff(runs["before"], runs["deadlocked"], runs["after"])
        assert "-> - ->" in output and f"B  {DEADLOCK}" in output, output
        assert [variant["hang"] for variant in two["variants"]] == [None, None], two


main()
