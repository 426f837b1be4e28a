/** @file
 * Private to src/engine. */
#ifndef FERMATA_ENGINE_TEAM_INTERNAL_H
#define FERMATA_ENGINE_TEAM_INTERNAL_H

#include "engine/team.h"

struct fm_team {
    struct fm_transport *transport;
};

#endif
