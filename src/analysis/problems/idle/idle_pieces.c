/* SPDX-License-Identifier: BSD-3-Clause */
#include "analysis/problems/idle/idle_pieces.h"

struct fm_idle_reader fm_idle_reader_open(const struct fm_formation *formation, uint32_t master)
{
    const struct fm_findings *findings = &formation->analysis->findings[master];
    return (struct fm_idle_reader){
        .busy_time = &formation->busy_times[master],
        .spans = findings->idle.items,
        .count = findings->idle.count,
        .time = findings->idle.items[0].from,
    };
}

/* Cuts a piece at the begin or the end of waiting. */
static void cut_at_wait(struct fm_idle_reader *reader, struct fm_idle_piece *piece)
{
    const struct fm_wait_list *waits = &reader->busy_time->waits;
    while (reader->wait < waits->count && waits->items[reader->wait].until <= piece->from) {
        reader->wait++;
    }
    if (reader->wait < waits->count) {
        const struct fm_wait *wait = &waits->items[reader->wait];
        piece->is_waiting = wait->enter <= piece->from;
        const uint64_t cut = piece->is_waiting ? wait->until : wait->enter;
        piece->to = cut < piece->to ? cut : piece->to;
    }
}

bool fm_idle_read(struct fm_idle_reader *reader, struct fm_idle_piece *piece)
{
    while (reader->next < reader->count) {
        const struct fm_idle_span *span = &reader->spans[reader->next];
        if (reader->time >= span->to) {
            reader->next++;
            reader->time = reader->next < reader->count ? span[1].from : 0;
            continue;
        }
        fm_busy_time_look(reader->busy_time, &reader->walk, reader->time);
        *piece = (struct fm_idle_piece){
            .from = reader->time,
            .to = reader->walk.until < span->to ? reader->walk.until : span->to,
            .node = reader->walk.visit,
            .threads = span->threads,
            .is_limited = span->is_limited,
        };
        if (piece->node != reader->busy_time->nodes) {
            cut_at_wait(reader, piece);
            reader->time = piece->to;
            return true;
        }
        reader->time = piece->to;
    }
    return false;
}
