/* SPDX-License-Identifier: BSD-3-Clause */
#include "record/stack/support_function.h"

#include "base/library_function.h"

#include <string.h>

static bool is_runtime_library(const char *binary)
{
    static const char *const names[] = {
        "libstdc++.so", "libc++.so",   "libc++abi.so",   "libm.so",        "libm-2.",
        "libmvec",      "libgcc_s.so", "libgfortran.so", "libquadmath.so", "libatomic.so"};
    const char *slash = strrchr(binary, '/'), *name = slash != NULL ? slash + 1 : binary;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (strncmp(name, names[i], strlen(names[i])) == 0) {
            return true;
        }
    }
    return false;
}

/* A function of CUDA's runtime library, which most programs contain. */
static bool is_of_cuda(const char *name)
{
    static const char *const names[] = {
#define FM_CUDA_FUNCTION(name, role, use) #name,
#include "record/cuda/functions.def"
#undef FM_CUDA_FUNCTION
    };
    size_t length = strcspn(name, "(");
    const char *end = strstr(name, "_pts"); /* of the variants for streams of threads */
    length = end != NULL ? (size_t)(end - name) : length;
    bool found = strncmp(name, "__cudart", strlen("__cudart")) == 0;
    for (size_t i = 0; name[0] == 'c' && !found && i < sizeof names / sizeof names[0]; i++) {
        found = strlen(names[i]) == length && strncmp(name, names[i], length) == 0;
    }
    return found;
}

bool fm_is_support_function(const char *name, const char *binary, const char *file)
{
    return fm_is_of_namespace_std(name) || is_of_cuda(name) || is_runtime_library(binary) ||
           (file != NULL && fm_is_installed_header(file));
}
