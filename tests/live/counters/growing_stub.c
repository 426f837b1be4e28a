/* SPDX-License-Identifier: BSD-3-Clause */
/* Preloaded: an MPI library that gets a further performance variable, and its category, when the
 * program calls library_grows(). Aborts if an index is not its own. */
#define _GNU_SOURCE
#include <mpi.h>

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NAME "late"

static int has_grown;

void library_grows(void);
void library_grows(void)
{
    has_grown = 1;
}

#define NEXT(function, type) ((type)dlsym(RTLD_NEXT, function))

static int own_count(void)
{
    int count = 0;
    NEXT("PMPI_T_pvar_get_num", int (*)(int *))(&count);
    return count;
}

/* Whether an index is that of the further variable. */
static int is_late(int index)
{
    if (index > own_count() || (index == own_count() && !has_grown)) {
        fprintf(stderr, "growing_stub: index %d\n", index);
        abort();
    }
    return index == own_count();
}

int PMPI_T_pvar_get_num(int *count)
{
    int result = NEXT("PMPI_T_pvar_get_num", int (*)(int *))(count);
    *count += has_grown && result == MPI_SUCCESS;
    return result;
}

int PMPI_T_pvar_get_index(const char *name, int class, int *index)
{
    if (has_grown && strcmp(name, NAME) == 0) {
        *index = own_count();
        return MPI_SUCCESS;
    }
    return NEXT("PMPI_T_pvar_get_index", int (*)(const char *, int, int *))(name, class, index);
}

typedef int get_info_t(int, char *, int *, int *, int *, MPI_Datatype *, MPI_T_enum *, char *,
                       int *, int *, int *, int *, int *);

int PMPI_T_pvar_get_info(int index, char *name, int *name_length, int *verbosity, int *class,
                         MPI_Datatype *type, MPI_T_enum *names, char *meaning, int *meaning_length,
                         int *binding, int *readonly, int *continuous, int *atomic)
{
    if (is_late(index)) {
        *name_length = snprintf(name, (size_t)*name_length, NAME) + 1;
        *class = MPI_T_PVAR_CLASS_COUNTER;
        return MPI_SUCCESS;
    }
    return NEXT("PMPI_T_pvar_get_info", get_info_t *)(index, name, name_length, verbosity, class,
                                                      type, names, meaning, meaning_length, binding,
                                                      readonly, continuous, atomic);
}

typedef int handle_alloc_t(MPI_T_pvar_session, int, void *, MPI_T_pvar_handle *, int *);

int PMPI_T_pvar_handle_alloc(MPI_T_pvar_session session, int index, void *object,
                             MPI_T_pvar_handle *handle, int *count)
{
    if (is_late(index)) {
        *handle = (MPI_T_pvar_handle)(void *)&has_grown;
        *count = 3;
        return MPI_SUCCESS;
    }
    return NEXT("PMPI_T_pvar_handle_alloc", handle_alloc_t *)(session, index, object, handle,
                                                              count);
}

int PMPI_T_category_get_info(int category, char *name, int *name_length, char *meaning,
                             int *meaning_length, int *controls, int *variables, int *categories)
{
    (void)category;
    *name_length = snprintf(name, (size_t)*name_length, "all") + 1;
    *meaning_length = snprintf(meaning, (size_t)*meaning_length, "all") + 1;
    *controls = *categories = 0;
    *variables = 1;
    return MPI_SUCCESS;
}

int PMPI_T_category_get_pvars(int category, int length, int indices[])
{
    (void)category;
    if (length > 0) {
        indices[0] = own_count();
    }
    return MPI_SUCCESS;
}
