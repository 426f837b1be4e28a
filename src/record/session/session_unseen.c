/* SPDX-License-Identifier: BSD-3-Clause */
/* The dynamic symbols of the loaded objects show which functions of MPI the program uses and
 * defines. Undefined symbols stand in front of the hash table of an object, defined ones in it. */
#include "record/session/session_unseen.h"

#include "functions/function_kind.h"
#include "record/archive/archive.h"
#include "record/conversion/convert.h"
#include "record/experiment/experiment.h"
#include "record/experiment/kept_variables.h"
#include "record/session/session.h"

#include <dlfcn.h>
#include <limits.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Names in a sentence; the others are counted. */
enum { MOST_NAMES = 6, TEXT = 256 };

struct names {
    char text[TEXT];
    unsigned listed, more;
};

static struct {
    bool searched;
    struct names unknown;               /* used, without a wrapper */
    struct names replaced;              /* defined by a library behind the wrappers */
    struct names hidden;                /* defined in front of the wrappers */
    char replacing[TEXT], hiding[TEXT]; /* the first object that defines them */
    bool has_tool;                      /* a runtime of OpenMP calls the recorder */
    char runtime[TEXT], tool[TEXT];     /* such a runtime, another tool; empty: there is none */
} unseen;

/* The dynamic symbols of an object. */
struct symbols {
    const ElfW(Sym) * items;
    const char *text;
    uint32_t first_defined, count;
};

static const void *address_of(const struct dl_phdr_info *object, ElfW(Addr) value)
{
    /* The dynamic linker has relocated these addresses, except in some objects of the kernel. */
    return (const void *)(uintptr_t)(value < object->dlpi_addr ? object->dlpi_addr + value : value);
}

/* Counts the symbols by the hash table: the last symbol is that of the last chain. */
static void count_by_hash(struct symbols *symbols, const uint32_t *hash)
{
    const uint32_t bucket_count = hash[0], first = hash[1], bloom_words = hash[2];
    const uint32_t *buckets = hash + 4 + bloom_words * (sizeof(ElfW(Addr)) / sizeof(uint32_t));
    const uint32_t *chains = buckets + bucket_count;
    uint32_t last = 0;
    for (uint32_t b = 0; b < bucket_count; b++) {
        last = buckets[b] > last ? buckets[b] : last;
    }
    symbols->first_defined = symbols->count = first;
    if (last >= first) {
        while ((chains[last - first] & 1) == 0) {
            last++;
        }
        symbols->count = last + 1;
    }
}

static bool find_symbols(const struct dl_phdr_info *object, struct symbols *symbols)
{
    const uint32_t *hash = NULL;
    *symbols = (struct symbols){0};
    for (int s = 0; s < object->dlpi_phnum; s++) {
        if (object->dlpi_phdr[s].p_type != PT_DYNAMIC) {
            continue;
        }
        const ElfW(Dyn) *entry =
            (const void *)(uintptr_t)(object->dlpi_addr + object->dlpi_phdr[s].p_vaddr);
        for (; entry->d_tag != DT_NULL; entry++) {
            if (entry->d_tag == DT_SYMTAB) {
                symbols->items = address_of(object, entry->d_un.d_ptr);
            } else if (entry->d_tag == DT_STRTAB) {
                symbols->text = address_of(object, entry->d_un.d_ptr);
            } else if (entry->d_tag == DT_GNU_HASH) {
                hash = address_of(object, entry->d_un.d_ptr);
            }
        }
    }
    if (symbols->items == NULL || symbols->text == NULL || hash == NULL) {
        return false;
    }
    count_by_hash(symbols, hash);
    return true;
}

static void add_name(struct names *names, const char *name)
{
    const size_t length = strlen(names->text);
    if (strstr(names->text, name) != NULL) {
        const char *found = strstr(names->text, name) + strlen(name);
        if (*found == '\0' || *found == ',') {
            return;
        }
    }
    if (names->listed == MOST_NAMES || length + strlen(name) + 3 > sizeof names->text) {
        names->more++;
        return;
    }
    snprintf(names->text + length, sizeof names->text - length, "%s%s", length == 0 ? "" : ", ",
             name);
    names->listed++;
}

