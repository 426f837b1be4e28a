/* SPDX-License-Identifier: BSD-3-Clause */
/* The cost of OTF2's own writer for the records of mpi_call_loop, shmem_call_loop, ...: the
 * reference for the recorder.
 *
 *   write_records p2p|rma|locks|shmem-put|shmem-get|shmem-atomic|armci-put|armci-get|
 *                 omp-barrier|omp-loop|omp-critical COUNT DIR [LOOPS]
 *
 * Writes exactly the records that COUNT turns of the loop produce in fermata's archive, LOOPS
 * times and once before to warm up, with times that need no clock. Prints nanoseconds of
 * processor time per call (Enter, operations, Leave): in the writer, for the fastest loop, and in
 * the flushes of its chunks; and the cost of reading a clock. */
#include "event_memory.h"
#include "processor_time.h"
#include "record/capture/clock.h"

#include <inttypes.h>
#include <math.h>
#include <otf2/otf2.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DEFINITION_CHUNK ((uint64_t)256 << 10)
#define CALL_TICKS                                                                                 \
    100 /* between two records: approximately the duration of the calls of the loop */

/* References as a recorder assigns them: 0 and 1, which OTF2 stores in fewer bytes, are assigned to
 * the regions of the start. */
enum region {
    FIRST_REGION = 2,
    IRECV = FIRST_REGION,
    SEND,
    WAIT,
    PUT,
    FLUSH,
    LOCK,
    UNLOCK,
    SHMEM_P,
    SHMEM_QUIET,
    SHMEM_G,
    SHMEM_FETCH_INC,
    ARMCI_PUT,
    ARMCI_FENCE,
    ARMCI_GET,
    OMP_BARRIER,
    OMP_FOR,
    OMP_IMPLICIT_BARRIER,
    OMP_CRITICAL,
    OMP_CRITICAL_BLOCK,
    REGION_END
};

static struct {
    double begin, total;
} flushing;

static OTF2_FlushType before_flush(void *data, OTF2_FileType type, OTF2_LocationRef location,
                                   void *caller, bool final)
{
    (void)data, (void)type, (void)location, (void)caller, (void) final;
    flushing.begin = processor_seconds();
    return OTF2_FLUSH;
}

/* OTF2 requests a time when it has written a chunk. */
static OTF2_TimeStamp after_flush(void *data, OTF2_FileType type, OTF2_LocationRef location)
{
    (void)data, (void)type, (void)location;
    flushing.total += processor_seconds() - flushing.begin;
    return 0;
}

static uint64_t write_exchanges(OTF2_EvtWriter *writer, uint64_t time, uint64_t id, long count)
{
    for (uint64_t end = id + (uint64_t)count; id < end; ++id) {
        OTF2_EvtWriter_Enter(writer, NULL, time += CALL_TICKS, IRECV);
        OTF2_EvtWriter_MpiIrecvRequest(writer, NULL, time, id);
        OTF2_EvtWriter_Leave(writer, NULL, time += CALL_TICKS, IRECV);
        OTF2_EvtWriter_Enter(writer, NULL, time += CALL_TICKS, SEND);
        OTF2_EvtWriter_MpiSend(writer, NULL, time, 0, 1, 0, 1);
        OTF2_EvtWriter_Leave(writer, NULL, time += CALL_TICKS, SEND);
        OTF2_EvtWriter_Enter(writer, NULL, time += CALL_TICKS, WAIT);
        OTF2_EvtWriter_MpiIrecv(writer, NULL, time += CALL_TICKS, 0, 1, 0, 1, id);
        OTF2_EvtWriter_Leave(writer, NULL, time, WAIT);
    }
    return time;
}

