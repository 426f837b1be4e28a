/* Interposes the functions of the C library in which threads sleep or wait. Each calls the original
 * function; the recorder decides afterwards whether the call is recorded (capture/blocking.h). */
#undef _FORTIFY_SOURCE
#include "record/preload/blocking.h"

#include "record/capture/hot.h"
#include "record/stack/registers.h"

#include <dlfcn.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stddef.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static const struct fm_recorder *recorder; /* NULL until it is loaded */

static const char *const names[] = {
#define FM_BLOCKING(type, name, parameters, arguments) #name,
#include "record/capture/blocking.def"
#undef FM_BLOCKING
};
static void *originals[FM_BLOCKING_COUNT];

/* The default version: dlsym may find a version for old programs, with another layout of a
 * condition variable. */
static void *find(enum fm_blocking function)
{
#if defined(__x86_64__)
    if (function == FM_BLOCKING_pthread_cond_wait ||
        function == FM_BLOCKING_pthread_cond_timedwait) {
        void *found = dlvsym(RTLD_NEXT, names[function], "GLIBC_2.3.2");
        if (found != NULL) {
            return found;
        }
    }
#endif
    return dlsym(RTLD_NEXT, names[function]);
}

static FM_COLD void *find_late(enum fm_blocking function)
{
    void *found = find(function);
    __atomic_store_n(&originals[function], found, __ATOMIC_RELAXED);
    return found;
}

/* At the start, because dlsym is unsafe in signal handlers. */
void fm_preload_find_blocking(void)
{
    for (int i = 0; i < FM_BLOCKING_COUNT; i++) {
        find_late((enum fm_blocking)i);
    }
}

void fm_preload_record_blocking(const struct fm_recorder *loaded)
{
    __atomic_store_n(&recorder, loaded, __ATOMIC_RELEASE);
}

static inline void *original(enum fm_blocking function)
{
    void *found = __atomic_load_n(&originals[function], __ATOMIC_RELAXED);
    return FM_LIKELY(found != NULL) ? found : find_late(function);
}

/* The recorder reads the stack from the frame of the interposed function on. */
#define FM_BLOCKING(type, name, parameters, arguments)                                             \
    __attribute__((visibility("default"))) type name parameters                                    \
    {                                                                                              \
        type(*function) parameters;                                                                \
        *(void **)&function = original(FM_BLOCKING_##name);                                        \
        const struct fm_recorder *loaded = __atomic_load_n(&recorder, __ATOMIC_ACQUIRE);           \
        uint64_t fm_begin = loaded != NULL ? loaded->blocking_begin() : 0;                         \
        type fm_result = function arguments;                                                       \
        if (fm_begin != 0) {                                                                       \
            loaded->blocking_end(FM_BLOCKING_##name, fm_begin, FM_HERE);                           \
        }                                                                                          \
        return fm_result;                                                                          \
    }
#include "record/capture/blocking.def"