/* Whether a function begins or ends MPI: of a layer in front, the calls are led to the recorder
 * when it passes them on to PMPI (preload/lookup.h). */
static bool is_frame_of_run(const char *name)
{
    return strcmp(name, "MPI_Init") == 0 || strcmp(name, "MPI_Init_thread") == 0 ||
           strcmp(name, "MPI_Finalize") == 0;
}

/* An object defines a function of its own. If the name leads to the preloaded library, the wrapper
 * is called in its place. */
static void add_definition(const char *object, const char *name)
{
    Dl_info found;
    void *called = dlsym(RTLD_DEFAULT, name);
    const bool is_replaced = called != NULL && dladdr(called, &found) != 0 &&
                             found.dli_fname != NULL &&
                             strstr(found.dli_fname, "libfermata-") != NULL;
    if (!is_replaced && is_frame_of_run(name)) {
        return;
    }
    char *first = is_replaced ? unseen.replacing : unseen.hiding;
    if (first[0] == '\0') {
        snprintf(first, TEXT, "%.200s", object);
    }
    add_name(is_replaced ? &unseen.replaced : &unseen.hidden, name);
}

static const char *object_name(const struct dl_phdr_info *object)
{
    static char program[PATH_MAX];
    const char *path = object->dlpi_name;
    if (path[0] == '\0') {
        const ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
        program[length > 0 ? length : 0] = '\0';
        path = length > 0 ? program : "the program";
    }
    const char *slash = strrchr(path, '/');
    return slash != NULL ? slash + 1 : path;
}

/* @return whether an object is the MPI library itself, which defines the profiling names, too, or
 * one of its language bindings (libmpichfort.so, libmpi_mpifh.so, libmpi_cxx.so) */
static bool is_library(const char *name, const struct symbols *symbols)
{
    if (strncmp(name, "libmpi", 6) == 0) {
        return true;
    }
    for (uint32_t i = symbols->first_defined; i < symbols->count; i++) {
        if (symbols->items[i].st_shndx != SHN_UNDEF &&
            strcmp(symbols->text + symbols->items[i].st_name, "PMPI_Init") == 0) {
            return true;
        }
    }
    return false;
}

static int examine(struct dl_phdr_info *object, size_t size, void *context)
{
    (void)size;
    (void)context;
    const char *name = object_name(object);
    struct symbols symbols;
    if (strncmp(name, "libfermata-", 11) == 0 || !find_symbols(object, &symbols) ||
        is_library(name, &symbols)) {
        return 0;
    }
    for (uint32_t i = 1; i < symbols.count; i++) {
        const ElfW(Sym) *symbol = &symbols.items[i];
        const char *function = symbols.text + symbol->st_name;
        const unsigned type = ELF64_ST_TYPE(symbol->st_info);
        if ((type != STT_FUNC && type != STT_NOTYPE) || !fm_is_mpi_function(function)) {
            continue;
        }
        const bool is_defined = symbol->st_shndx != SHN_UNDEF;
        /* A pointer to a library's function makes it an undefined symbol with an address. */
        if (!is_defined && !fm_function_is_listed(FM_PARADIGM_MPI, function)) {
            add_name(&unseen.unknown, function);
        } else if (is_defined && type == STT_FUNC) {
            add_definition(name, function);
        }
    }
    return 0;
}

void fm_session_find_unseen(const struct fm_paradigm *paradigm)
{
    if (strcmp(paradigm->description->name, "MPI") == 0 && !unseen.searched) {
        unseen.searched = true;
        dl_iterate_phdr(examine, NULL);
    }
}

static void append(char *text, size_t size, const struct names *names, const char *before,
                   const char *behind)
{
    const size_t length = strlen(text);
    char more[48] = "";
    if (names->listed == 0) {
        return;
    }
    if (names->more != 0) {
        snprintf(more, sizeof more, " and %u more", names->more);
    }
    snprintf(text + length, size - length, "%s%s%s%s%s", length == 0 ? "" : "; ", before,
             names->text, more, behind);
}

/* Lists the functions that were called in this process and that connect it with processes that have
 * an experiment of their own. */
