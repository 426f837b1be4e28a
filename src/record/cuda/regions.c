/* SPDX-License-Identifier: BSD-3-Clause */
/* Regions of kernels, by their names. */
#include "record/cuda/cuda.h"
#include "record/experiment/kept_variables.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { KERNELS = 4096, NAME_MOST = 1024 };

/* The kernels so far, by the hash of their linkage names; those beyond are looked up in the
 * definitions each time. */
static struct kernel {
    uint64_t hash;
    uint32_t region;
    bool known;
} kernels[KERNELS];

static uint64_t hash_text(const char *text)
{
    uint64_t hash = 14695981039346656037u;
    for (const char *c = text; *c != '\0'; c++) {
        hash = (hash ^ (unsigned char)*c) * 1099511628211u;
    }
    return hash ^ hash >> 29;
}

typedef char *demangle_t(const char *symbol, char *buffer, size_t *size, int *status);

static demangle_t *demangle; /* NULL: names stay linkage names */

/* The C++ library's function, which every program with CUDA's runtime has. */
void fm_cuda_regions_begin(void)
{
    void *library = dlopen("libstdc++.so.6", RTLD_NOW | RTLD_LOCAL);
    *(void **)&demangle = library != NULL ? dlsym(library, "__cxa_demangle") : NULL;
}

/* Cuts the parameters off, and the result type in front of a template, which is void:
 * `void scale<float>(float*, int)` is `scale<float>`. */
static void shorten(char *name)
{
    size_t length = strlen(name);
    int depth = 0;
    for (size_t i = length; name[length - 1] == ')' && i-- > 0;) {
        depth += name[i] == ')' ? 1 : name[i] == '(' ? -1 : 0;
        if (depth == 0) {
            name[i] = '\0';
            break;
        }
    }
    if (strncmp(name, "void ", 5) == 0) {
        memmove(name, name + 5, strlen(name + 5) + 1);
    }
}

static void name_kernel(const char *symbol, char *name, size_t size)
{
    const char *names = fm_variable("FERMATA_NAMES");
    int status = -1;
    char *whole = demangle != NULL && symbol[0] == '_' && symbol[1] == 'Z'
                      ? demangle(symbol, NULL, NULL, &status)
                      : NULL;
    if (whole != NULL && whole[0] != '\0' && (names == NULL || strcmp(names, "full") != 0)) {
        shorten(whole);
    }
    snprintf(name, size, "kernel %s", whole != NULL && whole[0] != '\0' ? whole : symbol);
    free(whole);
}

static uint32_t define(const char *name, uint32_t role)
{
    return fm_session_region(name, role, OTF2_PARADIGM_CUDA, OTF2_REGION_FLAG_NONE, NULL, 0);
}

uint32_t fm_cuda_kernel_region(const char *symbol)
{
    char name[NAME_MOST];
    uint64_t hash = hash_text(symbol != NULL ? symbol : "");
    struct kernel *kernel = &kernels[hash % KERNELS];
    if (!kernel->known || kernel->hash != hash) {
        name_kernel(symbol != NULL && symbol[0] != '\0' ? symbol : "(unknown)", name, sizeof name);
        *kernel = (struct kernel){hash, define(name, OTF2_REGION_ROLE_CODE), true};
    }
    return kernel->region;
}

uint32_t fm_cuda_wait_region(void)
{
    static uint32_t known = FM_DEFINE_NONE;
    uint32_t region = __atomic_load_n(&known, __ATOMIC_RELAXED);
    if (region == FM_DEFINE_NONE) {
        region = define("cuda wait for event", OTF2_REGION_ROLE_FUNCTION);
        __atomic_store_n(&known, region, __ATOMIC_RELAXED);
    }
    return region;
}

uint32_t fm_cuda_region(const char *name)
{
    return define(name, OTF2_REGION_ROLE_DATA_TRANSFER);
}
