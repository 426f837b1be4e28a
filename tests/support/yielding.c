/* SPDX-License-Identifier: BSD-3-Clause */
/* Preloaded into MPICH's ranks: one that waits offers its processor to others, as Open MPI's do
 * when it is told to. MPICH knows no such setting; with more ranks than processors, each wait would
 * then take whole time slices of the ranks that poll. Without UCX, or where nothing waits, it does
 * nothing. */
#include <dlfcn.h>
#include <sched.h>
#include <stddef.h>

typedef unsigned (*progress_t)(void *worker);

unsigned ucp_worker_progress(void *worker);

unsigned ucp_worker_progress(void *worker)
{
    static _Atomic(progress_t) found;
    progress_t next = found;
    if (next == NULL) {
        next = (progress_t)dlsym(RTLD_NEXT, "ucp_worker_progress");
        if (next == NULL) { /* MPICH was loaded with RTLD_LOCAL, as by interpreters */
            next = (progress_t)dlsym(dlopen("libucp.so.0", RTLD_LAZY | RTLD_NOLOAD),
                                     "ucp_worker_progress");
        }
        found = next;
    }
    unsigned events = next(worker);
    if (events == 0) {
        sched_yield();
    }
    return events;
}
