/* SPDX-License-Identifier: BSD-3-Clause */
/* Preloaded: OTF2's writer writes the records of the constructs of thread_call_loop where they
 * happen, with the time of each by the recorder's clock, by as little code as possible.
 * write_records writes the same records one after another; here it comes back from a construct each
 * time, as a recorder does.
 *
 * OTF2_IN_PLACE names the folder of the archive, whose definitions are not written. For the one
 * thread of thread_call_loop. */
#include "event_memory.h"
#include "record/capture/clock.h"

#include <dlfcn.h>
#include <otf2/otf2.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum region { BARRIER = 2, LOOP, IMPLICIT_BARRIER, CRITICAL, CRITICAL_BLOCK };

static OTF2_EvtWriter *writer;
static uint32_t acquisition;

static struct {
    void (*barrier)(void);
    bool (*loop_start)(long, long, long, long, long *, long *);
    void (*loop_end)(void);
    void (*critical_start)(void);
    void (*critical_end)(void);
} runtime;

static OTF2_FlushType flush(void *data, OTF2_FileType type, OTF2_LocationRef location, void *caller,
                            bool final)
{
    (void)data, (void)type, (void)location, (void)caller, (void) final;
    return OTF2_FLUSH;
}

static void find(void *function, const char *name)
{
    void *found = dlsym(RTLD_NEXT, name);
    if (found == NULL) {
        fprintf(stderr, "otf2_in_place: the program's runtime has no %s\n", name);
        _exit(1);
    }
    memcpy(function, &found, sizeof found);
}

__attribute__((constructor)) static void begin(void)
{
    static const OTF2_FlushCallbacks flushes = {.otf2_pre_flush = flush};
    const char *folder = getenv("OTF2_IN_PLACE");
    fm_clock_start(0, 0);
    find(&runtime.barrier, "GOMP_barrier");
    find(&runtime.loop_start, "GOMP_loop_nonmonotonic_dynamic_start");
    find(&runtime.loop_end, "GOMP_loop_end");
    find(&runtime.critical_start, "GOMP_critical_start");
    find(&runtime.critical_end, "GOMP_critical_end");
    OTF2_Archive *archive =
        folder == NULL
            ? NULL
            : OTF2_Archive_Open(folder, "records", OTF2_FILEMODE_WRITE, EVENT_CHUNK, EVENT_CHUNK,
                                OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE);
    if (archive == NULL ||
        OTF2_Archive_SetFlushCallbacks(archive, &flushes, NULL) != OTF2_SUCCESS ||
        !prepare_event_memory(archive) ||
        OTF2_Archive_SetSerialCollectiveCallbacks(archive) != OTF2_SUCCESS ||
        OTF2_Archive_OpenEvtFiles(archive) != OTF2_SUCCESS ||
        (writer = OTF2_Archive_GetEvtWriter(archive, 0)) == NULL) {
        fputs("otf2_in_place: cannot write to the folder that OTF2_IN_PLACE names\n", stderr);
        _exit(1);
    }
}

void GOMP_barrier(void)
{
    OTF2_EvtWriter_Enter(writer, NULL, fm_clock_now(), BARRIER);
    runtime.barrier();
    OTF2_EvtWriter_Leave(writer, NULL, fm_clock_now(), BARRIER);
}

bool GOMP_loop_nonmonotonic_dynamic_start(long first, long end, long step, long chunk, long *from,
                                          long *to)
{
    OTF2_EvtWriter_Enter(writer, NULL, fm_clock_now(), LOOP);
    return runtime.loop_start(first, end, step, chunk, from, to);
}

void GOMP_loop_end(void)
{
    OTF2_EvtWriter_Enter(writer, NULL, fm_clock_now(), IMPLICIT_BARRIER);
    runtime.loop_end();
    const uint64_t now = fm_clock_now();
    OTF2_EvtWriter_Leave(writer, NULL, now, IMPLICIT_BARRIER);
    OTF2_EvtWriter_Leave(writer, NULL, now, LOOP);
}

void GOMP_critical_start(void)
{
    OTF2_EvtWriter_Enter(writer, NULL, fm_clock_now(), CRITICAL);
    runtime.critical_start();
    const uint64_t now = fm_clock_now();
    OTF2_EvtWriter_ThreadAcquireLock(writer, NULL, now, OTF2_PARADIGM_OPENMP, 1, acquisition);
    OTF2_EvtWriter_Enter(writer, NULL, now, CRITICAL_BLOCK);
}

void GOMP_critical_end(void)
{
    const uint64_t now = fm_clock_now();
    OTF2_EvtWriter_Leave(writer, NULL, now, CRITICAL_BLOCK);
    OTF2_EvtWriter_ThreadReleaseLock(writer, NULL, now, OTF2_PARADIGM_OPENMP, 1, acquisition++);
    runtime.critical_end();
    OTF2_EvtWriter_Leave(writer, NULL, fm_clock_now(), CRITICAL);
}
