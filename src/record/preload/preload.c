/* SPDX-License-Identifier: BSD-3-Clause */
/* The library that is preloaded into every process. It exports the names of all functions of all
 * paradigms (paradigm.h). At the first call of such a function it determines which libraries of
 * paradigms the process has loaded, loads the wrappers that were built for them and the recorder,
 * and redirects the names of these paradigms to the wrappers. If a part is missing, the names lead
 * to the paradigm's library itself: the program runs as without fermata.
 *
 * Every process has the C library, whose functions other libraries call, too: those of a paradigm
 * of the C library lead to it from the start, and to the wrappers once the recorder is loaded. Only
 * the first thread of a program that fermata has started loads the recorder (start.h).
 *
 * It also exports the functions by which processes end without exit handlers, so that the records
 * are saved before the end. They call the original functions. */
#include "record/capture/hot.h"
#include "record/capture/lock.h"
#include "record/counting/papi/sde_counters.h"
#include "record/interface.h"
#include "record/link/linked.h"
#include "record/marks/mark_kinds.h"
#include "record/preload/interpose.h"
#include "record/preload/lookup.h"
#include "record/preload/notify.h"
#include "record/preload/petsc.h"
#include "record/preload/programs.h"
#include "record/preload/sanitizers.h"
#include "record/preload/start.h"
#include "record/preload/system_library.h"

#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <time.h>
#include <unistd.h>

static const char *const function_names[] = {
#include "names.inc"
};
enum { FUNCTION_COUNT = sizeof function_names / sizeof function_names[0] };

/* A paradigm: its range in function_names, and its library. */
struct library;
static struct paradigm {
    uint32_t first, count;
    bool has_profiling_names;      /* fm_paradigm.next is NULL */
    bool is_system;                /* its library is the C library */
    bool resolved;                 /* the slots of its names are filled */
    bool is_linked;                /* the program contains its library (linked.h) */
    const struct library *library; /* its library in the process; NULL: none loaded so far */
} paradigms[] = {
#include "paradigms.inc"
};
enum { PARADIGM_COUNT = sizeof paradigms / sizeof paradigms[0] };

static struct paradigm *paradigm_of(unsigned long slot)
{
    size_t i = 0;
    while (slot - paradigms[i].first >= paradigms[i].count) {
        i++;
    }
    return &paradigms[i];
}

/* A library of a paradigm, for which there are wrappers. */
static struct library {
    struct paradigm *paradigm;
    const char *soname, *wrappers, *title;
    char path[PATH_MAX];
} libraries[] = {
#define FM_LIBRARY(number, begin_of_name, file, people, is_c)                                      \
    {.paradigm = &paradigms[number], .soname = begin_of_name, .wrappers = file, .title = people},
#include "libraries.inc"
#undef FM_LIBRARY
};
enum { LIBRARY_COUNT = sizeof libraries / sizeof libraries[0] };

static struct ending {
    const char *name;
    bool ends;
    fm_function_t function; /* of the C library; NULL: searched when it is called */
} endings[] = {
#include "endings.inc"
};
enum { ENDING_COUNT = sizeof endings / sizeof endings[0] };

/* Functions whose arguments are seen before they are called. */
enum watched {
#define FM_WATCHED(name) WATCHED_##name,
#include "watched.inc"
#undef FM_WATCHED
    WATCHED_COUNT
};
static struct {
    const char *name;
    fm_function_t function; /* of the C library; NULL: searched when it is called */
} watched[] = {
#define FM_WATCHED(function) {#function, NULL},
#include "watched.inc"
#undef FM_WATCHED
};
_Static_assert(WATCHED_posix_spawnp - WATCHED_execve ==
                   (int)FM_START_posix_spawnp - (int)FM_START_execve,
               "the functions that start programs have the order of enum fm_start_function");

/* Functions of libraries that the program contains; NULL: others. */
static fm_function_t linked[FUNCTION_COUNT];

extern fm_function_t fm_preload_slots[FUNCTION_COUNT + ENDING_COUNT + WATCHED_COUNT]
    __attribute__((visibility("hidden")));
