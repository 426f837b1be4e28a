/* SPDX-License-Identifier: BSD-3-Clause */
#include "record/stack/variables.h"

#include "record/stack/helper.h"

#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <inttypes.h>
#include <link.h>
#include <stdbool.h>
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

void fm_variables_search(struct fm_variable *variables, size_t count,
                         const struct fm_variable_file *files)
{
    char name[512];
    struct file file;
    for (size_t i = 0; i < count; i++) {
        struct fm_variable *variable = &variables[i];
        if (variable->name != NULL || variable->file == FM_VARIABLE_NO_FILE ||
            files[variable->file].path == NULL || !map(files[variable->file].path, &file)) {
            continue;
        }
        if (search_file(&file, variable->address - variable->base, name, sizeof name)) {
            variable->name = strdup(name);
        }
        munmap((void *)(uintptr_t)file.bytes, file.size);
    }
}

/* ---- the helper program (symbols/lookup_protocol.h) ---- */

static void write_file(FILE *questions, const struct fm_variable_file *file)
{
    const bool askable = file->path != NULL && strchr(file->path, '\n') == NULL;
    fputs("M ", questions);
    for (uint32_t i = 0; i < file->build_id_length; i++) {
        fprintf(questions, "%02x", file->build_id[i]);
    }
    fprintf(questions, "%s %s\n", file->build_id_length == 0 ? "-" : "", askable ? file->path : "");
}

/* Asks for the variables that lie in files. @return false: there is none, or the questions cannot
 * be written */
static bool write_questions(FILE *questions, const struct fm_variable *variables, size_t count,
                            const struct fm_variable_file *files, size_t file_count)
{
    bool asks = false;
    for (size_t i = 0; i < file_count; i++) {
        write_file(questions, &files[i]);
    }
    for (size_t i = 0; i < count; i++) {
        if (variables[i].file != FM_VARIABLE_NO_FILE) {
            fprintf(questions, "V %u %" PRIx64 "\n", variables[i].file,
                    variables[i].address - variables[i].base);
            asks = true;
        }
    }
    return asks && fflush(questions) == 0 && !ferror(questions) &&
           lseek(fileno(questions), 0, SEEK_SET) == 0;
}

static void read_answers(FILE *answers, struct fm_variable *variables, size_t count)
{
    char *line = NULL;
    size_t size = 0;
    for (size_t i = 0; i < count; i++) {
        ssize_t length = 1;
        while (variables[i].file != FM_VARIABLE_NO_FILE &&
               (length = getline(&line, &size, answers)) > 0 && line[0] != '.') {
            line[length - (line[length - 1] == '\n')] = '\0';
            if (strncmp(line, "V ", 2) == 0 && variables[i].name == NULL) {
                variables[i].name = strdup(line + 2);
            }
        }
        if (length <= 0) {
            break; /* the program has ended early */
        }
    }
    free(line);
}

void fm_variables_name(struct fm_variable *variables, size_t count,
                       const struct fm_variable_file *files, size_t file_count, const char *helper)
{
    enum { SECONDS = 120 };
    if (helper[0] == '\0' || count == 0) {
        return;
    }
    FILE *questions = fm_helper_file("fermata-questions");
    FILE *answers = fm_helper_file("fermata-answers");
    if (questions != NULL && answers != NULL &&
        write_questions(questions, variables, count, files, file_count)) {
        fm_helper_run(helper, fileno(questions), fileno(answers), SECONDS);
        rewind(answers);
        read_answers(answers, variables, count);
    }
    if (questions != NULL) {
        fclose(questions);
    }
    if (answers != NULL) {
        fclose(answers);
    }
}
