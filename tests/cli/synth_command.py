# SPDX-License-Identifier: BSD-3-Clause
"""The command line of `fermata synth`: exit statuses, messages, and what it leaves behind."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
import fermata_command  # noqa: E402

SIMPLE = """unit 1
ranks 2
0 0 enter main
0 1 enter main
1 0 enter MPI_Barrier
3 1 enter MPI_Barrier
1 0 coll_begin
3 1 coll_begin
4 0 coll_end barrier world - 0 0
4 1 coll_end barrier world - 0 0
4 0 leave MPI_Barrier
4 1 leave MPI_Barrier
5 0 leave main
5 1 leave main
"""


def write(path, text):
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    return path


def usage():
    for arguments in ([], ["a.scn"], ["-o", "x"], ["--check"], ["--check", "-o", "x", "a.scn"],
                      ["a.scn", "b.scn", "-o", "x"], ["--bogus"], ["--check", "-j", "0", "a.scn"],
                      ["--check", "-j", "x", "a.scn"]):
        status, output, error = fermata_command.run("synth", *arguments)
        assert status == 2, arguments
        assert error and not output, arguments
    status, output, error = fermata_command.run("synth", "--help")
    assert status == 0 and output.startswith("usage:") and not error


def writing(folder):
    good = write(os.path.join(folder, "good.scn"), SIMPLE)
    bad = write(os.path.join(folder, "bad.scn"), SIMPLE + "6 0 hop\n")
    archive = os.path.join(folder, "archive")
    assert fermata_command.run("synth", good, "-o", archive) == (0, "", "")
    status, _, error = fermata_command.run("synth", good, "-o", archive)
    assert status == 2 and archive in error
    other = os.path.join(folder, "other")
    status, _, error = fermata_command.run("synth", bad, "-o", other)
    assert status == 3 and 'bad.scn:15: no such event: "hop"' in error
    assert not os.path.exists(other)


def checking(folder):
    good = write(os.path.join(folder, "c1.scn"), SIMPLE +
                 "expect mpi_barrier_wait main/MPI_Barrier 0 2\nexpect visits * * 4\n")
    wrong = write(os.path.join(folder, "c2.scn"), SIMPLE +
                  "expect mpi_barrier_wait main/MPI_Barrier 0 2.5\nexpect visits * * 4\n"
                  "expect mpi_barrier_wait main/none 0 0\n")
    no_option = write(os.path.join(folder, "c4.scn"), SIMPLE + "analyze --bogus=1\n")
    no_rank = write(os.path.join(folder, "c5.scn"), SIMPLE + "analyze --partition=io:2\n")
    for path, reason in ((no_option, "c4.scn: analyze there is no option --bogus"),
                         (no_rank, "partition io: there is no rank 2")):
        status, _, error = fermata_command.run("synth", "--check", path)
        assert status == 3 and reason in error, error
    no_value = write(os.path.join(folder, "c6.scn"), SIMPLE + "expect_phase bogus main 0 1\n")
    status, _, error = fermata_command.run("synth", "--check", no_value)
    assert status == 3 and 'c6.scn:15: there is no value "bogus"' in error, error
    other = write(os.path.join(folder, "c7.scn"), SIMPLE +
                  "expect_matrix mpi_barrier_wait 1 0 3\nexpect_phase duration main 0 1\n")
    status, output, _ = fermata_command.run("synth", "--check", other)
    assert status == 1 and "c7.scn:15: mpi_barrier_wait 1 0: expected 3, got 2" in output, output
    assert "c7.scn:16: duration main 0: expected 1, got 0" in output, output
    unknown = write(os.path.join(folder, "c3.scn"), SIMPLE + "expect mpi_bogus * * 0\n")
    assert fermata_command.run("synth", "--check", "-j", "2", good, good) == \
        (0, "2 scenarios, 4 expectations, 0 failed\n", "")
    status, output, _ = fermata_command.run("synth", "--check", good, wrong)
    assert status == 1
    assert output == (f"{wrong}:15: mpi_barrier_wait main/MPI_Barrier 0: expected 2.5, got 2\n"
                      "2 scenarios, 5 expectations, 1 failed\n"), output
    status, output, error = fermata_command.run("synth", "--check", unknown, wrong)
    assert status == 3
    assert f'{unknown}:15: there is no metric "mpi_bogus"' in error
    assert output.endswith("2 scenarios, 4 expectations, 2 failed\n"), output
    status, _, error = fermata_command.run("synth", "--check", os.path.join(folder, "absent.scn"))
    assert status == 4 and "absent.scn" in error


def main():
    with fermata_command.Folder() as folder:
        usage()
        writing(folder)
        checking(folder)


main()
