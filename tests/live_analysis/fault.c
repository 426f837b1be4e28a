/* Preloaded into one process of an analysis: FAULT tells what happens to it when it reads events.
 *   crash    OTF2's reader crashes
 *   memory   there is no more memory
 *   wait     it never goes on */
#include <dlfcn.h>
#include <otf2/otf2.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

typedef OTF2_ErrorCode read_events_t(OTF2_Reader *reader, OTF2_EvtReader *events, uint64_t *count);

OTF2_ErrorCode OTF2_Reader_ReadAllLocalEvents(OTF2_Reader *reader, OTF2_EvtReader *events,
                                              uint64_t *count)
{
    const char *fault = getenv("FAULT");
    if (fault != NULL && strcmp(fault, "crash") == 0) {
        raise(SIGSEGV);
    }
    if (fault != NULL && strcmp(fault, "memory") == 0) {
        const struct rlimit nothing = {1, 1};
        setrlimit(RLIMIT_AS, &nothing);
    }
    while (fault != NULL && strcmp(fault, "wait") == 0) {
        pause();
    }
    read_events_t *next = (read_events_t *)dlsym(RTLD_NEXT, "OTF2_Reader_ReadAllLocalEvents");
    return next(reader, events, count);
}
