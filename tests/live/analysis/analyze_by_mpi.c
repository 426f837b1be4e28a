/* SPDX-License-Identifier: BSD-3-Clause */
/* Analyses archives alone, and together with the other processes that mpirun has started: the
 * report must be the same, byte for byte, and so must be the failure of archives that cannot be
 * analysed.
 *
 * usage: mpirun ... analyze_by_mpi LIBRARY PROCESSES SCRATCH ARCHIVE...
 *        (LIBRARY: openmpi or mpich; PROCESSES: how many there must be) */
#include "outcome.h"

#include "engine/team/transport_load.h"

#include <stdio.h>
#include <stdlib.h>

/* @return the number of differences that process 0 has found */
static unsigned compare(struct fm_team *team, const char *scratch, const char *archive)
{
    bool leads = fm_team_leads(team);
    struct outcome expected =
        leads ? outcome_of(NULL, 1, NULL, scratch, archive) : (struct outcome){0};
    unsigned different = 0;
    for (unsigned workers = 1; workers <= 2; ++workers) {
        struct outcome found = outcome_of(team, workers, NULL, scratch, archive);
        if (leads && !outcome_equals(&found, &expected)) {
            fprintf(stderr, "%s: %u processes of %u workers get another result\n", archive,
                    fm_team_size(team), workers);
            ++different;
        }
        outcome_free(&found);
    }
    outcome_free(&expected);
    return different;
}

int main(int argc, char **argv)
{
    struct fm_transport *transport;
    struct fm_error error;
    if (argc < 5) {
        fputs("usage: analyze_by_mpi LIBRARY PROCESSES SCRATCH ARCHIVE...\n", stderr);
        return 2;
    }
    if (fm_transport_load(argv[1], &transport, &error) != FM_OK) {
        fprintf(stderr, "%s\n", error.message);
        return 1;
    }
    if (transport->count != strtoul(argv[2], NULL, 10)) {
        fprintf(stderr, "%u processes are there, %s should be\n", transport->count, argv[2]);
        transport->calls->abandon(transport, 1);
    }
    struct fm_team *team = fm_team_create(transport);
    unsigned different = 0;
    for (int i = 4; i < argc; ++i) {
        different += compare(team, argv[3], argv[i]);
    }
    if (fm_team_leads(team)) {
        printf("%d archives, %u different results\n", argc - 4, different);
        fflush(stdout);
    }
    different = (unsigned)fm_team_largest(team, different);
    fm_team_free(team);
    transport->calls->close(transport);
    return different != 0;
}
