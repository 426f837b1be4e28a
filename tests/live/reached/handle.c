/* SPDX-License-Identifier: BSD-3-Clause */
/* A program without a reference to MPI: it opens a library, and calls functions through pointers.
 *
 *   handle local LIBRARY     the MPI library, as Python's ctypes opens it: barriers
 *   handle lazy LIBRARY      ... as Julia opens it: global, lazily, its own symbols first
 *   handle deep PLUGIN       a plug-in (exchange.c) that binds its references to its own libraries
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *library;

static void *find(const char *name)
{
    void *found = dlsym(library, name);
    if (found == NULL) {
        fprintf(stderr, "%s\n", dlerror());
        exit(2);
    }
    return found;
}

/* MPI_COMM_WORLD, of Open MPI an object, of MPICH a number. */
static void *world(void)
{
    void *object = dlsym(library, "ompi_mpi_comm_world");
    return object != NULL ? object : (void *)0x44000000L;
}

static int call_library(void)
{
    int (*init)(int *, char ***) = (int (*)(int *, char ***))find("MPI_Init");
    int (*rank)(void *, int *) = (int (*)(void *, int *))find("MPI_Comm_rank");
    int (*barrier)(void *) = (int (*)(void *))find("MPI_Barrier");
    int (*finalize)(void) = (int (*)(void))find("MPI_Finalize");
    int self;
    init(NULL, NULL);
    rank(world(), &self);
    for (int i = 0; i < 4; i++) {
        barrier(world());
    }
    printf("rank %d: 0\n", self);
    return finalize();
}

int main(int argc, char **argv)
{
    const char *how = argc == 3 ? argv[1] : "";
    const int flags = strcmp(how, "deep") == 0   ? RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND
                      : strcmp(how, "lazy") == 0 ? RTLD_LAZY | RTLD_GLOBAL | RTLD_DEEPBIND
                                                 : RTLD_NOW | RTLD_LOCAL;
    library = argc == 3 ? dlopen(argv[2], flags) : NULL;
    if (library == NULL) {
        fprintf(stderr, "%s\n", argc == 3 ? dlerror() : "usage: handle HOW LIBRARY");
        return 2;
    }
    if (strcmp(how, "deep") == 0) {
        int (*exchange)(void) = (int (*)(void))find("exchange");
        return exchange();
    }
    return call_library();
}
