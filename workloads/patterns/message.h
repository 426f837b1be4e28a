/* SPDX-License-Identifier: BSD-3-Clause */
/* Messages of the point-to-point patterns. */
#ifndef PATTERNS_MESSAGE_H
#define PATTERNS_MESSAGE_H

/* A message that every MPI library sends eagerly, and one that no library sends eagerly: its sender
 * must wait for the receiver. Sizes in bytes. */
enum { SMALL_MESSAGE = 16, LARGE_MESSAGE = 1 << 20 };

/* LARGE_MESSAGE bytes: a send buffer and a receive buffer. */
extern char message_out[], message_in[];

#endif
