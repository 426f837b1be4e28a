# SPDX-License-Identifier: BSD-3-Clause
"""The command line of `fermata whatif`: exit statuses, sentences, and what it writes."""
import json
import os
import shutil
import resource
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
import fermata_command  # noqa: E402

SCENARIO = """unit 1
ranks 2
0 0 enter main
0 0 enter work
2 0 leave work
2 0 enter MPI_Barrier
2 0 coll_begin
7 0 coll_end barrier world - 0 0
7 0 leave MPI_Barrier
8 0 leave main
0 1 enter main
0 1 enter work
6 1 leave work
6 1 enter MPI_Barrier
6 1 coll_begin
7 1 coll_end barrier world - 0 0
7 1 leave MPI_Barrier
8 1 leave main
"""

RECEIVE = """unit 1
ranks 2
0 0 enter main
6 0 enter MPI_Send
6 0 send 1 0 8
7 0 leave MPI_Send
7 0 enter MPI_Barrier
7 0 coll_begin
11.5 0 coll_end barrier world - 0 0
11.5 0 leave MPI_Barrier
12 0 leave main
0 1 enter main
0 1 enter MPI_Recv
6.5 1 recv 0 0 8
6.5 1 leave MPI_Recv
10.5 1 enter MPI_Barrier
10.5 1 coll_begin
11.5 1 coll_end barrier world - 0 0
11.5 1 leave MPI_Barrier
12 1 leave main
"""

REFUSED = (["scale=work"], ["scale=work:x"], ["scale=work:-1"], ["scale=:2"], ["cap=work:5"],
           ["cap=work:5h"], ["cap=work"], ["double=work"], ["work"], ["level="],
           ["scale=work:2,ranks=x"], ["scale=work:2,ranks=3-1"], ["scale=work:2,iterations="],
           ["remove=MPI_Barrier,ranks=0"], ["-j", "0"], ["network=fast"], ["init=1"],
           ["latency=0.5"], ["latency=x"], ["bandwidth=x0"], ["latency"], ["nowait=MPI_Recv"],
           ["nowait=:MPI_Wait"], ["nowait=MPI_Recv:"], ["nowait=MPI_Recv:MPI_Wait", "-o", "/tmp/x"],
           ["split-lock=MPI_Win_lock"], ["split-lock=MPI_Win_lock:1"], ["split-lock=MPI_Win_lock:2.5"],
           ["noprogress-wait=1"], ["nolock"], ["--advise", "level=work"], ["--blocking-size=x"])
MEANINGLESS = (("scale=nowhere:2", "no function and no call path"),
               ("scale=main/nowhere:2", "no function and no call path"),
               ("remove=work", "no barrier"),
               ("nolock=work", "no lock"),
               ("nolock=nowhere", "no function, no call path and no lock of this name"),
               ("split-lock=work:2", "no lock of a window"),
               ("narrow=main", "no fence"),
               ("nowait=MPI_Barrier:MPI_Recv", "no such call"),
               ("bandwidth=x2", "no call takes longer with more bytes"),
               ("level=MPI_Barrier", "nothing is computed there"))


def archive_of(folder, name, text):
    path = os.path.join(folder, name + ".scn")
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    archive = os.path.join(folder, name)
    assert fermata_command.run("synth", path, "-o", archive) == (0, "", "")
    return archive


def usage(archive):
    status, output, error = fermata_command.run("whatif")
    assert status == 2 and error and not output
    for arguments in REFUSED:
        status, output, error = fermata_command.run("whatif", archive, *arguments)
        assert status == 2 and error and not output, (arguments, status, output, error)
    for change, reason in MEANINGLESS:
        status, output, error = fermata_command.run("whatif", archive, change)
        assert status == 2 and reason in error and not output, (change, status, output, error)
    status, _, error = fermata_command.run("whatif", archive + "-missing")
    assert status == 3 and error, status


