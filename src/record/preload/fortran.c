/* SPDX-License-Identifier: BSD-3-Clause */
#include "record/preload/fortran.h"

#include "record/preload/lookup.h"
#include "record/preload/references.h"
#include "record/preload/system_library.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* ---- functions that the Fortran libraries also call internally ---- */

/* A call of such a function is recorded only if it comes from the Fortran function of that name. */
struct helper {
    const char *name;
    const char *callers[3];
    uintptr_t begin[3], end[3]; /* addresses of the callers, as far as they are loaded */
    int (*ours)(uintptr_t, uintptr_t, uintptr_t, uintptr_t);
    int (*library)(uintptr_t, uintptr_t, uintptr_t, uintptr_t);
};

enum { COMM_SIZE, CARTDIM_GET, NEIGHBORS_COUNT, HELPERS };

static struct helper helpers[HELPERS] = {
    {.name = "MPI_Comm_size",
     .callers = {"ompi_comm_size_f", "mpi_comm_size_f08_", "pmpir_comm_size_f08_"}},
    {.name = "MPI_Cartdim_get",
     .callers = {"ompi_cartdim_get_f", "mpi_cartdim_get_f08_", "pmpir_cartdim_get_f08_"}},
    {.name = "MPI_Dist_graph_neighbors_count",
     .callers = {"ompi_dist_graph_neighbors_count_f", "mpi_dist_graph_neighbors_count_f08_",
                 "pmpir_dist_graph_neighbors_count_f08_"}},
};

/* All these functions have at most four arguments, each of the size of a register. */
#define FM_HELPER(function, number)                                                                \
    static int function(uintptr_t a, uintptr_t b, uintptr_t c, uintptr_t d)                        \
    {                                                                                              \
        return call_helper(&helpers[number], (uintptr_t)__builtin_return_address(0), a, b, c, d);  \
    }

static int call_helper(const struct helper *helper, uintptr_t caller, uintptr_t a, uintptr_t b,
                       uintptr_t c, uintptr_t d)
{
    for (size_t i = 0; i < 3; i++) {
        if (caller > helper->begin[i] && caller <= helper->end[i]) {
            return helper->ours(a, b, c, d);
        }
    }
    return helper->library(a, b, c, d);
}

FM_HELPER(comm_size, COMM_SIZE)
FM_HELPER(cartdim_get, CARTDIM_GET)
FM_HELPER(neighbors_count, NEIGHBORS_COUNT)

/* @return the function that distinguishes the callers; `ours`: `name` is no such function */
static void *prepare_helper(void *ours, const char *name, void *library)
{
    static int (*const functions[HELPERS])(uintptr_t, uintptr_t, uintptr_t,
                                           uintptr_t) = {comm_size, cartdim_get, neighbors_count};
    for (size_t h = 0; h < HELPERS; h++) {
        struct helper *helper = &helpers[h];
        if (strcmp(helper->name, name) != 0) {
            continue;
        }
        char real_name[64] = "P";
        strncat(real_name, name, sizeof real_name - 2);
        *(void **)&helper->ours = ours;
        *(void **)&helper->library = fm_preload_symbol(library, real_name);
        for (size_t i = 0; i < 3; i++) {
            void *caller = fm_preload_symbol(library, helper->callers[i]);
            Dl_info info;
            const ElfW(Sym) *symbol = NULL;
            if (caller != NULL && dladdr1(caller, &info, (void **)&symbol, RTLD_DL_SYMENT) != 0 &&
                symbol != NULL) {
                helper->begin[i] = (uintptr_t)caller;
                helper->end[i] = (uintptr_t)caller + symbol->st_size;
            }
        }
        return helper->library != NULL ? (void *)(uintptr_t)functions[h] : ours;
    }
    return ours;
}

/* Fortran libraries convert handles internally all the time: such calls are not recorded. */
static bool is_conversion(const char *name)
{
    size_t length = strlen(name);
    return length > 4 &&
           (strcmp(name + length - 4, "_f2c") == 0 || strcmp(name + length - 4, "_c2f") == 0);
}

static bool is_fortran_library(const char *path)
{
    static const char *const prefixes[] = {"libmpi_mpifh", "libmpi_usempi", "libmpichfort"};
    const char *slash = strrchr(path, '/');
    const char *name = slash == NULL ? path : slash + 1;
    for (size_t i = 0; i < sizeof prefixes / sizeof prefixes[0]; i++) {
        if (strncmp(name, prefixes[i], strlen(prefixes[i])) == 0) {
            return true;
        }
    }
    return false;
}

/* Leads a reference to the function of this library, if there is one of that name. */
static void *choose(void *library, const char *name, void *current)
{
    (void)current;
    void *ours = is_conversion(name) ? NULL : fm_preload_entry(name + 1);
    return ours != NULL ? prepare_helper(ours, name + 1, library) : NULL;
}

void fm_preload_redirect_fortran(const struct dl_phdr_info *object)
{
    void *library =
        is_fortran_library(object->dlpi_name) ? fm_preload_loaded(object->dlpi_name) : NULL;
    if (library != NULL) {
        fm_references_change(object, "PMPI", choose, library);
        fm_preload_close(library);
    }
}
