/** @file
 * What the call sites of call stacks stand for. A process notes them as binaries and addresses
 * (definitions BINARY and SITE in a set of their own); at the end of the run the sets of all
 * processes are merged, the names are looked up once, and everyone gets the answers.
 */
#ifndef FERMATA_RECORD_ARCHIVE_CALLSITES_H
#define FERMATA_RECORD_ARCHIVE_CALLSITES_H

#include "record/archive/define.h"

/** Region of code of which nothing is known. */
#define FM_CALLSITE_UNKNOWN FM_DEFINE_NONE

/** A function at a call site: the one that the address is in, or one inlined into it there. */
struct fm_callsite_frame {
    uint32_t region; /**< number of its definition */
    uint32_t line;   /**< where in it: number of a LINE definition */
};

/** Call sites by the numbers that records have. Zeroed = none are known. */
struct fm_callsites {
    uint32_t deepest; /**< functions of a call path that are shown at most; 0: all */
    uint32_t count;
    uint32_t *first; /**< first frame of each in `frames`; one more than `count` */
    struct fm_callsite_frame *frames;
    uint32_t *called; /**< region that each calls for sure; FM_DEFINE_NONE: it is not known */
};

/** Frames of a call site, outermost first; of a number that there is not, unknown code.
 * @param count  out: their number; 0: it is not shown */
static inline const struct fm_callsite_frame *fm_callsite_frames(const struct fm_callsites *sites,
                                                                 uint32_t site, uint32_t *count)
{
    static const struct fm_callsite_frame unknown = {FM_CALLSITE_UNKNOWN, FM_DEFINE_NONE};
    if (site >= sites->count) {
        *count = sites->count != 0;
        return &unknown;
    }
    *count = sites->first[site + 1] - sites->first[site];
    return &sites->frames[sites->first[site]];
}

/** Region that a call site calls for sure; FM_DEFINE_NONE: it is not known, or not shown. */
static inline uint32_t fm_callsite_called(const struct fm_callsites *sites, uint32_t site)
{
    return site < sites->count ? sites->called[site] : FM_DEFINE_NONE;
}

/** Whether two call sites stand for the same functions and lines, except for the line at which the
 * innermost function makes its call, and nothing is known of the functions that they call. */
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

/** Copies a process's call sites to a set where those of several processes meet.
 * @param map  receives the numbers of the process's sites there; free with fm_define_map_free
 * @return false without memory */
bool fm_callsites_merge(struct fm_definitions *all, const struct fm_definitions *own,
                        struct fm_define_map *map);

/** Makes the table of a process.
 * @param definitions  of the process; gets the regions and lines that are used
 * @param resolved     set with frames behind the sites (resolve.h)
 * @param numbers      number in `resolved` of each of the process's sites; `count` of them; records
 *                     count them from 1
 * @param sites        out: to be freed with fm_callsites_free; `deepest` stays as it is
 * @return false without memory */
bool fm_callsites_make(struct fm_definitions *definitions, const struct fm_definitions *resolved,
                       const uint32_t *numbers, uint32_t count, struct fm_callsites *sites);

void fm_callsites_free(struct fm_callsites *sites);

#endif
