# SPDX-License-Identifier: BSD-3-Clause
"""The metric trees in the scope of the reference and the node that a call's own time belongs to."""

import library_functions

# Parent of every node of the time tree.
TIME_TREE = """
time
  execution
    comp
    mpi
      mpi_management
        mpi_init_exit
          mpi_init_completion
          mpi_init_wait
          mpi_finalize_wait
        mpi_mgmt_comm
          mpi_comm_wait
        mpi_mgmt_file
          mpi_file_wait
        mpi_mgmt_win
          mpi_rma_wait_at_create
          mpi_rma_wait_at_free
      mpi_synchronization
        mpi_sync_collective
          mpi_barrier_wait
          mpi_barrier_completion
        mpi_rma_synchronization
          mpi_rma_sync_active
            mpi_rma_sync_late_post
            mpi_rma_early_wait
              mpi_rma_late_complete
            mpi_rma_wait_at_fence
              mpi_rma_early_fence
            mpi_rma_active_wait_for_progress
          mpi_rma_sync_passive
            mpi_rma_sync_lock_competition
            mpi_rma_sync_wait_for_progress
      mpi_communication
        mpi_point2point
          mpi_latesender
            mpi_latesender_wo
              mpi_lswo_different
              mpi_lswo_same
          mpi_latereceiver
            mpi_latereceiver_wo
          mpi_p2p_wait_for_progress
        mpi_collective
          mpi_earlyreduce
          mpi_earlyscan
          mpi_latebroadcast
          mpi_wait_nxn
          mpi_nxn_completion
          mpi_coll_wait_for_progress
        mpi_rma_communication
          mpi_rma_comm_late_post
          mpi_rma_comm_lock_competition
          mpi_rma_comm_wait_for_progress
      mpi_io
        mpi_io_individual
        mpi_io_collective
          mpi_io_collective_wait
    shmem
      shmem_management
        shmem_init_wait
        shmem_finalize_wait
        shmem_wait_at_alloc
        shmem_wait_at_free
      shmem_synchronization
        shmem_barrier_wait
        shmem_barrier_completion
        shmem_lock_contention
        shmem_wait_until
        shmem_sync_wait_for_progress
      shmem_communication
        shmem_rma_communication
          shmem_comm_wait_for_progress
        shmem_collective
          shmem_wait_nxn
          shmem_latebroadcast
    armci
      armci_management
        armci_init_wait
        armci_finalize_wait
        armci_wait_at_alloc
        armci_wait_at_free
      armci_synchronization
        armci_barrier_wait
        armci_lock_contention
        armci_sync_wait_for_progress
      armci_communication
        armci_comm_wait_for_progress
    caf
      caf_management
        caf_init_wait
        caf_finalize_wait
        caf_wait_at_alloc
        caf_wait_at_free
      caf_synchronization
        caf_barrier_wait
        caf_barrier_completion
        caf_sync_images_wait
        caf_event_wait
        caf_lock_contention
        caf_sync_wait_for_progress
      caf_communication
        caf_rma_communication
          caf_comm_wait_for_progress
        caf_collective
          caf_earlyreduce
          caf_latebroadcast
          caf_wait_nxn
    c10d
      c10d_wait_nxn
    omp_time
      omp_management
        omp_fork
      omp_synchronization
        omp_barrier
          omp_ebarrier
            omp_ebarrier_wait
          omp_ibarrier
            omp_ibarrier_wait
        omp_critical
          omp_lock_contention_critical
        omp_lock_api
          omp_lock_contention_api
        omp_ordered
          omp_ordered_wait
        omp_taskwait
          omp_taskwait_wait
      omp_flush
    pthread_time
      pthread_management
        pthread_join_wait
        pthread_barrier_wait
      pthread_synchronization
        pthread_lock_api
          pthread_lock_contention_mutex_lock
        pthread_conditional
          pthread_lock_contention_conditional
          pthread_condition_wait
        pthread_semaphore_wait
    cuda_time
      cuda_launch
      cuda_copy
        cuda_copy_wait
      cuda_synchronization
        cuda_stream_wait
      cuda_idle
        cuda_late_launch
        cuda_event_wait
  overhead
  omp_idle_threads
    omp_limited_parallelism
"""

# All other trees: their values include those of their children.
COUNT_TREES = """
visits
syncs
  syncs_p2p
    syncs_send
    syncs_recv
  syncs_coll
  syncs_rma
    syncs_rma_active
    syncs_rma_passive
comms
  comms_p2p
    comms_send
    comms_recv
  comms_coll
    comms_cxch
    comms_csrc
    comms_cdst
  comms_rma
    comms_rma_puts
    comms_rma_gets
    comms_rma_atomics
bytes
  bytes_p2p
    bytes_sent
    bytes_rcvd
  bytes_coll
    bytes_cout
    bytes_cin
  bytes_rma
    bytes_put
    bytes_get
mpi_rma_pairsync_count
  mpi_rma_pairsync_unneeded_count
mpi_rma_fence_partial
"""


