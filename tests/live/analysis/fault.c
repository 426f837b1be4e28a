/* SPDX-License-Identifier: BSD-3-Clause */
/* Preloaded into one process of an analysis: FAULT tells what happens to it when it reads events.
 *   crash    the reader crashes
 *   memory   there is no more memory
 *   wait     it never goes on, and says so: it makes the file FAULT_REACHED */
#include <dlfcn.h>
#include <fcntl.h>
#include <otf2/otf2.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

typedef OTF2_ErrorCode get_compression_t(OTF2_Reader *reader, OTF2_Compression *compression);

/* The analysis asks before it reads the events of its first location. */
OTF2_ErrorCode OTF2_Reader_GetCompression(OTF2_Reader *reader, OTF2_Compression *compression)
{
    const char *fault = getenv("FAULT");
    if (fault != NULL && strcmp(fault, "crash") == 0) {
        raise(SIGSEGV);
    }
    if (fault != NULL && strcmp(fault, "memory") == 0) {
        const struct rlimit nothing = {1, 1};
        setrlimit(RLIMIT_AS, &nothing);
    }
    if (fault != NULL && strcmp(fault, "wait") == 0) {
        (void)creat(getenv("FAULT_REACHED"), 0600);
        for (;;) {
            pause();
        }
    }
    get_compression_t *next = (get_compression_t *)dlsym(RTLD_NEXT, "OTF2_Reader_GetCompression");
    return next(reader, compression);
}
