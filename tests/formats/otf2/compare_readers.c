/* SPDX-License-Identifier: BSD-3-Clause */
/* Loads archives with the decoder and by OTF2's reader alone: both must find the same.
 *
 * usage: compare_readers [--damaged] ARCHIVE...
 *
 * Every location must be decoded. With --damaged none need be, and what cannot be opened is left
 * out: where OTF2 is asked, it looks at memory that it has not read, and need not say the same
 * twice. */
#include "same_tables.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

int main(int argc, char **argv)
{
    bool damaged = argc > 1 && strcmp(argv[1], "--damaged") == 0;
    uint64_t all_decoded = 0, all_locations = 0;
    for (int i = damaged ? 2 : 1; i < argc; ++i) {
        struct fm_error reason = {""};
        uint32_t decoded = 0, locations = 0;
        bool same = same_tables(argv[i], &decoded, &locations, &reason);
        all_decoded += decoded;
        all_locations += locations;
        if (damaged ? !same && locations != 0 : !same || decoded != locations) {
            printf("%s: %" PRIu32 " of %" PRIu32 " locations decoded; %s\n", argv[i], decoded,
                   locations, same ? "same tables" : reason.message);
            return 1;
        }
    }
    printf("%" PRIu64 " of %" PRIu64 " locations decoded\n", all_decoded, all_locations);
    return all_locations == 0 ? 1 : 0;
}
