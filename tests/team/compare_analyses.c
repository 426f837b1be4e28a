/* Analyses archives by one process and by teams of threads that stand for processes: the report
 * must be the same, byte for byte, and so must be the failure of archives that cannot be analysed.
 *
 * usage: compare_analyses SCRATCH ARCHIVE...   (SCRATCH: a folder for reports) */
#include "thread_team.h"

#include "analysis/analysis.h"
#include "base/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What an analysis results in. */
struct outcome {
    fm_status_t status;
    char *report; /* or the message of the failure */
    size_t bytes;
};

struct request {
    const char *scratch, *archive;
    unsigned workers;
    const struct fm_partitions *partitions; /* NULL: options are the defaults */
    struct outcome outcome;                 /* of process 0 */
};

static void fail(const char *what, const char *path)
{
    fprintf(stderr, "compare_analyses: %s: %s\n", path, what);
    exit(1);
}

static void read_file(const char *path, struct outcome *outcome)
{
    FILE *file = fopen(path, "rb");
    if (file == NULL || fseek(file, 0, SEEK_END) != 0) {
        fail("cannot read the report", path);
    }
    outcome->bytes = (size_t)ftell(file);
    outcome->report = fm_allocate(outcome->bytes, 1);
    rewind(file);
    if (fread(outcome->report, 1, outcome->bytes, file) != outcome->bytes) {
        fail("cannot read the report", path);
    }
    fclose(file);
}

static void analyze(void *context, struct fm_team *team)
{
    struct request *request = context;
    const struct fm_analysis_options options = {
        .team = team,
        .workers = request->workers,
        .check = true,
        .path_from_init_to_finalize = request->partitions != NULL,
        .partitions = request->partitions,
    };
    struct fm_error error = {""};
    struct fm_cube *cube = NULL;
    char path[4096];
    snprintf(path, sizeof path, "%s/report.fer", request->scratch);
    fm_status_t status = fm_analysis_run(request->archive, &options, &cube, &error);
    if (!fm_team_leads(team)) {
        if (cube != NULL) {
            fail("a process other than the first one has a report", request->archive);
        }
        return;
    }
    request->outcome.status = status;
    if (status == FM_OK) {
        if (fm_cube_write(cube, path, &error) != FM_OK) {
            fail(error.message, path);
        }
        read_file(path, &request->outcome);
        fm_cube_free(cube);
    } else {
        request->outcome.report = fm_copy_string(error.message);
        request->outcome.bytes = strlen(error.message);
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
    bool same = found.status == expected->status && found.bytes == expected->bytes &&
                memcmp(found.report, expected->report, found.bytes) == 0;
    if (!same) {
        fprintf(stderr,
                "%s: %u processes of %u workers get another result (status %d instead of %d)\n",
                request->archive, processes, workers, (int)found.status, (int)expected->status);
    }
    fm_free(found.report);
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
        fail("cannot be read", "first:0");
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
        fm_free(expected.report);
    }
    fm_partitions_free(&partitions);
    printf("%d archives, %u different results\n", argc - 2, different);
    return different != 0;
}
