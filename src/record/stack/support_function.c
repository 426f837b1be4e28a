#include "record/stack/support_function.h"

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

static bool is_of_namespace_std(const char *name)
{
    static const char *const begins[] = {"std::", "__gnu_cxx::", "__gthread_"};
    for (size_t i = 0; i < sizeof begins / sizeof begins[0]; i++) {
        if (strncmp(name, begins[i], strlen(begins[i])) == 0) {
            return true;
        }
    }
    return false;
}

static bool is_installed_header(const char *file)
{
    static const char *const folders[] = {"/usr/include/", "/usr/local/include/"};
    for (size_t i = 0; i < sizeof folders / sizeof folders[0]; i++) {
        if (strncmp(file, folders[i], strlen(folders[i])) == 0) {
            return true;
        }
    }
    return strstr(file, "/include/c++/") != NULL || strstr(file, "/lib/gcc/") != NULL ||
           strstr(file, "/lib/clang/") != NULL;
}

bool fm_is_support_function(const char *name, const char *binary, const char *file)
{
    return is_of_namespace_std(name) || is_runtime_library(binary) ||
           (file != NULL && is_installed_header(file));
}
