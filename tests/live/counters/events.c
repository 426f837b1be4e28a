/* SPDX-License-Identifier: BSD-3-Clause */
/* Rank 0 sends MESSAGES messages to itself, then reads counters as a tool that uses PAPI does:
 *
 * usage: events stub   all that the stub of libsde has, on standard output
 *        events papi   mpi.messages_sent by PAPI itself: "papi BEFORE AFTER", or "no PAPI"; with an
 *                      event set that is started before the messages */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { MESSAGES = 7, BYTES = 100, PAPI_VERSION = 7 << 24, PAPI_NULL = -1 };

static void exchange(void)
{
    char out[BYTES] = "", in[BYTES];
    for (int i = 0; i < MESSAGES; i++) {
        MPI_Sendrecv(out, BYTES, MPI_CHAR, 0, 0, in, BYTES, MPI_CHAR, 0, 0, MPI_COMM_SELF,
                     MPI_STATUS_IGNORE);
    }
}

/* PAPI begins before MPI, as in programs that it measures. */
static void *begin_papi(void)
{
    void *papi = dlopen("libpapi.so.7.0", RTLD_NOW);
    int (*init)(int) =
        papi != NULL ? (int (*)(int))(uintptr_t)dlsym(papi, "PAPI_library_init") : NULL;
    return init != NULL && init(PAPI_VERSION) == PAPI_VERSION ? papi : NULL;
}

static void count_by_papi(void *papi)
{
    int (*create)(int *) = (int (*)(int *))(uintptr_t)dlsym(papi, "PAPI_create_eventset");
    int (*add)(int, const char *) =
        (int (*)(int, const char *))(uintptr_t)dlsym(papi, "PAPI_add_named_event");
    int (*start)(int) = (int (*)(int))(uintptr_t)dlsym(papi, "PAPI_start");
    int (*read)(int, long long *) = (int (*)(int, long long *))(uintptr_t)dlsym(papi, "PAPI_read");
    int set = PAPI_NULL;
    long long before[2] = {-1, -1}, after[2] = {-1, -1};
    int failed = create(&set) != 0 || add(set, "sde:::fermata::mpi.messages_sent") != 0 ||
                 add(set, "sde:::fermata::mpi.requests_open_most") != 0 || start(set) != 0 ||
                 read(set, before) != 0;
    exchange();
    failed = failed || read(set, after) != 0;
    printf(failed ? "papi failed\n" : "papi %lld %lld\n", before[0], after[0]);
}

int main(int argc, char **argv)
{
    void *papi = argc > 1 && strcmp(argv[1], "papi") == 0 ? begin_papi() : NULL;
    void (*print)(void) = (void (*)(void))(uintptr_t)dlsym(RTLD_DEFAULT, "sde_print");
    MPI_Init(&argc, &argv);
    exchange();
    if (papi != NULL) {
        count_by_papi(papi);
    } else if (print != NULL) {
        print();
    } else {
        printf("no PAPI\n");
    }
    MPI_Finalize();
    return 0;
}
