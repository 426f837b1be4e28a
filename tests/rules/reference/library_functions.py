# SPDX-License-Identifier: BSD-3-Clause
"""What a function of OpenSHMEM, ARMCI or coarrays is, by its name."""

LIBRARIES = ("shmem", "armci", "caf")
_PREFIXES = (("shmem_", "shmem"), ("ARMCI_", "armci"), ("caf ", "caf"))

_SHMEM_KINDS = {"quiet": "completion", "ctx_quiet": "completion", "set_lock": "lock",
                "clear_lock": "unlock", "team_sync": "barrier", "malloc": "allocate",
                "calloc": "allocate", "align": "allocate", "free": "deallocate",
                "realloc": "deallocate", "init": "init", "init_thread": "init",
                "finalize": "finalize"}
_ARMCI_KINDS = {"Barrier": "barrier", "Fence": "completion", "AllFence": "completion",
                "Wait": "completion", "WaitProc": "completion", "WaitAll": "completion",
                "Lock": "lock", "Unlock": "unlock", "Malloc": "allocate",
                "Create_mutexes": "allocate", "Free": "deallocate",
                "Destroy_mutexes": "deallocate", "Init": "init", "Finalize": "finalize"}
_CAF_KINDS = {"sync all": "barrier", "sync images": "sync_images", "sync memory": "completion",
              "event post": "event_post", "event wait": "event_wait", "lock": "lock",
              "critical": "lock", "unlock": "unlock", "end critical": "unlock",
              "allocate": "allocate", "deallocate": "deallocate", "init": "init",
              "finalize": "finalize"}
_LOCAL = {"shmem": ("my_pe", "n_pes", "ptr", "info_get_name"), "armci": ("Malloc_local",),
          "caf": ("event query",)}


def _split(region):
    """(library, name without its prefix); (None, None) for other regions."""
    for prefix, library in _PREFIXES:
        if region.startswith(prefix):
            return library, region[len(prefix):]
    return None, None


def library_of(region):
    return _split(region)[0]


def kind_of(region):
    """Which rule a call falls under, None if its records decide or none does."""
    library, name = _split(region)
    if library == "shmem":
        if name.startswith(("barrier", "sync")):
            return "barrier"
        if "wait" in name:
            return "wait_until"
        if "broadcast" in name:
            return "from_root"
        if "alltoall" in name or "collect" in name or name.endswith(("_to_all", "_reduce")):
            return "nxn"
        return _SHMEM_KINDS.get(name)
    return {"armci": _ARMCI_KINDS, "caf": _CAF_KINDS}.get(library, {}).get(name)


def is_progressing(region):
    library, name = _split(region)
    return library is not None and name not in _LOCAL[library]


def own_node(region):
    """The node of the time tree, None for regions of no library."""
    library, name = _split(region)
    if library is None:
        return None
    kind = kind_of(region)
    if kind in ("allocate", "deallocate", "init", "finalize") or name in _LOCAL[library] and (
            name != "event query"):
        return library + "_management"
    if kind in ("from_root", "nxn") or name.startswith("co_"):
        return library + "_collective"
    if kind is not None or name in ("fence", "test_lock", "event query", "Test") or "test" in name:
        return library + "_synchronization"
    return "armci_communication" if library == "armci" else library + "_rma_communication"
