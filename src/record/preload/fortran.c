/* SPDX-License-Identifier: BSD-3-Clause */
#include "record/preload/fortran.h"

#include <dlfcn.h>
#include <link.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#if defined(__x86_64__)
enum { JUMP_SLOT = R_X86_64_JUMP_SLOT, GLOBAL_DATA = R_X86_64_GLOB_DAT };
#elif defined(__aarch64__)
enum { JUMP_SLOT = R_AARCH64_JUMP_SLOT, GLOBAL_DATA = R_AARCH64_GLOB_DAT };
#endif

/* Functions to redirect: PMPI_X is replaced by the MPI_X that `self` exports, PMPIX_X likewise. */
struct search {
    void *self;
    const char *const *names;
    size_t count;
};

/* The parts of a library's dynamic section that describe its references. */
struct references {
    const ElfW(Sym) * symbols;
    const char *strings;
    const ElfW(Rela) * tables[2]; /* of the procedure linkage table, and all others */
    size_t sizes[2];              /* bytes */
};

/* ---- functions that the Fortran libraries also call internally ---- */

/* A call of such a function is recorded only if it comes from the Fortran function of that name. */
struct helper {
    const char *name;
    const char *callers[3];
    uintptr_t begin[3], end[3]; /* addresses of the callers, as far as they are loaded */
    int (*ours)(uintptr_t, uintptr_t, uintptr_t, uintptr_t);
    int (*library)(uintptr_t, uintptr_t, uintptr_t, uintptr_t);
};

enum { COMM_SIZE, CARTDIM_GET, NEIGHBORS_COUNT, HELPERS };

static struct helper helpers[HELPERS] = {
    {.name = "MPI_Comm_size",
     .callers = {"ompi_comm_size_f", "mpi_comm_size_f08_", "pmpir_comm_size_f08_"}},
    {.name = "MPI_Cartdim_get",
     .callers = {"ompi_cartdim_get_f", "mpi_cartdim_get_f08_", "pmpir_cartdim_get_f08_"}},
    {.name = "MPI_Dist_graph_neighbors_count",
     .callers = {"ompi_dist_graph_neighbors_count_f", "mpi_dist_graph_neighbors_count_f08_",
                 "pmpir_dist_graph_neighbors_count_f08_"}},
};

/* All these functions have at most four arguments, each of the size of a register. */
#define FM_HELPER(function, number)                                                                \
    static int function(uintptr_t a, uintptr_t b, uintptr_t c, uintptr_t d)                        \
    {                                                                                              \
        return call_helper(&helpers[number], (uintptr_t)__builtin_return_address(0), a, b, c, d);  \
    }

static int call_helper(const struct helper *helper, uintptr_t caller, uintptr_t a, uintptr_t b,
                       uintptr_t c, uintptr_t d)
{
    for (size_t i = 0; i < 3; i++) {
        if (caller > helper->begin[i] && caller <= helper->end[i]) {
            return helper->ours(a, b, c, d);
        }
    }
    return helper->library(a, b, c, d);
}

FM_HELPER(comm_size, COMM_SIZE)
FM_HELPER(cartdim_get, CARTDIM_GET)
FM_HELPER(neighbors_count, NEIGHBORS_COUNT)

/* @return the function that distinguishes the callers; NULL: `name` is no such function */
static void *prepare_helper(void *self, const char *name, void *library)
{
    static int (*const functions[HELPERS])(uintptr_t, uintptr_t, uintptr_t,
                                           uintptr_t) = {comm_size, cartdim_get, neighbors_count};
    for (size_t h = 0; h < HELPERS; h++) {
        struct helper *helper = &helpers[h];
        if (strcmp(helper->name, name) != 0) {
            continue;
        }
        char real_name[64] = "P";
        strncat(real_name, name, sizeof real_name - 2);
        helper->ours = (int (*)(uintptr_t, uintptr_t, uintptr_t, uintptr_t))dlsym(self, name);
        helper->library =
            (int (*)(uintptr_t, uintptr_t, uintptr_t, uintptr_t))dlsym(library, real_name);
        for (size_t i = 0; i < 3; i++) {
            void *caller = dlsym(library, helper->callers[i]);
            Dl_info info;
            const ElfW(Sym) *symbol = NULL;
            if (caller != NULL && dladdr1(caller, &info, (void **)&symbol, RTLD_DL_SYMENT) != 0 &&
                symbol != NULL) {
                helper->begin[i] = (uintptr_t)caller;
                helper->end[i] = (uintptr_t)caller + symbol->st_size;
            }
        }
        return helper->ours != NULL && helper->library != NULL ? (void *)functions[h] : NULL;
    }
    return NULL;
}

