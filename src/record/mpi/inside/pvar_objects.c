/* SPDX-License-Identifier: BSD-3-Clause */
#include "record/mpi/inside/pvar_objects.h"

#include "record/capture/lock.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum { VARIABLES_MOST = 64 };

/* A handle of a variable for an object. */
struct bound {
    struct bound *next;
    union {
        MPI_Win win;
        MPI_File file;
    } object;
    MPI_T_pvar_handle handle;
    int elements;
};

static struct {
    fm_lock_t lock; /* of the lists */
    MPI_T_pvar_session session;
    size_t count;
    struct of_objects {
        struct fm_pvar_of_objects variable;
        struct bound *bound;
        bool has_ended; /* an object; its last value, with that of others, is `ended` */
        uint64_t ended;
    } variables[VARIABLES_MOST];
} objects = {.lock = FM_LOCK_FREE};

static size_t size_of_handle(int binding)
{
    return binding == MPI_T_BIND_MPI_WIN ? sizeof(MPI_Win) : sizeof(MPI_File);
}

bool fm_pvar_objects_have(int binding)
{
    return binding == MPI_T_BIND_MPI_WIN || binding == MPI_T_BIND_MPI_FILE;
}

bool fm_pvar_objects_add(MPI_T_pvar_session session, const struct fm_pvar_of_objects *variable)
{
    if (objects.count == VARIABLES_MOST) {
        return false;
    }
    objects.session = session;
    objects.variables[objects.count++] = (struct of_objects){.variable = *variable};
    return true;
}

/* ---- objects ---- */

/* Binds a new handle. @return NULL: the library refuses it, or there is no memory */
static struct bound *bind(const struct fm_pvar_of_objects *variable, const void *object)
{
    struct bound *bound = calloc(1, sizeof *bound);
    if (bound == NULL) {
        return NULL;
    }
    memcpy(&bound->object, object, size_of_handle(variable->binding));
    if (PMPI_T_pvar_handle_alloc(objects.session, variable->index, &bound->object, &bound->handle,
                                 &bound->elements) != MPI_SUCCESS) {
        free(bound);
        return NULL;
    }
    bool is_started =
        variable->is_continuous || PMPI_T_pvar_start(objects.session, bound->handle) == MPI_SUCCESS;
    if (!is_started || !fm_pvar_is_readable(objects.session, bound->handle, bound->elements)) {
        PMPI_T_pvar_handle_free(objects.session, &bound->handle);
        free(bound);
        return NULL;
    }
    return bound;
}

void fm_pvar_object_begins(int binding, const void *object)
{
    for (size_t i = 0; i < objects.count; i++) {
        struct of_objects *of = &objects.variables[i];
        if (of->variable.binding != binding) {
            continue;
        }
        fm_lock(&objects.lock);
        struct bound *bound = bind(&of->variable, object);
        if (bound != NULL) {
            bound->next = of->bound;
            of->bound = bound;
        }
        fm_unlock(&objects.lock);
    }
}

static void end(struct of_objects *of, struct bound *bound)
{
    uint64_t value = 0;
    if (!of->variable.is_level &&
        fm_pvar_read(objects.session, bound->handle, bound->elements, &of->variable.sort, &value)) {
        of->ended = of->has_ended ? fm_pvar_combine(&of->variable.sort, of->ended, value) : value;
        of->has_ended = true;
    }
    PMPI_T_pvar_handle_free(objects.session, &bound->handle);
    free(bound);
}

void fm_pvar_object_ends(int binding, const void *object)
{
    for (size_t i = 0; i < objects.count; i++) {
        struct of_objects *of = &objects.variables[i];
        if (of->variable.binding != binding) {
            continue;
        }
        fm_lock(&objects.lock);
        struct bound **place = &of->bound;
        while (*place != NULL && memcmp(&(*place)->object, object, size_of_handle(binding)) != 0) {
            place = &(*place)->next;
        }
        struct bound *ended = *place;
        if (ended != NULL) {
            *place = ended->next;
            end(of, ended);
        }
        fm_unlock(&objects.lock);
    }
}

/* ---- reading ---- */

static void read_all(const struct of_objects *of, uint64_t *value)
{
    bool is_known = of->has_ended;
    uint64_t sum = of->ended;
    for (const struct bound *bound = of->bound; bound != NULL; bound = bound->next) {
        uint64_t one;
        if (fm_pvar_read(objects.session, bound->handle, bound->elements, &of->variable.sort,
                         &one)) {
            sum = is_known ? fm_pvar_combine(&of->variable.sort, sum, one) : one;
            is_known = true;
        }
    }
    *value = is_known ? sum : 0;
}

void fm_pvar_objects_read(uint64_t *values)
{
    fm_lock(&objects.lock);
    for (size_t i = 0; i < objects.count; i++) {
        read_all(&objects.variables[i], &values[objects.variables[i].variable.slot]);
    }
    fm_unlock(&objects.lock);
}