def sentences(archive):
    status, output, error = fermata_command.run("whatif", archive)
    assert (status, error) == (0, "")
    assert output == ("The replay without changes gives all 2 calls exactly the times that were "
                      "measured.\n"), output
    status, output, error = fermata_command.run("whatif", archive, "balance=work", "--check")
    assert (status, error) == (0, "")
    assert output.splitlines()[1:] == [
        "balance=work: on 2 of 2 locations, 8.000 s of computation become 8.000 s.",
        "Predicted run time: 6.000 s instead of 8.000 s: 2.000 s less (25.0%)."], output
    _, output, _ = fermata_command.run("whatif", archive, "scale=work:2,ranks=1")
    assert output.splitlines() == [
        "scale=work:2,ranks=1: on 1 of 2 locations, 6.000 s of computation become 12.00 s.",
        "Predicted run time: 14.00 s instead of 8.000 s: 6.000 s more (75.0%)."], output
    _, output, _ = fermata_command.run("whatif", archive, "network=ideal")
    assert output.splitlines() == [
        "network=ideal: on 2 of 2 locations, 2 calls without remaining time.",
        "Predicted run time: 7.000 s instead of 8.000 s: 1.000 s less (12.5%).",
        "Transfer efficiency 87.5% (run time on the ideal network / run time), serialization "
        "efficiency 100.0% (longest computation / run time on the ideal network)."], output
    _, output, _ = fermata_command.run("whatif", archive, "scale=work:0.5,ranks=0")
    assert "8.000 s, as measured: " in output, output
    _, output, _ = fermata_command.run("whatif", archive, "remove=main/MPI_Barrier",
                                       "scale=MPI_Barrier:0.5")
    assert output.splitlines()[0] == (
        "remove=main/MPI_Barrier: on 2 of 2 locations, 2 calls of barriers removed."), output
    assert output.splitlines()[1] == (
        "scale=MPI_Barrier:0.5: on 2 of 2 locations, the remaining time of 2 calls is scaled."), output


def writing(folder, archive):
    predicted = os.path.join(folder, "predicted")
    status, output, error = fermata_command.run("whatif", archive, "balance=work", "-o", predicted)
    assert (status, error) == (0, "") and "fermata report " + predicted in output
    status, output, _ = fermata_command.run("report", predicted)
    assert status == 0 and "6.000 s" in output and "predicted from" in output, output
    status, _, error = fermata_command.run("whatif", archive, "balance=work", "-o", predicted)
    assert status == 2 and predicted in error
    assert fermata_command.run("check", predicted)[0] == 0


def advice(archive):
    status, output, error = fermata_command.run("whatif", archive, "--advise")
    assert (status, error) == (0, "")
    rows = [" ".join(line.split()) for line in output.splitlines()]
    assert rows == ["Measured run time: 8.000 s. Predicted with one change:",
                    "6.000 s -25.0% level=main/work",
                    "nowhere longer than the median, in each visit",
                    "7.000 s -12.5% remove=main/MPI_Barrier",
                    "without this barrier, if it protects nothing",
                    "1 more saved less than 0.5%, or less than these",
                    "Predicted with two changes:",
                    "5.000 s -37.5% level=main/work remove=main/MPI_Barrier (both)",
                    "If communication took no time beside waiting (an ideal network): 7.000 s, -12.5%.",
                    "Where the waiting goes then: fermata whatif DIR CHANGE... -o OUT; "
                    "fermata report OUT"], output


# main itself computes for 1 and 4, work for 1 and 4: the medians are 2.5.
OWN = """unit 1
ranks 2
0 0 enter main
1 0 enter work
2 0 leave work
2 0 enter MPI_Barrier
2 0 coll_begin
8.5 0 coll_end barrier world - 0 0
8.5 0 leave MPI_Barrier
8.5 0 leave main
0 1 enter main
4 1 enter work
8 1 leave work
8 1 enter MPI_Barrier
8 1 coll_begin
8.5 1 coll_end barrier world - 0 0
8.5 1 leave MPI_Barrier
8.5 1 leave main
"""


def own_computation(folder):
    """Of a call path above another one, its own computation is changed. Two ranks level as they balance."""
    archive = archive_of(folder, "own", OWN)
    fermata_command.run("analyze", "-q", archive)
    _, output, _ = fermata_command.run("whatif", archive, "--advise")
    rows = [" ".join(line.split()) for line in output.splitlines()]
    assert rows[1:4:2] == ["7.000 s -17.6% level=main/.", "7.000 s -17.6% level=main/work"], output
    assert "5.500 s -35.3% level=main/. level=main/work (both)" in rows, output
    assert not any("balance" in row for row in rows), output