/* Fortran libraries convert handles internally all the time: such calls are not recorded. */
static bool is_conversion(const char *name)
{
    size_t length = strlen(name);
    return length > 4 &&
           (strcmp(name + length - 4, "_f2c") == 0 || strcmp(name + length - 4, "_c2f") == 0);
}

/* ---- references ---- */

static bool is_fortran_library(const char *path)
{
    static const char *const prefixes[] = {"libmpi_mpifh", "libmpi_usempi", "libmpichfort"};
    const char *slash = strrchr(path, '/');
    const char *name = slash == NULL ? path : slash + 1;
    for (size_t i = 0; i < sizeof prefixes / sizeof prefixes[0]; i++) {
        if (strncmp(name, prefixes[i], strlen(prefixes[i])) == 0) {
            return true;
        }
    }
    return false;
}

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

static bool is_ours(const struct search *search, const char *name)
{
    for (size_t i = 0; i < search->count; i++) {
        if (strcmp(search->names[i], name) == 0) {
            return true;
        }
    }
    return false;
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

/* Redirects the references of one library to this library. */
static void redirect(const struct search *search, const struct dl_phdr_info *info)
{
    struct references references;
    void *library = dlopen(info->dlpi_name, RTLD_NOW | RTLD_NOLOAD);
    if (library == NULL || !find_references(info, &references)) {
        return;
    }
    for (size_t t = 0; t < 2; t++) {
        size_t count = references.tables[t] == NULL ? 0 : references.sizes[t] / sizeof(ElfW(Rela));
        for (size_t i = 0; i < count; i++) {
            const ElfW(Rela) *reference = &references.tables[t][i];
            unsigned long type = ELF64_R_TYPE(reference->r_info);
            const char *name =
                references.strings + references.symbols[ELF64_R_SYM(reference->r_info)].st_name;
            if ((type != JUMP_SLOT && type != GLOBAL_DATA) || strncmp(name, "PMPI", 4) != 0 ||
                !is_ours(search, name + 1) || is_conversion(name)) {
                continue;
            }
            void *function = prepare_helper(search->self, name + 1, library);
            function = function != NULL ? function : dlsym(search->self, name + 1);
            if (function != NULL) {
                write_entry((void **)(info->dlpi_addr + reference->r_offset), function);
            }
        }
    }
    dlclose(library);
}

#define LARGEST_COUNT 8

struct found {
    struct dl_phdr_info libraries[LARGEST_COUNT];
    size_t count;
};

/* Called with the loader's lock held, so it only copies the descriptions of libraries. */
static int note_library(struct dl_phdr_info *info, size_t size, void *argument)
{
    (void)size;
    struct found *found = argument;
    if (is_fortran_library(info->dlpi_name) && found->count < LARGEST_COUNT) {
        found->libraries[found->count++] = *info;
    }
    return 0;
}

void fm_preload_redirect_fortran(const char *const *names, size_t count)
{
    Dl_info self;
    struct found found = {.count = 0};
    dl_iterate_phdr(note_library, &found);
    if (found.count == 0 || dladdr((void *)(uintptr_t)fm_preload_redirect_fortran, &self) == 0) {
        return;
    }
    const struct search search = {dlopen(self.dli_fname, RTLD_NOW | RTLD_NOLOAD), names, count};
    for (size_t i = 0; search.self != NULL && i < found.count; i++) {
        redirect(&search, &found.libraries[i]);
    }
    if (search.self != NULL) {
        dlclose(search.self);
    }
}
