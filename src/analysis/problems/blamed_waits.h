/** @file
 * Which problems are blamed for single wait states. The blame as a whole (causes/blame/blame.h)
 * knows call paths but not the wait states; here the chain of each wait for progress is followed,
 * and of each succession of holders of a lock, which all waits for this lock share.
 *
 * Cost: a record for each part of such a chain.
 */
#ifndef FERMATA_ANALYSIS_PROBLEMS_BLAMED_WAITS_H
#define FERMATA_ANALYSIS_PROBLEMS_BLAMED_WAITS_H

#include "analysis/causes/formation.h"
#include "analysis/problems/shown.h"

/** For some time, a wait state, or what waits for a succession, stems from a problem. */
struct fm_blamed_piece {
    uint64_t client; /**< succession; of a wait state location << 32 | its number */
    uint64_t from, to;
    uint64_t
        until; /**< of a succession: end of the wait state of the holder; 0: it does not wait */
    uint32_t problem;
    uint16_t is_wait; /**< the client is a wait state */
    uint16_t
        is_dead_end; /**< holds for what waits for the succession and ends before `until`, which
                          does not follow the holder's wait state; else: for all other waits */
};

struct fm_blamed_waits {
    const struct fm_formation *formation;
    FM_VECTOR(struct fm_blamed_piece)
    pieces; /**< of all processes: those of successions, then
               those of wait states, by clients and times */
};

/** Follows the chains. To be called after fm_blame_find(). Runs message-driven stages; collective.
 * @return to be freed with fm_blamed_waits_free() */
struct fm_blamed_waits fm_blamed_waits_find(const struct fm_formation *formation,
                                            const struct fm_shown_problems *shown);

void fm_blamed_waits_free(struct fm_blamed_waits *blamed);

/** Handles a part of a waiting part that stems from a problem. */
typedef void fm_blamed_part_handler_t(void *context, uint32_t problem, uint64_t from, uint64_t to);

/** Reports the parts of a wait state that is charged by blame. Thread-safe.
 * @param location  that waits, owned here
 * @param number    of its wait state */
void fm_blamed_wait_parts(const struct fm_blamed_waits *blamed, uint32_t location, uint32_t number,
                          fm_blamed_part_handler_t *handle, void *context);

#endif
