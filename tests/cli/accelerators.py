# SPDX-License-Identifier: BSD-3-Clause
"""A run with streams of accelerators through analyze, report, export and view: what it is called, who is to blame.

usage: accelerators.py FERMATA
"""

import json
import os
import pathlib
import re
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "support"))
from fermata_command import Folder, run, synthesize  # noqa: E402


def events_of(rank, kernel):
    """A rank that launches a kernel, computes for 1 s, waits for it, and meets the others at 12 s."""
    return f"""0 {rank}.0 enter main
1 {rank}.0 enter cudaLaunchKernel
1 {rank}.0 correlation 5
1 {rank}.0 leave cudaLaunchKernel
2 {rank}.0 enter cudaStreamSynchronize
2 {rank}.0 waits_for {rank}.1
{1 + kernel} {rank}.0 leave cudaStreamSynchronize
{1 + kernel} {rank}.0 enter MPI_Barrier
{1 + kernel} {rank}.0 coll_begin
12 {rank}.0 coll_end barrier world - 0 0
12 {rank}.0 leave MPI_Barrier
12 {rank}.0 leave main
1 {rank}.1 enter kernel force
1 {rank}.1 correlation 5
{1 + kernel} {rank}.1 leave kernel force
"""


def near(value, expected, tolerance=1e-6):
    assert abs(value - expected) < tolerance, (value, expected)


def found_json(experiment):
    status, output, error = run("report", experiment, "--format=json")
    assert status == 0, error
    return json.loads(output)


def check_activity(place):
    """Kernels of 4, 12 and 4 s. Multiprocessors and warps: 1/2 x 1/2, 1/3 x 1/4 of 9 s, unknown for 3 s, 1 x 1: loads
    1, 12 x 1/12 = 1 and 4; composite 4 x 1/2, 12 x 1/12^0.5 and 4."""
    lines = ["unit 1", "ranks 3 threads 2", "stream 0.1 1.1 2.1"]
    for rank, (length, known, sm, warp) in enumerate(((4, 4, 50, 16), (12, 9, "33.333333333", 8), (4, 4, 100, 32))):
        lines += [f"0 {rank}.0 enter main", f"0 {rank}.0 enter cudaLaunchKernel", f"0 {rank}.0 correlation 1",
                  f"0 {rank}.0 leave cudaLaunchKernel", f"0 {rank}.0 enter cudaStreamSynchronize",
                  f"{length} {rank}.0 leave cudaStreamSynchronize", f"{length} {rank}.0 leave main",
                  f"0 {rank}.1 enter kernel force", f"0 {rank}.1 correlation 1", f"0 {rank}.1 activity sm {sm}",
                  f"0 {rank}.1 activity warp {warp}", f"{known} {rank}.1 leave kernel force"]
        if known < length:
            lines += [f"{known} {rank}.1 enter kernel pack", f"{length} {rank}.1 leave kernel pack"]
    synthesize("\n".join(lines) + "\n", place)
    assert run("analyze", "--check", place)[0] == 0
    report = found_json(place)
    stream, thread = report["efficiency"]["load_levels"][:2]
    assert (stream["level"], stream["parts"], stream["units"]) == ("stream", "multiprocessors", 3), stream
    for level in stream, thread:
        near(level["measured"]["imbalance"], 12 / (20 / 3) - 1)
        near(level["adjusted"]["imbalance"], 4 / 2 - 1)
        near(level["composite"]["imbalance"], 4 / ((2 + 12 / 12 ** 0.5 + 4) / 3) - 1, 1e-4)  # ticks are ms
        near(level["efficiency"], 6 / 20)
    assert (stream["measured"]["location"], stream["adjusted"]["location"]) == (3, 5), stream
    assert report["efficiency"]["load_levels"][2]["composite"] is None
    assert any("one at a time" in text for text in report["warnings"]), report["warnings"]
    _, text, _ = run("report", place, "--efficiency")
    assert re.search(r"3 streams +80\.0% +30\.0% +100\.0%  rank 1, stream 1, rank 2, stream 1\n"
                     r" +composite +26\.8%  rank 2, stream 1\n", text), text
    assert "Of 15.0% of the kernels' time it is not known" in text, text
    status, output, error = run("gpu-imbalance", place, "--format=json")
    assert status == 0, error
    found = json.loads(output)["runs"][0]
    for rank, load in enumerate((1, 1, 4)):
        near(found["ranks"][rank]["loads"]["adjusted"], load)
        near(found["ranks"][rank]["sm_efficiency"], (1 / 2, 1 / 3, 1)[rank])
        near(found["ranks"][rank]["warp_efficiency"], (1 / 2, 1 / 4, 1)[rank])
        near(found["ranks"][rank]["loads"]["composite"], (2, 12 / 12 ** 0.5, 4)[rank], 1e-3)
    assert [rank["launches"] for rank in found["ranks"]] == [1, 2, 1] and found["kernels"] == 2, found
    assert any("Of 15.0 % of the kernels' time" in text for text in found["warnings"]), found["warnings"]
    status, output, _ = run("gpu-imbalance", place, "--kernel", "^force$", "--format=json")
    found = json.loads(output)["runs"][0]
    near(found["ranks"][1]["loads"]["measured"], 9)
    near(found["ranks"][1]["loads"]["adjusted"], 3 / 4)
    status, _, error = run("gpu-imbalance", place, "--kernel", "nothing")
    assert status != 0 and "no name of a kernel matches --kernel" in error, error
    # the table of a profile counts more
    table = place + ".csv"
    pathlib.Path(table).write_text("rank,kernel,sm_eff,warp_eff\n0,force,1,1\n")
    found = json.loads(run("gpu-imbalance", place, table, "--format=json")[1])["runs"][0]
    near(found["ranks"][0]["loads"]["adjusted"], 4)
    near(found["ranks"][1]["loads"]["adjusted"], 1)


