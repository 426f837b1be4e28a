/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/counters/traffic/traffic_gaps.h"

#include "cli/text/safe_text.h"

#include <inttypes.h>
#include <stdio.h>

uint64_t fm_traffic_lost(const struct fm_job_traffic *traffic)
{
    uint64_t lost = traffic->lost_collectives;
    for (int flow = 0; flow < FM_FLOWS; flow++) {
        lost += traffic->lost[flow].count;
    }
    return lost;
}

uint64_t fm_traffic_elsewhere(const struct fm_job_traffic *traffic)
{
    uint64_t elsewhere = 0;
    for (int flow = 0; flow < FM_FLOWS; flow++) {
        elsewhere += traffic->elsewhere[flow].count;
    }
    return elsewhere;
}

void fm_traffic_print_gaps(const struct fm_job_traffic *traffic, const char *directory)
{
    char safe[4096];
    uint64_t elsewhere = fm_traffic_elsewhere(traffic), lost = fm_traffic_lost(traffic);
    fm_safe_copy(safe, sizeof safe, directory);
    if (traffic->files < traffic->ranks) {
        fprintf(stderr,
                "fermata counters: %s: %zu of %" PRIu32
                " ranks did not reach their regular end, or had no "
                "room to write their links: what they have sent and received is not known\n",
                safe, traffic->ranks - traffic->files, traffic->ranks);
    }
    if (lost > 0) {
        fprintf(stderr,
                "fermata counters: %s: %" PRIu64 " operations are in no link and communicator: the "
                "recorder had no room for more of them\n",
                safe, lost);
    }
    if (elsewhere > 0) {
        fprintf(stderr,
                "fermata counters: %s: %" PRIu64 " operations are in no link: their other process "
                "has another MPI_COMM_WORLD\n",
                safe, elsewhere);
    }
}
