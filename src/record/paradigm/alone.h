/** @file
 * Communication of a run that has one process, or of one that has all data of a run.
 */
#ifndef FERMATA_RECORD_PARADIGM_ALONE_H
#define FERMATA_RECORD_PARADIGM_ALONE_H

#include "record/archive/exchange.h"

/** Rank 0 of one: nothing is ever sent, and nothing fails. */
extern const struct fm_exchange fm_exchange_alone;

#endif
