/* SPDX-License-Identifier: BSD-3-Clause */
/* Whether Python functions will be shown in call paths: by the version of the interpreter, which
 * its binary contains in the variable Py_Version (from 3.11 on). */
#include "cli/doctor/doctor.h"
#include "record/stack/python/layout.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

static const Elf64_Sym *find_symbol(const struct fm_elf *elf, const char *name)
{
    for (unsigned i = 0; i < elf->head->e_shnum; i++) {
        const Elf64_Shdr *table = fm_elf_section(elf, i);
        if (table == NULL || table->sh_type != SHT_DYNSYM) {
            continue;
        }
        const Elf64_Shdr *names = fm_elf_section(elf, table->sh_link);
        const Elf64_Sym *symbols = fm_elf_at(elf, table->sh_offset, table->sh_size);
        for (uint64_t s = 0;
             names != NULL && symbols != NULL && s < table->sh_size / sizeof *symbols; s++) {
            const char *text =
                symbols[s].st_name < names->sh_size
                    ? fm_elf_at(elf, names->sh_offset + symbols[s].st_name, strlen(name) + 1)
                    : NULL;
            if (text != NULL && strcmp(text, name) == 0 && symbols[s].st_shndx != SHN_UNDEF) {
                return &symbols[s];
            }
        }
    }
    return NULL;
}

/* Major << 8 | minor version of the interpreter in the file; 0: older than 3.11. */
static unsigned version_in(const struct fm_elf *elf)
{
    const Elf64_Sym *symbol = find_symbol(elf, "Py_Version");
    for (unsigned i = 0; symbol != NULL && i < elf->head->e_phnum; i++) {
        const Elf64_Phdr *segment = fm_elf_segment(elf, i);
        if (segment != NULL && segment->p_type == PT_LOAD && symbol->st_value >= segment->p_vaddr &&
            symbol->st_value - segment->p_vaddr < segment->p_filesz) {
            uint64_t version;
            const void *bytes = fm_elf_at(
                elf, segment->p_offset + symbol->st_value - segment->p_vaddr, sizeof version);
            if (bytes != NULL) {
                memcpy(&version, bytes, sizeof version);
                return (unsigned)(version >> 16) & 0xffff;
            }
        }
    }
    return 0;
}

/* Version of the library libpython3.11.so.1.0 in the dynamic linker's list; 0: it is not there. */
static unsigned version_of_library(const char *libraries)
{
    static const char prefix[] = "libpython3.";
    const char *name = strstr(libraries, prefix);
    long minor = name != NULL ? strtol(name + sizeof prefix - 1, NULL, 10) : 0;
    return minor > 0 && minor < 0x100 ? 0x300u | (unsigned)minor : 0;
}

bool fm_doctor_python(const char *path, const struct fm_elf *elf, const char *libraries)
{
    bool inside = find_symbol(elf, "_PyEval_EvalFrameDefault") != NULL;
    unsigned version = inside ? version_in(elf) : version_of_library(libraries);
    char name[32] = "before 3.11";
    if (!inside && version == 0) {
        return false;
    }
    if (version != 0) {
        snprintf(name, sizeof name, "%u.%u", version >> 8, version & 0xff);
    }
    if (fm_python_layout(version) != NULL) {
        fm_doctor_report(FM_HEALTH_GOOD, NULL,
                         "call paths: %s runs Python %s: Python functions with their lines", path,
                         name);
    } else {
        fm_doctor_report(FM_HEALTH_WARNING, "use Python 3.11, 3.12 or 3.13",
                         "call paths: %s runs Python %s: the interpreter's C functions are shown, "
                         "not the Python functions",
                         path, name);
    }
    return inside && fm_python_layout(version) != NULL;
}