def chain(stages):
    """Two ranks acquire the locks of all others one after the other, rank 0 each one first. Without `think`, rank
    1 overtakes it, and is there first for each next lock only because it was for the one before."""
    lines = ["unit 1", f"ranks {stages + 2}", "window w0 world"]
    for rank, begin in (0, 3), (1, 0):
        lines += [f"0 {rank} enter main", f"{begin} {rank} enter think", f"{10 + 2 * rank} {rank} leave think"]
        for stage in range(stages):
            now = 10 * (stage + 1)
            request, got, release = now + 2 * rank, now + (6 if rank else 1), now + (10 if rank else 5)
            lines += [f"{request} {rank} enter MPI_Win_lock", f"{request} {rank} lock_request w0 {stage + 2} {stage} x",
                      f"{got} {rank} leave MPI_Win_lock", f"{release - 1} {rank} enter MPI_Win_unlock",
                      f"{release} {rank} lock_release w0 {stage + 2} {stage}", f"{release} {rank} leave MPI_Win_unlock"]
        lines.append(f"{10 * (stages + 1) + 2 * rank} {rank} leave main")
    for rank in range(2, stages + 2):
        lines += [f"0 {rank} enter main", f"1 {rank} leave main"]
    return "\n".join(lines) + "\n"


def decisions_that_follow_others(folder):
    """Each decision depends on the one before: rank 1 is first at one more lock. It has them 7 apart, from 0 on: rank 0 waits for the first
    one until 5, passes it on at 10, and has them 10 apart: with n locks, 10 + 10 (n - 1) + 5."""
    archive = archive_of(folder, "chain", chain(25))
    _, output, _ = fermata_command.run("whatif", archive, "scale=think:0")
    assert "Predicted run time: 255.0 s instead of 262.0 s" in output, output
    assert "25 acquisitions of locks overtake" in output, output
    fermata_command.run("analyze", "-q", archive)
    _, output, _ = fermata_command.run("whatif", archive, "--advise")
    assert "255.0 s  -2.7%   scale=main/think:0" in output, output
    archive = archive_of(folder, "long-chain", chain(70))
    _, output, _ = fermata_command.run("whatif", archive, "scale=think:0")
    assert "Predicted run time: 705.0 s instead of 712.0 s" in output, output
    assert "70 acquisitions of locks overtake" in output, output


def fences(folder):
    """Fences that wait for ranks without data in common."""
    with open(os.path.join(fermata_command.SCENARIOS, "whatif", "narrow-fence.scn"),
              encoding="utf-8") as file:
        archive = archive_of(folder, "fences", file.read())
    report, _ = problems_of(archive)
    changes = [each["change"] for each in report["problems"][0]["predictions"]]
    assert "partners" in changes, changes
    waits = os.path.join(fermata_command.TESTS, "traces", "scorep-waits")
    _, output, _ = fermata_command.run("whatif", waits, "--advise")
    assert "-31.2%  remove=waits.bin/MPI_Barrier narrow=waits.bin/MPI_Win_fence  (both)" in output, output
    copy = os.path.join(folder, "waits")
    shutil.copytree(waits, copy)
    fermata_command.run("analyze", "-q", copy)
    _, output, _ = fermata_command.run("report", copy)
    assert "Divide its work more evenly each time between calls that wait." in " ".join(output.split()), output
    # The program was really run without barriers: ranks 2 and 3 acquire the lock before rank 1.
    _, output, _ = fermata_command.run("whatif", waits, "remove=waits.bin/MPI_Barrier")
    assert "2 acquisitions of locks overtake others" in output, output
    predicted = os.path.join(folder, "partners")
    fermata_command.run("whatif", archive, "narrow=MPI_Win_fence", "-o", predicted)
    _, output, _ = fermata_command.run("report", predicted)
    answer = output.split("Metrics")[0]
    assert "Waits Wait at Fence in MPI_Win_fence on rank 0 (2.000 s)" in " ".join(answer.split()), output
    assert "Synchronize only the partners" not in answer and "pair-wise" not in answer, output


def problems_of(archive, *arguments):
    report = archive + ".fer"
    status, _, error = fermata_command.run("analyze", "-q", archive, "-o", report, *arguments)
    assert (status, error) == (0, "")
    _, output, _ = fermata_command.run("report", "--format=json", report)
    with open(report, "rb") as file:
        return json.loads(output), file.read()


