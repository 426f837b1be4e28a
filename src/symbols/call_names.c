/* SPDX-License-Identifier: BSD-3-Clause */
#include "symbols/call_names.h"

#include "symbols/call_decoder.h"

#include <gelf.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

struct slot {
    uint64_t address;
    size_t symbol;    /* number in the dynamic linker's table */
    const char *name; /* NULL: none */
};

struct fm_call_names {
    Elf *elf;
    const struct fm_call_decoder *decoder; /* NULL: of another processor */
    struct slot *slots;                    /* ascending */
    size_t count, room;
};

/* The dynamic linker's tables of a binary: addresses and sizes in bytes; 0: it has none. */
struct tables {
    uint64_t relocations, relocations_size;
    uint64_t stubs, stubs_size; /* relocations of the procedure linkage table */
    uint64_t symbols;
    uint64_t strings, strings_size;
};

static const struct fm_call_decoder *decoder_of(Elf *elf)
{
    GElf_Ehdr header;
    if (gelf_getclass(elf) != ELFCLASS64 || gelf_getehdr(elf, &header) == NULL) {
        return NULL;
    }
    return header.e_machine == EM_X86_64    ? &fm_call_decoder_x86_64
           : header.e_machine == EM_AARCH64 ? &fm_call_decoder_aarch64
                                            : NULL;
}

/* ---- the file by addresses ---- */

/* The segment of a type that contains `size` bytes at an address; PT_DYNAMIC: at any.
 * @return false: there is none */
static bool find_segment(Elf *elf, unsigned type, uint64_t address, uint64_t size,
                         GElf_Phdr *segment)
{
    size_t count = 0;
    elf_getphdrnum(elf, &count);
    for (size_t i = 0; i < count; i++) {
        if (gelf_getphdr(elf, (int)i, segment) == NULL || segment->p_type != type) {
            continue;
        }
        const uint64_t offset = address - segment->p_vaddr;
        if (type == PT_DYNAMIC || (address >= segment->p_vaddr && offset < segment->p_filesz &&
                                   size <= segment->p_filesz - offset)) {
            return true;
        }
    }
    return false;
}

/* @return NULL: the file does not contain these bytes */
static Elf_Data *data_at(Elf *elf, uint64_t address, uint64_t size, Elf_Type type)
{
    GElf_Phdr segment;
    if (size == 0 || !find_segment(elf, PT_LOAD, address, size, &segment)) {
        return NULL;
    }
    return elf_getdata_rawchunk(elf, (int64_t)(segment.p_offset + address - segment.p_vaddr), size,
                                type);
}

/* Copies code that can be executed. @return false: the file has none at the address */
static bool read_code(Elf *elf, uint64_t address, uint8_t *code, size_t size)
{
    GElf_Phdr segment;
    size_t file_size;
    const char *file = elf_rawfile(elf, &file_size);
    if (file == NULL || !find_segment(elf, PT_LOAD, address, size, &segment) ||
        (segment.p_flags & PF_X) == 0) {
        return false;
    }
    const uint64_t offset = segment.p_offset + address - segment.p_vaddr;
    if (offset > file_size || size > file_size - offset) {
        return false;
    }
    memcpy(code, file + offset, size);
    return true;
}

/* ---- slots ---- */

static struct tables find_tables(Elf *elf)
{
    struct tables tables = {0};
    GElf_Phdr segment;
    GElf_Dyn entry;
    Elf_Data *data = NULL;
    if (find_segment(elf, PT_DYNAMIC, 0, 0, &segment)) {
        data = elf_getdata_rawchunk(elf, (int64_t)segment.p_offset, segment.p_filesz, ELF_T_DYN);
    }
    for (int i = 0; data != NULL && gelf_getdyn(data, i, &entry) != NULL && entry.d_tag != DT_NULL;
         i++) {
        const uint64_t value = entry.d_un.d_val;
        switch (entry.d_tag) {
        case DT_RELA:
            tables.relocations = value;
            break;
        case DT_RELASZ:
            tables.relocations_size = value;
            break;
        case DT_JMPREL:
            tables.stubs = value;
            break;
        case DT_PLTRELSZ:
            tables.stubs_size = value;
            break;
        case DT_SYMTAB:
            tables.symbols = value;
            break;
        case DT_STRTAB:
            tables.strings = value;
            break;
        case DT_STRSZ:
            tables.strings_size = value;
            break;
        default:
            break;
        }
    }
    return tables;
}

static bool add_slot(struct fm_call_names *names, struct slot slot)
{
    if (names->count == names->room) {
        size_t room = names->room != 0 ? 2 * names->room : 256;
        struct slot *slots = realloc(names->slots, room * sizeof *slots);
        if (slots == NULL) {
            return false;
        }
        names->slots = slots;
        names->room = room;
    }
    names->slots[names->count++] = slot;
    return true;
}

