# SPDX-License-Identifier: BSD-3-Clause
"""The machine on which the measurements ran."""

import os
import platform
import subprocess


def _first(path, key):
    try:
        with open(path, encoding="utf-8", errors="replace") as lines:
            for line in lines:
                if line.startswith(key):
                    return line.split(":" if ":" in line else "=", 1)[1].strip().strip('"')
    except OSError:
        pass
    return "unknown"


def _version(package):
    query = subprocess.run(["dpkg-query", "-W", "-f", "${Version}", package], capture_output=True,
                           text=True, check=False)
    return query.stdout.strip() or "not installed"


def describe(build_type):
    """A dictionary of all properties that the figures depend on."""
    kernel_bytes = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return {
        "processor": _first("/proc/cpuinfo", "model name"),
        "processors": os.cpu_count(),
        "memory_gib": round(kernel_bytes / 2**30, 1),
        "system": _first("/etc/os-release", "PRETTY_NAME"),
        "kernel": platform.release(),
        "hypervisor": "hypervisor" in _first("/proc/cpuinfo", "flags").split(),
        "compiler": subprocess.run(["cc", "--version"], capture_output=True, text=True,
                                   check=False).stdout.splitlines()[0],
        "build_type": build_type,
        "otf2": _version("libopen-trace-format2-dev"),
        "open_mpi": _version("openmpi-bin"),
        "eztrace": _version("eztrace"),
        "load_average": round(os.getloadavg()[0], 2),
    }
