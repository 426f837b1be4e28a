/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * The connections of the viewer's server, and which of them is closed for others. All peers of a
 * server on the loopback interface share one address, so connections are not counted by address but
 * by what they have shown: a peer that has sent a request with the token is trusted, all others are
 * strangers. The number of strangers is limited. One stranger too many ends the oldest one, so that
 * connections without requests never keep others out: a request is read long before FM_STRANGERS
 * more connections are accepted. Not thread-safe: all calls come from the server's thread.
 */
#ifndef FERMATA_VIEW_SERVER_PEERS_H
#define FERMATA_VIEW_SERVER_PEERS_H

#include <stdbool.h>

/** Maximum number of connections without the token. A browser opens up to six at once. */
#define FM_STRANGERS 32U

/** A connection; its memory belongs to the caller. */
struct fm_peer {
    int socket;
    bool stranger; /**< in the list; false: trusted, or chosen to be closed */
    struct fm_peer *older, *newer;
};

/** All strangers in the order of their arrival. {0} is empty. */
struct fm_peers {
    struct fm_peer *oldest, *newest;
    unsigned count;
};

/** Adds a new connection as a stranger.
 * @return the stranger whose connection is to be closed for it; NULL: none */
struct fm_peer *fm_peers_enter(struct fm_peers *peers, struct fm_peer *peer, int socket);

/** Notes that the peer has sent a request with the token. */
void fm_peers_trust(struct fm_peers *peers, struct fm_peer *peer);

/** Removes a connection that has ended. */
void fm_peers_leave(struct fm_peers *peers, struct fm_peer *peer);

#endif
