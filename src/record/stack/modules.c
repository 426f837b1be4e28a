/* SPDX-License-Identifier: BSD-3-Clause */
#include "record/stack/modules.h"

#include "record/stack/libraries.h"
#include "record/stack/python/interpreter.h"

#include <elf.h>
#include <limits.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

static struct {
    struct fm_module all[FM_MODULES_MOST];
    uint32_t count; /* published with release: readers may be in signal handlers */
    unsigned long long loads, unloads;
} modules;

uint32_t fm_modules_count(void)
{
    return __atomic_load_n(&modules.count, __ATOMIC_ACQUIRE);
}

const struct fm_module *fm_modules_get(uint32_t number)
{
    return &modules.all[number];
}

bool fm_module_holds(const struct fm_module *module, uint64_t address, uint64_t size, bool code)
{
    for (uint8_t i = 0; i < module->segment_count; i++) {
        const struct fm_loaded_segment *segment = &module->segments[i];
        if (address >= segment->low && address < segment->high && size <= segment->high - address) {
            return segment->code || !code;
        }
    }
    return false;
}

int fm_modules_find(uint64_t address)
{
    /* The latest first: the memory of an unloaded module may belong to a newer one. */
    for (uint32_t i = fm_modules_count(); i-- > 0;) {
        const struct fm_module *module = &modules.all[i];
        if (module->loaded && address >= module->low && address < module->high) {
            return (int)i;
        }
    }
    return -1;
}

static char *path_of(const struct dl_phdr_info *info)
{
    char path[PATH_MAX];
    if (info->dlpi_name != NULL && info->dlpi_name[0] != '\0') {
        return strdup(info->dlpi_name);
    }
    ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
    path[length > 0 ? length : 0] = '\0';
    return strdup(path);
}

/* The segment whose loaded part of the file contains the address. */
static const ElfW(Phdr) * segment_around(const struct dl_phdr_info *info, ElfW(Addr) address)
{
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
        if (segment->p_type == PT_LOAD && address >= segment->p_vaddr &&
            address - segment->p_vaddr < segment->p_filesz) {
            return segment;
        }
    }
    return NULL;
}

static void take_build_id(struct fm_module *module, const struct dl_phdr_info *info,
                          const ElfW(Phdr) * segment)
{
    const ElfW(Phdr) *around = segment_around(info, segment->p_vaddr);
    if (around == NULL || (around->p_flags & PF_R) == 0 ||
        segment->p_memsz > around->p_filesz - (segment->p_vaddr - around->p_vaddr)) {
        return; /* tools that remove parts of files may leave notes that are not loaded */
    }
    const uint8_t *next = (const uint8_t *)(uintptr_t)(module->base + segment->p_vaddr);
    const uint8_t *end = next + segment->p_memsz;
    while ((size_t)(end - next) >= sizeof(ElfW(Nhdr))) {
        ElfW(Nhdr) note;
        memcpy(&note, next, sizeof note);
        size_t name_size = ((size_t)note.n_namesz + 3) & ~(size_t)3;
        size_t content_size = ((size_t)note.n_descsz + 3) & ~(size_t)3;
        const uint8_t *name = next + sizeof note;
        if (name_size + content_size > (size_t)(end - name)) {
            return;
        }
        if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == sizeof "GNU" &&
            memcmp(name, "GNU", sizeof "GNU") == 0) {
            size_t length =
                note.n_descsz < FM_BUILD_ID_MOST ? note.n_descsz : (size_t)FM_BUILD_ID_MOST;
            memcpy(module->build_id, name + name_size, length);
            module->build_id_length = (uint8_t)length;
            return;
        }
        next = name + name_size + content_size;
    }
}

static const uint8_t *place_of(const struct fm_module *module, ElfW(Addr) address)
{
    return (const uint8_t *)(uintptr_t)(module->base + address);
}

static void take_unwind_information(struct fm_module *module, const struct dl_phdr_info *info,
                                    const ElfW(Phdr) * header)
{
    const ElfW(Phdr) *around = segment_around(info, header->p_vaddr);
    if (around == NULL || (around->p_flags & PF_R) == 0) {
        return;
    }
    module->cfi.header = place_of(module, header->p_vaddr);
    module->cfi.header_end = place_of(module, around->p_vaddr + around->p_filesz);
    /* .eh_frame is usually in the segment of its header; some linkers put it into another one. The
     * pointer behind the four bytes of encodings in the header gives its place. */
    module->cfi.low = place_of(module, around->p_vaddr);
    module->cfi.high = module->cfi.header_end;
    int32_t distance;
    memcpy(&distance, module->cfi.header + 4, sizeof distance);
    enum { PC_RELATIVE_S4 = 0x1b };
    if (module->cfi.header[1] == PC_RELATIVE_S4) {
        around = segment_around(info, header->p_vaddr + 4 + (ElfW(Addr))(int64_t)distance);
        if (around != NULL && (around->p_flags & PF_R) != 0) {
            module->cfi.low = place_of(module, around->p_vaddr);
            module->cfi.high = place_of(module, around->p_vaddr + around->p_filesz);
        }
    }
}

