/* SPDX-License-Identifier: BSD-3-Clause */
/* Analyses archives by one process and by teams of threads that stand for processes: the report
 * must be the same, byte for byte, and so must be the failure of archives that cannot be analysed.
 *
 * usage: compare_analyses SCRATCH ARCHIVE...   (SCRATCH: a folder for reports) */
#include "outcome.h"
#include "thread_team.h"

#include <stdio.h>

struct request {
    const char *scratch, *archive;
    unsigned workers;
    const struct fm_partitions *partitions; /* NULL: options are the defaults */
    struct outcome outcome;                 /* of process 0 */
};

static void analyze(void *context, struct fm_team *team)
{
    struct request *request = context;
    struct outcome outcome =
        outcome_of(team, request->workers, request->partitions, request->scratch, request->archive);
    if (fm_team_leads(team)) {
        request->outcome = outcome;
    }
}

static struct outcome analyze_by(unsigned processes, struct request request)
{
    if (processes == 0) {
        analyze(&request, NULL);
    } else {
        run_thread_team(processes, analyze, &request);
    }
    return request.outcome;
}

static bool is_same(const struct request *request, unsigned processes, unsigned workers,
                    const struct outcome *expected)
{
    struct request by_team = *request;
    by_team.workers = workers;
    struct outcome found = analyze_by(processes, by_team);
    bool same = outcome_equals(&found, expected);
    if (!same) {
        fprintf(stderr,
                "%s: %u processes of %u workers get another result (status %d instead of %d)\n",
                request->archive, processes, workers, (int)found.status, (int)expected->status);
    }
    outcome_free(&found);
    return same;
}

int main(int argc, char **argv)
{
    static const struct {
        unsigned processes, workers;
    } sizes[] = {{1, 1}, {2, 1}, {2, 2}, {3, 1}, {3, 2}, {4, 1}, {4, 2}, {9, 1}};
    if (argc < 3) {
        fputs("usage: compare_analyses SCRATCH ARCHIVE...\n", stderr);
        return 2;
    }
    unsigned different = 0;
    struct fm_partitions partitions;
    if (fm_partitions_parse("first:0", &partitions, NULL) != FM_OK) {
        fputs("compare_analyses: first:0 are no partitions\n", stderr);
        return 1;
    }
    for (int i = 2; i < argc; ++i) {
        /* Every other one with all options. */
        const struct request request = {
            .scratch = argv[1],
            .archive = argv[i],
            .workers = 1,
            .partitions = i % 2 == 0 ? NULL : &partitions,
        };
        struct outcome expected = analyze_by(0, request);
        for (size_t s = 0; s < sizeof sizes / sizeof *sizes; ++s) {
            different += !is_same(&request, sizes[s].processes, sizes[s].workers, &expected);
        }
        outcome_free(&expected);
    }
    fm_partitions_free(&partitions);
    printf("%d archives, %u different results\n", argc - 2, different);
    return different != 0;
}
