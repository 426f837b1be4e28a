/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/archive/complete.h"

#include "base/error.h"
#include "cli/archive/environment.h"
#include "cli/text/safe_text.h"
#include "record/buffers/leftovers.h"
#include "record/rebuild/rebuild.h"
#include "record/rebuild/rebuilt_counters.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Files of processes of an experiment that completing it has not removed. */
struct left {
    char directory[PATH_MAX];
    unsigned files;
    char path[PATH_MAX]; /* the first one */
};

static void count_left(void *context, const struct fm_leftover *leftover)
{
    struct left *left = context;
    if (strcmp(leftover->directory, left->directory) == 0 && left->files++ == 0) {
        snprintf(left->path, sizeof left->path, "%s", leftover->path);
    }
}

static void note_leftovers(const char *archive)
{
    struct left left = {.files = 0};
    if (realpath(archive, left.directory) == NULL) {
        return;
    }
    fm_leftovers_find(count_left, &left);
    if (left.files != 0) {
        fprintf(stderr,
                "fermata: note: %u buffer file%s of killed processes of this run %s left (%s); "
                "`fermata doctor` names %s\n",
                left.files, left.files == 1 ? "" : "s", left.files == 1 ? "is" : "are",
                fm_safe_text(left.path), left.files == 1 ? "it" : "them");
    }
}

int fm_complete_experiment(const char *command, const char *archive)
{
    struct fm_rebuilt result;
    struct fm_error error;
    fm_status_t status = FM_OK;
    if (fm_rebuild_is_due(archive)) {
        status = fm_rebuild(archive, 0, &result, &error);
    } else if (fm_rebuild_counters_is_due(archive)) {
        status = fm_rebuild_counters(archive, &error);
    }
    if (status != FM_OK) {
        fprintf(stderr, "fermata %s: %s\n", command, fm_safe_text(error.message));
    } else {
        note_leftovers(archive);
    }
    return (int)status;
}

void fm_complete_counters(const char *command, const char *experiment)
{
    struct fm_error error;
    fm_status_t status = FM_OK;
    if (fm_rebuild_counters_is_due(experiment)) {
        status = fm_rebuild_counters(experiment, &error);
    }
    if (status != FM_OK && status != FM_ERR_USAGE) {
        fprintf(stderr, "fermata %s: %s\n", command, fm_safe_text(error.message));
    }
}

static char *text_of(const json_t *object, const char *member)
{
    const char *text = json_string_value(json_object_get(object, member));
    return text != NULL ? strdup(text) : NULL;
}

struct fm_doubts fm_doubts_of_experiment(const char *archive)
{
    json_t *environment = fm_environment_load(archive);
    struct fm_doubts doubts = {
        .damaged = fm_environment_damage(archive),
        .missing = text_of(environment, "incomplete"),
        .clock = text_of(json_object_get(environment, "clock"), "doubt"),
        .unseen = text_of(environment, "unseen"),
        .shortfall = text_of(json_object_get(environment, "sampling"), "shortfall"),
    };
    json_decref(environment);
    return doubts;
}

void fm_doubts_free(struct fm_doubts *doubts)
{
    free(doubts->damaged);
    free(doubts->missing);
    free(doubts->clock);
    free(doubts->unseen);
    free(doubts->shortfall);
}

void fm_warn_of_experiment(const char *archive)
{
    struct fm_doubts doubts = fm_doubts_of_experiment(archive);
    if (doubts.damaged != NULL) {
        fprintf(stderr, "fermata: warning: %s\n", fm_safe_text(doubts.damaged));
    }
    if (doubts.missing != NULL) {
        fprintf(stderr, "fermata: warning: incomplete run: %s\n", fm_safe_text(doubts.missing));
    }
    if (doubts.clock != NULL) {
        fprintf(stderr, "fermata: warning: " FM_CLOCK_DOUBT "%s\n", fm_safe_text(doubts.clock));
    }
    if (doubts.unseen != NULL) {
        fprintf(stderr, "fermata: warning: %s\n", fm_safe_text(doubts.unseen));
    }
    if (doubts.shortfall != NULL) {
        fprintf(stderr, "fermata: warning: %s\n", fm_safe_text(doubts.shortfall));
    }
    fm_doubts_free(&doubts);
}
