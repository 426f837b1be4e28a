/** @file
 * Rounds bound the memory that records under way need: in each, only a part of the destinations is
 * served. */
#ifndef FERMATA_ANALYSIS_ROUNDS_H
#define FERMATA_ANALYSIS_ROUNDS_H

#include "engine/team.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct fm_rounds {
    uint32_t round; /**< at hand, 0 .. count - 1 */
    uint32_t count;
};

/** @return rounds that keep about 64 MiB under way in each process of the analysis, but not so many
 * that going through all senders each time costs more than it saves. Collective.
 * @param records  that this process sends */
static inline struct fm_rounds fm_rounds_choose(struct fm_team *team, size_t records,
                                                size_t record_size)
{
    size_t count = 1 + (size_t)fm_team_largest(team, records) * record_size / ((size_t)64 << 20);
    return (struct fm_rounds){0, (uint32_t)(count < 8 ? count : 8)};
}

/** @return whether a process is served in this round. */
static inline bool fm_rounds_serve(const struct fm_rounds *rounds, uint32_t process)
{
    return rounds->count == 1 || process % rounds->count == rounds->round;
}

#endif
