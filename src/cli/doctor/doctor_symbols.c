/* SPDX-License-Identifier: BSD-3-Clause */
/* What call paths through a program will look like, as `fermata doctor` predicts it. */
#include "cli/doctor/doctor.h"

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <unistd.h>

struct facts {
    bool unwind;       /* there are rules for unwinding (.eh_frame_hdr) */
    bool symbols;      /* there is a symbol table besides that for the dynamic linker */
    bool lines;        /* there is debug information */
    uint64_t exported; /* functions in the table for the dynamic linker */
    const unsigned char *build_id;
    size_t build_id_length;
};

static bool has_name(const struct fm_elf *elf, const Elf64_Shdr *section, const char *name)
{
    const Elf64_Shdr *names = fm_elf_section(elf, elf->head->e_shstrndx);
    size_t length = strlen(name) + 1;
    const char *text =
        names != NULL ? fm_elf_at(elf, names->sh_offset + section->sh_name, length) : NULL;
    return text != NULL && memcmp(text, name, length) == 0;
}

static uint64_t count_functions(const struct fm_elf *elf, const Elf64_Shdr *table)
{
    const Elf64_Sym *symbols = fm_elf_at(elf, table->sh_offset, table->sh_size);
    uint64_t count = 0;
    for (uint64_t i = 0; symbols != NULL && i < table->sh_size / sizeof *symbols; i++) {
        count += symbols[i].st_shndx != SHN_UNDEF && ELF64_ST_TYPE(symbols[i].st_info) == STT_FUNC;
    }
    return count;
}

static void find_build_id(const struct fm_elf *elf, const Elf64_Phdr *segment, struct facts *facts)
{
    uint64_t offset = segment->p_offset, end = offset + segment->p_filesz;
    const Elf64_Nhdr *note;
    while (offset + sizeof *note <= end && (note = fm_elf_at(elf, offset, sizeof *note)) != NULL) {
        uint64_t name = offset + sizeof *note;
        uint64_t content = name + (((uint64_t)note->n_namesz + 3) & ~(uint64_t)3);
        const char *owner = fm_elf_at(elf, name, sizeof "GNU");
        const unsigned char *id = fm_elf_at(elf, content, note->n_descsz);
        if (note->n_type == NT_GNU_BUILD_ID && note->n_namesz == sizeof "GNU" && owner != NULL &&
            memcmp(owner, "GNU", sizeof "GNU") == 0 && id != NULL && note->n_descsz > 1) {
            facts->build_id = id;
            facts->build_id_length = note->n_descsz;
            return;
        }
        offset = content + (((uint64_t)note->n_descsz + 3) & ~(uint64_t)3);
    }
}

static struct facts look(const struct fm_elf *elf)
{
    struct facts facts = {0};
    for (unsigned i = 0; i < elf->head->e_phnum; i++) {
        const Elf64_Phdr *segment = fm_elf_segment(elf, i);
        facts.unwind |= segment != NULL && segment->p_type == PT_GNU_EH_FRAME;
        if (segment != NULL && segment->p_type == PT_NOTE && facts.build_id == NULL) {
            find_build_id(elf, segment, &facts);
        }
    }
    for (unsigned i = 0; i < elf->head->e_shnum; i++) {
        const Elf64_Shdr *section = fm_elf_section(elf, i);
        if (section != NULL) {
            facts.symbols |= section->sh_type == SHT_SYMTAB;
            facts.lines |= has_name(elf, section, ".debug_info");
            facts.exported += section->sh_type == SHT_DYNSYM ? count_functions(elf, section) : 0;
        }
    }
    return facts;
}

/* Distributions keep debug information in files that are named by the build-id. */
static bool has_debug_file(const struct facts *facts)
{
    char path[PATH_MAX] = "/usr/lib/debug/.build-id/";
    size_t length = strlen(path);
    for (size_t i = 0; i < facts->build_id_length && length + 16 < sizeof path; i++) {
        length += (size_t)snprintf(path + length, sizeof path - length, "%02x%s",
                                   facts->build_id[i], i == 0 ? "/" : "");
    }
    snprintf(path + length, sizeof path - length, ".debug");
    return facts->build_id != NULL && access(path, R_OK) == 0;
}

void fm_doctor_symbols(const char *path, const struct fm_elf *elf)
{
    struct facts facts = look(elf);
    if (!facts.unwind) {
        fm_doctor_report(FM_HEALTH_WARNING, "compile it with -funwind-tables",
                         "call paths: %s has no rules for unwinding: they end in it", path);
    } else if (facts.lines || has_debug_file(&facts)) {
        fm_doctor_report(FM_HEALTH_GOOD, NULL, "call paths: functions of %s with their lines",
                         path);
    } else if (facts.symbols) {
        fm_doctor_report(FM_HEALTH_WARNING, "compile it with -g to get lines and inlined functions",
                         "call paths: functions of %s by name, but without lines", path);
    } else {
        char but[64] = "";
        if (facts.exported > 0) {
            snprintf(but, sizeof but, ", but for the %llu that it exports",
                     (unsigned long long)facts.exported);
        }
        fm_doctor_report(
            FM_HEALTH_WARNING,
            "install its debug symbols (Debian: the package -dbgsym), or link it "
            "without -s",
            "call paths: %s is stripped: its functions are named by their addresses%s; those of "
            "shared libraries have the names that these export",
            path, but);
    }
}
