/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * The interface between libfermata-user, which is linked into programs, and the recorder, which is
 * preloaded. They may be of different versions of fermata: entries are only ever added at the
 * end, and the program requests the entries that it knows.
 */
#ifndef FERMATA_USER_INTERFACE_H
#define FERMATA_USER_INTERFACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Text that need not end with a zero byte (Fortran's does not). */
struct fm_text {
    const char *text; /**< NULL only if `length` is 0 */
    size_t length;
};

/** The recorder's functions. What `define` returns is handed to the others; it is valid to the end
 * of the process, NULL if nothing is recorded (any more). All are thread-safe and preserve errno.
 */
struct fm_user_functions {
    void *(*define_region)(struct fm_text name, struct fm_text file, uint32_t line, uint32_t kind);
    void (*begin_region)(void *region);
    void (*end_region)(const void *region);
    void (*end_region_named)(struct fm_text name);
    void *(*define_parameter)(struct fm_text name, bool is_text);
    void (*set_parameter)(const void *parameter, int64_t value); /**< or the bits of an uint64_t */
    void (*set_parameter_text)(const void *parameter, struct fm_text value);
    void *(*define_counter)(struct fm_text name, struct fm_text unit, uint32_t kind, bool is_real);
    void (*count)(const void *counter, int64_t value);
    void (*count_real)(const void *counter, double value);
    void (*mark)(struct fm_text text);
    void (*pause)(void);
    void (*resume)(void);
    bool (*is_recording)(void);
    void (*flight_dump)(void);
    void *(*define_parameter_unsigned)(struct fm_text name);
    /** For the recorder's own library of marks: a region was defined for marks of this kind
     * (enum fm_mark_kind). */
    void (*marks_found)(uint32_t kind);
};

/** The symbol that the preload library exports, a fm_user_connect_t. */
#define FM_USER_CONNECT_SYMBOL "fermata_user_connect"

/** @param size     bytes of struct fm_user_functions that the caller knows
 * @param settled  out: another request would give the same result
 * @return the recorder's functions, NULL: there are none (yet: no library of a
 * paradigm is loaded) */
typedef const struct fm_user_functions *fm_user_connect_t(size_t size, bool *settled);

#endif
