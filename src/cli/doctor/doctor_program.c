/* SPDX-License-Identifier: BSD-3-Clause */
/* The program's side of `fermata doctor`: its ELF file and what the dynamic linker makes of it. */
#include "cli/doctor/doctor.h"
#include "cli/recording/child_output.h"
#include "record/known_libraries.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static bool find_program(const char *name, char *path, size_t size)
{
    const char *folders = getenv("PATH");
    if (strchr(name, '/') != NULL || folders == NULL) {
        snprintf(path, size, "%s", name);
        return access(path, F_OK) == 0;
    }
    while (*folders != '\0') {
        size_t length = strcspn(folders, ":");
        snprintf(path, size, "%.*s/%s", (int)length, folders, name);
        if (access(path, X_OK) == 0) {
            return true;
        }
        folders += length + (folders[length] == ':');
    }
    return false;
}

static bool is_dynamic(const struct fm_elf *elf)
{
    for (unsigned i = 0; i < elf->head->e_phnum; i++) {
        const Elf64_Phdr *segment = fm_elf_segment(elf, i);
        if (segment != NULL && segment->p_type == PT_INTERP) {
            return true;
        }
    }
    return false;
}

struct wanted {
    const char *name;
    bool defined, found;
};

static void compare_symbol(void *context, const char *name, bool defined)
{
    struct wanted *wanted = context;
    wanted->found |= defined == wanted->defined && strcmp(name, wanted->name) == 0;
}

/* Whether the program has a symbol, which it defines itself or takes from a library. */
static bool has_symbol(const struct fm_elf *elf, const char *name, bool defined)
{
    struct wanted wanted = {.name = name, .defined = defined};
    fm_elf_visit_symbols(elf, compare_symbol, &wanted);
    return wanted.found;
}

/* Whether the MPI library was linked into the program. */
static bool contains_mpi(const struct fm_elf *elf)
{
    return has_symbol(elf, "PMPI_Init", true);
}

/* In a child: the dynamic linker lists what it would load, without running the program. */
static void list_libraries(const char *path)
{
    setenv("LD_TRACE_LOADED_OBJECTS", "1", 1);
    execl(path, path, (char *)NULL);
}

/* @param contains_mpi  the program contains its MPI library, and its calls are recorded
 * @return the dynamic linker's list; "": there is none */
static const char *look_at_libraries(const char *path, bool contains_mpi)
{
    static char text[65536];
    if (!fm_child_output(list_libraries, path, text, sizeof text)) {
        text[0] = '\0';
        fm_doctor_report(FM_HEALTH_WARNING, "run it once without fermata",
                         "the dynamic linker cannot list the libraries that %s needs", path);
        return text;
    }
    if (strstr(text, "not found") != NULL) {
        fm_doctor_report(FM_HEALTH_BAD, "set LD_LIBRARY_PATH or load the module it was built with",
                         "%s lacks shared libraries", path);
    }
    bool any = contains_mpi;
    if (contains_mpi) {
        fm_doctor_report(FM_HEALTH_GOOD, NULL,
                         "%s contains its MPI library, and was linked by `fermata link`", path);
    }
    for (size_t i = 0; i < fm_paradigm_library_count; i++) {
        if (!fm_paradigm_libraries[i].is_system &&
            strstr(text, fm_paradigm_libraries[i].soname) != NULL) {
            fm_doctor_report(FM_HEALTH_GOOD, NULL, "%s uses %s", path,
                             fm_paradigm_libraries[i].title);
            any = true;
        }
    }
    if (any) {
        return text;
    }
    if (strstr(text, "libmpi") != NULL) {
        fm_doctor_report(FM_HEALTH_BAD, "link it with Open MPI 4 or MPICH 3.x/4.x",
                         "%s uses an MPI library that is not known", path);
    } else {
        fm_doctor_report(
            FM_HEALTH_WARNING,
            "nothing to do if it is a script, an interpreter or loads the library itself",
            "%s is not linked with an MPI or OpenSHMEM library: only its threads are recorded",
            path);
    }
    return text;
}

/* ARMCI is part of the programs that use it. Entries of its functions are, too, if `fermata link`
 * has linked them. */
