/* SPDX-License-Identifier: BSD-3-Clause */
/* Functions of MPI that a program uses or defines and that the recorder does not record: the
 * recorder has wrappers for those of the table of functions. */
#include "cli/doctor/doctor.h"
#include "functions/function_kind.h"

#include <stdio.h>
#include <string.h>

void fm_elf_visit_symbols(const struct fm_elf *elf, fm_elf_symbol_t *visit, void *context)
{
    for (unsigned i = 0; i < elf->head->e_shnum; i++) {
        const Elf64_Shdr *table = fm_elf_section(elf, i);
        if (table == NULL || (table->sh_type != SHT_SYMTAB && table->sh_type != SHT_DYNSYM)) {
            continue;
        }
        const Elf64_Shdr *names = fm_elf_section(elf, table->sh_link);
        const Elf64_Sym *symbols = fm_elf_at(elf, table->sh_offset, table->sh_size);
        const char *text = names != NULL ? fm_elf_at(elf, names->sh_offset, names->sh_size) : NULL;
        if (text == NULL || symbols == NULL || names->sh_size == 0 ||
            text[names->sh_size - 1] != '\0') {
            continue;
        }
        for (uint64_t s = 0; s < table->sh_size / sizeof *symbols; s++) {
            if (symbols[s].st_name < names->sh_size) {
                visit(context, text + symbols[s].st_name, symbols[s].st_shndx != SHN_UNDEF);
            }
        }
    }
}

/* Names in a sentence; the others are counted. */
enum { MOST_NAMES = 6, TEXT = 256 };

struct names {
    char text[TEXT];
    unsigned listed, more;
};

struct search {
    struct names unknown, own;
};

static bool has_name(const struct names *names, const char *name)
{
    const char *found = strstr(names->text, name);
    const char end = found != NULL ? found[strlen(name)] : 'x';
    return end == '\0' || end == ',';
}

static void add_name(struct names *names, const char *name)
{
    const size_t length = strlen(names->text);
    if (has_name(names, name)) {
        return;
    }
    if (names->listed == MOST_NAMES || length + strlen(name) + 3 > sizeof names->text) {
        names->more++;
        return;
    }
    snprintf(names->text + length, sizeof names->text - length, "%s%s", length == 0 ? "" : ", ",
             name);
    names->listed++;
}

static void classify(void *context, const char *versioned, bool defined)
{
    struct search *search = context;
    char name[128];
    snprintf(name, sizeof name, "%.*s", (int)strcspn(versioned, "@"), versioned);
    if (!fm_is_mpi_function(name)) {
        return;
    }
    if (defined) {
        add_name(&search->own, name);
    } else if (!fm_function_is_listed(FM_PARADIGM_MPI, name)) {
        add_name(&search->unknown, name);
    }
}

static const char *and_more(const struct names *names, char *text, size_t size)
{
    text[0] = '\0';
    if (names->more != 0) {
        snprintf(text, size, " and %u more", names->more);
    }
    return text;
}

static void report(const struct search *search, const char *path)
{
    char more[48];
    if (search->unknown.listed != 0) {
        fm_doctor_report(FM_HEALTH_WARNING,
                         "nothing to do if the program does not depend on them; their time counts "
                         "as computation",
                         "%s uses functions that are not recorded (MPI 4, or not known): %s%s",
                         path, search->unknown.text, and_more(&search->unknown, more, sizeof more));
    }
    if (search->own.listed != 0) {
        fm_doctor_report(FM_HEALTH_WARNING, "record the program without its layer",
                         "%s defines functions of MPI itself, whose calls are not recorded: %s%s",
                         path, search->own.text, and_more(&search->own, more, sizeof more));
    }
}

void fm_doctor_mpi(const char *path, const struct fm_elf *elf)
{
    struct search search = {0};
    fm_elf_visit_symbols(elf, classify, &search);
    report(&search, path);
}