static uint64_t write_puts(OTF2_EvtWriter *writer, uint64_t time, uint64_t id, long count)
{
    for (uint64_t end = id + (uint64_t)count; id < end; ++id) {
        OTF2_EvtWriter_Enter(writer, NULL, time += CALL_TICKS, PUT);
        OTF2_EvtWriter_RmaPut(writer, NULL, time, 0, 0, 1, id);
        OTF2_EvtWriter_Leave(writer, NULL, time += CALL_TICKS, PUT);
        OTF2_EvtWriter_Enter(writer, NULL, time += CALL_TICKS, FLUSH);
        OTF2_EvtWriter_RmaOpCompleteNonBlocking(writer, NULL, time += CALL_TICKS, 0, id);
        OTF2_EvtWriter_RmaOpCompleteRemote(writer, NULL, time, 0, id);
        OTF2_EvtWriter_Leave(writer, NULL, time, FLUSH);
    }
    return time;
}

static uint64_t write_locks(OTF2_EvtWriter *writer, uint64_t time, uint64_t id, long count)
{
    for (uint64_t end = id + (uint64_t)count; id < end; ++id) {
        OTF2_EvtWriter_Enter(writer, NULL, time += CALL_TICKS, LOCK);
        OTF2_EvtWriter_RmaRequestLock(writer, NULL, time, 0, 0, 0, OTF2_LOCK_EXCLUSIVE);
        OTF2_EvtWriter_Leave(writer, NULL, time += CALL_TICKS, LOCK);
        OTF2_EvtWriter_Enter(writer, NULL, time += CALL_TICKS, PUT);
        OTF2_EvtWriter_RmaPut(writer, NULL, time, 0, 0, 1, id);
        OTF2_EvtWriter_Leave(writer, NULL, time += CALL_TICKS, PUT);
        OTF2_EvtWriter_Enter(writer, NULL, time += CALL_TICKS, UNLOCK);
        OTF2_EvtWriter_RmaOpCompleteNonBlocking(writer, NULL, time += CALL_TICKS, 0, id);
        OTF2_EvtWriter_RmaOpCompleteRemote(writer, NULL, time, 0, id);
        OTF2_EvtWriter_RmaReleaseLock(writer, NULL, time, 0, 0, 0);
        OTF2_EvtWriter_Leave(writer, NULL, time, UNLOCK);
    }
    return time;
}

/* Puts that return when they are complete at their origin, each with a call that completes it at
 * its target. */
static uint64_t write_blocking_puts(OTF2_EvtWriter *writer, uint64_t time, uint64_t id, long count,
                                    const enum region calls[2], uint64_t bytes)
{
    for (uint64_t end = id + (uint64_t)count; id < end; ++id) {
        OTF2_EvtWriter_Enter(writer, NULL, time += CALL_TICKS, calls[0]);
        OTF2_EvtWriter_RmaPut(writer, NULL, time, 0, 0, bytes, id);
        OTF2_EvtWriter_RmaOpCompleteBlocking(writer, NULL, time += CALL_TICKS, 0, id);
        OTF2_EvtWriter_Leave(writer, NULL, time, calls[0]);
        OTF2_EvtWriter_Enter(writer, NULL, time += CALL_TICKS, calls[1]);
        OTF2_EvtWriter_RmaOpCompleteRemote(writer, NULL, time += CALL_TICKS, 0, id);
        OTF2_EvtWriter_Leave(writer, NULL, time, calls[1]);
    }
    return time;
}

static uint64_t write_blocking_gets(OTF2_EvtWriter *writer, uint64_t time, uint64_t id, long count,
                                    enum region call, uint64_t bytes)
{
    for (uint64_t end = id + (uint64_t)count; id < end; ++id) {
        OTF2_EvtWriter_Enter(writer, NULL, time += CALL_TICKS, call);
        OTF2_EvtWriter_RmaGet(writer, NULL, time, 0, 0, bytes, id);
        OTF2_EvtWriter_RmaOpCompleteBlocking(writer, NULL, time += CALL_TICKS, 0, id);
        OTF2_EvtWriter_Leave(writer, NULL, time, call);
    }
    return time;
}