def gains_of_reports(archive):
    """The report's gains are what `fermata whatif` predicts."""
    report, data = problems_of(archive, "-j1")
    assert problems_of(archive, "-j3")[1] == data
    problem = report["problems"][0]
    assert problem["gain"] == {"balanced": 2, "balanced_error": None, "removed": 4, "removed_error": None,
                               "proved": True}, problem
    changes = {each["change"]: each["saved"] for each in problem["predictions"]}
    assert changes == {"as_others": 4, "balanced": 2, "no_barrier": 1}, changes
    for change, text in (("as_others", "level=main/work,ranks=1"), ("balanced", "balance=main/work"),
                         ("no_barrier", "remove=main/MPI_Barrier")):
        _, output, _ = fermata_command.run("whatif", archive, text)
        assert f": {changes[change]}.000 s less" in output, (text, output)
    # Computation of 6, then 1 in the barrier and 1 more: 7 of 8 on the ideal network.
    assert report["efficiency"]["transfer_efficiency"] == 7 / 8, report["efficiency"]
    assert report["efficiency"]["serialization_efficiency"] == 1, report["efficiency"]
    for arguments in (["--predict=no"], ["--memory=1G"]):
        report, _ = problems_of(archive, *arguments)
        assert report["problems"][0]["predictions"] == []
        assert report["problems"][0]["gain"]["proved"] is False
        assert report["efficiency"]["transfer_efficiency"] is None
    assert problems_of(archive, "--memory=1G", "--predict=yes")[0]["problems"][0]["gain"]["proved"]


def all_pairs(ranks):
    """A post/start/complete/wait of all with all, of which rank 3 computes longer."""
    lines = [(0, "enter main"), (0, "enter work"), (10, "leave work"), (10, "enter MPI_Win_post"), (11, "group"),
             (11, "leave MPI_Win_post"), (11, "enter MPI_Win_start"), (32, "group"), (32, "leave MPI_Win_start"),
             (32, "enter MPI_Win_complete"), (33, "group"), (33, "leave MPI_Win_complete"),
             (33, "enter MPI_Win_wait"), (34, "group"), (34, "leave MPI_Win_wait"), (40, "leave main")]
    text = [f"unit 1\nranks {ranks}\nwindow w0 world"]
    for rank in range(ranks):
        group = "group_sync w0 " + " ".join(str(other) for other in range(ranks) if other != rank)
        late = 20 if rank == 3 else 0
        text += [f"{time + late if 0 < time < 32 and event != 'enter work' else time} {rank} "
                 f"{group if event == 'group' else event}" for time, event in lines]
    return "\n".join(text) + "\n"


def gains_that_cost_much(folder):
    """A call that depends on all ranks has more dependencies than events: bounds, unless predictions are asked for."""
    few, many = (archive_of(folder, f"pairs-{ranks}", all_pairs(ranks)) for ranks in (5, 16))
    for archive, arguments, is_proved in ((few, [], True), (many, [], False), (many, ["--predict=yes"], True),
                                          (many, ["--predict=no"], False)):
        gain = problems_of(archive, *arguments)[0]["problems"][0]["gain"]
        assert gain["proved"] is is_proved, (archive, arguments, gain)
        assert gain["removed"] == 19, gain


def full_disk(folder, archive):
    """Without room for the predicted run: one clear line, status 4, and nothing of it is left."""
    predicted = os.path.join(folder, "no-room")
    for size in (0, 100, 400, 700, 1000, 2000, 4000):
        status, _, error = fermata_command.run(
            "whatif", archive, "balance=work", "-o", predicted, restore_signals=False,
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (size, size)))
        assert status == 4 and len(error.splitlines()) == 1, (size, status, error)
        assert "cannot write" in error and ("limit" in error or "large" in error), error
        assert not os.path.exists(predicted)


