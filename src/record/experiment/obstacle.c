/* SPDX-License-Identifier: BSD-3-Clause */
#include "record/experiment/obstacle.h"

#include <elf.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

void fm_program_find(const char *name, bool is_searched, const char *folders, char path[PATH_MAX])
{
    bool is_found = !is_searched || strchr(name, '/') != NULL || folders == NULL;
    for (const char *end; !is_found && *folders != '\0'; folders = end + (*end == ':')) {
        end = folders + strcspn(folders, ":");
        snprintf(path, PATH_MAX, "%.*s/%s", (int)(end - folders), folders, name);
        if (access(path, X_OK) == 0) {
            return;
        }
    }
    snprintf(path, PATH_MAX, "%s", name);
}

/* What the head of a file says. */
struct head {
    bool is_program; /* of Linux, for some processor */
    bool is_narrow;  /* of 32 bits */
    bool has_linker; /* the dynamic linker is started with it */
};

static struct head read_head(const char *path)
{
    enum { MOST_SEGMENTS = 64 };
    Elf64_Ehdr elf;
    Elf64_Phdr segments[MOST_SEGMENTS];
    struct head head = {.has_linker = false};
    const int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (file < 0) {
        return head;
    }
    head.is_program = pread(file, &elf, sizeof elf, 0) == (ssize_t)sizeof elf &&
                      memcmp(elf.e_ident, ELFMAG, SELFMAG) == 0;
    head.is_narrow = head.is_program && elf.e_ident[EI_CLASS] == ELFCLASS32;
    const bool has_segments = head.is_program && !head.is_narrow && elf.e_phnum <= MOST_SEGMENTS &&
                              elf.e_phentsize == sizeof segments[0];
    const size_t bytes = has_segments ? elf.e_phnum * sizeof segments[0] : 0;
    if (bytes != 0 && pread(file, segments, bytes, (off_t)elf.e_phoff) == (ssize_t)bytes) {
        for (size_t i = 0; i < elf.e_phnum; i++) {
            head.has_linker = head.has_linker || segments[i].p_type == PT_INTERP;
        }
    }
    close(file);
    return head;
}

const char *fm_program_obstacle(const char *path)
{
    struct stat status;
    const struct head head = read_head(path);
    if (!head.is_program || stat(path, &status) != 0) {
        return NULL;
    }
    return head.is_narrow     ? "it is a 32-bit program"
           : !head.has_linker ? "it is statically linked"
           : (status.st_mode & (S_ISUID | S_ISGID)) != 0
               ? "it has the rights of another user or group (setuid, setgid)"
               : NULL;
}
