/* The library that is preloaded into every process. It knows no MPI library: it exports all MPI-3.1
 * function names, and at the first call of one finds out which MPI library the process has loaded,
 * loads the wrappers that were built for it, and lets all names lead to them. If anything is
 * missing they lead to the MPI library itself: the program runs as without us.
 *
 * It exports, too, the functions by which processes end without exit handlers, so that what was
 * measured can be saved before; and some that tell what becomes of libraries and signals. They do
 * what they always do. */
#include "record/capture/hot.h"
#include "record/interface.h"
#include "record/preload/fortran.h"

#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <link.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <time.h>
#if defined(__x86_64__)
#include <x86intrin.h>
#endif

static const char *const function_names[] = {
#include "names.inc"
};
enum { FUNCTION_COUNT = sizeof function_names / sizeof function_names[0] };

static struct ending {
    const char *name;
    bool ends;
    fm_function_t function; /* of the C library; of an MPI library when it is needed */
} endings[] = {
#include "endings.inc"
};
enum { ENDING_COUNT = sizeof endings / sizeof endings[0] };

extern fm_function_t fm_preload_slots[FUNCTION_COUNT + ENDING_COUNT]
    __attribute__((visibility("hidden")));
fm_function_t fm_preload_resolve(unsigned long number) __attribute__((visibility("hidden")));
fm_user_connect_t fermata_user_connect;

typedef void fm_signal_handler_t(int number);

static uint64_t start_ticks, start_nanoseconds;
static pthread_once_t resolved = PTHREAD_ONCE_INIT;
static const struct fm_user_functions *user_functions; /* set by resolve_all */
static void (*save)(bool ending);                      /* set once there is something to be saved */
static void (*unloaded)(void);                         /* as above */
static void (*signal_set)(int number);                 /* as above */

/* What instrumented functions call. Before the MPI library is there nobody records. */
typedef void fm_function_event_t(void *function, void *call_site);
static fm_function_event_t ignore;
static fm_function_event_t *function_enter, *function_leave = ignore; /* NULL: not known yet */

__attribute__((constructor)) static void note_start(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC_RAW, &now);
    start_nanoseconds = (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
#if defined(__x86_64__)
    start_ticks = __rdtsc();
#endif
    if (getauxval(AT_SECURE) == 0) {
        fm_preload_redirect_fortran(function_names, FUNCTION_COUNT);
    }
    for (size_t i = 0; i < ENDING_COUNT; i++) { /* not in a signal handler, then */
        endings[i].function = (fm_function_t)(uintptr_t)dlsym(RTLD_NEXT, endings[i].name);
    }
    dlerror(); /* what is not there is no error of the program's */
}

/* An MPI library that wrappers exist for. */
struct mpi_library {
    const char *soname_prefix;
    const char *wrappers;
    char path[PATH_MAX];
};

static struct mpi_library libraries[] = {
    {.soname_prefix = "libmpi.so.40", .wrappers = "libfermata-mpi-openmpi.so"},
    {.soname_prefix = "libmpich.so.12", .wrappers = "libfermata-mpi-mpich.so"},
};

static int find_library(struct dl_phdr_info *info, size_t size, void *found)
{
    (void)size;
    const char *slash = strrchr(info->dlpi_name, '/');
    const char *base = slash != NULL ? slash + 1 : info->dlpi_name;
    for (size_t i = 0; i < sizeof libraries / sizeof libraries[0]; i++) {
        if (strncmp(base, libraries[i].soname_prefix, strlen(libraries[i].soname_prefix)) == 0) {
            snprintf(libraries[i].path, sizeof libraries[i].path, "%s", info->dlpi_name);
            *(struct mpi_library **)found = &libraries[i];
            return 1;
        }
    }
    return 0;
}

