/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * The sockets of this process, whichever library opened them.
 */
#ifndef FERMATA_BASE_PROCESS_SOCKETS_H
#define FERMATA_BASE_PROCESS_SOCKETS_H

/** From now on no TCP connection of this process holds small messages back until those before them
 * are acknowledged (TCP_NODELAY): where the other side has nothing to answer yet, that takes 40 ms.
 * Other files and sockets stay as they are. Thread-safe, as long as no thread closes files. */
void fm_sockets_send_at_once(void);

#endif
