/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * How a run ended whose locations were inside of calls that never returned: what each of these
 * calls waits for, and whether that can still happen. Belongs to the severity cube (cube.h).
 *
 * A call waits for parts: a receive for one message, MPI_Waitall for many. Each part waits for
 * targets, which are locations: of a process its first one stands for all of its threads.
 */
#ifndef FERMATA_CUBE_MODEL_CUBE_HANG_H
#define FERMATA_CUBE_MODEL_CUBE_HANG_H

#include "base/error.h"

#include <stdbool.h>
#include <stdint.h>

struct fm_cube;

typedef enum {
    FM_HANG_NONE,       /**< nothing hangs: no open call lasted so long that it counts */
    FM_HANG_DEADLOCK,   /**< calls wait for each other in a cycle */
    FM_HANG_MISSING,    /**< calls wait for what no process does any more */
    FM_HANG_NO_PROGRESS /**< calls were open for long, but might have returned */
} fm_hang_t;

/** @return the name of a kind in JSON, such as "no_progress". */
const char *fm_hang_id(fm_hang_t kind);

/** What a part of a call waits for. The numbers are those of report files. */
typedef enum {
    FM_AWAITS_UNKNOWN,  /**< the archive does not state it */
    FM_AWAITS_MESSAGE,  /**< to be sent */
    FM_AWAITS_RECEIVER, /**< of its message */
    FM_AWAITS_MEMBERS,  /**< of a collective operation */
    FM_AWAITS_POST,     /**< of the targets' windows */
    FM_AWAITS_COMPLETE, /**< by the origins */
    FM_AWAITS_LOCK,     /**< to be released */
    FM_AWAITS_PROGRESS, /**< by the target of a one-sided operation */
    FM_AWAITS_CHANGE,   /**< of a variable, by any other process or thread */
    FM_AWAITS_SIGNAL,   /**< by any other thread */
    FM_AWAITS_TEAM,     /**< threads that have not reached a barrier */
    FM_AWAITS_TASKS,    /**< to be completed, by any other thread */
    FM_AWAITS_END,      /**< of a thread */
    FM_AWAITS_IMAGES,   /**< to reach sync images */
    FM_AWAITS_COUNT
} fm_awaits_t;

/** A part of what a call waits for. */
struct fm_cube_hang_part {
    uint8_t awaits; /**< fm_awaits_t */
    bool is_any;    /**< one of the targets is enough */
    bool is_others; /**< the own location is not meant, nor are other threads of its process
                         listed, which are meant, too */
    bool is_there;  /**< nothing is missing: a transfer is under way, or the library works. A target
                         is the partner of the transfer then */
    bool is_never;  /**< the targets are beyond it: in another collective operation, or ended */
    uint32_t first_target, target_count; /**< in `targets` */
    uint32_t tag;                        /**< of a message; FM_CUBE_NONE: any, or it has none */
    uint32_t place; /**< call path where the owner has taken the lock; FM_CUBE_NONE: not known */
    char *taken_in; /**< likewise, as "function (file:line)"; "": not known */
    char *object;   /**< name of the communicator, window, lock, ...; "": none */
    char *note;     /**< what comes close, a sentence without subject; "": nothing */
};

/** A location in a call that never returned. */
struct fm_cube_hang_wait {
    uint32_t location, callpath;
    uint64_t since;                  /**< its Enter, ticks since the begin of the run */
    bool counts;                     /**< it was open so long that it waits */
    bool is_any;                     /**< one of the parts is enough */
    bool is_stuck;                   /**< it can never return, as far as the archive shows */
    uint32_t first_part, part_count; /**< in `parts` */
};

/** Where a location is that is in no such call. */
struct fm_cube_hang_place {
    uint32_t location, callpath; /**< FM_CUBE_NONE: outside of all functions */
    bool has_ended;              /**< the location or its process, before the run ended */
};

struct fm_cube_hang {
    fm_hang_t kind;
    uint64_t since;     /**< time of the last event of any location, ticks since the begin */
    uint32_t open_ends; /**< locations that ended inside of calls; 0: the run did not end so */
    struct fm_cube_hang_wait *waits; /**< ascending by location */
    uint32_t wait_count;
    struct fm_cube_hang_part *parts;
    uint32_t part_count;
    uint32_t *targets; /**< locations */
    uint32_t target_count;
    uint32_t *cycle; /**< locations, each of which waits for the next one, the last for the first */
    uint32_t cycle_count;
    struct fm_cube_hang_place *places; /**< of all other locations, ascending */
    uint32_t place_count;
};

/** Frees what it owns; the run then did not end inside of calls. Called by fm_cube_free(). */
void fm_cube_hang_free(struct fm_cube_hang *hang);

/** Replaces that of a cube by a copy. @return FM_ERR_SYSTEM without memory */
fm_status_t fm_cube_set_hang(struct fm_cube *cube, const struct fm_cube_hang *hang,
                             struct fm_error *error);

/** @return the wait of a location; NULL: it is in no open call. O(log waits) */
const struct fm_cube_hang_wait *fm_cube_hang_wait_of(const struct fm_cube_hang *hang,
                                                     uint32_t location);

#endif