with Folder() as temporary:
    place = os.path.join(temporary, "run")
    synthesize("unit 1\nranks 3 threads 2\nstream 0.1 1.1 2.1\n" + events_of(0, 3) + events_of(1, 11) + events_of(2, 4),
               place)
    assert run("check", place)[0] == 0
    assert run("analyze", "--check", place)[0] == 0
    _, text, _ = run("report", place)
    words = " ".join(text.split())
    # the kernel of rank 1 makes it wait 10 s, and rank 0 and 2 at the barrier 8 and 7 s; that of rank 2 its host 3 s
    assert "`kernel force` on 2 streams of ranks 1 and 2 makes others wait 28.00 s" in words, text
    assert "Make it faster, launch it earlier, or give the host other work meanwhile." in words, text
    assert "54.00 s on 6 threads and streams" in words and "stream 1" in text and "thread 1" not in text, text
    report = found_json(place)
    assert [each["type"] for each in report["locations"]] == ["thread", "stream"] * 3
    problem = report["problems"][0]
    assert problem["cause"]["locations"] == [3, 5] and abs(problem["cost"] - 28) < 1e-9, problem
    level = report["efficiency"]["load_levels"][0]
    assert (level["level"], level["parts"], level["units"]) == ("thread", "streams", 3), level
    # kernels of 3, 11 and 4 s: 11 / 6 - 1; of the threads' time outside of MPI, 4, 12 and 5 s
    assert abs(level["adjusted"]["imbalance"] - 5 / 6) < 1e-12, level
    assert abs(level["measured"]["imbalance"] - 5 / 7) < 1e-12, level
    assert abs(level["efficiency"] - 18 / 21) < 1e-12, level
    # the efficiencies are those of the threads: 2 s of 12 s
    assert abs(report["efficiency"]["parallel_efficiency"] - 2 / 12) < 1e-12, report["efficiency"]
    _, chain, _ = run("report", place, "--why", "cuda_stream_wait")
    assert "rank 1, stream 1 spent 11.00 s more in kernel force" in " ".join(chain.split()), chain
    # loads of the ranks: kernels, and what the threads do besides waiting for them
    status, output, error = run("gpu-imbalance", place, "--format=json")
    assert status == 0, error
    loads = json.loads(output)["runs"][0]["ranks"]
    assert [rank["loads"]["measured"] for rank in loads] == [3, 11, 4], loads
    assert [rank["loads"]["computation"] for rank in loads] == [4, 12, 5], loads
    table = os.path.join(temporary, "efficiencies.csv")
    pathlib.Path(table).write_text("rank,kernel,sm_eff,warp_eff\n" + "".join(f"{r},force,0.5,1\n" for r in range(3)))
    status, output, error = run("gpu-imbalance", place, table, "--format=json")
    assert status == 0, error
    loads = json.loads(output)["runs"][0]["ranks"]
    assert [rank["loads"]["adjusted"] for rank in loads] == [1.5, 5.5, 2], loads
    # 2 s of computation each
    assert [rank["loads"]["hybrid"] for rank in loads] == [3.5, 7.5, 4], loads
    check_activity(os.path.join(temporary, "activity"))
    merged = os.path.join(temporary, "merged.fer")
    status, _, error = run("merge", "-o", merged, place, place)
    assert status == 0, error
    assert [each["type"] for each in found_json(merged)["locations"]] == ["thread", "stream"] * 3
    page = os.path.join(temporary, "page.html")
    assert run("view", place, "--html", page)[0] == 0 and os.path.getsize(page) > 100000
    for form in "cubex", "perfetto", "csv":
        output = os.path.join(temporary, form)
        status, _, error = run("export", place, "--to", form, "-o", output)
        assert status == 0, error
