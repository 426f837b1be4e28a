/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/team/team_internal.h"

#include "base/memory.h"

#include <string.h>

struct fm_team *fm_team_create(struct fm_transport *transport)
{
    struct fm_team *team = fm_allocate(1, sizeof *team);
    team->transport = transport;
    return team;
}

void fm_team_free(struct fm_team *team)
{
    if (team != NULL) {
        fm_vector_free(&team->put_back);
        fm_vector_free(&team->again);
    }
    fm_free(team);
}

unsigned fm_team_self(const struct fm_team *team)
{
    return team == NULL ? 0 : team->transport->self;
}

unsigned fm_team_size(const struct fm_team *team)
{
    return team == NULL ? 1 : team->transport->count;
}

bool fm_team_leads(const struct fm_team *team)
{
    return fm_team_self(team) == 0;
}

unsigned fm_team_neighbors(const struct fm_team *team)
{
    return team == NULL ? 1 : team->transport->neighbors;
}

void fm_team_take_again(struct fm_team *team)
{
    /* The packets in `again` were for the stage that has ended: all of them have been taken. */
    fm_early_packets emptied = team->again;
    emptied.count = 0;
    team->again = team->put_back;
    team->put_back = emptied;
    team->taken = 0;
}

bool fm_team_receive(struct fm_team *team, unsigned *from, struct fm_parcel *packet)
{
    if (team->taken < team->again.count) {
        const struct fm_early_packet *early = &team->again.items[team->taken++];
        *from = early->from;
        *packet = early->packet;
        return true;
    }
    return team->transport->calls->receive(team->transport, from, packet);
}

void fm_team_put_back(struct fm_team *team, unsigned from, struct fm_parcel packet)
{
    fm_vector_push(&team->put_back, (struct fm_early_packet){packet, from});
}

static void *copy(const void *content, size_t bytes)
{
    void *block = fm_resize(NULL, 0, bytes);
    if (bytes != 0) {
        memcpy(block, content, bytes);
    }
    return block;
}

void fm_team_exchange(struct fm_team *team, const struct fm_parcel *sent,
                      struct fm_parcel *received)
{
    unsigned self = fm_team_self(team), size = fm_team_size(team);
    if (size > 1) {
        struct fm_transport *transport = team->transport;
        uint64_t *sizes = fm_allocate(2 * (size_t)size, sizeof *sizes);
        for (unsigned p = 0; p < size; ++p) {
            sizes[p] = p == self ? 0 : sent[p].bytes;
        }
        transport->calls->exchange_sizes(transport, sizes, sizes + size);
        for (unsigned p = 0; p < size; ++p) {
            size_t bytes = p == self ? 0 : (size_t)sizes[size + p];
            received[p] = (struct fm_parcel){fm_resize(NULL, 0, bytes), bytes};
        }
        fm_free(sizes);
        transport->calls->exchange(transport, sent, received);
        fm_free(received[self].content);
    }
    received[self] =
        (struct fm_parcel){copy(sent[self].content, sent[self].bytes), sent[self].bytes};
}

/* @return the parcels of all processes one behind the other */
static void *join(struct fm_parcel *parcels, unsigned count, size_t *total)
{
    *total = 0;
    for (unsigned p = 0; p < count; ++p) {
        *total += parcels[p].bytes;
    }
    unsigned char *joined = fm_resize(NULL, 0, *total);
    size_t at = 0;
    for (unsigned p = 0; p < count; ++p) {
        if (parcels[p].bytes != 0) {
            memcpy(joined + at, parcels[p].content, parcels[p].bytes);
        }
        at += parcels[p].bytes;
        fm_free(parcels[p].content);
    }
    return joined;
}

/* Sends a parcel to the processes first .. last. @return the contents of the received ones */
static void *send_to(struct fm_team *team, const void *own, size_t bytes, unsigned first,
                     unsigned last, size_t *total)
{
    unsigned size = fm_team_size(team);
    if (size == 1) {
        *total = bytes;
        return copy(own, bytes);
    }
    struct fm_parcel *parcels = fm_allocate(2 * (size_t)size, sizeof *parcels);
    for (unsigned p = first; p <= last; ++p) {
        /* The transport only reads the content. */
        parcels[p] = (struct fm_parcel){(void *)own, bytes};
    }
    fm_team_exchange(team, parcels, parcels + size);
    void *all = join(parcels + size, size, total);
    fm_free(parcels);
    return all;
}

void *fm_team_share(struct fm_team *team, const void *own, size_t bytes, size_t *total)
{
    return send_to(team, own, bytes, 0, fm_team_size(team) - 1, total);
}

void *fm_team_collect(struct fm_team *team, const void *own, size_t bytes, size_t *total)
{
    void *all = send_to(team, own, bytes, 0, 0, total);
    if (!fm_team_leads(team)) {
        fm_free(all);
        return NULL;
    }
    return all;
}

void *fm_team_spread(struct fm_team *team, const void *leaders, size_t bytes, size_t *total)
{
    return fm_team_share(team, leaders, fm_team_leads(team) ? bytes : 0, total);
}

void fm_team_sum(struct fm_team *team, uint64_t *values, size_t count)
{
    if (fm_team_size(team) > 1 && count != 0) {
        team->transport->calls->sum(team->transport, values, count);
    }
}

uint64_t fm_team_largest(struct fm_team *team, uint64_t value)
{
    size_t bytes;
    uint64_t *values = fm_team_share(team, &value, sizeof value, &bytes);
    uint64_t largest = 0;
    for (size_t i = 0; i < bytes / sizeof *values; ++i) {
        largest = values[i] > largest ? values[i] : largest;
    }
    fm_free(values);
    return largest;
}

fm_status_t fm_team_agree(struct fm_team *team, fm_status_t status, struct fm_error *error)
{
    if (fm_team_size(team) == 1) {
        return status;
    }
    size_t bytes;
    int own = (int)status;
    int *all = fm_team_share(team, &own, sizeof own, &bytes);
    unsigned size = fm_team_size(team), failed = 0;
    while (failed < size && all[failed] == FM_OK) {
        ++failed;
    }
    fm_status_t agreed = failed == size ? FM_OK : (fm_status_t)all[failed];
    fm_free(all);
    if (agreed != FM_OK) {
        bool reports = failed == fm_team_self(team);
        struct fm_error *told =
            fm_team_share(team, error, reports && error != NULL ? sizeof *error : 0, &bytes);
        if (error != NULL && bytes == sizeof *error) {
            *error = *told;
        }
        fm_free(told);
    }
    return agreed;
}