fm_function_t fm_preload_resolve(unsigned long number, uintptr_t *arguments, uintptr_t caller)
    __attribute__((visibility("hidden")));
fm_user_connect_t fermata_user_connect;
fm_linked_register_t fermata_linked_register;

static uint64_t start_ticks, start_nanoseconds;
static bool has_started;                   /* this library's constructor has run */
static bool is_refused;                    /* nothing of this process is recorded */
static fm_lock_t resolving = FM_LOCK_FREE; /* guards recorder, paradigms */
static const struct fm_recorder *recorder; /* NULL: not loaded */
static const struct fm_user_functions *_Atomic user_functions;
static void (*save)(bool ending); /* NULL until the recorder is loaded */

/* Targets of the calls by instrumented functions. Before the library of a paradigm is loaded,
 * nothing is recorded. */
typedef void fm_function_event_t(void *function, void *call_site);
static fm_function_event_t ignore;
static fm_function_event_t *function_enter, *function_leave = ignore; /* NULL: not known yet */

/* Whether the process may be recorded. */
static bool is_allowed(void)
{
    return getauxval(AT_SECURE) == 0 && !is_refused;
}

/* Leads the names of functions of the C library to it, except those that may load the recorder. */
static void lead_to_system_library(void)
{
    for (uint32_t slot = 0; slot < FUNCTION_COUNT; slot++) {
        void *function =
            paradigm_of(slot)->is_system && !fm_preload_begins_threads(function_names[slot])
                ? fm_preload_next(function_names[slot])
                : NULL;
        if (function != NULL) {
            __atomic_store_n(&fm_preload_slots[slot], (fm_function_t)(uintptr_t)function,
                             __ATOMIC_RELEASE);
        }
    }
}

/* Of a few readings of both clocks the shortest: in the others the thread may have lost its
 * processor between the two clocks. */