static void look_at_armci(const char *path, const struct fm_elf *elf)
{
    if (!has_symbol(elf, "ARMCI_Init", true) && !has_symbol(elf, "ARMCI_Init_args", true)) {
        return;
    }
    if (has_symbol(elf, "fermata_armci_functions", true)) {
        fm_doctor_report(FM_HEALTH_GOOD, NULL, "%s uses ARMCI, and was linked by `fermata link`",
                         path);
    } else {
        fm_doctor_report(FM_HEALTH_WARNING,
                         "link it by `fermata link`, or look at the MPI calls inside",
                         "%s contains ARMCI, whose calls cannot be recorded", path);
    }
}

static void look_at_elf(const char *path, const struct fm_elf *elf)
{
    if (elf->size < sizeof *elf->head || memcmp(elf->head->e_ident, ELFMAG, SELFMAG) != 0) {
        fm_doctor_report(FM_HEALTH_WARNING,
                         "nothing to do if the program that it starts uses MPI or OpenSHMEM",
                         "%s is no binary (a script?)", path);
    } else if (elf->head->e_ident[EI_CLASS] != ELFCLASS64) {
        fm_doctor_report(FM_HEALTH_BAD, "build it for 64 bits", "%s is no 64-bit program", path);
    } else if (!is_dynamic(elf)) {
        fm_doctor_report(FM_HEALTH_BAD, "link it without -static",
                         "%s is linked statically: nothing can be preloaded", path);
    } else if (contains_mpi(elf) && !has_symbol(elf, "fermata_mpi_functions", true)) {
        fm_doctor_report(FM_HEALTH_BAD,
                         "link it by `fermata link` (MPICH), or with the shared MPI library",
                         "the MPI library is linked statically into %s", path);
    } else if (has_symbol(elf, "shmem_init", true)) {
        fm_doctor_report(FM_HEALTH_BAD, "link it with the shared OpenSHMEM library",
                         "the OpenSHMEM library is linked statically into %s", path);
    } else {
        if (has_symbol(elf, "_gfortran_caf_init", true)) {
            fm_doctor_report(FM_HEALTH_WARNING, "link it with the shared library of OpenCoarrays",
                             "the coarray library is linked statically into %s: its MPI calls are "
                             "recorded instead of the coarray statements",
                             path);
        }
        const char *libraries = look_at_libraries(path, contains_mpi(elf));
        look_at_armci(path, elf);
        fm_doctor_openmp(path, elf, libraries);
        fm_doctor_sanitizers(path, elf);
        if (!contains_mpi(elf)) {
            fm_doctor_mpi(path, elf);
        }
        if (has_symbol(elf, "__cyg_profile_func_enter", false)) {
            fm_doctor_report(FM_HEALTH_GOOD, NULL,
                             "%s is instrumented: its functions report their begin and end", path);
        }
        /* The interpreter's own functions are of no interest if Python functions are shown. */
        if (!fm_doctor_python(path, elf, libraries)) {
            fm_doctor_symbols(path, elf);
        }
    }
}

void fm_doctor_program(const char *name)
{
    char path[PATH_MAX];
    struct stat status;
    if (!find_program(name, path, sizeof path) || stat(path, &status) != 0) {
        fm_doctor_report(FM_HEALTH_BAD, "give its path", "there is no program %s", name);
        return;
    }
    if (!S_ISREG(status.st_mode) || access(path, X_OK) != 0) {
        fm_doctor_report(FM_HEALTH_BAD, "chmod +x", "%s cannot be executed", path);
        return;
    }
    bool privileged = (status.st_mode & S_ISUID) != 0 ||
                      ((status.st_mode & S_ISGID) != 0 && (status.st_mode & S_IXGRP) != 0);
    if (privileged) {
        fm_doctor_report(FM_HEALTH_BAD, "record a copy of it without these bits",
                         "%s is setuid or setgid: the system ignores preloaded libraries", path);
    }
    int file = open(path, O_RDONLY | O_CLOEXEC);
    void *bytes = file >= 0 && status.st_size > 0
                      ? mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, file, 0)
                      : MAP_FAILED;
    if (file >= 0) {
        close(file);
    }
    if (bytes == MAP_FAILED) {
        fm_doctor_report(FM_HEALTH_WARNING, "ask for the right to read it", "%s cannot be read",
                         path);
        return;
    }
    struct fm_elf elf = {bytes, (size_t)status.st_size, bytes};
    look_at_elf(path, &elf);
    munmap(bytes, elf.size);
}
