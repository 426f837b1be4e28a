/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * The binaries (modules) that are loaded into the process: the addresses of their code and unwind
 * information, and whether they belong to the program or to the recorder, MPI or the C library.
 *
 * The list is a copy of the dynamic linker's, which is not accessible in signal handlers. A number
 * refers to the same file during the whole run, so that it stays valid after the file is unloaded.
 */
#ifndef FERMATA_RECORD_STACK_MODULES_H
#define FERMATA_RECORD_STACK_MODULES_H

#include "record/stack/unwind/cfi.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { FM_MODULES_MOST = 4096, FM_SEGMENTS_MOST = 8, FM_BUILD_ID_MOST = 20 };

/** A loaded segment of a file. */
struct fm_loaded_segment {
    uint64_t low, high;
    bool code;
};

struct fm_module {
    char *path;         /**< from the dynamic linker; of the program: its real path */
    uint64_t base;      /**< address = base + address in the file */
    uint64_t low, high; /**< loaded memory */
    struct fm_loaded_segment segments[FM_SEGMENTS_MOST]; /**< the readable ones */
    uint8_t segment_count;
    struct fm_cfi cfi;
    uint8_t build_id[FM_BUILD_ID_MOST];
    uint8_t build_id_length; /**< 0: it has none */
    bool loaded;
    bool again; /**< it was loaded before, unloaded, and loaded again */
    bool c_library;
    bool interpreter; /**< Python functions are shown in place of its functions, if possible */
    bool hidden;      /**< functions are not shown: the recorder, MPI libraries, the C library, the
                           runtime system of OpenMP */
};

/** Updates the list of loaded modules. Not async-signal-safe; calls of the same process must not
 * overlap.
 * @return whether a module of the list was unloaded */
bool fm_modules_refresh(void);

/** Number of the loaded module that contains the address, as of the last refresh; -1: none.
 * Async-signal-safe. */
int fm_modules_find(uint64_t address);

/** A module by its number, which is below fm_modules_count(). */
const struct fm_module *fm_modules_get(uint32_t number);

uint32_t fm_modules_count(void);

/** Whether `size` bytes at the address are readable memory of the module. Async-signal-safe.
 * @param code  the bytes must also be executable */
bool fm_module_holds(const struct fm_module *module, uint64_t address, uint64_t size, bool code);

#endif
