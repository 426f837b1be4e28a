/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Cache of the code addresses (places) on call stacks, each with its unwind rule and the number of
 * its call site. The rule of a place is determined at its first use; later look-ups need no lock,
 * allocation or system call.
 *
 * Each process numbers its call sites in the order of their first use. Their names and source lines
 * are determined after the run.
 */
#ifndef FERMATA_RECORD_STACK_PLACES_H
#define FERMATA_RECORD_STACK_PLACES_H

#include "record/buffers/buffer_layout.h"
#include "record/capture/hot.h"
#include "record/stack/unwind/unwind_rule.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Special call sites: code outside of all known modules; a function that is not shown. */
enum { FM_SITE_UNKNOWN = 0 };
#define FM_SITE_HIDDEN UINT32_MAX

/** Address of a slot whose module was unloaded; a free slot has address 0. Neither is a valid
 * return address. */
enum { FM_PLACE_FORGOTTEN = 1 };

/** Flag in a place's address: a signal interrupted the code there; it is not a return address. */
#define FM_PLACE_EXACT ((uint64_t)1 << 63)

/** Flag in a place's address: it is the first instruction of a function that the compiler has
 * instrumented. */
#define FM_PLACE_FUNCTION ((uint64_t)1 << 62)

/** Whether the visits of an instrumented function are recorded; OPEN: not yet decided. */
enum fm_place_choice { FM_PLACE_OPEN, FM_PLACE_RECORDED, FM_PLACE_LEFT_OUT };

/** A place. */
struct fm_place {
    uint64_t address; /**< return address, or address | FM_PLACE_EXACT or FM_PLACE_FUNCTION */
    struct fm_unwind_rule rule;
    uint32_t site;
    bool plain;              /**< fm_unwind_rule_is_plain */
    bool interpreter;        /**< as fm_module.interpreter */
    uint8_t choice;          /**< enum fm_place_choice; atomic */
    struct fm_place *caller; /**< prediction: the caller found by the last unwinding, or NULL */
};

/** A call site: an instruction in a binary, or in a Python function. */
struct fm_site {
    uint64_t offset;   /**< address of the instruction (of a call, its last byte) in the file; of a
                            Python function: offset in its bytecode */
    uint64_t function; /**< address of its function's begin in the file; 0: unknown; Python: number
                            of the function (fm_python_function) | line of the instruction << 32 */
    uint64_t target;   /**< address of the called function in its file, if the call is direct */
    uint32_t module;   /**< fm_modules_get, or FM_SITE_PYTHON */
    uint32_t target_module; /**< FM_SITE_NO_TARGET: the called function is unknown or not shown */
};
#define FM_SITE_NO_TARGET UINT32_MAX
#define FM_SITE_PYTHON    UINT32_MAX
/** `target` of a site that is the first instruction of an instrumented function, not a call. */
#define FM_SITE_INSTRUMENTED 1

/** Hash table of places with open addressing; replaced by a larger one when it fills. */
struct fm_places {
    size_t mask;
    unsigned shift;
    struct fm_place slots[];
};
extern struct fm_places *fm_places;

/** Incremented whenever places are removed because their module was unloaded. */
extern FM_API uint64_t fm_places_generation;

/** Allocates the cache, once. @return false without memory */
bool fm_places_begin(void);

/** Adds a place to the cache. Thread-safe; errno is preserved.
 * @param in_signal  whether the caller is a signal handler: then the function does not wait for
 *                   locks
 * @return the place; NULL: no memory, or (in a signal handler) not possible now */
struct fm_place *fm_places_add(uint64_t address, bool in_signal);

/** How surely a word is the return address of interrupted code without unwind information: NONE if
 * no call precedes it, by a TAIL call if the call before it calls another function, INDIRECT if it
 * may call any; more if it calls a function without unwind information that begins at or before the
 * code: the more, the nearer. Async-signal-safe. */
enum { FM_CALL_NONE, FM_CALL_TAIL, FM_CALL_INDIRECT };
uint64_t fm_place_call_strength(uint64_t address, uint64_t pc);

/** Whether the code at a return address belongs to a hidden module (fm_module.hidden). No lock,
 * async-signal-safe. */
FM_API bool fm_code_is_hidden(uint64_t address);

/** Removes the places of modules that have been unloaded. Not async-signal-safe. */
void fm_places_forget_unloaded(void);

/** Number of call sites so far, including FM_SITE_UNKNOWN; and the call site with a number. */
uint32_t fm_sites_count(void);
struct fm_site fm_sites_get(uint32_t number);

/** Adds a call site, which the caller knows to be new. Thread-safe.
 * @param in_signal  whether the caller is a signal handler: then the function does not wait for
 *                   locks
 * @return its number; FM_SITE_UNKNOWN: there are too many; FM_SITE_HIDDEN: not possible now */
uint32_t fm_sites_add(struct fm_site site, bool in_signal);

/** Where new call sites are written, too, so that those survive the process that only a signal
 * handler has found (FM_BUFFER_SITES places); NULL: nowhere. Set when the run begins. */
extern struct fm_buffer_site *fm_sites_log;

/** Stores the call site as one in the program's main function, which may have no symbol; and
 * returns it (module and function). Its function is 0 until one is stored. Without effect if the
 * call site is in a Python function. */
void fm_sites_set_main(uint32_t site);
struct fm_site fm_sites_main(void);

/** The place of an address; NULL: it is not in the cache. Async-signal-safe. */
static inline struct fm_place *fm_places_find(uint64_t address)
{
    struct fm_places *places = __atomic_load_n(&fm_places, __ATOMIC_ACQUIRE);
    size_t i = (size_t)((address * 0x9e3779b97f4a7c15u) >> places->shift);
    for (;; i = (i + 1) & places->mask) {
        uint64_t found = __atomic_load_n(&places->slots[i].address, __ATOMIC_ACQUIRE);
        if (__builtin_expect(found == address, 1)) {
            return address > FM_PLACE_FORGOTTEN ? &places->slots[i] : NULL;
        }
        if (found == 0) {
            return NULL;
        }
    }
}

/** The place of `address`, which unwinding from `inner` has found; NULL: it is not in the cache.
 * The prediction from the last unwinding lets the processor read the next frame without waiting for
 * the look-up. */
static inline struct fm_place *fm_places_find_caller(struct fm_place *inner, uint64_t address)
{
    struct fm_place *guess = __atomic_load_n(&inner->caller, __ATOMIC_RELAXED);
    if (__builtin_expect(
            guess != NULL && __atomic_load_n(&guess->address, __ATOMIC_ACQUIRE) == address, 1)) {
        return guess;
    }
    guess = fm_places_find(address);
    __atomic_store_n(&inner->caller, guess, __ATOMIC_RELAXED);
    return guess;
}

#endif