static const struct fm_wrapper_library *load_wrappers(const struct mpi_library *library)
{
    if (getauxval(AT_SECURE) != 0) {
        return NULL;
    }
    Dl_info self;
    char path[PATH_MAX];
    if (dladdr((void *)(uintptr_t)note_start, &self) == 0 || self.dli_fname == NULL) {
        return NULL;
    }
    const char *slash = strrchr(self.dli_fname, '/');
    int folder = slash != NULL ? (int)(slash - self.dli_fname + 1) : 0;
    snprintf(path, sizeof path, "%.*s%s", folder, self.dli_fname, library->wrappers);
    void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (handle == NULL) {
        fprintf(stderr, "fermata: nothing is recorded: %s\n", dlerror());
        return NULL;
    }
    const struct fm_wrapper_library *wrappers = dlsym(handle, FM_WRAPPER_LIBRARY_SYMBOL);
    if (wrappers == NULL || wrappers->count != FUNCTION_COUNT) {
        fprintf(stderr, "fermata: nothing is recorded: %s is of another version\n", path);
        return NULL;
    }
    return wrappers;
}

static void unavailable(void)
{
    fprintf(stderr, "fermata: an MPI function was called that no loaded library defines\n");
    abort();
}

static void lead_functions_to(fm_function_event_t *enter, fm_function_event_t *leave)
{
    __atomic_store_n(&function_enter, enter, __ATOMIC_RELEASE);
    __atomic_store_n(&function_leave, leave, __ATOMIC_RELEASE);
}

static void resolve_all(void)
{
    struct mpi_library *library = NULL;
    const struct fm_wrapper_library *wrappers = NULL;
    void *mpi = NULL;

    lead_functions_to(ignore, ignore); /* those of signal handlers do not wait for this to end */
    dl_iterate_phdr(find_library, &library);
    if (library != NULL) {
        mpi = dlopen(library->path, RTLD_NOW | RTLD_NOLOAD);
        wrappers = load_wrappers(library);
    }
    if (wrappers != NULL) {
        wrappers->begin(start_ticks, start_nanoseconds);
        user_functions = wrappers->user;
        __atomic_store_n(&save, wrappers->save, __ATOMIC_RELEASE);
        __atomic_store_n(&signal_set, wrappers->signal_set, __ATOMIC_RELEASE);
        __atomic_store_n(&unloaded, wrappers->unloaded, __ATOMIC_RELEASE);
    }
    for (size_t i = 0; i < FUNCTION_COUNT; i++) {
        fm_function_t function = wrappers != NULL ? wrappers->wrappers[i] : NULL;
        if (function == NULL) {
            void *symbol = dlsym(mpi != NULL ? mpi : RTLD_NEXT, function_names[i]);
            function = symbol != NULL ? (fm_function_t)(uintptr_t)symbol : unavailable;
        }
        __atomic_store_n(&fm_preload_slots[i], function, __ATOMIC_RELEASE);
    }
    if (wrappers != NULL) {
        lead_functions_to(wrappers->function_enter, wrappers->function_leave);
    }
}

/* Programs may mark themselves up before any MPI library is loaded; which wrappers are right is not
 * known then. */
static bool can_resolve(void)
{
    static bool can;
    if (!__atomic_load_n(&can, __ATOMIC_ACQUIRE)) {
        struct mpi_library *library = NULL;
        dl_iterate_phdr(find_library, &library);
        if (library != NULL) {
            __atomic_store_n(&can, true, __ATOMIC_RELEASE);
        }
        return library != NULL;
    }
    return true;
}

/* fm_user_connect_t; see user/interface.h. */
__attribute__((visibility("default"))) const struct fm_user_functions *
fermata_user_connect(size_t size, bool *settled)
{
    int saved = errno;
    *settled = size > sizeof *user_functions;
    if (*settled || !can_resolve()) {
        errno = saved;
        return NULL;
    }
    pthread_once(&resolved, resolve_all);
    *settled = true;
    errno = saved;
    return user_functions;
}

/* ---- instrumented functions ---- */

static void ignore(void *function, void *call_site)
{
    (void)function, (void)call_site;
}

/* The first function begins, often before the first MPI call. An MPI library that comes later is
 * seen by that. */
static FM_COLD fm_function_event_t *connect_functions(void)
{
    int saved = errno;
    lead_functions_to(ignore, ignore);
    if (can_resolve()) {
        pthread_once(&resolved, resolve_all);
    }
    errno = saved;
    return __atomic_load_n(&function_enter, __ATOMIC_ACQUIRE);
}

__attribute__((visibility("default"))) void __cyg_profile_func_enter(void *function,
                                                                     void *call_site);
