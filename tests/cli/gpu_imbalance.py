# SPDX-License-Identifier: BSD-3-Clause
"""`fermata gpu-imbalance` on profiles and tables written by hand, whose values are known.

usage: gpu_imbalance.py FERMATA
"""

import contextlib
import json
import math
import os
import pathlib
import re
import sqlite3
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "support"))
from fermata_command import Folder, run, synthesize  # noqa: E402

TABLE = str(HERE / "imbalance" / "table41.csv")


class Case:
    """Files of a run in a temporary folder."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        self.count = 0

    def write(self, name, text, encoding="utf-8"):
        self.count += 1
        path = self.folder / str(self.count) / name
        path.parent.mkdir()
        path.write_bytes(text.encode(encoding))
        return str(path)

    def read(self, *files, options=()):
        status, output, error = run("gpu-imbalance", *files, *options, "--format=json")
        assert status == 0, error
        return json.loads(output)["runs"][0]

    def refused(self, text, line, reason, status=3, name="p.0.csv"):
        path = self.write(name, text)
        found, output, error = run("gpu-imbalance", path)
        assert (found, output) == (status, ""), (text, found, output, error)
        assert error.startswith(f"fermata gpu-imbalance: {path}:{line}: ") and reason in error, error


def near(value, expected):
    assert value is not None and math.isclose(value, expected, rel_tol=1e-12, abs_tol=1e-15), \
        (value, expected)


# ---- formulas ----

def check_formulas(case):
    # two ranks with 1:3 of the work: 50 %
    loads = case.read(case.write("t.csv", "rank,time,work\n0,1,1\n1,3,3\n"))["loads"]
    near(loads["measured"]["imbalance"], 0.5)
    near(loads["work"]["imbalance"], 0.5)
    near(loads["measured"]["correlation"], 1)
    assert loads["measured"]["rank_of_largest"] == 1
    # one of P ranks has all: (P - 1) x 100 %
    rows = "".join(f"{r},{4 if r == 2 else 0}\n" for r in range(5))
    near(case.read(case.write("t.csv", "rank,time\n" + rows))["loads"]["measured"]["imbalance"], 4)
    # equal loads: 0, and no correlation
    equal = case.read(case.write("t.csv", "rank,time,work\n0,0.1,1\n1,0.1,2\n2,0.1,3\n"))["loads"]
    assert equal["measured"]["imbalance"] == 0 and equal["measured"]["correlation"] is None
    # total - MPI (4.2); hybrid: what the host does besides waiting for the accelerator
    text = "rank,time,total,mpi,cuda\n0,4,10,2,5\n1,2,10,6,2.5\n"
    kernels = "rank,kernel,duration_ns,sm_eff,warp_eff\n0,k,4e9,0.5,0.5\n1,k,2e9,1,0.5\n"
    ranks = case.read(case.write("t.csv", text), case.write("k.csv", kernels))["ranks"]
    near(ranks[0]["loads"]["computation"], 8)
    near(ranks[0]["loads"]["adjusted"], 1)
    near(ranks[0]["loads"]["hybrid"], 8 - 5 + 1)
    near(ranks[1]["loads"]["hybrid"], 4 - 2.5 + 1)
    # formula 4.5 is 4.1 if all efficiencies are equal, and identical if they are 1
    for efficiency in 0.5, 1:
        kernels = "rank,kernel,duration_ns,sm_eff,warp_eff\n" + "".join(
            f"{r},k,{1000 * (r + 1)},{efficiency},1\n" for r in range(3))
        loads = case.read(case.write("k.csv", kernels))["loads"]
        near(loads["adjusted"]["imbalance"], loads["measured"]["imbalance"])
        near(loads["measured"]["imbalance"], 0.5)
    # r and its gain, by hand: work 1 2 3, time 1 2 4, efficiencies that make the adjusted load fit
    text = "rank,time,work\n0,1,1\n1,2,2\n2,4,3\n"
    kernels = "rank,kernel,sm_eff,warp_eff\n0,k,0.5,1\n1,k,0.5,1\n2,k,0.375,1\n"
    loads = case.read(case.write("t.csv", text), case.write("k.csv", kernels))["loads"]
    r = 3 / math.sqrt(2 * 14 / 3)
    near(loads["measured"]["correlation"], r)
    near(loads["adjusted"]["correlation"], 1)
    near(loads["adjusted"]["improvement"], (1 - r) / r)


def check_weights(case):
    """Two kernels with different efficiencies: means weighted by time, and not."""
    text = ("rank,device,kernel,launch,start_ns,duration_ns,sm_eff,warp_eff\n"
            "0,d,a,0,0,3000,0.5,0.8\n0,d,b,1,3000,1000,1,0.4\n0,d,a,2,4000,4000,0.25,0.8\n")
    rank = case.read(case.write("k.csv", text))["ranks"][0]
    near(rank["gpu_efficiency"], (3000 * 0.4 + 1000 * 0.4 + 4000 * 0.2) / 8000)
    near(rank["gpu_efficiency_unweighted"], (0.4 + 0.4 + 0.2) / 3)
    near(rank["sm_efficiency"], (1500 + 1000 + 1000) / 8000)
    near(rank["loads"]["measured"], 8e-6)
    near(rank["loads"]["adjusted"], 8e-6 * 0.3)
    only = case.read(case.write("k.csv", text), options=["--kernel", "^b$"])["ranks"][0]
    near(only["gpu_efficiency"], 0.4)
    near(only["loads"]["measured"], 1e-6)


def check_composite(case):
    # nothing known about the memory: the square root; a limit of the memory: its share
    text = ("rank,kernel,duration_ns,sm_eff,warp_eff,memory\n"
            "0,k,1000,0.81,0.25,\n1,k,1000,0.81,0.25,1\n2,k,1000,0.81,0.25,0\n")
    ranks = case.read(case.write("k.csv", text))["ranks"]
    near(ranks[0]["composite_efficiency"], 0.45)
    near(ranks[1]["composite_efficiency"], 1)
    near(ranks[2]["composite_efficiency"], 0.2025)
    # values of each multiprocessor: 1 of 4 is active for all of the kernel, 3 for half of it
    wide = ('"ID","Kernel Name","gpu__time_duration.sum","sm__cycles_active.avg","sm__cycles_elapsed.max",'
            '"smsp__thread_inst_executed_per_inst_executed.ratio"\n'
            '"","","nsecond","cycle","cycle",""\n'
            '"0","k","1000","625 (1000; 500; 500; 500)","1000","32"\n')
    rank = case.read(case.write("p.0.csv", wide))["ranks"][0]
    near(rank["sm_efficiency"], 0.625)
    near(rank["composite_efficiency"], 0.5 * 1 + 0.5 * 0.5)
    near(rank["sm_imbalance"], 0.6)


# ---- formats ----

NVPROF = """==4242== NVPROF is profiling process 4242, command: ./comd
some output, "of the program
==4242== Profiling application: ./comd
==4242== Profiling result:
==4242== Metric result:
"Device","Kernel","Invocations","Metric Name","Metric Description","Min","Max","Avg"
"Tesla V100 (0)","void force<int, 4>(int*, ""x"")",10,"sm_efficiency","Multiprocessor Activity",70%,90.5%,80.000000%
"Tesla V100 (0)","void force<int, 4>(int*, ""x"")",10,"warp_execution_efficiency","Warp Execution Efficiency",1,1,"50.0%"
"Tesla V100 (0)","void force<int, 4>(int*, ""x"")",10,"ipc","Executed IPC",1,1,1.5
"Tesla V100 (0)","pack(double*)",30,"sm_efficiency","Multiprocessor Activity",40,40,40.0
"Tesla V100 (0)","pack(double*)",30,"warp_execution_efficiency","Warp Execution Efficiency",100%,100%,100%
"""
TIMES = """==4242== Profiling result:
"Type","Time(%)","Time","Calls","Avg","Min","Max","Name"
,%,ms,,us,us,us,
"GPU activities",80,6,10,600.0,1,1,"void force<int, 4>(int*, ""x"")"
"GPU activities",15,2,1,2000,1,1,"[CUDA memcpy HtoD]"
"GPU activities",20,3,30,100,1,1,"pack(double*)"
"API calls",80,6,10,600.0,1,1,"cudaLaunchKernel"
"""


def check_nvprof(case):
    rank = case.read(case.write("prof.3.csv", NVPROF))["ranks"][0]
    assert rank["rank"] == 3 and rank["launches"] == 40
    near(rank["gpu_efficiency"], 0.4)  # both kernels
    near(rank["sm_efficiency"], (10 * 0.8 + 30 * 0.4) / 40)
    assert rank["loads"]["measured"] is None
    rank = case.read(case.write("prof.3.csv", NVPROF), case.write("times.3.csv", TIMES))["ranks"][0]
    near(rank["loads"]["measured"], 9e-3)
    near(rank["sm_efficiency"], (6 * 0.8 + 3 * 0.4) / 9)
    near(rank["loads"]["adjusted"], 9e-3 * 0.4)
    force = case.read(case.write("prof.3.csv", NVPROF), options=["-k", "force"])["ranks"][0]
    near(force["sm_efficiency"], 0.8)
    # a value that overflowed is missing, never 0
    text = NVPROF.replace("80.000000%", "OVERFLOW").replace("50.0%", "<OVERFLOW>")
    found = case.read(case.write("prof.3.csv", text))
    near(found["ranks"][0]["sm_efficiency"], 0.4)
    assert sum("was not measured" in warning for warning in found["warnings"]) == 2
    # older header of times; carriage returns; a mark at the begin
    old = TIMES.replace('"Type",', "").replace(",%,ms", "%,ms").replace('"GPU activities",', "")
    old = "\n".join(line for line in old.splitlines() if "API" not in line)
    rank = case.read(case.write("t.0.csv", "\ufeff" + old.replace("\n", "\r\n") + "\r\n"))["ranks"][0]
    near(rank["loads"]["measured"], 9e-3)
    # traces: a row for each launch, times and metrics
    trace = ('==1== Profiling result:\n"Start","Duration","Grid X","Device","Context","Stream","Name",'
             '"Correlation_ID"\nms,us,,,,,,\n'
             '0.1,5.5,1,"V100 (0)","1","7","[CUDA memset]",1\n'
             '0.2,10,80,"V100 (0)","1","7","force(int*, int) [12]",12\n'
             '0.3,30,80,"V100 (0)","1","7","force(int*, int) [13]",13\n')
    rank = case.read(case.write("t.0.csv", trace))["ranks"][0]
    near(rank["loads"]["measured"], 40e-6)
    assert rank["launches"] == 2
    for names in (("sm_efficiency", "warp_execution_efficiency"),
                  ("Multiprocessor Activity", "Warp Execution Efficiency"),
                  ("Multiprocessor Activity (sm_efficiency)",
                   "Warp Execution Efficiency (warp_execution_efficiency)")):
        metrics = (f'"Device","Context","Stream","Kernel","Correlation_ID","{names[0]}","{names[1]}"\n'
                   ',,,,,%,%\n'
                   '"V100 (0)",1,7,"force(int*, int) [12]",12,90,50\n'
                   '"V100 (0)",1,7,"force(int*, int) [13]",13,70,50\n')
        rank = case.read(case.write("m.0.csv", metrics), case.write("t.0.csv", trace))["ranks"][0]
        near(rank["sm_efficiency"], 0.8)
        near(rank["loads"]["adjusted"], 40e-6 * 0.4)


LONG = [
    # Nsight Compute 2019 to 2020, 2021 and later, with rules, with NVTX ranges
    '"ID","Process ID","Process Name","Host Name","Kernel Name","Kernel Time","Context","Stream",'
    '"Section Name","Metric Name","Metric Unit","Metric Value"',
    '"ID","Process ID","Process Name","Host Name","Kernel Name","Context","Stream","Block Size",'
    '"Grid Size","Device","CC","Section Name","Metric Name","Metric Unit","Metric Value"',
    '"ID","Process ID","Process Name","Host Name","Kernel Name","Context","Stream","Block Size",'
    '"Grid Size","Device","CC","Section Name","Metric Name","Metric Unit","Metric Value","Rule Name",'
    '"Rule Type","Rule Description","Estimated Speedup Type","Estimated Speedup"',
    '"ID","Process ID","Process Name","Host Name",'
    '"thread Domain:Push/Pop_Range:PL_Type:PL_Value:CLR_Type:Color:Msg_Type:Msg","Kernel Name",'
    '"Kernel Time","Context","Stream","Section Name","Metric Name","Metric Unit","Metric Value"',
]
SM = "smsp__cycles_active.avg.pct_of_peak_sustained_elapsed"
SM_NEAR = "sm__cycles_active.avg.pct_of_peak_sustained_elapsed"
WARP = "smsp__thread_inst_executed_per_inst_executed.ratio"
TIME = "gpu__time_duration.sum"


def rows(header, values, cut=0):
    """Rows of a long table: values are (id, process, metric, unit, value)."""
    names = re.findall(r'"([^"]*)"', header)
    lines = [header]
    for number, process, metric, unit, value in values:
        cells = {"ID": number, "Process ID": process, "Process Name": "comd", "Host Name": "n1",
                 "Kernel Name": 'force<int, 4>(int *, ""y"")', "Kernel Time": "2020-Jan-01 10:00:00",
                 "Block Size": "(1024, 1, 1)", "Metric Name": metric, "Metric Unit": unit,
                 "Metric Value": value}
        line = ",".join(f'"{cells.get(name, "1")}"' for name in names)
        lines.append(line)
    return "==PROF== Connected to process 7 (comd)\nhello, \"world\n==PROF== Profiling \"f\" - 0: 0%\n" \
        + "\n".join(lines) + "\n"


def check_nsight(case):
    values = [("0", "12", TIME, "nsecond", "1,250,000"), ("0", "12", SM_NEAR, "%", "11.5"),
              ("0", "12", SM, "%", "80.00"), ("0", "12", WARP, "", "16"),
              ("0", "12", "dram__bytes.sum", "Mbyte", "1,234.5"),
              ("1", "12", TIME, "nsecond", "750,000"), ("1", "12", SM, "%", "40"),
              ("1", "12", WARP, "", "32.0")]
    for header in LONG:
        rank = case.read(case.write("ncu.1.csv", rows(header, values)))["ranks"][0]
        assert rank["rank"] == 1 and rank["launches"] == 2
        near(rank["loads"]["measured"], 2e-3)
        near(rank["gpu_efficiency"], 0.4)
        near(rank["sm_efficiency"], (1.25 * 0.8 + 0.75 * 0.4) / 2)
        near(rank["warp_efficiency"], (1.25 * 0.5 + 0.75) / 2)
    # units and locales of one and the same time
    for unit, text in (("nsecond", "1,250,000"), ("ns", "1250000"), ("usecond", "1,250.00"),
                       ("us", "1250"), ("msecond", "1.25"), ("ms", "1,25"), ("second", "0.00125"),
                       ("s", "1.25e-03"), ("usecond", "1.250,00"), ("usecond", "1 250,0"),
                       ("usecond", "1\u00a0250,0"), ("usecond", "1\u202f250,0"), ("usecond", "1'250.0")):
        decimal = text.rfind(",") == len(text) - 2 - (text[-3] == ",") and "," in text
        sm = "80,00" if decimal else "80.00"
        found = case.read(case.write("ncu.1.csv", rows(LONG[1], [
            ("0", "12", TIME, unit, text), ("0", "12", SM, "%", sm), ("0", "12", WARP, "", "9")])))
        near(found["ranks"][0]["loads"]["measured"], 1.25e-3)
        near(found["ranks"][0]["sm_efficiency"], 0.8)
        near(found["ranks"][0]["warp_efficiency"], 9 / 32)
    # a number that may be read in both ways: as in English, with a warning; or as it is asked for
    text = rows(LONG[1], [("0", "12", TIME, "usecond", "1,250"), ("0", "12", WARP, "", "32")])
    found = case.read(case.write("ncu.1.csv", text))
    near(found["ranks"][0]["loads"]["measured"], 1.25e-3)
    assert any("--decimal comma" in warning for warning in found["warnings"])
    found = case.read(case.write("ncu.1.csv", text), options=["--decimal", "comma"])
    near(found["ranks"][0]["loads"]["measured"], 1.25e-6)
    # names of the page "details", from which the efficiency of multiprocessors follows
    found = case.read(case.write("ncu.1.csv", rows(LONG[1], [
        ("0", "12", "Duration", "us", "10"), ("0", "12", "SM Active Cycles", "cycle", "600"),
        ("0", "12", "Elapsed Cycles", "cycle", "800"),
        ("0", "12", "Avg. Active Threads Per Warp", "", "24")])))
    near(found["ranks"][0]["gpu_efficiency"], 0.75 * 0.75)
    # means of several launches (--print-summary)
    summary = ('"Process ID","Kernel Name","Invocations","Section Name","Metric Name","Metric Unit",'
               '"Minimum","Maximum","Average"\n'
               f'"12","k","4","s","{TIME}","us","10","30","20"\n'
               f'"12","k","4","s","{SM}","%","10","90","50"\n'
               f'"12","k","4","s","{WARP}","","8","32","16"\n')
    rank = case.read(case.write("ncu.csv", summary))["ranks"][0]
    near(rank["loads"]["measured"], 80e-6)
    near(rank["gpu_efficiency"], 0.25)
    # wide: a row for each launch, units below the header; semicolons where commas are decimal
    wide = (f'"ID","Process ID","Kernel Name","{TIME}","{SM}","{WARP}"\n'
            '"","","","usecond","%",""\n"0","12","k","10.5","80","16"\n"1","12","k","31.5","40","32"\n')
    for text in wide, wide.replace(",", ";").replace(".5", ",5"):
        rank = case.read(case.write("ncu.2.csv", text))["ranks"][0]
        near(rank["loads"]["measured"], 42e-6)
        near(rank["gpu_efficiency"], 0.4)


def check_nsys(case):
    """Nsight Systems, `nsys stats`: several tables, of which two are about kernels."""
    notes = "Processing [r.sqlite] with [cuda_gpu_kern_sum.py]... \n"
    times = ('Time (%),Total Time (ns),Instances,Avg (ns),Med (ns),Min (ns),Max (ns),StdDev (ns),Name\n'
             '75.0,3000000,1000,3000.0,2900,2000,4000,10.0,"void force<float>(float *, int)"\n'
             "25.0,1000000,{},10000.0,9900,9000,11000,10.0,reduce\n")
    calls = ("Time (%),Total Time (ns),Num Calls,Avg (ns),Med (ns),Min (ns),Max (ns),StdDev (ns),Name\n"
             "90.0,9000000000,1100,8181818.0,1,1,9,1,cudaDeviceSynchronize\n")
    copies = ("Time (%),Total Time (ns),Count,Avg (ns),Med (ns),Min (ns),Max (ns),StdDev (ns),Operation\n"
              "100.0,50000000,10,5000000,1,1,9,1,[CUDA memcpy Host-to-Device]\n")
    text = notes + times.format(100) + "\n" + calls + "\n" + copies
    near(case.read(case.write("p.0.csv", text))["ranks"][0]["loads"]["measured"], 4e-3)
    near(case.read(case.write("p.0.csv", copies + "\n" + text))["ranks"][0]["loads"]["measured"], 4e-3)
    micro = times.format(100).replace("(ns)", "(us)").replace("3000.0", "3.0").replace("10000.0", "10.0")
    near(case.read(case.write("p.0.csv", micro))["ranks"][0]["loads"]["measured"], 4e-3)
    trace = ("Start (ns),Duration (ns),CorrId,GrdX,GrdY,GrdZ,BlkX,BlkY,BlkZ,Reg/Trd,StcSMem (MB),DymSMem (MB),Bytes (MB),"
             "Throughput (MB/s),SrcMemKd,DstMemKd,Device,Ctx,GreenCtx,Strm,Name\n"
             "10,2000,1,8,1,1,64,1,1,16,0,0,,,,,NVIDIA H200 (0),1,,7,force(float *)\n"
             "20,500,2,,,,,,,,,,1.0,2000,Pageable,Device,NVIDIA H200 (0),1,,7,[CUDA memcpy Host-to-Device]\n"
             "30,4000,3,8,1,1,64,1,1,16,0,0,,,,,NVIDIA H200 (0),1,,7,force(float *)\n")
    near(case.read(case.write("p.0.csv", trace))["ranks"][0]["loads"]["measured"], 6e-6)
    case.refused(times.format(0), 3, "the number of instances is 0")
    case.refused(times.format(100)[:-8] + "\n", 3, "cut off")


def make_database(path, kernels, with_kernels=True):
    """A database as Nsight Systems makes it. kernels: (process, start, end, name)"""
    if os.path.exists(path):
        os.remove(path)
    with contextlib.closing(sqlite3.connect(path)) as database, database:
        database.execute("CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT)")
        if with_kernels:
            database.execute("CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INTEGER, end INTEGER, deviceId INTEGER,"
                             " streamId INTEGER, globalPid INTEGER, demangledName INTEGER, shortName INTEGER)")
        names = sorted({name for *_, name in kernels})
        database.executemany("INSERT INTO StringIds VALUES (?, ?)", enumerate(names, 1))
        for process, start, end, name in kernels:
            database.execute("INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (?, ?, 0, 7, ?, ?, ?)",
                             (start, end, 0x100 << 48 | process << 24, names.index(name) + 1, 1))
    return path


def check_nsys_database(case):
    """Nsight Systems, SQLite: of one process, of several, damaged, of others."""
    force = 'void force<float, (int)3>(float *, "x")'
    path = make_database(str(case.folder / "p.0.sqlite"), [(70, 10, 2010, force), (70, 3000, 7000, "reduce")])
    near(case.read(path)["ranks"][0]["loads"]["measured"], 6e-6)
    near(case.read(path, options=["--kernel", "force*"])["ranks"][0]["loads"]["measured"], 2e-6)
    with open(path, "rb") as file:
        content = file.read()
    both = make_database(str(case.folder / "all.sqlite"), [(70, 10, 2010, force), (71, 10, 4010, force)])
    status, _, error = run("gpu-imbalance", both)
    assert status == 3 and "several processes" in error, error
    ranks = case.read(both, case.write("map.csv", "process,rank\n70,1\n71,0\n"))["ranks"]
    near(ranks[0]["loads"]["measured"], 4e-6)
    near(ranks[1]["loads"]["measured"], 2e-6)
    for damaged, reason in ((content[:5000], "p.0.sqlite"), (content[:100], "p.0.sqlite"),
                            (content.replace(b"StringIds", b"StringIdx"), "none of Nsight Systems")):
        with open(path, "wb") as file:
            file.write(damaged)
        status, _, error = run("gpu-imbalance", path)
        assert status == 3 and reason in error, (status, error)
    for kernels, reason in (([], "it has no kernels"), (None, "no table CUPTI_ACTIVITY_KIND_KERNEL")):
        status, _, error = run("gpu-imbalance", make_database(path, kernels or [], kernels is not None))
        assert status == 3 and reason in error, (status, error)


def check_ranks(case):
    """Whose rank a file is: by its name, a pattern, a table of processes."""
    two = rows(LONG[1], [("0", "12", TIME, "us", "10"), ("1", "14", TIME, "us", "30")])
    path = case.write("all.csv", two)
    status, _, error = run("gpu-imbalance", path)
    assert status == 3 and "several processes" in error, error
    table = case.write("map.csv", "process,rank\n12,1\n14,0\n")
    ranks = case.read(path, table)["ranks"]
    near(ranks[0]["loads"]["measured"], 30e-6)
    near(ranks[1]["loads"]["measured"], 10e-6)
    one = rows(LONG[1], [("0", "12", TIME, "us", "10")])
    for name, rank in (("prof.csv", 0), ("prof3.csv", 3), ("v100.3.csv", 3), ("run-2-rank_5.csv", 5), ("node3.4d.6.csv", 6),
                       ("Rank7-gpu1.csv", 7)):
        assert case.read(case.write(name, one))["ranks"][0]["rank"] == rank, name
    for name in ("v100-7-of-64.csv", "gpu1-node2.csv", "rank1-rank2.csv", "2026-12-01.csv"):
        status, output, error = run("gpu-imbalance", case.write(name, one))
        assert status == 3 and "several numbers: --rank-pattern" in error and not output, (name, status, error)
    status, output, error = run("gpu-imbalance", case.write("one.csv", one), case.write("two.csv", one))
    assert status == 3 and "does not tell a rank" in error and not output, error
    path = case.write("v100-7-of-64.csv", one)
    found = case.read(path, options=["--rank-pattern", "v100-%r-of-64.csv"])
    assert found["ranks"][0]["rank"] == 7
    assert any("Nothing is known of ranks 0, 1, 2" in text for text in found["warnings"])


def check_refused(case):
    header = '"Device","Kernel","Invocations","Metric Name","Metric Description","Min","Max","Avg"\n'
    row = '"d","k",1,"sm_efficiency","x",1,1,{}\n'
    case.refused(header + row.format("eighty"), 2, "'eighty' is no number")
    case.refused(header + row.format("-5%"), 2, "negative")
    case.refused(header + '"d","k",many,"sm_efficiency","x",1,1,5\n', 2, "no number of invocations")
    case.refused(header + '"d","k",0,"sm_efficiency","x",1,1,5\n', 2, "is 0")
    case.refused(header + '"d","k",1,"sm_eff', 2, "not closed")
    case.refused(header + '"d","k",1,"sm_efficiency","x",1\n', 2, "cut off")
    case.refused(header + row.format("5") + "a line of the program\n", 3, "is no row")
    case.refused(header + row.format("5,6"), 2, "the row has 9 cells, its header 8")
    case.refused(header + row.format('"80,5%"') + row.format("70.5%").replace('"k"', '"l"'), 2,
                 "decimal comma")
    case.refused(header + row.format("5") + row.format("6"), 3, "second value")
    case.refused(rows(LONG[0], [("0", "1", TIME, "furlong", "1")]), 5, "no unit")
    case.refused(rows(LONG[0], [("0", "x", TIME, "us", "1")]), 5, "no process")
    case.refused("rank,time\n0,1\n0,2\n", 3, "rank 0 has a second row; the first one is line 2")
    case.refused("rank,time\n0,1,2\n", 2, "the row has 3 cells, its header 2")
    case.refused("rank,time\n0\n", 2, "is no row")
    case.refused("rank,time\n0,1x\n", 2, "'1x' is no number")
    case.refused("rank,time\n0,nan\n", 2, "'nan' is no number")
    case.refused("rank,time\n-1,1\n", 2, "'-1' is no rank")
    case.refused("rank,time\n0,-1\n", 2, "time is negative")
    case.refused("rank,kernel,sm_eff\n0,k,-1\n", 2, "sm_eff is negative")
    case.refused("thread,work\n0,1\n2,1\n", 3, "thread 2 stands where thread 1 is due")
    case.refused("rank,time\n0,\0\n", 2, "zero byte")
    path = case.write("p.0.csv", "rank,time\n0,1\n", "utf-16")
    status, _, error = run("gpu-imbalance", path)
    assert status == 3 and f"{path}:1: the text is in UTF-16" in error, error
    for text in "", "no table\n", "rank;colour\n1;red\n":
        path = case.write("p.0.csv", text)
        status, _, error = run("gpu-imbalance", path)
        assert status == 3 and f"{path}: no line is the header" in error, error
    missing = os.path.join(case.folder, "missing.csv")
    status, _, error = run("gpu-imbalance", missing)
    assert status == 2 and f"cannot read {missing}" in error, error
    for options in ["--kernel", "("], ["--rank-pattern", "x"], ["--format", "xml"], []:
        status, _, error = run("gpu-imbalance", *options, *(["x"] if options else []))
        assert status == 2 and "see fermata gpu-imbalance --help" in error, error
    status, _, error = run("gpu-imbalance", case.write("p.0.csv", NVPROF), "-k", "nothing")
    assert status == 3 and "no name of a kernel matches" in error, error


# ---- table 4.1 ----

def check_table(case):
    """The 22 problems of table 4.1: mean distances as computed from the table by hand."""
    status, output, error = run("gpu-imbalance", TABLE, "--format=json")
    assert status == 0, error
    small, large = json.loads(output)["sweep"]["sets"]
    for found, expected in ((small, (0.13, 2.74, 2.54)), (large, (0.62, 1.80, 3.19))):
        for name, value in zip(("computation", "measured", "adjusted"), expected):
            assert abs(found["mean_error"][name] - value) < 0.005, (found["set"], name, value)
    nearer = [[p["problem"] for p in each["problems"] if p["adjusted_is_nearer"]]
              for each in (small, large)]
    assert nearer == [["1", "3", "6", "7", "8", "9"], ["3", "6", "7"]], nearer
    assert abs(small["largest_error"]["adjusted"] + 7.72) < 0.005
    # the composite, estimated: nearer on the mean of all, farther than measured times on "large"
    assert abs(small["mean_error"]["composite"] - 1.42) < 0.01, small["mean_error"]
    assert abs(large["mean_error"]["composite"] - 2.50) < 0.01, large["mean_error"]
    status, output, error = run("gpu-imbalance", TABLE)
    assert status == 0 and "Adjusted time is nearer than Measured time in 6 of 11 problems: 1, 3, 6, " \
        "7, 8, 9" in " ".join(output.split()), output
    # what is written as CSV can be read again
    status, output, _ = run("gpu-imbalance", TABLE, "--format=csv")
    again = case.write("sweep.csv", output)
    assert run("gpu-imbalance", again, "--format=csv")[1] == output


def check_runs(case):
    """Folders of runs become a sweep; figures and page are well-formed."""
    import xml.dom.minidom
    for number in 30, 60:
        folder = case.folder / "runs" / f"r{number}"
        folder.mkdir(parents=True)
        ranks = "".join(f"{r},{1 + r * number / 100},{100 + r * number}\n" for r in range(4))
        (folder / "ranks.csv").write_text("rank,time,work\n" + ranks)
        (folder / "kernels.csv").write_text(
            "rank,device,kernel,sm_eff,warp_eff\n" +
            "".join(f"{r},model <&> V100,k,{1 - r / 10},0.5\n" for r in range(4)))
        (folder / "problem.csv").write_text(f"problem,removed,parameter\nx,{number / 2},{number}.5\n")
    runs = [str(case.folder / "runs" / f"r{number}") for number in (30, 60)]
    figures, page = case.folder / "figures", case.folder / "page.html"
    status, output, error = run("gpu-imbalance", *runs, "--svg", str(figures), "--html", str(page))
    assert status == 0, error
    assert "r30" in output and "15.0%" in output and "those of a model" in output, output
    drawn = sorted(path.name for path in figures.iterdir())
    assert drawn == ["correlation.svg", "correlations.svg", "differences.svg", "imbalance.svg",
                     "loads.svg", "work.svg"], drawn
    for path in figures.iterdir():
        title = xml.dom.minidom.parse(str(path)).getElementsByTagName("title")[0].firstChild.data
        assert path.name == "work.svg" or "(modelled)" in title, title
    text = page.read_text()
    assert text.count("<svg") == 6 and "http" not in text.replace("http://www.w3.org/2000/svg", "")
    threads = case.write("threads.csv", "thread,work\n0,2\n1,1\n2,0\n3,0\n")
    status, output, error = run("gpu-imbalance", threads, "--svg", str(figures))
    assert status == 0 and "2 threads have none" in " ".join(output.split()), output + error
    assert (figures / "threads.svg").exists()
    status, _, error = run("gpu-imbalance", runs[0], runs[1], threads)
    assert status == 2 and "not both" in error, error


SCENARIO = """unit 1
ranks 2
0 0 enter main
0 0 enter force
1 0 leave force
2 0 enter MPI_Barrier
2 0 coll_begin
8 0 coll_end barrier world - 0 0
8 0 leave MPI_Barrier
8 0 leave main
0 1 enter main
0 1 enter force
3 1 leave force
6 1 enter MPI_Barrier
6 1 coll_begin
8 1 coll_end barrier world - 0 0
8 1 leave MPI_Barrier
8 1 leave main
"""


def check_experiment(case):
    """Times of an experiment: outside of MPI (2:6 s), of a call path (1:3 s)."""
    experiment = str(case.folder / "experiment")
    synthesize(SCENARIO, experiment)
    assert run("gpu-imbalance", experiment)[0] == 3  # not analysed yet
    assert run("analyze", experiment)[0] == 0
    found = case.read(experiment)
    near(found["ranks"][0]["loads"]["computation"], 2)
    near(found["ranks"][1]["loads"]["measured"], 6)
    near(found["loads"]["measured"]["imbalance"], 0.5)
    found = case.read(experiment, options=["--callpath", "main/force"])
    near(found["ranks"][1]["loads"]["measured"], 3)
    near(found["loads"]["measured"]["imbalance"], 0.5)
    status, _, error = run("gpu-imbalance", experiment, "--callpath", "main/nothing")
    assert status == 2 and "no call path main/nothing" in error, error
    status, _, error = run("gpu-imbalance", experiment, experiment)
    assert status == 2 and "a second experiment of one run" in error, error


THREADS = """unit 1
ranks 4 threads 2
node far 2 3
team t0 0.0 0.1
team t1 1.0 1.1
"""


def parallel(rank, first, second):
    """A rank whose threads compute for these times of a parallel region of 4 s, and then meet all ranks."""
    lines = [(0, f"{rank}.0 enter main"), (0, f"{rank}.0 fork 2")]
    for thread, busy in enumerate((first, second)):
        where = f"{rank}.{thread}"
        lines += [(0, f"{where} team_begin t{rank}"), (0, f"{where} enter !$omp parallel"),
                  (busy, f"{where} enter !$omp implicit barrier"), (4, f"{where} leave !$omp implicit barrier"),
                  (4, f"{where} leave !$omp parallel"), (4, f"{where} team_end t{rank}")]
    lines += [(4, f"{rank}.0 join"), (4, f"{rank}.0 enter MPI_Barrier"), (4, f"{rank}.0 coll_begin"),
              (8, f"{rank}.0 coll_end barrier world - 0 0"), (8, f"{rank}.0 leave MPI_Barrier"),
              (8, f"{rank}.0 leave main")]
    return "".join(f"{time} {event}\n" for time, event in lines)


def alone(rank, busy):
    return (f"0 {rank}.0 enter main\n{busy} {rank}.0 enter MPI_Barrier\n{busy} {rank}.0 coll_begin\n"
            f"8 {rank}.0 coll_end barrier world - 0 0\n8 {rank}.0 leave MPI_Barrier\n8 {rank}.0 leave main\n")


def check_levels(case):
    """Threads in processes, processes on nodes: loads and imbalances by hand.

    Times: 4 4 2 8. Loads: rank 0 (4 + 4) / 2, rank 1 (4 + 2) / 2 = 4 x 0.75, ranks 2 and 3 have one thread that
    records anything: 2 and 8, of two threads 1 and 4. Nodes: max(4, 4) and (4 + 3) / 2; max(2, 8) and (1 + 4) / 2."""
    experiment = str(case.folder / "threads")
    synthesize(THREADS + parallel(0, 4, 4) + parallel(1, 4, 2) + alone(2, 2) + alone(3, 8), experiment)
    assert run("analyze", experiment)[0] == 0
    levels = json.loads(run("report", experiment, "--format=json")[1])["efficiency"]["load_levels"]
    process, node = levels
    assert (process["level"], process["parts"], process["units"]) == ("process", "threads", 4)
    near(process["measured"]["imbalance"], 8 / 4.5 - 1)
    near(process["measured"]["largest"], 8)
    near(process["adjusted"]["imbalance"], 4 / 3 - 1)
    near(process["efficiency"], 12 / 18)
    assert process["measured"]["location"] == 6 and process["adjusted"]["location"] == 0
    assert (node["level"], node["parts"], node["units"]) == ("node", "processes", 2)
    near(node["measured"]["imbalance"], 8 / 6 - 1)
    near(node["adjusted"]["average"], 3)
    near(node["adjusted"]["imbalance"], 3.5 / 3 - 1)
    near(node["efficiency"], 6 / 12)
    output = run("report", experiment, "--efficiency")[1]
    assert re.search(r"4 ranks +77\.8% +66\.7% +33\.3%  rank 3, rank 0\n", output), output
    assert re.search(r"2 nodes +33\.3% +50\.0% +16\.7%  far, node\n", output), output
    # the same adjustment as a load of each rank
    found = case.read(experiment)
    near(found["ranks"][1]["gpu_efficiency"], 0.75)
    near(found["ranks"][1]["loads"]["adjusted"], 3)
    near(found["loads"]["adjusted"]["imbalance"], 4 / 3 - 1)
    near(found["loads"]["measured"]["imbalance"], 8 / 4.5 - 1)


with Folder() as temporary:
    for check in (check_formulas, check_weights, check_composite, check_nvprof, check_nsight, check_nsys, check_nsys_database,
                  check_ranks,
                  check_refused, check_table, check_runs, check_experiment, check_levels):
        place = os.path.join(temporary, check.__name__)
        os.mkdir(place)
        check(Case(place))
