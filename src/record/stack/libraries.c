/* SPDX-License-Identifier: BSD-3-Clause */
#include "record/stack/libraries.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

enum { FOLDERS_MOST = 32 };

/* Folders of communication libraries: as loaded, and with symbolic links resolved. */
static struct {
    char *folders[FOLDERS_MOST];
    size_t count;
    char *mpi; /* path of the library that defines PMPI_Init; NULL: not known */
} known;

static const char *name_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash != NULL ? slash + 1 : path;
}

static bool begins_with_any(const char *path, const char *const *prefixes, size_t count)
{
    const char *name = name_of(path);
    for (size_t i = 0; i < count; i++) {
        if (strncmp(name, prefixes[i], strlen(prefixes[i])) == 0) {
            return true;
        }
    }
    return false;
}

bool fm_library_is_c(const char *path)
{
    static const char *const names[] = {"ld-linux", "ld-musl",    "libc.so",
                                        "libc-2.",  "libpthread", "linux-vdso"};
    return begins_with_any(path, names, sizeof names / sizeof names[0]);
}

/* Runtimes of OpenMP, which call back into the program: their functions are not shown. They lie in
 * folders with other libraries. */
static bool is_openmp(const char *path)
{
    static const char *const names[] = {"libgomp.so", "libomp.so", "libiomp5.so"};
    return begins_with_any(path, names, sizeof names / sizeof names[0]);
}

/* Libraries of CUDA between a call of the program and the recorder, which CUPTI calls back. */
static bool is_cuda(const char *path)
{
    static const char *const names[] = {"libcuda.so", "libcudart.so", "libcupti.so"};
    return begins_with_any(path, names, sizeof names / sizeof names[0]);
}

static bool is_ours(const char *path)
{
    static const char *const names[] = {"libfermata-"};
    return begins_with_any(path, names, 1);
}

/* Names of libraries, without what follows: `.so.40`, `-gfortran.so`. */
static bool has_known_name(const char *path)
{
    static const char *const names[] = {
        "libmpi",
        "libmpich",
        "libmpicxx",
        "libmpi_cxx",
        "libmpifort",
        "libmpi_mpifh",
        "libmpi_usempif08",
        "libmpichcxx",
        "libmpichfort",
        "libmpi_usempi",
        "libmpi_usempi_ignore_tkr",
        "libopen-rte",
        "libopen-pal",
        "libompitrace",
        "liboshmem",
        "libpmix",
        "libprrte",
        "libucp",
        "libucs",
        "libuct",
        "libucm",
        "libfabric",
        "libgomp",
        "libomp",
        "libiomp5",
    };
    const char *name = name_of(path);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        size_t length = strlen(names[i]);
        if (strncmp(name, names[i], length) == 0 &&
            (name[length] == '.' || name[length] == '-' || name[length] == '\0')) {
            return true;
        }
    }
    return false;
}

/* The binding of the MPI library for Python, an extension module: mpi4py/MPI.*.so. */
static bool is_binding(const char *path)
{
    static const char folder[] = "/mpi4py/";
    const char *name = name_of(path);
    const size_t length = sizeof folder - 1;
    return (size_t)(name - path) >= length && strncmp(name - length, folder, length) == 0 &&
           strncmp(name, "MPI.", 4) == 0;
}

static bool may_be_part(const char *path)
{
    static const char *const names[] = {"libmpi", "libompi", "libmca_", "mca_"};
    return begins_with_any(path, names, sizeof names / sizeof names[0]);
}

/* ---- folders ---- */

/* Takes ownership of the path. */
static void note_folder(char *path)
{
    char *slash = path != NULL ? strrchr(path, '/') : NULL;
    if (slash == NULL || slash == path || known.count == FOLDERS_MOST) {
        free(path);
        return;
    }
    *slash = '\0';
    for (size_t i = 0; i < known.count; i++) {
        if (strcmp(known.folders[i], path) == 0) {
            free(path);
            return;
        }
    }
    known.folders[known.count++] = path;
}

/* The path with the symbolic links of its folders resolved, but not the file's own; to be freed. */
static char *in_real_folder(const char *path)
{
    char *copy = strdup(path), *slash = copy != NULL ? strrchr(copy, '/') : NULL, *whole = NULL;
    if (slash != NULL && slash != copy) {
        *slash = '\0';
        char *folder = realpath(copy, NULL);
        size_t length = folder != NULL ? strlen(folder) : 0;
        whole = folder != NULL ? realloc(folder, length + 1 + strlen(slash + 1) + 1) : NULL;
        if (whole != NULL) {
            whole[length] = '/';
            strcpy(whole + length + 1, slash + 1);
        } else {
            free(folder);
        }
    }
    free(copy);
    return whole;
}

static void note_folders(const char *path)
{
    note_folder(strdup(path));
    note_folder(in_real_folder(path));
    note_folder(realpath(path, NULL));
}

/* Whether the file is in one of the folders or below. Takes ownership of the path. */
static bool lies_there(char *path)
{
    bool found = false;
    for (size_t i = 0; path != NULL && !found && i < known.count; i++) {
        size_t length = strlen(known.folders[i]);
        found = strncmp(path, known.folders[i], length) == 0 && path[length] == '/';
    }
    free(path);
    return found;
}

/* ---- all ---- */

void fm_libraries_begin(void)
{
    Dl_info info;
    void *function = dlsym(RTLD_DEFAULT, "PMPI_Init");
    /* A program with a statically linked MPI library is not a library: its functions are shown. */
    if (known.mpi == NULL && function != NULL && dladdr(function, &info) != 0 &&
        info.dli_fname != NULL && strncmp(name_of(info.dli_fname), "lib", 3) == 0) {
        known.mpi = strdup(info.dli_fname);
        note_folders(info.dli_fname);
    }
}

bool fm_library_communicates(const char *path)
{
    if (is_ours(path) || is_binding(path) || is_openmp(path) || is_cuda(path)) {
        return true;
    }
    if (has_known_name(path) || (known.mpi != NULL && strcmp(path, known.mpi) == 0)) {
        note_folders(path);
        return true;
    }
    return may_be_part(path) && (lies_there(strdup(path)) || lies_there(in_real_folder(path)) ||
                                 lies_there(realpath(path, NULL)));
}
