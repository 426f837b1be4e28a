/* SPDX-License-Identifier: BSD-3-Clause */
#include "record/stack/exports.h"

#include <stdbool.h>
#include <string.h>

/* The tables of a binary. The hash table has the layout of DT_GNU_HASH: four words (buckets, first
 * symbol in the table, words of the filter, shift of the filter), the filter, the buckets, and the
 * hashes of the symbols, in which a set lowest bit ends a chain. */
struct tables {
    const ElfW(Sym) * symbols;
    const char *names;
    const uint32_t *hash;
};

enum { WORD_BITS = 8 * sizeof(ElfW(Addr)) };

/* The dynamic linker has relocated these addresses, except in some binaries of the kernel. */
static const void *address_of(const struct dl_phdr_info *binary, ElfW(Addr) value)
{
    return (const void *)(uintptr_t)(value < binary->dlpi_addr ? binary->dlpi_addr + value : value);
}

static struct tables find_tables(const struct dl_phdr_info *binary)
{
    struct tables tables = {0};
    for (int i = 0; i < binary->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &binary->dlpi_phdr[i];
        if (segment->p_type != PT_DYNAMIC) {
            continue;
        }
        const ElfW(Dyn) *entry =
            (const ElfW(Dyn) *)(uintptr_t)(binary->dlpi_addr + segment->p_vaddr);
        for (; entry->d_tag != DT_NULL; entry++) {
            if (entry->d_tag == DT_SYMTAB) {
                tables.symbols = address_of(binary, entry->d_un.d_ptr);
            } else if (entry->d_tag == DT_STRTAB) {
                tables.names = address_of(binary, entry->d_un.d_ptr);
            } else if (entry->d_tag == DT_GNU_HASH) {
                tables.hash = address_of(binary, entry->d_un.d_ptr);
            }
        }
    }
    return tables;
}

static uint32_t hash_of(const char *name)
{
    uint32_t hash = 5381;
    for (; *name != '\0'; name++) {
        hash = 33 * hash + (unsigned char)*name;
    }
    return hash;
}

uint64_t fm_export_find(const struct dl_phdr_info *binary, const char *name)
{
    const struct tables tables = find_tables(binary);
    if (tables.symbols == NULL || tables.names == NULL || tables.hash == NULL ||
        tables.hash[0] == 0 || tables.hash[2] == 0) {
        return 0;
    }
    const uint32_t bucket_count = tables.hash[0], first = tables.hash[1];
    const uint32_t filter_words = tables.hash[2], shift = tables.hash[3], hash = hash_of(name);
    const ElfW(Addr) *filter = (const ElfW(Addr) *)(const void *)(tables.hash + 4);
    const uint32_t *buckets = (const uint32_t *)(const void *)(filter + filter_words);
    const uint32_t *hashes = buckets + bucket_count;
    const ElfW(Addr) bits = (ElfW(Addr))1 << hash % WORD_BITS | (ElfW(Addr))1
                                                                    << (hash >> shift) % WORD_BITS;
    uint32_t i = buckets[hash % bucket_count];
    if ((filter[hash / WORD_BITS % filter_words] & bits) != bits || i < first) {
        return 0;
    }
    for (;; i++) {
        const ElfW(Sym) *symbol = &tables.symbols[i];
        if ((hashes[i - first] | 1) == (hash | 1) && symbol->st_shndx != SHN_UNDEF &&
            strcmp(tables.names + symbol->st_name, name) == 0) {
            return binary->dlpi_addr + symbol->st_value;
        }
        if ((hashes[i - first] & 1) != 0) {
            return 0;
        }
    }
}
