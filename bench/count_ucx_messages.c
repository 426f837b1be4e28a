/* SPDX-License-Identifier: BSD-3-Clause */
/* Preloaded into a program of MPICH; counts the messages that the library passes to UCX and
 * receives from it, including those of its collective operations. At the end of each process that
 * communicated, a line "SENT RECEIVED" is written to the file COUNT_UCX_MESSAGES.PID. Messages that
 * do not pass UCX do not count: run the program with MPIR_CVAR_NOLOCAL=1, which turns shared memory
 * off.
 *
 * The prototypes are those of UCX 1.8 and later, with untyped pointers, so that the headers of UCX
 * are not needed. */
#include <dlfcn.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static atomic_long sent, received;

/* COUNT(counter, name, parameters, arguments): a wrapper of a function of UCX that increments the
 * counter first. */
#define UNPACK(...) __VA_ARGS__
#define COUNT(counter, name, parameters, arguments)                                                \
    void *name(UNPACK parameters);                                                                 \
    void *name(UNPACK parameters)                                                                  \
    {                                                                                              \
        static void *(*_Atomic next)(UNPACK parameters);                                           \
        if (next == NULL) {                                                                        \
            next = (void *(*)(UNPACK parameters))(uintptr_t)dlsym(RTLD_NEXT, #name);               \
        }                                                                                          \
        atomic_fetch_add(&counter, 1);                                                             \
        return next arguments;                                                                     \
    }

COUNT(sent, ucp_tag_send_nbx,
      (void *endpoint, const void *data, size_t count, uint64_t tag, const void *options),
      (endpoint, data, count, tag, options))
COUNT(sent, ucp_tag_send_sync_nbx,
      (void *endpoint, const void *data, size_t count, uint64_t tag, const void *options),
      (endpoint, data, count, tag, options))
COUNT(sent, ucp_am_send_nb,
      (void *endpoint, uint16_t id, const void *data, size_t count, uint64_t type, void *callback,
       unsigned flags),
      (endpoint, id, data, count, type, callback, flags))
COUNT(received, ucp_tag_recv_nbx,
      (void *worker, void *data, size_t count, uint64_t tag, uint64_t mask, const void *options),
      (worker, data, count, tag, mask, options))
COUNT(received, ucp_tag_msg_recv_nbx,
      (void *worker, void *data, size_t count, void *message, const void *options),
      (worker, data, count, message, options))

__attribute__((destructor)) static void write_counts(void)
{
    const char *prefix = getenv("COUNT_UCX_MESSAGES");
    char path[4096];
    if (prefix == NULL || (sent == 0 && received == 0)) {
        return;
    }
    snprintf(path, sizeof path, "%s.%ld", prefix, (long)getpid());
    FILE *file = fopen(path, "w");
    if (file != NULL) {
        fprintf(file, "%ld %ld\n", sent, received);
        fclose(file);
    }
}