__attribute__((visibility("default"))) void __cyg_profile_func_exit(void *function,
                                                                    void *call_site);

/* These are jumps: the recorder looks at the stack of who calls them. */
void __cyg_profile_func_enter(void *function, void *call_site)
{
    fm_function_event_t *enter = __atomic_load_n(&function_enter, __ATOMIC_RELAXED);
    if (FM_UNLIKELY(enter == NULL)) {
        enter = connect_functions();
    }
    enter(function, call_site);
}

void __cyg_profile_func_exit(void *function, void *call_site)
{
    __atomic_load_n(&function_leave, __ATOMIC_RELAXED)(function, call_site);
}

/* What an exported ending leads to. An MPI library's is not found among those of the program if the
 * library was loaded late. */
static fm_function_t end_by(const struct ending *ending)
{
    void (*saves)(bool) = __atomic_load_n(&save, __ATOMIC_ACQUIRE);
    fm_function_t function = ending->function;
    if (saves != NULL) {
        saves(ending->ends);
    }
    if (function == NULL) {
        struct mpi_library *library = NULL;
        dl_iterate_phdr(find_library, &library);
        void *mpi = library != NULL ? dlopen(library->path, RTLD_NOW | RTLD_NOLOAD) : NULL;
        void *symbol = dlsym(mpi != NULL ? mpi : RTLD_NEXT, ending->name);
        function = symbol != NULL ? (fm_function_t)(uintptr_t)symbol : unavailable;
    }
    return function;
}

fm_function_t fm_preload_resolve(unsigned long number)
{
    int saved = errno;
    if (number >= FUNCTION_COUNT) {
        fm_function_t function = end_by(&endings[number - FUNCTION_COUNT]);
        errno = saved;
        return function;
    }
    pthread_once(&resolved, resolve_all);
    errno = saved;
    return __atomic_load_n(&fm_preload_slots[number], __ATOMIC_ACQUIRE);
}

/* What the recorder knows of the code of a library ends with the library: another one may come to
 * lie in its place. */
__attribute__((visibility("default"))) int dlclose(void *handle)
{
    static int (*real)(void *);
    int (*function)(void *) = __atomic_load_n(&real, __ATOMIC_RELAXED);
    void (*tell)(void) = __atomic_load_n(&unloaded, __ATOMIC_ACQUIRE);
    if (function == NULL) {
        *(void **)&function = dlsym(RTLD_NEXT, "dlclose");
        __atomic_store_n(&real, function, __ATOMIC_RELAXED);
    }
    int result = function != NULL ? function(handle) : -1;
    if (tell != NULL && result == 0) {
        int saved = errno;
        tell();
        errno = saved;
    }
    return result;
}

/* A real-time signal of the recorder's is the program's if it wants it. */
static void tell_signal(int number)
{
    void (*tell)(int) = __atomic_load_n(&signal_set, __ATOMIC_ACQUIRE);
    if (tell != NULL && number >= SIGRTMIN) {
        tell(number);
    }
}

/* The next function of that name, which is looked up but once: it may be called in a signal
 * handler. */
static void *next_function(void **known, const char *name)
{
    void *function = __atomic_load_n(known, __ATOMIC_RELAXED);
    if (function == NULL) {
        function = dlsym(RTLD_NEXT, name);
        __atomic_store_n(known, function, __ATOMIC_RELAXED);
    }
    return function;
}

static void *real_sigaction, *real_signal;

__attribute__((constructor)) static void find_signal_functions(void)
{
    next_function(&real_sigaction, "sigaction");
    next_function(&real_signal, "signal");
}

__attribute__((visibility("default"))) int
sigaction(int number, const struct sigaction *restrict action, struct sigaction *restrict before)
{
    int (*function)(int, const struct sigaction *, struct sigaction *);
    *(void **)&function = next_function(&real_sigaction, "sigaction");
    if (action != NULL) {
        tell_signal(number);
    }
    return function(number, action, before);
}

__attribute__((visibility("default"))) fm_signal_handler_t *signal(int number,
                                                                   fm_signal_handler_t *handler)
{
    fm_signal_handler_t *(*function)(int, fm_signal_handler_t *);
    *(void **)&function = next_function(&real_signal, "signal");
    tell_signal(number);
    return function(number, handler);
}