static bool add_relocations(struct fm_call_names *names, uint64_t address, uint64_t size)
{
    GElf_Rela relocation;
    Elf_Data *data = data_at(names->elf, address, size, ELF_T_RELA);
    bool good = true;
    for (int i = 0; good && data != NULL && gelf_getrela(data, i, &relocation) != NULL; i++) {
        const unsigned type = (unsigned)GELF_R_TYPE(relocation.r_info);
        if (type == names->decoder->jump_slot || type == names->decoder->global_data) {
            good = add_slot(names, (struct slot){.address = relocation.r_offset,
                                                 .symbol = GELF_R_SYM(relocation.r_info)});
        }
    }
    return good;
}

/* The size of the table of symbols is nowhere in the file, except in sections, which it may lack.
 */
static void name_slots(struct fm_call_names *names, const struct tables *tables)
{
    size_t last = 0;
    for (size_t i = 0; i < names->count; i++) {
        last = names->slots[i].symbol > last ? names->slots[i].symbol : last;
    }
    Elf_Data *symbols =
        data_at(names->elf, tables->symbols,
                (last + 1) * gelf_fsize(names->elf, ELF_T_SYM, 1, EV_CURRENT), ELF_T_SYM);
    Elf_Data *strings = data_at(names->elf, tables->strings, tables->strings_size, ELF_T_BYTE);
    if (symbols == NULL || strings == NULL ||
        ((char *)strings->d_buf)[strings->d_size - 1] != '\0') {
        return;
    }
    for (size_t i = 0; i < names->count; i++) {
        GElf_Sym symbol;
        struct slot *slot = &names->slots[i];
        if (slot->symbol != 0 && gelf_getsym(symbols, (int)slot->symbol, &symbol) != NULL &&
            symbol.st_name != 0 && symbol.st_name < strings->d_size) {
            slot->name = (const char *)strings->d_buf + symbol.st_name;
        }
    }
}

static int compare_slots(const void *a, const void *b)
{
    const struct slot *left = a, *right = b;
    return left->address < right->address ? -1 : left->address > right->address;
}

struct fm_call_names *fm_call_names_read(Elf *elf)
{
    struct fm_call_names *names = calloc(1, sizeof *names);
    if (names == NULL) {
        return NULL;
    }
    names->elf = elf;
    names->decoder = elf != NULL ? decoder_of(elf) : NULL;
    if (names->decoder == NULL) {
        return names;
    }
    const struct tables tables = find_tables(elf);
    if (!add_relocations(names, tables.relocations, tables.relocations_size) ||
        !add_relocations(names, tables.stubs, tables.stubs_size)) {
        fm_call_names_free(names);
        return NULL;
    }
    if (names->count != 0) {
        name_slots(names, &tables);
        qsort(names->slots, names->count, sizeof *names->slots, compare_slots);
    }
    return names;
}

void fm_call_names_free(struct fm_call_names *names)
{
    if (names != NULL) {
        free(names->slots);
        free(names);
    }
}

/* ---- calls ---- */

enum { PAGE = 4096, LONGEST_CODE = 32 };

/* Code of a file in memory, at the same place in its page: instructions that address memory
 * relative to themselves, or to their page, lead to `distance` less than in the file. */
struct code {
    _Alignas(PAGE) uint8_t bytes[PAGE + LONGEST_CODE];
    const uint8_t *begin;
    uint64_t distance;
};

static bool load_code(struct code *code, Elf *elf, uint64_t address, size_t size)
{
    uint8_t *begin = code->bytes + address % PAGE;
    code->begin = begin;
    code->distance = address - (uint64_t)(uintptr_t)begin;
    return read_code(elf, address, begin, size);
}

const char *fm_call_names_find(const struct fm_call_names *names, uint64_t address)
{
    static struct code code;
    const struct fm_call_decoder *decoder = names->decoder;
    uint64_t target, slot;
    bool in_slot;
    int length;
    if (decoder == NULL || names->count == 0) {
        return NULL;
    }
    const uint64_t behind = address + 1;
    if (!load_code(&code, names->elf, behind - (uint64_t)decoder->call_bytes,
                   (size_t)decoder->call_bytes) ||
        !decoder->call_target(code.begin + decoder->call_bytes, &target, &in_slot)) {
        return NULL;
    }
    slot = target += code.distance;
    if (!in_slot) {
        if (!load_code(&code, names->elf, target, (size_t)decoder->stub_bytes) ||
            !decoder->stub_slot(code.begin, &slot, &length)) {
            return NULL;
        }
        slot += code.distance;
    }
    const struct slot wanted = {.address = slot};
    const struct slot *found =
        bsearch(&wanted, names->slots, names->count, sizeof wanted, compare_slots);
    return found != NULL ? found->name : NULL;
}
