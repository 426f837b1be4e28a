/* SPDX-License-Identifier: BSD-3-Clause */
#include "whatif/changes/pieces.h"

void fm_pieces_begin(struct fm_pieces *pieces, const struct fm_trace *trace, uint32_t location,
                     const uint8_t *wanted)
{
    *pieces = (struct fm_pieces){
        .trace = trace, .location = &trace->locations[location], .wanted = wanted};
}

static enum fm_piece_wish wish(const struct fm_pieces *pieces)
{
    const uint32_t visit = pieces->location->state_visit.items[pieces->state];
    return visit == FM_NONE ? FM_PIECE_APART : (enum fm_piece_wish)pieces->wanted[visit];
}

bool fm_pieces_next(struct fm_pieces *pieces, struct fm_piece *piece)
{
    const struct fm_location *location = pieces->location;
    const size_t states = location->state_since.count, calls = location->enter.count;
    for (; pieces->state < states; pieces->state++) {
        const uint64_t since = location->state_since.items[pieces->state];
        const uint64_t until = pieces->state + 1 < states
                                   ? location->state_since.items[pieces->state + 1]
                                   : location->end;
        const bool was_inside = pieces->is_inside;
        const enum fm_piece_wish wanted = wish(pieces);
        pieces->is_inside = wanted != FM_PIECE_APART;
        pieces->runs += pieces->is_inside && !was_inside;
        if (wanted != FM_PIECE_WANTED) {
            continue;
        }
        pieces->time = pieces->time < since ? since : pieces->time;
        /* Calls that contain others: those inside end earlier. */
        while (pieces->activity < calls &&
               location->enter.items[pieces->activity] <= pieces->time) {
            const uint64_t leave = location->leave.items[pieces->activity++];
            pieces->time = leave > pieces->time ? leave : pieces->time;
        }
        uint64_t end = until;
        if (pieces->activity < calls && location->enter.items[pieces->activity] < end) {
            end = location->enter.items[pieces->activity];
        }
        if (pieces->time < end) {
            *piece = (struct fm_piece){
                pieces->time, end, location->state_visit.items[pieces->state], pieces->runs - 1};
            pieces->time = end;
            return true;
        }
    }
    return false;
}
