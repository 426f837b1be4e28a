/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * The interface between programs with NVTX and tools, declared by its public documentation: the
 * NVTX header or library of a program loads the library that NVTX_INJECTION64_PATH names, and calls
 * its function InitializeInjectionNvtx2 with a function that returns tables. The tables have
 * addresses of pointers, which the tool sets to its own functions.
 */
#ifndef FERMATA_RECORD_MARKS_NVTX_INTERFACE_H
#define FERMATA_RECORD_MARKS_NVTX_INTERFACE_H

#include <stddef.h>
#include <stdint.h>
#include <wchar.h>

/** Tables that the program's function returns. */
enum { FM_NVTX_TABLE_CALLBACKS = 1 };

/** The program's function. @return NULL: it has no such table */
typedef const void *fm_nvtx_tables_t(uint32_t table);

/** Groups of functions. */
enum { FM_NVTX_CORE = 1, FM_NVTX_CORE2 = 5 };

/** Places of a pointer in the table of FM_NVTX_CORE. */
enum {
    FM_NVTX_RANGE_START_EX = 4,
    FM_NVTX_RANGE_START_A = 5,
    FM_NVTX_RANGE_START_W = 6,
    FM_NVTX_RANGE_END = 7,
    FM_NVTX_RANGE_PUSH_EX = 8,
    FM_NVTX_RANGE_PUSH_A = 9,
    FM_NVTX_RANGE_PUSH_W = 10,
    FM_NVTX_RANGE_POP = 11
};

/** Places of a pointer in the table of FM_NVTX_CORE2. */
enum {
    FM_NVTX_DOMAIN_RANGE_START_EX = 2,
    FM_NVTX_DOMAIN_RANGE_END = 3,
    FM_NVTX_DOMAIN_RANGE_PUSH_EX = 4,
    FM_NVTX_DOMAIN_RANGE_POP = 5,
    FM_NVTX_DOMAIN_REGISTER_STRING_A = 10,
    FM_NVTX_DOMAIN_REGISTER_STRING_W = 11,
    FM_NVTX_DOMAIN_CREATE_A = 12,
    FM_NVTX_DOMAIN_CREATE_W = 13
};

/** FM_NVTX_TABLE_CALLBACKS. */
struct fm_nvtx_callbacks {
    size_t size; /**< of the structure */
    /** @param table  out: addresses of pointers to functions; those of functions that the program's
     *                NVTX lacks may be NULL
     * @param count  out: their number
     * @return 0: there is no such group */
    int (*get_functions)(int group, void ***table[1], unsigned *count);
};

/** What a push or pop returns without a tool that counts them. */
enum { FM_NVTX_NOT_TRACKED = -2 };

/** Kinds of messages. */
enum {
    FM_NVTX_MESSAGE_NONE = 0,
    FM_NVTX_MESSAGE_ASCII = 1,
    FM_NVTX_MESSAGE_UNICODE = 2,
    FM_NVTX_MESSAGE_REGISTERED = 3
};

/** The attributes of a range, as far as they are used. */
struct fm_nvtx_event {
    uint16_t version;
    uint16_t size; /**< of the structure in the program */
    uint32_t category;
    int32_t color_kind;
    uint32_t color;
    int32_t payload_kind, unused;
    uint64_t payload;
    int32_t message_kind;
    union {
        const char *ascii;
        const wchar_t *unicode;
        void *registered; /**< what the tool returned for the string */
    } message;
};

/** A domain: what the tool returned when it was created. */
struct fm_nvtx_domain;

#endif
