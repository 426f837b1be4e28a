/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * A 64-bit ELF file in memory; nothing beyond it is read. Private to `fermata doctor`.
 */
#ifndef FERMATA_CLI_DOCTOR_ELF_FILE_H
#define FERMATA_CLI_DOCTOR_ELF_FILE_H

#include <elf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct fm_elf {
    const unsigned char *bytes;
    size_t size; /**< at least that of the header */
    const Elf64_Ehdr *head;
};

/** @return `size` bytes at `offset`; NULL: the file has not that many. */
static inline const void *fm_elf_at(const struct fm_elf *elf, uint64_t offset, uint64_t size)
{
    return offset <= elf->size && size <= elf->size - offset ? elf->bytes + offset : NULL;
}

/** Receives a symbol. @param defined  by the file itself; otherwise it is taken from a library */
typedef void fm_elf_symbol_t(void *context, const char *name, bool defined);

/** Visits the symbols of all tables: one may come twice. */
void fm_elf_visit_symbols(const struct fm_elf *elf, fm_elf_symbol_t *visit, void *context);

/** @return a section's header; NULL: there is none with that number. */
static inline const Elf64_Shdr *fm_elf_section(const struct fm_elf *elf, unsigned number)
{
    const Elf64_Shdr *section;
    return number < elf->head->e_shnum
               ? fm_elf_at(elf, elf->head->e_shoff + (uint64_t)number * sizeof *section,
                           sizeof *section)
               : NULL;
}

/** @return a segment's header; NULL: there is none with that number. */
static inline const Elf64_Phdr *fm_elf_segment(const struct fm_elf *elf, unsigned number)
{
    const Elf64_Phdr *segment;
    return number < elf->head->e_phnum
               ? fm_elf_at(elf, elf->head->e_phoff + (uint64_t)number * sizeof *segment,
                           sizeof *segment)
               : NULL;
}

#endif
