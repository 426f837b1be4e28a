/** @file
 * The binaries that are loaded into the process: where their code and unwind information lie, and
 * which functions are none of the program's own.
 *
 * The list is a copy of the dynamic linker's, which cannot be asked in a signal handler. A number
 * belongs to one file for ever, so that what was noted of it stays right when it is unloaded.
 */
#ifndef FERMATA_RECORD_STACK_MODULES_H
#define FERMATA_RECORD_STACK_MODULES_H

#include "record/stack/cfi.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { FM_MODULES_MOST = 4096, FM_SEGMENTS_MOST = 8, FM_BUILD_ID_MOST = 20 };

/** A piece of a loaded file. */
struct fm_loaded_segment {
    uint64_t low, high;
    bool code;
};

struct fm_module {
    char *path;         /**< as the dynamic linker knows it; of the program: its real path */
    uint64_t base;      /**< address = base + address in the file */
    uint64_t low, high; /**< loaded memory */
    struct fm_loaded_segment segments[FM_SEGMENTS_MOST]; /**< those that can be read */
    uint8_t segment_count;
    struct fm_cfi cfi;
    uint8_t build_id[FM_BUILD_ID_MOST];
    uint8_t build_id_length; /**< 0: it has none */
    bool loaded;
    bool again; /**< it was loaded before, unloaded, and loaded again */
    bool c_library;
    bool hidden; /**< functions are not shown: the recorder, MPI libraries, the C library */
};

/** Looks which modules are loaded now. Not async-signal-safe; calls of the same process must not
 * overlap.
 * @return whether one that was known is gone */
bool fm_modules_refresh(void);

/** Number of the loaded module that the address lies in, as of the last refresh; -1: none.
 * Async-signal-safe. */
int fm_modules_find(uint64_t address);

/** A module by its number, which is below fm_modules_count(). */
const struct fm_module *fm_modules_get(uint32_t number);

uint32_t fm_modules_count(void);

/** Whether `size` bytes of the module's memory can be read there. Async-signal-safe.
 * @param code  they must be code */
bool fm_module_holds(const struct fm_module *module, uint64_t address, uint64_t size, bool code);

#endif