static void add_connecting(struct names *names)
{
    static const char *const connecting[] = {"MPI_Comm_spawn", "MPI_Comm_spawn_multiple",
                                             "MPI_Comm_connect", "MPI_Comm_accept",
                                             "MPI_Comm_join"};
    if (fm_experiment_is_launched(fm_session.directory)) {
        return; /* all are in one: record/worlds/join.h */
    }
    for (size_t i = 0; i < fm_session.region_count && i < FM_FUNCTIONS_MOST; i++) {
        for (size_t c = 0; fm_functions_used[i] && c < sizeof connecting / sizeof *connecting;
             c++) {
            if (strcmp(fm_session.regions[i].name, connecting[c]) == 0) {
                add_name(names, connecting[c]);
            }
        }
    }
}

/* ---- runtimes of OpenMP that have another tool ---- */

void fm_session_note_tool(void)
{
    __atomic_store_n(&unseen.has_tool, true, __ATOMIC_RELAXED);
}

static bool defines_tool(const struct symbols *symbols)
{
    for (uint32_t i = symbols->first_defined; i < symbols->count; i++) {
        if (symbols->items[i].st_shndx != SHN_UNDEF &&
            strcmp(symbols->text + symbols->items[i].st_name, "ompt_start_tool") == 0) {
            return true;
        }
    }
    return false;
}

static int find_tool(struct dl_phdr_info *object, size_t size, void *context)
{
    (void)size, (void)context;
    const char *name = object_name(object);
    struct symbols symbols;
    if (strncmp(name, "libomp.", 7) == 0 || strncmp(name, "libomp-", 7) == 0 ||
        strncmp(name, "libomp5", 7) == 0 || strncmp(name, "libiomp5", 8) == 0) {
        snprintf(unseen.runtime, TEXT, "%.200s", name);
    } else if (strncmp(name, "libfermata-", 11) != 0 && find_symbols(object, &symbols) &&
               defines_tool(&symbols)) {
        snprintf(unseen.tool, TEXT, "%.200s", name);
    }
    return 0;
}

/* A runtime that was loaded but never used needs no tool: the reason must be known. */
static void append_tool(char *text, size_t size)
{
    const char *set = fm_variable("OMP_TOOL"), *others = fm_variable("OMP_TOOL_LIBRARIES");
    const char *layer = fm_variable("FERMATA_LAYER");
    if (__atomic_load_n(&unseen.has_tool, __ATOMIC_RELAXED) ||
        (layer != NULL && strcmp(layer, "mpi") == 0)) {
        return;
    }
    dl_iterate_phdr(find_tool, NULL);
    bool is_disabled = set != NULL && strcmp(set, "disabled") == 0;
    bool has_others = others != NULL && others[0] != '\0';
    if (unseen.runtime[0] != '\0' && (is_disabled || unseen.tool[0] != '\0' || has_others)) {
        const size_t length = strlen(text);
        snprintf(text + length, size - length,
                 "%sconstructs of OpenMP in %s are not recorded, because %s%s",
                 length == 0 ? "" : "; ", unseen.runtime,
                 is_disabled ? "OMP_TOOL=disabled" : unseen.tool,
                 is_disabled              ? ""
                 : unseen.tool[0] != '\0' ? " has a tool of its own for it"
                                          : "OMP_TOOL_LIBRARIES names another tool");
    }
}

const char *fm_session_unseen(void)
{
    static char text[2048];
    char before[TEXT + 64];
    struct names connecting = {.listed = 0};
    text[0] = '\0';
    append(text, sizeof text, &unseen.unknown, "calls of ",
           " are not recorded (functions that fermata does not know): their time counts as "
           "computation");
    snprintf(before, sizeof before, "%s defines ", unseen.replacing);
    append(text, sizeof text, &unseen.replaced, before,
           " of its own: fermata records the calls and calls the MPI library, not these "
           "definitions");
    snprintf(before, sizeof before, "%s defines ", unseen.hiding);
    append(text, sizeof text, &unseen.hidden, before,
           " of its own: calls of these functions are not recorded, except those that it passes on "
           "to the next definition (RTLD_NEXT), not to PMPI");
    add_connecting(&connecting);
    append(text, sizeof text, &connecting, "",
           ": processes that were spawned or connected have experiments of their own; those that a "
           "program spawns are in its experiment if `fermata record` starts its launcher");
    append_tool(text, sizeof text);
    return text[0] != '\0' ? text : NULL;
}
