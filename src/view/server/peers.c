/* SPDX-License-Identifier: BSD-3-Clause */
#include "view/server/peers.h"

#include <stddef.h>

static void unlink_peer(struct fm_peers *peers, struct fm_peer *peer)
{
    if (!peer->stranger)
        return;
    *(peer->older == NULL ? &peers->oldest : &peer->older->newer) = peer->newer;
    *(peer->newer == NULL ? &peers->newest : &peer->newer->older) = peer->older;
    peer->stranger = false;
    peers->count--;
}

struct fm_peer *fm_peers_enter(struct fm_peers *peers, struct fm_peer *peer, int socket)
{
    struct fm_peer *closed = NULL;
    if (peers->count == FM_STRANGERS) {
        closed = peers->oldest;
        unlink_peer(peers, closed);
    }
    *peer = (struct fm_peer){.socket = socket, .stranger = true, .older = peers->newest};
    *(peers->newest == NULL ? &peers->oldest : &peers->newest->newer) = peer;
    peers->newest = peer;
    peers->count++;
    return closed;
}

void fm_peers_trust(struct fm_peers *peers, struct fm_peer *peer)
{
    unlink_peer(peers, peer);
}

void fm_peers_leave(struct fm_peers *peers, struct fm_peer *peer)
{
    unlink_peer(peers, peer);
}
