/** @file
 * The part of the critical path on which a lock serializes the run: there the path's location holds
 * a lock for which the next location on the path waited, or for which it waited itself. */
#ifndef FERMATA_ANALYSIS_CAUSES_BLAME_SERIALIZATION_H
#define FERMATA_ANALYSIS_CAUSES_BLAME_SERIALIZATION_H

#include "analysis/causes/formation.h"
#include "base/containers/vector.h"

/** A location holds a lock at whose begin or end the path changes location. */
struct fm_path_hold {
    uint64_t from, to; /**< ticks of the trace's clock */
    uint32_t location;
    uint32_t unused;
};

typedef FM_VECTOR(struct fm_path_hold) fm_path_holds;

/** The path moves from a waiting location to that which it waited for: notes the two holds if the
 * location waited for a lock. To be called where the waiting location is owned. */
void fm_path_holds_note(fm_path_holds *holds, const struct fm_formation *formation,
                        uint32_t location, const struct fm_wait *wait);

/** Makes all holds known to all processes of the team: ascending by location and time, those of a
 * location joined so that they do not overlap. Collective. */
void fm_path_holds_join(fm_path_holds *holds, struct fm_team *team);

/** @return the number of the first hold of a location that ends behind a time; that of another
 * location, or `holds->count`, if there is none. */
size_t fm_path_holds_behind(const fm_path_holds *holds, uint32_t location, uint64_t time);

#endif
