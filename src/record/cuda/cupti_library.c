/* SPDX-License-Identifier: BSD-3-Clause */
/* Finding and loading CUPTI. */
#include "record/cuda/cupti_profiler.h"
#include "record/experiment/kept_variables.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The file names: without a version only where the toolkit is installed for development. */
static const char *const names[] = {"libcupti.so",    "libcupti.so.13",   "libcupti.so.12",
                                    "libcupti.so.11", "libcupti.so.11.0", "libcupti.so.10.2"};

static void *open_in(const char *folder, char *path, size_t size)
{
    void *handle = NULL;
    for (size_t i = 0; handle == NULL && i < sizeof names / sizeof names[0]; i++) {
        snprintf(path, size, "%s%s%s", folder, folder[0] != '\0' ? "/" : "", names[i]);
        handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    }
    return handle;
}

static void *open_below(const char *toolkit, char *path, size_t size)
{
    static const char *const folders[] = {"lib64", "extras/CUPTI/lib64"};
    char folder[200];
    void *handle = NULL;
    for (size_t i = 0; toolkit != NULL && handle == NULL && i < 2; i++) {
        snprintf(folder, sizeof folder, "%s/%s", toolkit, folders[i]);
        handle = open_in(folder, path, size);
    }
    return handle;
}

static void *open_anywhere(char *path, size_t size)
{
    void *handle = open_below(fm_variable("CUDA_HOME"), path, size);
    if (handle == NULL) {
        handle = open_below(fm_variable("CUDA_PATH"), path, size);
    }
    if (handle == NULL) {
        handle = open_in("", path, size);
    }
    return handle != NULL ? handle : open_below("/usr/local/cuda", path, size);
}

bool fm_cuda_driver_is_installed(void)
{
    return dlopen("libcuda.so.1", RTLD_NOW | RTLD_GLOBAL) != NULL;
}

bool fm_cupti_profiler_load(const struct fm_cupti *cupti, struct fm_cupti_profiler *profiler,
                            char *reason, size_t size)
{
    static const struct {
        const char *name;
        size_t place;
    } functions[] = {
#define FM_CUPTI_ROW(member, name, structure, last)                                                \
    {#name, offsetof(struct fm_cupti_profiler, member)},
        FM_CUPTI_PROFILER_FUNCTIONS(FM_CUPTI_ROW)
#undef FM_CUPTI_ROW
    };
    void *handle = dlopen(cupti->path, RTLD_NOW | RTLD_LOCAL); /* it is loaded already */
    for (size_t i = 0; i < sizeof functions / sizeof functions[0]; i++) {
        void *symbol = handle != NULL ? dlsym(handle, functions[i].name) : NULL;
        if (symbol == NULL) {
            snprintf(reason, size,
                     "%s has no function %s: it is older than that of CUDA 12.6 "
                     "Update 2",
                     cupti->path, functions[i].name);
            return false;
        }
        memcpy((char *)profiler + functions[i].place, &symbol, sizeof symbol);
    }
    return true;
}

bool fm_cupti_load(struct fm_cupti *cupti, char *reason, size_t size)
{
    static const struct {
        const char *name;
        size_t place;
    } functions[] = {
#define FM_CUPTI_ROW(member, name, arguments) {#name, offsetof(struct fm_cupti, member)},
        FM_CUPTI_FUNCTIONS(FM_CUPTI_ROW)
#undef FM_CUPTI_ROW
    };
    memset(cupti, 0, sizeof *cupti);
    void *handle = open_anywhere(cupti->path, sizeof cupti->path);
    if (handle == NULL) {
        snprintf(reason, size,
                 "there is no libcupti.so, neither on the library path nor below CUDA_HOME or "
                 "/usr/local/cuda");
        return false;
    }
    for (size_t i = 0; i < sizeof functions / sizeof functions[0]; i++) {
        void *symbol = dlsym(handle, functions[i].name);
        if (symbol == NULL) {
            snprintf(reason, size, "%s has no function %s", cupti->path, functions[i].name);
            return false;
        }
        memcpy((char *)cupti + functions[i].place, &symbol, sizeof symbol);
    }
    *(void **)&cupti->flush_period = dlsym(handle, "cuptiActivityFlushPeriod");
    if (cupti->get_version(&cupti->version) != FM_CUPTI_SUCCESS ||
        cupti->version < FM_CUPTI_OLDEST) {
        snprintf(reason, size, "%s is older than that of CUDA 10.0", cupti->path);
        return false;
    }
    return true;
}