def _parents(text):
    """Indented text to {metric: parent or None}, in the order of the text."""
    parents, stack = {}, []
    for line in text.strip("\n").splitlines():
        depth = (len(line) - len(line.lstrip())) // 2
        del stack[depth:]
        parents[line.strip()] = stack[-1] if stack else None
        stack.append(line.strip())
    return parents


TIME_METRICS = _parents(TIME_TREE)
COUNT_METRICS = _parents(COUNT_TREES)
# Times beside the tree; `_lower`: a lower bound of the metric without it.
INFO_METRICS = tuple("%s_%s_wait_for_progress_lower" % (library, calls)
                     for library in ("mpi_rma", "shmem", "armci", "caf")
                     for calls in ("sync", "comm")) + (
                         "mpi_p2p_wait_for_progress_lower", "mpi_coll_wait_for_progress_lower",
                         "mpi_rma_active_wait_for_progress_lower",
                         "open_call", "thread_start_delay", "omp_task_starvation", "kernel_measured", "kernel_adjusted",
                         "kernel_inactive", "kernel_idle", "kernel_composite")

_ACTIVE = {"fence", "start", "complete", "post", "wait", "test"}
_PASSIVE_PREFIXES = ("lock", "unlock", "flush", "sync")
_RMA_OPERATIONS = {"Put", "Get", "Accumulate", "Get_accumulate", "Fetch_and_op",
                   "Compare_and_swap", "Rput", "Rget", "Raccumulate", "Rget_accumulate"}
NXN = {"Allreduce", "Allgather", "Allgatherv", "Alltoall", "Alltoallv", "Alltoallw",
       "Reduce_scatter", "Reduce_scatter_block"}
ONE_TO_ALL = {"Bcast", "Scatter", "Scatterv"}
ALL_TO_ONE = {"Reduce", "Gather", "Gatherv"}
SCANS = {"Scan", "Exscan"}
NEIGHBOURHOOD = {"Neighbor_allgather", "Neighbor_allgatherv", "Neighbor_alltoall",
                 "Neighbor_alltoallv", "Neighbor_alltoallw"}
_COLLECTIVES = NXN | ONE_TO_ALL | ALL_TO_ONE | SCANS | NEIGHBOURHOOD
_POINT2POINT = {"Send", "Ssend", "Rsend", "Bsend", "Isend", "Issend", "Irsend", "Ibsend",
                "Send_init", "Ssend_init", "Rsend_init", "Bsend_init", "Recv", "Irecv",
                "Recv_init", "Mrecv", "Imrecv", "Sendrecv", "Sendrecv_replace", "Isendrecv",
                "Isendrecv_replace", "Probe", "Iprobe", "Mprobe", "Improbe", "Cancel"}
_POINT2POINT_PREFIXES = ("Start", "Wait", "Test", "Request_", "Pready", "Parrived")
_COMM_PREFIXES = ("Comm_", "Intercomm_", "Cart_", "Graph_", "Dist_graph_", "Topo_", "Dims_",
                  "Group_")


def blocking_form(name):
    """Name of a collective without `MPI_`: (blocking form's name, is it non-blocking)."""
    if name.startswith("I") and name not in ("Init", "Init_thread"):
        blocking = name[1:].capitalize()
        if blocking in _COLLECTIVES or blocking == "Barrier":
            return blocking, True
    return name, False


def _initialized_collective(name):
    """`Bcast` of the persistent `Bcast_init`; any other name as it is."""
    collective = name.removesuffix("_init")
    return collective if collective in _COLLECTIVES or collective == "Barrier" else name


def mpi_name(region):
    """`MPI_Send` and `MPI_Send_c` to `Send`, `MPIX_Bcast_init` to `Bcast_init`; None for regions that are
    not MPI's."""
    prefix, _, name = region.partition("_")
    return name.removesuffix("_c") if prefix in ("MPI", "MPIX") else None


def _file_node(name):
    is_transfer = name.startswith(("File_read", "File_write", "File_iread", "File_iwrite",
                                   "File_seek"))
    if name == "File_sync" or name == "File_seek_shared":
        return "mpi_io_collective"
    if not is_transfer:
        return "mpi_mgmt_file"
    return "mpi_io_collective" if "_all" in name or "_ordered" in name else "mpi_io_individual"


def _window_node(name):
    word = name[len("Win_"):]
    if word in _ACTIVE:
        return "mpi_rma_sync_active"
    if word.startswith(_PASSIVE_PREFIXES):
        return "mpi_rma_sync_passive"
    return "mpi_mgmt_win"


