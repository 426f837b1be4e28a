/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Private to src/engine. */
#ifndef FERMATA_ENGINE_TEAM_INTERNAL_H
#define FERMATA_ENGINE_TEAM_INTERNAL_H

#include "base/containers/vector.h"
#include "engine/team/team.h"

/** A packet that belongs to the stage after the current one. */
struct fm_early_packet {
    struct fm_parcel packet;
    unsigned from;
};

typedef FM_VECTOR(struct fm_early_packet) fm_early_packets;

struct fm_team {
    struct fm_transport *transport;
    fm_early_packets put_back; /**< for the next stage */
    fm_early_packets again;    /**< put back in the previous stage */
    size_t taken;              /**< packets of `again` that have been received in this stage */
};

/** To be called before a stage that receives packets: makes the packets available that were put
 * back in the previous stage. */
void fm_team_take_again(struct fm_team *team);

/** As `receive` of the transport; packets that were put back come first. */
bool fm_team_receive(struct fm_team *team, unsigned *from, struct fm_parcel *packet);

/** Puts a packet back for the next stage. */
void fm_team_put_back(struct fm_team *team, unsigned from, struct fm_parcel packet);

#endif