def later_completion(folder):
    """The Recv begins at 0; its message is there at 6.5, when the work of 4 behind it is done. The
    other rank enters the barrier at 7."""
    archive = archive_of(folder, "receive", RECEIVE)
    status, output, error = fermata_command.run("whatif", archive, "nowait=MPI_Recv:MPI_Barrier", "--check")
    assert (status, error) == (0, ""), error
    assert output.splitlines()[1:] == [
        "nowait=MPI_Recv:MPI_Barrier: on 1 of 2 locations, 1 call that a later call waits for.",
        "Predicted run time: 8.500 s instead of 12.00 s: 3.500 s less (29.2%)."], output
    # Without its remaining time, 0.5, the rank enters at 6; twice as much work: at 8.
    _, output, _ = fermata_command.run("whatif", archive, "scale=MPI_Recv:4", "nowait=MPI_Recv:MPI_Barrier")
    assert "Predicted run time: 9.500 s" in output, output
    _, output, _ = fermata_command.run("whatif", archive, "nowait=MPI_Recv:MPI_Barrier", "scale=main:2,ranks=1")
    assert "Predicted run time: 10.00 s" in output, output
    _, output, _ = fermata_command.run("whatif", archive, "latency=x2")
    assert "differ from the remaining time of the calls by 0% of it." in output, output


def as_measured(folder):
    path = os.path.join(fermata_command.SCENARIOS, "whatif", "lock-of-window.scn")
    with open(path, encoding="utf-8") as file:
        archive = archive_of(folder, "locks", file.read())
    _, output, _ = fermata_command.run("whatif", archive)
    assert output.splitlines()[1:] == [], output
    # Rank 1 requests the lock at 0, rank 0 at 1.
    _, output, _ = fermata_command.run("whatif", archive, "cap=think:0s")
    assert output.splitlines()[2:] == [
        "1 acquisition of a lock overtakes others that had the lock first when measured, and request it later "
        "here."], output
    with open(path.replace("lock-of-window", "lock-overtaken"), encoding="utf-8") as file:
        archive = archive_of(folder, "changed", file.read())
    _, output, _ = fermata_command.run("whatif", archive, "scale=think:6", "nolock=MPI_Win_lock,ranks=1")
    assert output.splitlines()[3:] == [
        "1 acquisition behind another owner keeps the measured order of its lock: a change concerns the lock, "
        "some process locks all targets of its window at once, or its measured order is not that of the measured times."], output
    with open(path.replace("lock-of-window", "progress-by-another-call"), encoding="utf-8") as file:
        archive = archive_of(folder, "progress", file.read())
    _, output, _ = fermata_command.run("whatif", archive, "scale=think:6")
    assert output.splitlines()[2:] == [
        "1 call is served by another call of its target than when measured, or needs none."], output


# The clock of rank 1 is 3 early: its receive ends before the send begins.
DISAGREEING = """unit 1
ranks 2
clock_offset 0 0 0
clock_offset 0 20 0
clock_offset 1 0 0
clock_offset 1 20 0
0 0 enter main
10 0 enter MPI_Send
10 0 send 1 0 8
11 0 leave MPI_Send
20 0 leave main
0 1 enter main
5 1 enter MPI_Recv
8 1 recv 0 0 8
8 1 leave MPI_Recv
17 1 leave main
"""


def clocks(folder):
    """A replay of repaired times, and the predicted run with these."""
    archive = archive_of(folder, "clocks", DISAGREEING)
    predicted = os.path.join(folder, "repaired")
    status, output, error = fermata_command.run("whatif", archive, "--clock=clc", "--check", "scale=MPI_Send:1",
                                                "-o", predicted)
    assert (status, error) == (0, ""), error
    repaired, _ = problems_of(archive, "--clock=clc")
    of_prediction, _ = problems_of(predicted)
    assert repaired["clock"]["violations_before"] == 1 and repaired["clock"]["violations_after"] == 0, repaired["clock"]
    assert of_prediction["clock"]["violations_before"] == 0, of_prediction["clock"]
    waits = [[each["value"] for each in report["severities"] if each["metric"] == "mpi_latesender"]
             for report in (repaired, of_prediction)]
    assert waits[0] == waits[1] != [], waits
    assert fermata_command.run("whatif", archive, "--clock=true")[0] == 2


def main():
    with fermata_command.Folder() as folder:
        check(folder)


def check(folder):
    archive = archive_of(folder, "archive", SCENARIO)
    usage(archive)
    sentences(archive)
    writing(folder, archive)
    advice(archive)
    gains_of_reports(archive)
    gains_that_cost_much(folder)
    full_disk(folder, archive)
    later_completion(folder)
    fences(folder)
    own_computation(folder)
    decisions_that_follow_others(folder)
    as_measured(folder)
    clocks(folder)


main()
