/* SPDX-License-Identifier: BSD-3-Clause */
#include "record/capture/record.h"

const unsigned char fm_record_words[FM_RECORD_KIND_COUNT] = {
#define FM_KIND(kind, words, place) 1 + (words),
    FM_RECORD_KINDS(FM_KIND)
#undef FM_KIND
};
