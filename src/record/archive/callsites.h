/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Functions and lines of the call sites in recorded call stacks. A process stores a call site as a
 * binary and an address (definitions BINARY and SITE in a set of their own). At the end of the run
 * the sets of all processes are merged, the symbols are resolved once, and every process receives
 * the results.
 */
#ifndef FERMATA_RECORD_ARCHIVE_CALLSITES_H
#define FERMATA_RECORD_ARCHIVE_CALLSITES_H

#include "record/archive/define.h"

#include <stdbool.h>

/** Region of code without known function. */
#define FM_CALLSITE_UNKNOWN FM_DEFINE_NONE

/** A function at a call site: the one that the address is in, or one inlined into it there. */
struct fm_callsite_frame {
    uint32_t region;  /**< number of its definition */
    uint32_t line;    /**< line of the address in the function: number of a LINE definition */
    bool supports;    /**< it is a support function (support_function.h) */
    bool nameless;    /**< it has no symbol, and is not the main function */
    uint32_t library; /**< number of its shared library + 1; 0: it is in the program */
};

/** A function by its place. */
struct fm_callsite_function {
    uint32_t binary;  /**< number of its binary + 1; 0: unknown */
    uint32_t library; /**< as in fm_callsite_frame */
    uint64_t begin;   /**< address of its first instruction in the file */
};

/** Call sites by their numbers in records. Zeroed = no call site is known. */
struct fm_callsites {
    uint32_t deepest; /**< maximum number of functions of a call path in the trace; 0: no limit */
    bool whole;       /**< support functions are shown like others */
    uint32_t count;
    uint32_t *first; /**< first frame of each in `frames`; one more than `count` */
    struct fm_callsite_frame *frames;
    uint64_t *addresses; /**< of each call site in its binary; NULL: unknown */
    uint32_t *called;    /**< region that each call site certainly calls; FM_DEFINE_NONE: unknown */
    bool *calls_support; /**< whether that is a support function; NULL: none is */
    struct fm_callsite_function *inside;  /**< which each call site is in; NULL: unknown */
    struct fm_callsite_function *targets; /**< which each certainly calls; NULL: unknown */
    bool *outlined; /**< whether the first frame of each is a function that the compiler has made
                         of a construct of OpenMP: it is not shown */
};

/** Frames of a call site, outermost first; for an undefined number, one frame of unknown code
 * (no frame if the table is empty).
 * @param count  out: number of frames; 0: the call site is hidden */
static inline const struct fm_callsite_frame *fm_callsite_frames(const struct fm_callsites *sites,
                                                                 uint32_t site, uint32_t *count)
{
    static const struct fm_callsite_frame unknown = {.region = FM_CALLSITE_UNKNOWN,
                                                     .line = FM_DEFINE_NONE};
    if (site >= sites->count) {
        *count = sites->count != 0;
        return &unknown;
    }
    *count = sites->first[site + 1] - sites->first[site];
    return &sites->frames[sites->first[site]];
}

/** Region that a call site certainly calls; FM_DEFINE_NONE: unknown, or hidden. */
static inline uint32_t fm_callsite_called(const struct fm_callsites *sites, uint32_t site)
{
    return site < sites->count ? sites->called[site] : FM_DEFINE_NONE;
}

/** Whether a call site is in the function that another one calls for sure. The two may have
 * different names for it: the linker has other names for it than its own binary, or it has none
 * there. */
static inline bool fm_callsite_is_inside_called(const struct fm_callsites *sites, uint32_t caller,
                                                uint32_t site)
{
    return sites->inside != NULL && sites->targets != NULL && caller < sites->count &&
           site < sites->count && sites->targets[caller].binary != 0 &&
           sites->targets[caller].binary == sites->inside[site].binary &&
           sites->targets[caller].begin == sites->inside[site].begin;
}

/** Region of the innermost function at a call site: the one that it certainly calls last, or the
 * one that makes the call, without support functions inlined into it; FM_DEFINE_NONE: unknown. */
uint32_t fm_callsite_function(const struct fm_callsites *sites, uint32_t site);

/** Whether a function is one that a compiler has made of a construct of OpenMP. */
bool fm_callsite_is_outlined(const char *function);

/** Whether the first frame of a call site is not shown. */
static inline bool fm_callsite_is_hidden(const struct fm_callsites *sites, uint32_t site)
{
    return site < sites->count && sites->outlined != NULL && sites->outlined[site];
}

/** Whether a frame is left out of call paths: of support functions that call each other, only the
 * outermost is shown, and none where a thread begins with them. For functions of a shared library
 * without symbols, the function of the same library that calls them is shown.
 * @param caller  the frame that calls it; NULL: it is the outermost of the stack */
static inline bool fm_callsite_frame_is_inner(const struct fm_callsites *sites,
                                              const struct fm_callsite_frame *caller,
                                              const struct fm_callsite_frame *frame)
{
    bool is_inner_support = frame->supports && (caller == NULL || caller->supports);
    bool is_inner_nameless = frame->nameless && frame->library != 0 && caller != NULL &&
                             caller->library == frame->library;
    return !sites->whole && (is_inner_support || is_inner_nameless);
}

/** Whether two call sites have the same functions and lines, except for the line at which the
 * innermost function makes its call, and the called functions of both are unknown. */
static inline bool fm_callsites_are_similar(const struct fm_callsites *sites, uint32_t one,
                                            uint32_t other)
{
    uint32_t count, other_count;
    const struct fm_callsite_frame *frames = fm_callsite_frames(sites, one, &count);
    const struct fm_callsite_frame *other_frames = fm_callsite_frames(sites, other, &other_count);
    if (count != other_count || fm_callsite_called(sites, one) != FM_DEFINE_NONE ||
        fm_callsite_called(sites, other) != FM_DEFINE_NONE) {
        return false;
    }
    for (uint32_t i = 0; i < count; i++) {
        if (frames[i].region != other_frames[i].region ||
            (i + 1 < count && frames[i].line != other_frames[i].line)) {
            return false;
        }
    }
    return true;
}

/** Copies a process's call sites to a set with the call sites of several processes.
 * @param map  receives the numbers of the process's sites there; free with fm_define_map_free
 * @return false without memory */
bool fm_callsites_merge(struct fm_definitions *all, const struct fm_definitions *own,
                        struct fm_define_map *map);

/** Creates the call-site table of a process.
 * @param definitions  of the process; receives the regions and lines of the call sites
 * @param resolved     set whose SITE definitions contain frames (resolve.h)
 * @param numbers      number in `resolved` of each of the process's `count` call sites; records
 *                     number call sites from 1
 * @param sites        out: to be freed with fm_callsites_free; `deepest` and `whole` are unchanged
 * @return false without memory */
bool fm_callsites_make(struct fm_definitions *definitions, const struct fm_definitions *resolved,
                       const uint32_t *numbers, uint32_t count, struct fm_callsites *sites);

void fm_callsites_free(struct fm_callsites *sites);

#endif