def own_node(region):
    """The node of the time tree that the own time of a call of the region belongs to."""
    name = mpi_name(region)
    if name is None:
        return library_functions.own_node(region) or _own_node_of_others(region)
    name = _initialized_collective(name)
    if name.startswith("Init") or name == "Finalize":
        return "mpi_init_exit"
    if name in ("Barrier", "Ibarrier"):
        return "mpi_sync_collective"
    if name.startswith("Win_"):
        return _window_node(name)
    if name in _RMA_OPERATIONS:
        return "mpi_rma_communication"
    if name.startswith("File_"):
        return _file_node(name)
    if name in _POINT2POINT or name.startswith(_POINT2POINT_PREFIXES):
        return "mpi_point2point"
    if blocking_form(name)[0] in _COLLECTIVES:
        return "mpi_collective"
    if name.startswith(_COMM_PREFIXES):
        return "mpi_mgmt_comm"
    return "mpi"


_PROGRESSING_NODES = {"mpi_sync_collective", "mpi_rma_sync_active", "mpi_rma_sync_passive",
                      "mpi_point2point", "mpi_collective", "mpi_rma_communication",
                      "mpi_io_individual", "mpi_io_collective", "mpi_init_exit", "mpi_mgmt_win",
                      "mpi_mgmt_file"}
_COMM_LIFETIME = {"Comm_dup", "Comm_dup_with_info", "Comm_idup", "Comm_idup_with_info",
                  "Comm_split", "Comm_split_type", "Comm_create", "Comm_create_group",
                  "Comm_create_from_group", "Comm_free", "Comm_disconnect", "Comm_spawn",
                  "Comm_spawn_multiple", "Comm_connect", "Comm_accept", "Comm_join",
                  "Intercomm_create", "Intercomm_create_from_groups", "Intercomm_merge",
                  "Cart_create", "Cart_sub", "Graph_create", "Dist_graph_create",
                  "Dist_graph_create_adjacent"}


_LOCAL = {"Initialized", "Finalized", "Request_c2f", "Request_f2c", "Reduce_local",
          "Test_cancelled"}


FLUSHES = {"Buffer_detach", "Buffer_flush"}  # they wait until buffered messages are sent


def is_progressing(region):
    """Whether a call lets MPI make progress for other processes."""
    node, name = own_node(region), mpi_name(region)
    if node == "mpi_mgmt_comm":
        return name in _COMM_LIFETIME
    return name in FLUSHES or (node in _PROGRESSING_NODES and name not in _LOCAL
                               and not name.endswith("_init"))


# Of idle threads: their time lies outside of all regions and is no part of the partition.
IDLE_METRICS = ("omp_idle_threads", "omp_limited_parallelism")

# The first that begins a construct's name decides.
_OMP_CONSTRUCTS = (("critical sblock", "comp"), ("critical", "omp_critical"),
                   ("ordered sblock", "comp"), ("ordered", "omp_ordered"),
                   ("implicit barrier", "omp_ibarrier"), ("ibarrier", "omp_ibarrier"),
                   ("barrier", "omp_ebarrier"), ("flush", "omp_flush"),
                   ("taskwait", "omp_taskwait"), ("taskgroup", "omp_taskwait"))
_PTHREAD_FUNCTIONS = (("pthread_mutex_", "pthread_lock_api"), ("pthread_spin_", "pthread_lock_api"),
                      ("pthread_rwlock_", "pthread_lock_api"), ("mtx_", "pthread_lock_api"),
                      ("pthread_cond_", "pthread_conditional"), ("cnd_", "pthread_conditional"),
                      ("sem_", "pthread_synchronization"), ("pthread_", "pthread_management"),
                      ("thrd_", "pthread_management"))


def _own_node_of_cuda(region):
    """None: not of CUDA."""
    if region.startswith("kernel "):
        return "comp"
    if region.startswith("cuda "):
        return {"copy": "cuda_copy", "set": "cuda_copy", "idle": "cuda_idle",
                "wait": "cuda_idle"}.get(region.split()[1], "comp")
    if not region.startswith("cuda"):
        return None
    name = region[len("cuda"):]
    if name.startswith(("Launch", "GraphLaunch")):
        return "cuda_launch"
    if name.startswith(("Memcpy", "Memset", "MemPrefetch")):
        return "cuda_copy"
    return "cuda_synchronization" if "Synchronize" in name else "cuda_time"


def _own_node_of_others(region):
    if _own_node_of_cuda(region) is not None:
        return _own_node_of_cuda(region)
    if region.startswith("!$omp "):
        construct = region[len("!$omp "):]
        return next((node for begin, node in _OMP_CONSTRUCTS if construct.startswith(begin)),
                    "comp")
    if region.startswith("omp_"):
        return "omp_lock_api" if "lock" in region else "omp_management"
    return next((node for begin, node in _PTHREAD_FUNCTIONS if region.startswith(begin)), "comp")


def is_user_function(region):
    """Whether the region is a function of the program."""
    return own_node(region) == "comp" and not region.startswith(("!$omp ", "kernel ", "cuda "))