static uint64_t write_shmem_puts(OTF2_EvtWriter *writer, uint64_t time, uint64_t id, long count)
{
    return write_blocking_puts(writer, time, id, count, (const enum region[]){SHMEM_P, SHMEM_QUIET},
                               1);
}

static uint64_t write_shmem_gets(OTF2_EvtWriter *writer, uint64_t time, uint64_t id, long count)
{
    return write_blocking_gets(writer, time, id, count, SHMEM_G, 1);
}

static uint64_t write_armci_puts(OTF2_EvtWriter *writer, uint64_t time, uint64_t id, long count)
{
    return write_blocking_puts(writer, time, id, count,
                               (const enum region[]){ARMCI_PUT, ARMCI_FENCE}, 64);
}

static uint64_t write_armci_gets(OTF2_EvtWriter *writer, uint64_t time, uint64_t id, long count)
{
    return write_blocking_gets(writer, time, id, count, ARMCI_GET, 64);
}

static uint64_t write_shmem_atomics(OTF2_EvtWriter *writer, uint64_t time, uint64_t id, long count)
{
    for (uint64_t end = id + (uint64_t)count; id < end; ++id) {
        OTF2_EvtWriter_Enter(writer, NULL, time += CALL_TICKS, SHMEM_FETCH_INC);
        OTF2_EvtWriter_RmaAtomic(writer, NULL, time, 0, 0, OTF2_RMA_ATOMIC_TYPE_FETCH_AND_INCREMENT,
                                 0, sizeof(long), id);
        OTF2_EvtWriter_RmaOpCompleteBlocking(writer, NULL, time += CALL_TICKS, 0, id);
        OTF2_EvtWriter_RmaOpCompleteRemote(writer, NULL, time, 0, id);
        OTF2_EvtWriter_Leave(writer, NULL, time, SHMEM_FETCH_INC);
    }
    return time;
}

static uint64_t write_barriers(OTF2_EvtWriter *writer, uint64_t time, uint64_t id, long count)
{
    for (uint64_t end = id + (uint64_t)count; id < end; ++id) {
        OTF2_EvtWriter_Enter(writer, NULL, time += CALL_TICKS, OMP_BARRIER);
        OTF2_EvtWriter_Leave(writer, NULL, time += CALL_TICKS, OMP_BARRIER);
    }
    return time;
}

static uint64_t write_shared_loops(OTF2_EvtWriter *writer, uint64_t time, uint64_t id, long count)
{
    for (uint64_t end = id + (uint64_t)count; id < end; ++id) {
        OTF2_EvtWriter_Enter(writer, NULL, time += CALL_TICKS, OMP_FOR);
        OTF2_EvtWriter_Enter(writer, NULL, time += CALL_TICKS, OMP_IMPLICIT_BARRIER);
        OTF2_EvtWriter_Leave(writer, NULL, time += CALL_TICKS, OMP_IMPLICIT_BARRIER);
        OTF2_EvtWriter_Leave(writer, NULL, time, OMP_FOR);
    }
    return time;
}

static uint64_t write_criticals(OTF2_EvtWriter *writer, uint64_t time, uint64_t id, long count)
{
    const OTF2_Paradigm openmp = OTF2_PARADIGM_OPENMP;
    for (uint64_t end = id + (uint64_t)count; id < end; ++id) {
        OTF2_EvtWriter_Enter(writer, NULL, time += CALL_TICKS, OMP_CRITICAL);
        OTF2_EvtWriter_ThreadAcquireLock(writer, NULL, time += CALL_TICKS, openmp, 1, (uint32_t)id);
        OTF2_EvtWriter_Enter(writer, NULL, time, OMP_CRITICAL_BLOCK);
        OTF2_EvtWriter_Leave(writer, NULL, time += CALL_TICKS, OMP_CRITICAL_BLOCK);
        OTF2_EvtWriter_ThreadReleaseLock(writer, NULL, time, openmp, 1, (uint32_t)id);
        OTF2_EvtWriter_Leave(writer, NULL, time += CALL_TICKS, OMP_CRITICAL);
    }
    return time;
}

