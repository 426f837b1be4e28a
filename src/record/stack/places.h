/** @file
 * Places in the code that call stacks lead through, each with its rule for unwinding and the number
 * of its call site. The rule of a place is made when it is met for the first time; from then on it
 * is found without lock, allocation or system call.
 *
 * Call sites are numbered by the process in the order in which they are met; what they stand for is
 * found out after the run.
 */
#ifndef FERMATA_RECORD_STACK_PLACES_H
#define FERMATA_RECORD_STACK_PLACES_H

#include "record/stack/unwind_rule.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Call sites that are none: code of which nothing is known; a function that is not shown. */
enum { FM_SITE_UNKNOWN = 0 };
#define FM_SITE_HIDDEN UINT32_MAX

/** Address of a place whose module is gone; of one that is free: 0. Nothing returns there. */
enum { FM_PLACE_FORGOTTEN = 1 };

/** In a place's address: it is where a signal interrupted the code, not a return address. */
#define FM_PLACE_EXACT ((uint64_t)1 << 63)

/** In a place's address: it is the first instruction of a function that the compiler has
 * instrumented. */
#define FM_PLACE_FUNCTION ((uint64_t)1 << 62)

/** Whether the visits of such a function are recorded. */
enum fm_place_choice { FM_PLACE_OPEN, FM_PLACE_RECORDED, FM_PLACE_LEFT_OUT };

/** A place. */
struct fm_place {
    uint64_t address; /**< return address, or address | FM_PLACE_EXACT or FM_PLACE_FUNCTION */
    struct fm_unwind_rule rule;
    uint32_t site;
    bool plain;              /**< fm_unwind_rule_is_plain */
    uint8_t choice;          /**< enum fm_place_choice; atomic */
    struct fm_place *caller; /**< place that unwinding led to last; any, or NULL */
};

/** A call site: an instruction of a file. */
struct fm_site {
    uint64_t offset;   /**< address of the instruction (of a call, its last byte) in the file */
    uint64_t function; /**< address of its function's begin in the file; 0: unknown */
    uint64_t target;   /**< address in its file of the function that is called there for sure */
    uint32_t module;   /**< fm_modules_get */
    uint32_t target_module; /**< FM_SITE_NO_TARGET: what is called is not known, or not shown */
};
#define FM_SITE_NO_TARGET UINT32_MAX
/** Target where there is none: it is the first instruction of an instrumented function. */
#define FM_SITE_INSTRUMENTED 1

/** The cache of places: open addressing; replaced by a larger one when it fills. */
struct fm_places {
    size_t mask;
    unsigned shift;
    struct fm_place slots[];
};
extern struct fm_places *fm_places;

/** Counts up whenever places were forgotten because their module was unloaded. */
extern uint64_t fm_places_generation;

/** Prepares the cache. @return false without memory */
bool fm_places_begin(void);

/** Makes a place known.
 * @param in_signal  whether the caller is a signal handler: then nothing is waited for
 * @return the place; NULL: no memory, or (in a signal handler) not now */
struct fm_place *fm_places_add(uint64_t address, bool in_signal);

/** Forgets places of modules that have been unloaded, if any has. Not async-signal-safe. */
void fm_places_forget_unloaded(void);

/** Number of call sites met so far, the unknown one included; and one of them. */
uint32_t fm_sites_count(void);
struct fm_site fm_sites_get(uint32_t number);

/** Notes that a call site lies in the program's main function, which may have no name; and what is
 * known of that: module and function; before, a function 0. */
void fm_sites_set_main(uint32_t site);
struct fm_site fm_sites_main(void);

/** The place of an address; NULL: it was not met before. */
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

/** The place that unwinding `inner` leads to, if it is known. To guess it from the last time saves
 * the processor to wait for the look-up before it can read the next frame. */
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
