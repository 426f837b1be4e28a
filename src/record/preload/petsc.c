/* SPDX-License-Identifier: BSD-3-Clause */
/* Interposes functions of PETSc's log: they call the original ones, and report names and stages to
 * the library of marks. Its handlers of events come in front of those of PETSc's own log each time
 * that these may have been set. PETSc's library calls the functions by name, too. */
#include "record/preload/petsc.h"

#include "record/capture/hot.h"
#include "record/marks/mark_kinds.h"
#include "record/preload/start.h"
#include "record/preload/system_library.h"

#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <link.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

/* The error code of PETSc for an unknown function. */
enum { NOT_FOUND = 56 };

static int find_petsc(struct dl_phdr_info *info, size_t size, void *path)
{
    static const char begin[] = "libpetsc";
    const char *slash = strrchr(info->dlpi_name, '/');
    (void)size;
    if (slash == NULL || strncmp(slash + 1, begin, sizeof begin - 1) != 0) {
        return 0;
    }
    snprintf(path, PATH_MAX, "%s", info->dlpi_name);
    return 1;
}

/* A symbol of PETSc's library, also if it was loaded without being visible to others (Python). */
static void *find(void *place, const char *name)
{
    char path[PATH_MAX] = "";
    void *symbol = place == RTLD_NEXT ? fm_preload_next(name) : fm_preload_symbol(place, name);
    if (symbol == NULL && dl_iterate_phdr(find_petsc, path) != 0) {
        void *library = fm_preload_loaded(path);
        symbol = library != NULL ? fm_preload_symbol(library, name) : NULL;
        fm_preload_close(library);
    }
    return symbol;
}

/* What the library of marks does; NULL: the setting `marks` leaves PETSc out. */
static const struct fm_petsc_marks *marks(void)
{
    static const struct fm_petsc_marks *known;
    static bool is_known;
    if (!__atomic_load_n(&is_known, __ATOMIC_ACQUIRE)) {
        const int saved = errno;
        uint32_t kinds;
        const bool is_selected =
            fm_mark_kinds_read(fm_preload_variable(FM_MARKS_VARIABLE), &kinds) &&
            (kinds >> FM_MARKS_PETSC & 1) != 0;
        known = is_selected ? fm_preload_own_symbol(FM_MARKS_LIBRARY, FM_PETSC_SYMBOL) : NULL;
        __atomic_store_n(&is_known, true, __ATOMIC_RELEASE);
        errno = saved;
    }
    return known;
}

/* Versions from 3.20 on lack the variables. */
static void connect_events(const struct fm_petsc_marks *petsc)
{
    fm_petsc_handler_t **begin = find(RTLD_DEFAULT, "PetscLogPLB");
    fm_petsc_handler_t **end = find(RTLD_DEFAULT, "PetscLogPLE");
    if (begin != NULL && end != NULL) {
        petsc->connect(begin, end);
    }
}

FM_API int PetscLogEventRegister(const char *name, int class, int *event);
FM_API int PetscLogStageRegister(const char *name, int *stage);
FM_API int PetscLogStagePush(int stage);
FM_API int PetscLogStagePop(void);
FM_API int PetscLogSet(fm_petsc_handler_t *begin, fm_petsc_handler_t *end);

/* PETSc registers its own events when it begins, after its log. */
int PetscLogEventRegister(const char *name, int class, int *event)
{
    int (*next)(const char *, int, int *);
    *(void **)&next = find(RTLD_NEXT, "PetscLogEventRegister");
    const int error = next != NULL ? next(name, class, event) : NOT_FOUND;
    const struct fm_petsc_marks *petsc = error == 0 ? marks() : NULL;
    if (petsc != NULL) {
        petsc->event_registered(name, *event);
        connect_events(petsc);
    }
    return error;
}

int PetscLogStageRegister(const char *name, int *stage)
{
    int (*next)(const char *, int *);
    *(void **)&next = find(RTLD_NEXT, "PetscLogStageRegister");
    const int error = next != NULL ? next(name, stage) : NOT_FOUND;
    const struct fm_petsc_marks *petsc = error == 0 ? marks() : NULL;
    if (petsc != NULL) {
        petsc->stage_registered(name, *stage);
    }
    return error;
}

int PetscLogStagePush(int stage)
{
    int (*next)(int);
    *(void **)&next = find(RTLD_NEXT, "PetscLogStagePush");
    const int error = next != NULL ? next(stage) : NOT_FOUND;
    const struct fm_petsc_marks *petsc = error == 0 ? marks() : NULL;
    if (petsc != NULL) {
        petsc->stage_pushed(stage);
    }
    return error;
}

int PetscLogStagePop(void)
{
    int (*next)(void);
    *(void **)&next = find(RTLD_NEXT, "PetscLogStagePop");
    const int error = next != NULL ? next() : NOT_FOUND;
    const struct fm_petsc_marks *petsc = error == 0 ? marks() : NULL;
    if (petsc != NULL) {
        petsc->stage_popped();
    }
    return error;
}

/* PETSc's functions that begin a log call it, too (-log_view). */
int PetscLogSet(fm_petsc_handler_t *begin, fm_petsc_handler_t *end)
{
    int (*next)(fm_petsc_handler_t *, fm_petsc_handler_t *);
    *(void **)&next = find(RTLD_NEXT, "PetscLogSet");
    const int error = next != NULL ? next(begin, end) : NOT_FOUND;
    const struct fm_petsc_marks *petsc = error == 0 ? marks() : NULL;
    if (petsc != NULL) {
        connect_events(petsc);
    }
    return error;
}
