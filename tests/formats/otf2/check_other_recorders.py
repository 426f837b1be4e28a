# SPDX-License-Identifier: BSD-3-Clause
"""What archives of other recorders have besides: names of symbols instead of functions, locations that are no threads,
accelerators without their streams.

usage: check_other_recorders.py FERMATA"""

import json
import subprocess
import sys
import tempfile

import otf2
from otf2.enums import LocationGroupType, LocationType, Paradigm, Type

END, WAITING = 22_000_000, 17_000_000
NAMES = {"_ZN4heat6solverIdE4stepERKSt6vectorIdSaIdEE": "heat::solver<double>::step",
         "_ZN4Comm7forwardEi": "Comm::forward", "_Zone": "_Zone", "_Rank": "_Rank"}
SENSORS = "power", "temperature"


def write(place):
    with otf2.writer.open(place, timer_resolution=10**9) as trace:
        definitions = trace.definitions
        node = definitions.system_tree_node("node0", parent=definitions.system_tree_node("machine"))
        process = definitions.location_group("Process", location_group_type=LocationGroupType.PROCESS,
                                             system_tree_parent=node)
        host = trace.event_writer_from_location(
            definitions.location("Master thread", type=LocationType.CPU_THREAD, group=process))
        main = definitions.region("main")
        synchronize = definitions.region("hipDeviceSynchronize", paradigm=Paradigm.HIP)
        host.enter(0, main)
        for i, name in enumerate(NAMES):
            function = definitions.region(name)
            host.enter((i + 1) * 100_000, function)
            host.leave((i + 2) * 100_000, function)
        host.enter(3_000_000, synchronize)
        host.leave(3_000_000 + WAITING, synchronize)
        host.leave(END, main)
        for name in SENSORS:
            location = definitions.location(name, type=LocationType.METRIC, group=process)
            metric = definitions.metric_class([definitions.metric_member(name, unit="#", value_type=Type.DOUBLE)])
            instance = definitions.metric_instance(metric, recorder=location, scope=node)
            for i in range(5):
                trace.event_writer_from_location(location).metric(i * 1_000_000, instance, [100.0 + i])


def main():
    with tempfile.TemporaryDirectory() as folder:
        place = folder + "/archive"
        write(place)
        subprocess.run([sys.argv[1], "analyze", "-q", "--check", place], check=True)
        text, report = (subprocess.run([sys.argv[1], "report", *format, place], check=True, capture_output=True,
                                       text=True).stdout for format in ((), ("--format=json",)))
    report = json.loads(report)
    regions = {path["region"] for path in report["callpaths"]}
    assert set(NAMES.values()) <= regions, regions
    left_out = f'The location "{SENSORS[0]}" and 1 more have values of counters only'
    assert any(warning.startswith(left_out) for warning in report["warnings"]), report["warnings"]
    share = 100 * WAITING / END
    said = f"{share:.1f}% of all time (17.00 ms) is spent in hipDeviceSynchronize without waiting that the trace shows: "
    assert said + "work of accelerators that the trace does not show" in " ".join(text.split()), text


main()