static void read_start(void)
{
    uint64_t narrowest = UINT64_MAX;
    for (int i = 0; i < 5; i++) {
        struct timespec now;
        uint64_t before = 0, after = 0;
#if defined(__x86_64__)
        before = __builtin_ia32_rdtsc();
#endif
        clock_gettime(CLOCK_MONOTONIC_RAW, &now);
#if defined(__x86_64__)
        after = __builtin_ia32_rdtsc();
#endif
        if (after - before < narrowest) {
            narrowest = after - before;
            start_ticks = before + narrowest / 2;
            start_nanoseconds = (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
        }
    }
}

static fm_function_t next_function(const char *name)
{
    return (fm_function_t)(uintptr_t)fm_preload_next(name);
}

__attribute__((constructor)) static void note_start(void)
{
    read_start();
    fm_preload_keep_variables();
    is_refused = is_allowed() && fm_preload_refuses();
    if (is_allowed()) {
        fm_lookup_see_objects();
    }
    for (size_t i = 0; i < ENDING_COUNT;
         i++) { /* now, because dlsym is unsafe in signal handlers */
        endings[i].function = next_function(endings[i].name);
    }
    for (size_t i = 0; i < WATCHED_COUNT; i++) {
        watched[i].function = next_function(watched[i].name);
    }
    fm_preload_find_blocking();
    lead_to_system_library();
    const char *sde = fm_preload_variable(FM_COUNTERS_SDE_VARIABLE);
    if (sde != NULL && strcmp(sde, "1") == 0 && is_allowed()) {
        fm_preload_open(FM_SDE_LIBRARY,
                        RTLD_NOW | RTLD_GLOBAL); /* before the program begins PAPI */
    }
    dlerror(); /* clears errors of the look-ups above, which the program must not see */
    __atomic_store_n(&has_started, true, __ATOMIC_RELEASE);
}

static int note_library(struct dl_phdr_info *info, size_t size, void *nothing)
{
    (void)size, (void)nothing;
    const char *slash = strrchr(info->dlpi_name, '/');
    const char *base = slash != NULL ? slash + 1 : info->dlpi_name;
    for (size_t i = 0; i < LIBRARY_COUNT; i++) {
        struct library *library = &libraries[i];
        if (library->paradigm->library == NULL &&
            strncmp(base, library->soname, strlen(library->soname)) == 0) {
            snprintf(library->path, sizeof library->path, "%s", info->dlpi_name);
            library->paradigm->library = library;
        }
    }
    return 0;
}

/* Finds the libraries of paradigms that the process has loaded. @return whether there is one
 * besides the C library */
static bool find_libraries(void)
{
    bool found = false;
    dl_iterate_phdr(note_library, NULL);
    for (size_t i = 0; i < PARADIGM_COUNT; i++) {
        found = found || (paradigms[i].library != NULL && !paradigms[i].is_system);
    }
    return found;
}

/* Loads a library of the recorder, which is in the folder of this library. @return its symbol
 * `name`; NULL: failed, with a message */
static const void *load_symbol(const char *file, const char *name)
{
    Dl_info self;
    char path[PATH_MAX];
    if (dladdr((void *)(uintptr_t)note_start, &self) == 0 || self.dli_fname == NULL) {
        return NULL;
    }
    const char *slash = strrchr(self.dli_fname, '/');
    int folder = slash != NULL ? (int)(slash - self.dli_fname + 1) : 0;
    snprintf(path, sizeof path, "%.*s%s", folder, self.dli_fname, file);
    void *handle = fm_preload_open(path, RTLD_NOW | RTLD_LOCAL);
    const void *symbol = handle != NULL ? fm_preload_symbol(handle, name) : NULL;
    if (symbol == NULL) {
        dprintf(STDERR_FILENO,
                "fermata: nothing is recorded: %s; `fermata doctor` finds what is missing\n",
                dlerror());
    }
    return symbol;
}

static bool load_recorder(void)
{
    if (recorder == NULL) {
        recorder = load_symbol(FM_RECORDER_LIBRARY, FM_RECORDER_SYMBOL);
        if (recorder == NULL) {
            return false;
        }
        recorder->begin(start_ticks, start_nanoseconds, fm_preload_variables());
        user_functions = recorder->user;
        fm_preload_record_blocking(recorder);
        __atomic_store_n(&save, recorder->save, __ATOMIC_RELEASE);
        fm_preload_notify(recorder);
    }
    return true;
}

/* The paradigm's library in the process; NULL: none, or the program contains it. */
static void *library_of(const struct paradigm *paradigm)
{
    if (paradigm->is_system) {
        return RTLD_NEXT;
    }
    return paradigm->library != NULL && !paradigm->is_linked
               ? fm_preload_loaded(paradigm->library->path)
               : NULL;
}

/* A function of the paradigm's library; NULL: it has none. */
static void *original(uint32_t slot, void *library)
{
    return linked[slot] != NULL   ? (void *)(uintptr_t)linked[slot]
           : library == RTLD_NEXT ? fm_preload_next(function_names[slot])
           : library != NULL      ? fm_preload_symbol(library, function_names[slot])
                                  : NULL;
}

/* Whether the calls of the paradigm are recorded, by the settings `threads` and `layer`: those of
 * libraries that are based on MPI are not if those of MPI inside them are. */
static bool is_selected(const struct paradigm *paradigm)
{
    if (paradigm->is_system) {
        return fm_preload_records_threads();
    }
    const char *layer = fm_preload_variable("FERMATA_LAYER");
    return paradigm->has_profiling_names || layer == NULL || strcmp(layer, "mpi") != 0;
}

/* Writes the file name of a paradigm's wrappers. Those of functions with a profiling interface call
 * it by name: for programs that contain the library there are others, NAME-linked.so, which do not
 * load the shared one. */
static void name_wrappers(const struct paradigm *paradigm, char file[NAME_MAX])
{
    const char *name = paradigm->library->wrappers;
    const char *end = strrchr(name, '.');
    const bool apart = paradigm->is_linked && paradigm->has_profiling_names && end != NULL;
    snprintf(file, NAME_MAX, "%.*s%s%s", apart ? (int)(end - name) : NAME_MAX, name,
             apart ? "-linked" : "", apart ? end : "");
}

/* Loads the wrappers of a paradigm and attaches them to the recorder.
 * @return the wrappers; NULL: the paradigm is not recorded
 * @param library  handle of the paradigm's library; NULL: the program contains it */
static const struct fm_paradigm *attach(const struct paradigm *paradigm, void *library)
{
    if (!is_allowed() || !is_selected(paradigm)) {
        return NULL;
    }
    char file[NAME_MAX];
    name_wrappers(paradigm, file);
    const struct fm_paradigm *wrappers = load_symbol(file, FM_PARADIGM_SYMBOL);
    if (wrappers == NULL) {
        return NULL;
    }
    if (wrappers->count != paradigm->count) {
        dprintf(STDERR_FILENO,
                "fermata: nothing of %s is recorded: %s is of another version; install fermata "
                "again\n",
                paradigm->library->title, paradigm->library->wrappers);
        return NULL;
    }
    for (uint32_t i = 0; wrappers->next != NULL && i < wrappers->count; i++) {
        wrappers->next[i] = (fm_function_t)(uintptr_t)original(paradigm->first + i, library);
    }
    return load_recorder() && recorder->attach(wrappers) ? wrappers : NULL;
}

static void unavailable(void)
{
    dprintf(STDERR_FILENO,
            "fermata: a function was called that no loaded library defines; link the "
            "program with the library that does\n");
    abort();
}

static void lead_functions_to(fm_function_event_t *enter, fm_function_event_t *leave)
{
    __atomic_store_n(&function_enter, enter, __ATOMIC_RELEASE);
    __atomic_store_n(&function_leave, leave, __ATOMIC_RELEASE);
}

/* Fills the slots of a paradigm's names with its wrappers, or with the functions of its library. */
static void resolve_paradigm(struct paradigm *paradigm)
{
    void *library = library_of(paradigm);
    const struct fm_paradigm *wrappers =
        library != NULL || paradigm->is_linked ? attach(paradigm, library) : NULL;
    for (uint32_t i = 0; i < paradigm->count; i++) {
        uint32_t slot = paradigm->first + i;
        bool has = wrappers != NULL && (wrappers->next == NULL || wrappers->next[i] != NULL);
        fm_function_t function = has ? wrappers->wrappers[i] : NULL;
        if (function == NULL) {
            void *symbol = original(slot, library != NULL ? library : RTLD_NEXT);
            if (symbol == NULL) { /* another library of the paradigm may have it */
                symbol = fm_preload_next(function_names[slot]);
            }
            function = symbol != NULL ? (fm_function_t)(uintptr_t)symbol : unavailable;
        }
        __atomic_store_n(&fm_preload_slots[slot], function, __ATOMIC_RELEASE);
    }
    paradigm->resolved = true;
}

/* Whether accelerators are to be recorded, for the first caller that asks while there is a
 * recorder. The caller holds the lock. */
static bool begins_accelerators(void)
{
    static bool begun;
    bool begins =
        !begun && recorder != NULL && fm_gpu_is_selected(fm_preload_variable(FM_GPU_VARIABLE));
    begun = begun || begins;
    return begins;
}

/* Not under the lock: libraries of CUDA create threads when they begin. */
static void attach_accelerators(void)
{
    const struct fm_paradigm *cuda = load_symbol(FM_CUDA_LIBRARY, FM_PARADIGM_SYMBOL);
    if (cuda != NULL) {
        recorder->attach(cuda);
    }
}

/* Resolves the paradigms whose libraries are loaded, and `called`, the paradigm of the called
 * function (NULL: none). */
static void resolve(const struct paradigm *called)
{
    if (is_allowed()) {
        fm_lookup_see_objects();
    }
    fm_lock(&resolving);
    if (recorder == NULL) { /* instrumented signal handlers must not wait for the lock held here */
        lead_functions_to(ignore, ignore);
    }
    find_libraries();
    for (size_t i = 0; i < PARADIGM_COUNT; i++) {
        struct paradigm *paradigm = &paradigms[i];
        if (!paradigm->resolved && !paradigm->is_system &&
            (paradigm->library != NULL || paradigm == called)) {
            resolve_paradigm(paradigm);
        }
    }
    for (size_t i = 0; i < PARADIGM_COUNT; i++) {
        struct paradigm *paradigm = &paradigms[i];
        if (!paradigm->resolved && paradigm->is_system &&
            (recorder != NULL || paradigm == called)) {
            resolve_paradigm(paradigm);
        }
    }
    if (recorder != NULL) {
        recorder->attached();
        lead_functions_to(recorder->function_enter, recorder->function_leave);
    }
    bool accelerators = begins_accelerators();
    fm_unlock(&resolving);
    if (accelerators) {
        attach_accelerators();
    }
}

/* Takes an entry of the program for one of the paradigm's functions, and leads it to the function
 * of this name that this library exports. @return whether it is one of them */
static bool take_entry(struct paradigm *paradigm, struct fm_linked_entry *entry, void *self)
{
    for (uint32_t slot = paradigm->first; slot < paradigm->first + paradigm->count; slot++) {
        if (strcmp(function_names[slot], entry->name) == 0) {
            void *exported = fm_preload_symbol(self, entry->name);
            if (exported != NULL && !paradigm->resolved) {
                linked[slot] = entry->real;
                paradigm->is_linked = true;
                __atomic_store_n(&entry->current, (fm_function_t)(uintptr_t)exported,
                                 __ATOMIC_RELEASE);
            }
            return true;
        }
    }
    return false;
}

/* Whether the program may contain a library: of libraries with a profiling interface, whether it
 * says so itself. Its interface is part of the program as a whole (fermata-link-mpi.options). */
static bool may_be_contained(const struct library *library)
{
    enum { LONGEST_VERSION = 8192 }; /* of the library in question, or more */
    char version[LONGEST_VERSION] = "";
    int length = 0;
    int (*get_version)(char *, int *);
    if (!library->paradigm->has_profiling_names) {
        return true;
    }
    *(void **)&get_version = fm_preload_symbol(RTLD_DEFAULT, "PMPI_Get_library_version");
    return get_version != NULL && get_version(version, &length) == 0 &&
           strstr(version, library->title) != NULL;
}

/* A handle of this library. */
static void *own_handle(void)
{
    static void *handle;
    void *known = __atomic_load_n(&handle, __ATOMIC_ACQUIRE);
    Dl_info info;
    if (known == NULL && dladdr((void *)(uintptr_t)note_start, &info) != 0) {
        known = fm_preload_loaded(info.dli_fname);
        __atomic_store_n(&handle, known, __ATOMIC_RELEASE);
    }
    return known;
}

/* The paradigm of a library that has the function; NULL: none, or that of the C library. */
static const struct paradigm *owner_of(const char *name)
{
    for (size_t i = 0; i < PARADIGM_COUNT; i++) {
        const struct paradigm *paradigm = &paradigms[i];
        for (uint32_t slot = paradigm->first; slot < paradigm->first + paradigm->count; slot++) {
            if (strcmp(function_names[slot], name) == 0) {
                return paradigm->is_system ? NULL : paradigm;
            }
        }
    }
    return NULL;
}

/* See lookup.h. The hash table of this library is asked first. */
void *fm_preload_entry(const char *name)
{
    void *self = own_handle();
    void *symbol = self != NULL ? fm_preload_symbol(self, name) : NULL;
    return symbol != NULL && owner_of(name) != NULL ? symbol : NULL;
}

bool fm_preload_is_in_library(const void *address)
{
    Dl_info info;
    if (address == NULL || dladdr(address, &info) == 0 || info.dli_fname == NULL) {
        return false;
    }
    const char *slash = strrchr(info.dli_fname, '/');
    const char *base = slash != NULL ? slash + 1 : info.dli_fname;
    for (size_t i = 0; i < LIBRARY_COUNT; i++) {
        if (!libraries[i].paradigm->is_system &&
            strncmp(base, libraries[i].soname, strlen(libraries[i].soname)) == 0) {
            return true;
        }
    }
    return false;
}

/* fm_linked_register_t; see linked.h. */
__attribute__((visibility("default"))) void fermata_linked_register(struct fm_linked_entry *begin,
                                                                    struct fm_linked_entry *end)
{
    int saved = errno;
    void *self = own_handle();
    fm_lock(&resolving);
    for (struct fm_linked_entry *entry = begin; self != NULL && entry < end; entry++) {
        size_t i = 0;
        while (i < PARADIGM_COUNT && !take_entry(&paradigms[i], entry, self)) {
            i++;
        }
    }
    for (size_t i = 0; i < LIBRARY_COUNT; i++) {
        struct paradigm *paradigm = libraries[i].paradigm;
        if (paradigm->is_linked && paradigm->library == NULL && may_be_contained(&libraries[i])) {
            paradigm->library = &libraries[i];
        }
    }
    fm_unlock(&resolving);
    errno = saved;
}

/* Resolves the paradigms once the library of one is loaded. Marks of a program may come before
 * that, when the right wrappers are not known yet. @return whether paradigms are resolved */
static bool can_resolve(void)
{
    static bool resolved;
    if (!__atomic_load_n(&resolved, __ATOMIC_ACQUIRE)) {
        fm_lock(&resolving);
        bool found = find_libraries() || recorder != NULL;
        fm_unlock(&resolving);
        if (!found) {
            return false;
        }
        resolve(NULL);
        __atomic_store_n(&resolved, true, __ATOMIC_RELEASE);
    }
    return true;
}

/* ---- runtimes of OpenMP with a tools interface ---- */

/* A tool of another library behind this one, in search order; the runtimes define a function of
 * this name, too. */
static bool is_other_tool(const void *function)
{
    Dl_info info;
    const char *slash = function != NULL && dladdr(function, &info) != 0 && info.dli_fname != NULL
                            ? strrchr(info.dli_fname, '/')
                            : NULL;
    return slash != NULL && strncmp(slash, "/libomp", 7) != 0 && strncmp(slash, "/libiomp", 8) != 0;
}

/* Called by a runtime with OMPT when it begins; only one tool is possible, and the program's own
 * one is preferred. Tools in OMP_TOOL_LIBRARIES are tried by the runtime if there is none here. */
__attribute__((visibility("default"))) struct fm_ompt_tool *ompt_start_tool(unsigned version,
                                                                            const char *runtime);
struct fm_ompt_tool *ompt_start_tool(unsigned version, const char *runtime)
{
    int saved = errno;
    struct fm_ompt_tool *(*other)(unsigned, const char *), *tool = NULL;
    *(void **)&other = fm_preload_next("ompt_start_tool");
    const char *libraries_of_tools = fm_preload_variable("OMP_TOOL_LIBRARIES");
    if (is_other_tool((const void *)(uintptr_t)other)) {
        tool = other(version, runtime);
    } else if ((libraries_of_tools == NULL || libraries_of_tools[0] == '\0') && is_allowed()) {
        resolve(NULL);
        const char *layer = fm_preload_variable("FERMATA_LAYER");
        bool is_left_out = layer != NULL && strcmp(layer, "mpi") == 0;
        tool = recorder != NULL && !is_left_out
                   ? (struct fm_ompt_tool *)(uintptr_t)load_symbol(FM_OMPT_LIBRARY, FM_OMPT_SYMBOL)
                   : NULL;
    }
    errno = saved;
    return tool;
}

/* ---- programs of OpenMP alone ---- */

/* Whether the libraries of the process say that it is a program of OpenMP without ranks. */
static bool has_only_openmp(void)
{
    bool has_openmp = false, has_others = false;
    find_libraries();
    for (size_t i = 0; i < PARADIGM_COUNT; i++) {
        const struct paradigm *paradigm = &paradigms[i];
        const bool is_openmp = !paradigm->is_system && paradigm->library != NULL &&
                               fm_preload_is_openmp(paradigm->library->soname);
        has_openmp = has_openmp || is_openmp;
        has_others = has_others || paradigm->is_linked ||
                     (!paradigm->is_system && paradigm->library != NULL && !is_openmp);
    }
    return has_openmp && !has_others;
}

/* The serial code before the first parallel region is a part of what threads could execute: the
 * program is recorded from its main function on. A time window is one behind the first recorded
 * call. */
static void begin_with_main(uint64_t address)
{
    const char *window = fm_preload_variable("FERMATA_WINDOW");
    if (!is_allowed() || !fm_preload_is_program() || (window != NULL && window[0] != '\0')) {
        return;
    }
    fm_lock(&resolving);
    const bool begins = has_only_openmp();
    fm_unlock(&resolving);
    if (begins) {
        resolve(NULL);
        if (recorder != NULL) {
            recorder->main_begins(address);
        }
    }
}

/* The C library's function that calls the main function; the begin of the program calls it. */
typedef int fm_main_t(int count, char **arguments, char **environment);
typedef int fm_start_main_t(fm_main_t *main, int count, char **arguments, void (*init)(void),
                            void (*fini)(void), void (*rtld_fini)(void), void *stack_end);
__attribute__((visibility("default"))) fm_start_main_t __libc_start_main;
int __libc_start_main(fm_main_t *main, int count, char **arguments, void (*init)(void),
                      void (*fini)(void), void (*rtld_fini)(void), void *stack_end)
{
    fm_start_main_t *start;
    *(void **)&start = fm_preload_next("__libc_start_main");
    begin_with_main((uint64_t)(uintptr_t)main);
    return start(main, count, arguments, init, fini, rtld_fini, stack_end);
}

/* ---- accelerators ---- */

/* Called by CUDA's driver when it begins, in the library that CUDA_INJECTION64_PATH names:
 * recording begins in programs that use nothing else. */
__attribute__((visibility("default"))) int InitializeInjection(void);
int InitializeInjection(void)
{
    int saved = errno;
    if (fm_gpu_is_selected(fm_preload_variable(FM_GPU_VARIABLE)) && is_allowed()) {
        fm_lock(&resolving);
        bool loaded = load_recorder();
        fm_unlock(&resolving);
        if (loaded) {
            resolve(NULL);
        }
    }
    errno = saved;
    return 1;
}

/* ---- marks that programs carry ---- */

/* See petsc.h. */
const void *fm_preload_own_symbol(const char *file, const char *name)
{
    return is_allowed() ? load_symbol(file, name) : NULL;
}

/* Called by the NVTX of a program that finds no NVTX_INJECTION64_PATH: the variable was removed. */
__attribute__((visibility("default"))) int InitializeInjectionNvtx2Preinject(void *tables);
int InitializeInjectionNvtx2Preinject(void *tables)
{
    int saved = errno;
    int (*begin)(void *);
    *(const void **)&begin = fm_preload_own_symbol(FM_MARKS_LIBRARY, "InitializeInjectionNvtx2");
    int result = begin != NULL ? begin(tables) : 0;
    errno = saved;
    return result;
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
    *settled = true;
    errno = saved;
    return user_functions;
}

/* ---- instrumented functions ---- */

static void ignore(void *function, void *call_site)
{
    (void)function, (void)call_site;
}

/* Called at the begin of the first instrumented function, often before the first call of a
 * paradigm. If no paradigm's library is loaded yet, that first call connects the functions. */
static FM_COLD fm_function_event_t *connect_functions(void)
{
    int saved = errno;
    lead_functions_to(ignore, ignore);
    can_resolve();
    errno = saved;
    return __atomic_load_n(&function_enter, __ATOMIC_ACQUIRE);
}

__attribute__((visibility("default"))) void __cyg_profile_func_enter(void *function,
                                                                     void *call_site);
__attribute__((visibility("default"))) void __cyg_profile_func_exit(void *function,
                                                                    void *call_site);

/* The calls at the end of these functions are compiled to jumps, because the recorder reads the
 * stack of the caller. */
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

/* The function `name` of a paradigm's library. RTLD_NEXT does not find it if the library was loaded
 * by dlopen. */
static fm_function_t find_function(const char *name)
{
    void *symbol = NULL;
    find_libraries();
    for (size_t i = 0; i < PARADIGM_COUNT && symbol == NULL; i++) {
        void *handle = paradigms[i].is_system ? NULL : library_of(&paradigms[i]);
        symbol = handle != NULL ? fm_preload_symbol(handle, name) : NULL;
    }
    symbol = symbol != NULL ? symbol : fm_preload_next(name);
    return symbol != NULL ? (fm_function_t)(uintptr_t)symbol : unavailable;
}

/* The function that an exported ending jumps to; saves the records first. */
static fm_function_t end_by(const struct ending *ending)
{
    void (*saves)(bool) = __atomic_load_n(&save, __ATOMIC_ACQUIRE);
    if (saves != NULL) {
        saves(ending->ends);
    }
    return ending->function != NULL ? ending->function : find_function(ending->name);
}

/* The function that a name of the C library's leads to before the recorder is loaded. Other names
 * than those of functions that begin threads come here only before this library's constructor. */
static fm_function_t resolve_system(unsigned long slot)
{
    const char *name = function_names[slot];
    fm_lock(&resolving);
    bool starts = fm_preload_begins_threads(name) && is_allowed() &&
                  (find_libraries() || fm_preload_starts_with_threads());
    fm_unlock(&resolving);
    if (starts) {
        resolve(paradigm_of(slot));
        return __atomic_load_n(&fm_preload_slots[slot], __ATOMIC_ACQUIRE);
    }
    fm_function_t function = (fm_function_t)(uintptr_t)fm_preload_next(name);
    __atomic_store_n(&fm_preload_slots[slot], function, __ATOMIC_RELEASE);
    return function;
}

static uintptr_t first_argument(uintptr_t argument)
{
    return argument;
}

/* The function that a watched function's name leads to.
 * @param arguments  of the call, which may be changed */
static fm_function_t see(enum watched function, uintptr_t *arguments, uintptr_t caller)
{
    const char *name = watched[function].name;
    void *symbol = NULL;
    /* Runtimes that look up functions before they are ready for any others come first. */
    const bool is_active = __atomic_load_n(&has_started, __ATOMIC_ACQUIRE) && is_allowed();
    if (function == WATCHED_dlopen) {
        fm_lookup_opens((int)arguments[1]);
    } else if (is_active && function == WATCHED_dlsym) {
        symbol = fm_lookup_symbol((void *)arguments[0], (const char *)arguments[1], caller);
    } else if (is_active && function >= WATCHED_execve &&
               __atomic_load_n(&save, __ATOMIC_ACQUIRE) == NULL) {
        name = fm_programs_start((enum fm_start_function)(function - WATCHED_execve), arguments);
    }
    if (symbol != NULL) {
        arguments[0] = (uintptr_t)symbol;
        return (fm_function_t)(uintptr_t)first_argument;
    }
    fm_function_t known = name == watched[function].name ? watched[function].function : NULL;
    return known != NULL ? known : next_function(name);
}

fm_function_t fm_preload_resolve(unsigned long number, uintptr_t *arguments, uintptr_t caller)
{
    int saved = errno;
    if (number >= FUNCTION_COUNT + ENDING_COUNT) {
        const enum watched seen = (enum watched)(number - FUNCTION_COUNT - ENDING_COUNT);
        fm_function_t function = see(seen, arguments, caller);
        errno = saved;
        return function;
    }
    if (number >= FUNCTION_COUNT) {
        fm_function_t function = end_by(&endings[number - FUNCTION_COUNT]);
        errno = saved;
        return function;
    }
    if (paradigm_of(number)->is_system) {
        fm_function_t function = resolve_system(number);
        errno = saved;
        return function;
    }
    resolve(paradigm_of(number));
    errno = saved;
    return __atomic_load_n(&fm_preload_slots[number], __ATOMIC_ACQUIRE);
}