static void take_module(struct fm_module *module, const struct dl_phdr_info *info)
{
    *module = (struct fm_module){.path = path_of(info), .base = info->dlpi_addr, .low = UINT64_MAX};
    const ElfW(Phdr) *header = NULL;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
        uint64_t begin = module->base + segment->p_vaddr, end = begin + segment->p_memsz;
        if (segment->p_type == PT_LOAD) {
            module->low = begin < module->low ? begin : module->low;
            module->high = end > module->high ? end : module->high;
            if ((segment->p_flags & PF_R) != 0 && module->segment_count < FM_SEGMENTS_MOST) {
                module->segments[module->segment_count++] =
                    (struct fm_loaded_segment){begin, end, (segment->p_flags & PF_X) != 0};
            }
        } else if (segment->p_type == PT_GNU_EH_FRAME && segment->p_memsz >= 8) {
            header = segment;
        } else if (segment->p_type == PT_NOTE && module->build_id_length == 0) {
            take_build_id(module, info, segment);
        }
    }
    if (header != NULL) {
        take_unwind_information(module, info, header);
    }
    module->interpreter = module->path != NULL && fm_python_binary_loaded(info, module->path);
    module->c_library = module->path != NULL && fm_library_is_c(module->path);
    module->hidden =
        module->path == NULL || module->c_library || fm_library_communicates(module->path);
    module->loaded = true;
}

/* Whether the information describes the module: base address and path are equal. */
static bool is_same(const struct fm_module *module, const struct dl_phdr_info *info)
{
    if (module->base != info->dlpi_addr || module->path == NULL) {
        return false;
    }
    return info->dlpi_name == NULL || info->dlpi_name[0] == '\0' ||
           strcmp(module->path, info->dlpi_name) == 0;
}

struct survey {
    bool seen[FM_MODULES_MOST];
    bool changed, gone;
    unsigned long long loads, unloads;
};

/* The previous number of a file that was loaded before, or a new one; FM_MODULES_MOST: all numbers
 * are used. */
static uint32_t number_of(const struct fm_module *module)
{
    for (uint32_t i = 0; i < modules.count; i++) {
        const struct fm_module *other = &modules.all[i];
        if (!other->loaded && other->path != NULL && module->path != NULL &&
            strcmp(other->path, module->path) == 0 &&
            other->build_id_length == module->build_id_length &&
            memcmp(other->build_id, module->build_id, module->build_id_length) == 0) {
            return i;
        }
    }
    return modules.count;
}

static void add_module(struct survey *survey, const struct dl_phdr_info *info)
{
    struct fm_module module;
    take_module(&module, info);
    uint32_t number = number_of(&module);
    if (number == FM_MODULES_MOST) {
        free(module.path); /* functions of this module cannot be unwound */
        return;
    }
    if (number < modules.count) {
        free(module.path);
        module.path = modules.all[number].path;
        module.again = true;
    }
    modules.all[number] = module;
    survey->seen[number] = true;
    if (number == modules.count) {
        __atomic_store_n(&modules.count, number + 1, __ATOMIC_RELEASE);
    }
}

static int look_at(struct dl_phdr_info *info, size_t size, void *data)
{
    struct survey *survey = data;
    (void)size;
    if (info->dlpi_adds == modules.loads && info->dlpi_subs == modules.unloads) {
        return 1; /* nothing has changed since the last refresh */
    }
    survey->changed = true;
    survey->loads = info->dlpi_adds;
    survey->unloads = info->dlpi_subs;
    for (uint32_t i = 0; i < modules.count; i++) {
        if (modules.all[i].loaded && is_same(&modules.all[i], info)) {
            survey->seen[i] = true;
            return 0;
        }
    }
    add_module(survey, info);
    return 0;
}

bool fm_modules_refresh(void)
{
    static struct survey survey;
    if (modules.count == 0) {
        fm_libraries_begin();
    }
    memset(&survey, 0, sizeof survey);
    dl_iterate_phdr(look_at, &survey);
    if (!survey.changed) {
        return false;
    }
    modules.loads = survey.loads;
    modules.unloads = survey.unloads;
    for (uint32_t i = 0; i < modules.count; i++) {
        if (modules.all[i].loaded && !survey.seen[i]) {
            modules.all[i].loaded = false;
            fm_python_binary_unloaded(modules.all[i].base);
            survey.gone = true;
        }
    }
    return survey.gone;
}
