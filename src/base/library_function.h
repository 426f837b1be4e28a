/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Which functions are those of libraries that a program uses. The developers of the program do
 * not change them to make it faster. The recorder gives functions in libraries the name of the
 * library instead of a source file.
 */
#ifndef FERMATA_BASE_LIBRARY_FUNCTION_H
#define FERMATA_BASE_LIBRARY_FUNCTION_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/** @return whether a function belongs to C++'s library by its name: `std::sort<...>`. */
static inline bool fm_is_of_namespace_std(const char *name)
{
    static const char *const begins[] = {"std::", "__gnu_cxx::", "__gthread_"};
    for (size_t i = 0; i < sizeof begins / sizeof begins[0]; i++) {
        if (strncmp(name, begins[i], strlen(begins[i])) == 0) {
            return true;
        }
    }
    return false;
}

/** @return whether a source file is a header that is installed for the whole system or comes with a
 * compiler. */
static inline bool fm_is_installed_header(const char *file)
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

/** Name of code of a library that neither a symbol nor a call names: a format for the library. */
#define FM_UNNAMED_CODE "(unnamed code in %s)"

/** @return whether a function of a binary has no name: it is called "pw.x+0x2b1880", as in a
 * program, or
 * "(unnamed code in libm.so.6)".
 * @param binary  its name without folder */
static inline bool fm_is_unnamed(const char *name, const char *binary)
{
    const size_t length = strlen(binary), front = strlen(FM_UNNAMED_CODE) - strlen("%s)");
    return length != 0 &&
           ((strncmp(name, binary, length) == 0 && strncmp(name + length, "+0x", 3) == 0) ||
            (strncmp(name, FM_UNNAMED_CODE, front) == 0 &&
             strncmp(name + front, binary, length) == 0 &&
             strcmp(name + front + length, ")") == 0));
}

/** @return whether a function with this name and source file is one of a library: the file is the
 * name of a shared object without folder, such as libm.so.6, or an installed header, or the name is
 * in C++'s namespace std.
 * @param file  NULL: unknown */
static inline bool fm_is_library_function(const char *name, const char *file)
{
    const char *end = file == NULL || strchr(file, '/') != NULL ? NULL : strstr(file, ".so");
    return (end != NULL && (end[3] == '\0' || end[3] == '.')) || fm_is_of_namespace_std(name) ||
           (file != NULL && fm_is_installed_header(file));
}

#endif