static const struct loop {
    const char *name;
    int calls; /* in each turn */
    /* Writes `count` turns with numbers of requests or operations from `id` on. */
    uint64_t (*write)(OTF2_EvtWriter *writer, uint64_t time, uint64_t id, long count);
} loops[] = {{"p2p", 3, write_exchanges},         {"rma", 2, write_puts},
             {"locks", 3, write_locks},           {"shmem-put", 2, write_shmem_puts},
             {"shmem-get", 1, write_shmem_gets},  {"shmem-atomic", 1, write_shmem_atomics},
             {"armci-put", 2, write_armci_puts},  {"armci-get", 1, write_armci_gets},
             {"omp-barrier", 1, write_barriers},  {"omp-loop", 1, write_shared_loops},
             {"omp-critical", 1, write_criticals}};

static const struct loop *find_loop(const char *name)
{
    for (size_t i = 0; i < sizeof loops / sizeof *loops; ++i) {
        if (strcmp(name, loops[i].name) == 0) {
            return &loops[i];
        }
    }
    return NULL;
}

static void write_definitions(OTF2_Archive *archive, uint64_t end, uint64_t events)
{
    static const struct {
        const char *name;
        OTF2_Paradigm paradigm;
    } regions[REGION_END] = {
        [IRECV] = {"MPI_Irecv", OTF2_PARADIGM_MPI},
        [SEND] = {"MPI_Send", OTF2_PARADIGM_MPI},
        [WAIT] = {"MPI_Wait", OTF2_PARADIGM_MPI},
        [PUT] = {"MPI_Put", OTF2_PARADIGM_MPI},
        [FLUSH] = {"MPI_Win_flush", OTF2_PARADIGM_MPI},
        [LOCK] = {"MPI_Win_lock", OTF2_PARADIGM_MPI},
        [UNLOCK] = {"MPI_Win_unlock", OTF2_PARADIGM_MPI},
        [SHMEM_P] = {"shmem_char_p", OTF2_PARADIGM_SHMEM},
        [SHMEM_QUIET] = {"shmem_quiet", OTF2_PARADIGM_SHMEM},
        [SHMEM_G] = {"shmem_char_g", OTF2_PARADIGM_SHMEM},
        [SHMEM_FETCH_INC] = {"shmem_long_atomic_fetch_inc", OTF2_PARADIGM_SHMEM},
        [ARMCI_PUT] = {"ARMCI_Put", OTF2_PARADIGM_UNKNOWN},
        [ARMCI_FENCE] = {"ARMCI_Fence", OTF2_PARADIGM_UNKNOWN},
        [ARMCI_GET] = {"ARMCI_Get", OTF2_PARADIGM_UNKNOWN},
        [OMP_BARRIER] = {"!$omp barrier", OTF2_PARADIGM_OPENMP},
        [OMP_FOR] = {"!$omp for", OTF2_PARADIGM_OPENMP},
        [OMP_IMPLICIT_BARRIER] = {"!$omp implicit barrier", OTF2_PARADIGM_OPENMP},
        [OMP_CRITICAL] = {"!$omp critical", OTF2_PARADIGM_OPENMP},
        [OMP_CRITICAL_BLOCK] = {"!$omp critical sblock", OTF2_PARADIGM_OPENMP},
    };
    OTF2_GlobalDefWriter *writer = OTF2_Archive_GetGlobalDefWriter(archive);
    OTF2_GlobalDefWriter_WriteClockProperties(writer, 1000000000, 0, end, 0);
    OTF2_GlobalDefWriter_WriteString(writer, 0, "");
    for (uint32_t i = FIRST_REGION; i < REGION_END; ++i) {
        OTF2_GlobalDefWriter_WriteString(writer, i, regions[i].name);
        OTF2_GlobalDefWriter_WriteRegion(writer, i, i, i, 0, OTF2_REGION_ROLE_FUNCTION,
                                         regions[i].paradigm, OTF2_REGION_FLAG_NONE,
                                         OTF2_UNDEFINED_STRING, 0, 0);
    }
    OTF2_GlobalDefWriter_WriteSystemTreeNode(writer, 0, 0, 0, OTF2_UNDEFINED_SYSTEM_TREE_NODE);
    OTF2_GlobalDefWriter_WriteLocationGroup(writer, 0, 0, OTF2_LOCATION_GROUP_TYPE_PROCESS, 0,
                                            OTF2_UNDEFINED_LOCATION_GROUP);
    OTF2_GlobalDefWriter_WriteLocation(writer, 0, 0, OTF2_LOCATION_TYPE_CPU_THREAD, events, 0);
}

