#include "record/stack/variables.h"

#include "record/stack/helper.h"
#include "record/stack/modules.h"

#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <inttypes.h>
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

/* By the table of symbols of the file itself. */
static bool find_symbol(uint64_t address, char *text, size_t size)
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

/* ---- the helper program (symbols/lookup_protocol.h) ---- */

static void write_module(FILE *file, const struct fm_module *module)
{
    const bool askable = module->path != NULL && strchr(module->path, '\n') == NULL;
    fputs("M ", file);
    for (int i = 0; i < module->build_id_length; i++) {
        fprintf(file, "%02x", module->build_id[i]);
    }
    fprintf(file, "%s %s\n", module->build_id_length == 0 ? "-" : "", askable ? module->path : "");
}

/* Asks for the variables that lie in loaded files. @return false: there is none, or the questions
 * cannot be written */
static bool write_questions(FILE *file, const struct fm_variable *variables, size_t count)
{
    bool asks = false;
    for (uint32_t i = 0; i < fm_modules_count(); i++) {
        write_module(file, fm_modules_get(i));
    }
    for (size_t i = 0; i < count; i++) {
        int number = fm_modules_find(variables[i].address);
        if (number >= 0) {
            fprintf(file, "V %d %" PRIx64 "\n", number,
                    variables[i].address - fm_modules_get((uint32_t)number)->base);
            asks = true;
        }
    }
    return asks && fflush(file) == 0 && !ferror(file) && lseek(fileno(file), 0, SEEK_SET) == 0;
}

static void read_answers(FILE *answers, struct fm_variable *variables, size_t count)
{
    char *line = NULL;
    size_t size = 0;
    for (size_t i = 0; i < count; i++) {
        ssize_t length = 1;
        while (fm_modules_find(variables[i].address) >= 0 &&
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

static void ask(struct fm_variable *variables, size_t count, const char *helper)
{
    enum { SECONDS = 120 };
    FILE *questions = fm_helper_file("fermata-questions");
    FILE *answers = fm_helper_file("fermata-answers");
    if (questions != NULL && answers != NULL && write_questions(questions, variables, count)) {
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

void fm_variables_name(struct fm_variable *variables, size_t count, const char *helper)
{
    char name[512];
    if (helper[0] != '\0' && count != 0) {
        ask(variables, count, helper);
    }
    for (size_t i = 0; i < count; i++) {
        if (variables[i].name == NULL && find_symbol(variables[i].address, name, sizeof name)) {
            variables[i].name = strdup(name);
        }
    }
}
