/* SPDX-License-Identifier: BSD-3-Clause */
#include "record/preload/references.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#if defined(__x86_64__)
enum { JUMP_SLOT = R_X86_64_JUMP_SLOT, GLOBAL_DATA = R_X86_64_GLOB_DAT };
#elif defined(__aarch64__)
enum { JUMP_SLOT = R_AARCH64_JUMP_SLOT, GLOBAL_DATA = R_AARCH64_GLOB_DAT };
#endif

/* The parts of an object's dynamic section that describe its references. */
struct references {
    const ElfW(Sym) * symbols;
    const char *strings;
    const ElfW(Rela) * tables[2]; /* of the procedure linkage table, and all others */
    size_t sizes[2];              /* bytes */
};

/* An address of the dynamic section. The loader has relocated most of them; the others are relative
 * to the load address. */
static const void *pointer(const struct dl_phdr_info *info, ElfW(Addr) address)
{
    return (const void *)(address < info->dlpi_addr ? address + info->dlpi_addr : address);
}

static bool find_references(const struct dl_phdr_info *info, struct references *references)
{
    const ElfW(Dyn) *entry = NULL;
    for (size_t i = 0; i < info->dlpi_phnum; i++) {
        if (info->dlpi_phdr[i].p_type == PT_DYNAMIC) {
            entry = (const void *)(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr);
        }
    }
    *references = (struct references){0};
    for (; entry != NULL && entry->d_tag != DT_NULL; entry++) {
        switch (entry->d_tag) {
        case DT_SYMTAB:
            references->symbols = pointer(info, entry->d_un.d_ptr);
            break;
        case DT_STRTAB:
            references->strings = pointer(info, entry->d_un.d_ptr);
            break;
        case DT_JMPREL:
            references->tables[0] = pointer(info, entry->d_un.d_ptr);
            break;
        case DT_PLTRELSZ:
            references->sizes[0] = entry->d_un.d_val;
            break;
        case DT_RELA:
            references->tables[1] = pointer(info, entry->d_un.d_ptr);
            break;
        case DT_RELASZ:
            references->sizes[1] = entry->d_un.d_val;
            break;
        default:
            break;
        }
    }
    return references->symbols != NULL && references->strings != NULL;
}

/* Writes an entry of a table, also if the loader has made it read-only. Its page stays writable:
 * the previous protection is not known, and the page may contain other data that must be writable.
 */
static void write_entry(void **entry, void *function)
{
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    uintptr_t begin = (uintptr_t)entry & ~(page - 1);
    if (*entry != function && mprotect((void *)begin, page, PROT_READ | PROT_WRITE) == 0) {
        __atomic_store_n(entry, function, __ATOMIC_RELEASE);
    }
}

void fm_references_change(const struct dl_phdr_info *object, const char *begin,
                          fm_reference_choice_t *choice, void *context)
{
    struct references references;
    const size_t length = strlen(begin);
    if (!find_references(object, &references)) {
        return;
    }
    for (size_t t = 0; t < 2; t++) {
        size_t count = references.tables[t] == NULL ? 0 : references.sizes[t] / sizeof(ElfW(Rela));
        for (size_t i = 0; i < count; i++) {
            const ElfW(Rela) *reference = &references.tables[t][i];
            unsigned long type = ELF64_R_TYPE(reference->r_info);
            if (type != JUMP_SLOT && type != GLOBAL_DATA) {
                continue;
            }
            const ElfW(Sym) *symbol = &references.symbols[ELF64_R_SYM(reference->r_info)];
            const char *name = references.strings + symbol->st_name;
            if (symbol->st_shndx != SHN_UNDEF || strncmp(name, begin, length) != 0) {
                continue;
            }
            void **entry = (void **)(object->dlpi_addr + reference->r_offset);
            void *function = choice(context, name, *entry);
            if (function != NULL) {
                write_entry(entry, function);
            }
        }
    }
}