static double cost_of_clock_gettime(void)
{
    struct timespec now;
    double begin = processor_seconds();
    for (int i = 0; i < 1000000; ++i) {
        clock_gettime(CLOCK_MONOTONIC, &now);
    }
    return (processor_seconds() - begin) * 1e3;
}

static double cost_of_recorder_clock(void)
{
    volatile uint64_t sink;
    fm_clock_start(0, 0);
    double begin = processor_seconds();
    for (int i = 0; i < 1000000; ++i) {
        sink = fm_clock_now();
    }
    (void)sink;
    return (processor_seconds() - begin) * 1e3;
}

int main(int argc, char **argv)
{
    static const OTF2_FlushCallbacks flush_callbacks = {before_flush, after_flush};
    const struct loop *loop = argc > 1 ? find_loop(argv[1]) : NULL;
    long count = argc > 3 ? atol(argv[2]) : 0;
    int repeats = argc > 4 ? atoi(argv[4]) : 9;
    if (loop == NULL || count <= 0 || repeats <= 0) {
        fprintf(stderr, "usage: write_records LOOP COUNT DIR [LOOPS]\n");
        return 2;
    }
    OTF2_Archive *archive =
        OTF2_Archive_Open(argv[3], "traces", OTF2_FILEMODE_WRITE, EVENT_CHUNK, DEFINITION_CHUNK,
                          OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE);
    if (archive == NULL || !prepare_event_memory(archive)) {
        fprintf(stderr, "write_records: cannot write %s\n", argv[3]);
        return 1;
    }
    OTF2_Archive_SetFlushCallbacks(archive, &flush_callbacks, NULL);
    OTF2_Archive_SetSerialCollectiveCallbacks(archive);
    OTF2_Archive_OpenEvtFiles(archive);
    OTF2_EvtWriter *writer = OTF2_Archive_GetEvtWriter(archive, 0);
    uint64_t time = 0;
    double fastest = INFINITY, flushed = 0;
    for (int i = -1; i < repeats; ++i) {
        flushing.total = 0;
        double begin = processor_seconds();
        time = loop->write(writer, time, (uint64_t)((i + 1) * count), count);
        if (i >= 0) {
            const double spent = processor_seconds() - begin - flushing.total;
            fastest = spent < fastest ? spent : fastest;
            flushed += flushing.total;
        }
    }
    uint64_t events;
    OTF2_EvtWriter_GetNumberOfEvents(writer, &events);
    OTF2_Archive_CloseEvtWriter(archive, writer);
    OTF2_Archive_CloseEvtFiles(archive);
    OTF2_Archive_OpenDefFiles(archive);
    OTF2_Archive_CloseDefWriter(archive, OTF2_Archive_GetDefWriter(archive, 0));
    OTF2_Archive_CloseDefFiles(archive);
    write_definitions(archive, time, events);
    OTF2_Archive_Close(archive);
    double calls = (double)count * loop->calls;
    printf("%.3f ns per call\n%.3f ns per call for flushes\n", 1e9 * fastest / calls,
           1e9 * flushed / repeats / calls);
    printf("%.3f ns for clock_gettime\n%.3f ns for the recorder's clock\n", cost_of_clock_gettime(),
           cost_of_recorder_clock());
    return 0;
}
