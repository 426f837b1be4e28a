#include "record/stack/variables.h"

#include "record/stack/modules.h"

#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* A file in memory. */
struct file {
    const char *bytes;
    size_t size;
};

static bool map(const char *path, struct file *file)
{
    struct stat status;
    int descriptor = open(path, O_RDONLY | O_CLOEXEC);
    bool good = descriptor >= 0 && fstat(descriptor, &status) == 0 && status.st_size > 0;
    void *bytes = good ? mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, descriptor, 0)
                       : MAP_FAILED;
    if (descriptor >= 0) {
        close(descriptor);
    }
    if (bytes == MAP_FAILED) {
        return false;
    }
    *file = (struct file){bytes, (size_t)status.st_size};
    return true;
}

/* @return the bytes of a range of the file; NULL: the file is shorter */
static const void *range(const struct file *file, uint64_t begin, uint64_t size)
{
    return begin <= file->size && size <= file->size - begin ? file->bytes + begin : NULL;
}

static const ElfW(Shdr) * sections_of(const struct file *file, size_t *count)
{
    const ElfW(Ehdr) *header = range(file, 0, sizeof *header);
    if (header == NULL || memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 ||
        header->e_shentsize != sizeof(ElfW(Shdr))) {
        return NULL;
    }
    *count = header->e_shnum;
    return range(file, header->e_shoff, *count * sizeof(ElfW(Shdr)));
}

static void name_variable(const char *symbol, uint64_t offset, char *text, size_t size)
{
    char *(*demangle)(const char *, char *, size_t *, int *);
    int status = -1;
    *(void **)&demangle = dlsym(RTLD_DEFAULT, "__cxa_demangle"); /* in programs in C++ */
    char *name = demangle != NULL ? demangle(symbol, NULL, NULL, &status) : NULL;
    const char *shown = name != NULL && status == 0 ? name : symbol;
    if (offset == 0) {
        snprintf(text, size, "%s", shown);
    } else {
        snprintf(text, size, "%s+%llu", shown, (unsigned long long)offset);
    }
    free(name);
}

/* Searches a table of symbols for the variable at an address of the file. */
static bool search(const struct file *file, const ElfW(Shdr) * table, const ElfW(Shdr) * texts,
                   uint64_t address, char *text, size_t size)
{
    const ElfW(Sym) *symbols = range(file, table->sh_offset, table->sh_size);
    const char *strings = range(file, texts->sh_offset, texts->sh_size);
    size_t count = table->sh_size / sizeof *symbols;
    for (size_t i = 0; symbols != NULL && strings != NULL && i < count; i++) {
        const ElfW(Sym) *symbol = &symbols[i];
        if ((symbol->st_info & 0xf) == STT_OBJECT && symbol->st_shndx != SHN_UNDEF &&
            address >= symbol->st_value && address - symbol->st_value < symbol->st_size &&
            symbol->st_name < texts->sh_size &&
            memchr(strings + symbol->st_name, '\0', texts->sh_size - symbol->st_name) != NULL) {
            name_variable(strings + symbol->st_name, address - symbol->st_value, text, size);
            return true;
        }
    }
    return false;
}

/* The table of all symbols first: that of the exported ones lacks static variables. */
static bool search_file(const struct file *file, uint64_t address, char *text, size_t size)
{
    static const uint32_t types[] = {SHT_SYMTAB, SHT_DYNSYM};
    size_t count = 0;
    const ElfW(Shdr) *sections = sections_of(file, &count);
    for (size_t t = 0; sections != NULL && t < sizeof types / sizeof types[0]; t++) {
        for (size_t i = 0; i < count; i++) {
            if (sections[i].sh_type == types[t] && sections[i].sh_link < count &&
                search(file, &sections[i], &sections[sections[i].sh_link], address, text, size)) {
                return true;
            }
        }
    }
    return false;
}

bool fm_variable_at(uint64_t address, char *text, size_t size)
{
    struct file file;
    int number = fm_modules_find(address);
    const struct fm_module *module = number >= 0 ? fm_modules_get((uint32_t)number) : NULL;
    if (module == NULL || module->path == NULL || !map(module->path, &file)) {
        return false;
    }
    bool found = search_file(&file, address - module->base, text, size);
    munmap((void *)(uintptr_t)file.bytes, file.size);
    return found;
}
