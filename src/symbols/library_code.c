/* SPDX-License-Identifier: BSD-3-Clause */
#include "symbols/library_code.h"

#include <gelf.h>
#include <stdbool.h>
#include <string.h>

static bool begins(const char *text, const char *with)
{
    return strncmp(text, with, strlen(with)) == 0;
}

static bool is_runtime(const char *name)
{
    static const char *const runtimes[] = {
        "libc.so",     "libc-",    "libm.so",     "libm-",       "libmvec",      "libpthread",
        "librt.so",    "libdl.so", "ld-linux",    "libstdc++",   "libc++",       "libgcc_s",
        "libgfortran", "libflang", "libquadmath", "libgomp",     "libomp",       "libiomp",
        "libtbb",      "libblas",  "liblapack",   "libopenblas", "libscalapack", "libmkl_",
        "libatlas",    "libblis",  "libfftw",     "libz.so",     "libsvml",      "libimf",
    };
    for (size_t i = 0; i < sizeof runtimes / sizeof runtimes[0]; i++) {
        if (begins(name, runtimes[i])) {
            return true;
        }
    }
    return false;
}

static bool is_of_system(const char *path)
{
    return begins(path, "/lib/") || begins(path, "/lib64/") || begins(path, "/usr/lib/") ||
           begins(path, "/usr/lib64/") || begins(path, "/usr/local/lib/");
}

static bool is_linked_with_mpi(Elf *elf)
{
    GElf_Shdr header;
    for (Elf_Scn *section = elf_nextscn(elf, NULL); section != NULL;
         section = elf_nextscn(elf, section)) {
        Elf_Data *data;
        if (gelf_getshdr(section, &header) == NULL || header.sh_type != SHT_DYNAMIC ||
            header.sh_entsize == 0 || (data = elf_getdata(section, NULL)) == NULL) {
            continue;
        }
        const size_t count = header.sh_size / header.sh_entsize;
        GElf_Dyn entry;
        for (size_t i = 0; i < count && gelf_getdyn(data, (int)i, &entry) != NULL; i++) {
            const char *name =
                entry.d_tag == DT_NEEDED ? elf_strptr(elf, header.sh_link, entry.d_un.d_val) : NULL;
            if (name != NULL && begins(name, "libmpi")) {
                return true;
            }
        }
    }
    return false;
}

enum fm_library_code fm_library_code(Elf *elf, const char *path)
{
    const char *slash = strrchr(path, '/'), *name = slash != NULL ? slash + 1 : path;
    const char *end = strstr(name, ".so");
    if (end == NULL || (end[3] != '\0' && end[3] != '.')) {
        return FM_CODE_OF_PROGRAM;
    }
    if (is_runtime(name)) {
        return FM_CODE_OF_RUNTIME;
    }
    return is_of_system(path) && (elf == NULL || !is_linked_with_mpi(elf)) ? FM_CODE_OF_LIBRARY
                                                                           : FM_CODE_OF_PROGRAM;
}
