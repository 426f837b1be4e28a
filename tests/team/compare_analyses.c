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
    struct outcome outcome; /* of process 0 */
};

static void analyze(void *context, struct fm_team *team)
{
    struct request *request = context;
    struct outcome outcome = outcome_of(team, request->workers, request->scratch, request->archive);
    if (fm_team_leads(team)) {
        request->outcome = outcome;
    }
}

static bool is_same(const char *scratch, const char *archive, unsigned processes, unsigned workers,
                    const struct outcome *expected)
{
    struct request request = {scratch, archive, workers, {0}};
    run_thread_team(processes, analyze, &request);
    bool same = outcome_equals(&request.outcome, expected);
    if (!same) {
        fprintf(stderr,
                "%s: %u processes of %u workers get another result (status %d instead of %d)\n",
                archive, processes, workers, (int)request.outcome.status, (int)expected->status);
    }
    outcome_free(&request.outcome);
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
    for (int i = 2; i < argc; ++i) {
        struct outcome expected = outcome_of(NULL, 1, argv[1], argv[i]);
        for (size_t s = 0; s < sizeof sizes / sizeof *sizes; ++s) {
            different +=
                !is_same(argv[1], argv[i], sizes[s].processes, sizes[s].workers, &expected);
        }
        outcome_free(&expected);
    }
    printf("%d archives, %u different results\n", argc - 2, different);
    return different != 0;
}
