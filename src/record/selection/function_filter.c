/* SPDX-License-Identifier: BSD-3-Clause */
#include "record/selection/function_filter.h"

#include "record/capture/lock.h"
#include "record/experiment/kept_variables.h"
#include "record/stack/helper.h"
#include "record/stack/modules.h"
#include "record/stack/resolve.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SECONDS = 120 };

/* The result for one binary. */
struct verdicts {
    bool asked;
    bool others;         /* true: all functions except the listed ones are left out;
                            false: the listed ones are */
    uint64_t *addresses; /* of the listed functions in the file, ascending */
    size_t count;
};

static struct {
    fm_lock_t lock;
    const char *path; /* of the filter; NULL: none */
    void (*tell)(const char *format, ...);
    struct verdicts modules[FM_MODULES_MOST];
} filter = {.lock = FM_LOCK_FREE};

void fm_function_filter_begin(void (*tell)(const char *format, ...))
{
    const char *path = fm_variable("FERMATA_FILTERING_FILE");
    filter.tell = tell;
    filter.path = path != NULL && path[0] != '\0' ? strdup(path) : NULL;
}

/* ---- requests to the helper program ---- */

static bool write_question(FILE *file, const struct fm_module *module)
{
    char id[2 * FM_BUILD_ID_MOST + 1] = "";
    for (size_t i = 0; i < module->build_id_length; i++) {
        snprintf(id + 2 * i, 3, "%02x", module->build_id[i]);
    }
    if (strchr(module->path, '\n') != NULL || strchr(filter.path, '\n') != NULL) {
        return false;
    }
    fprintf(file, "M %s %s\nE 0 %s\n", id[0] != '\0' ? id : "-", module->path, filter.path);
    return fflush(file) == 0 && !ferror(file) && lseek(fileno(file), 0, SEEK_SET) == 0;
}

static int compare(const void *a, const void *b)
{
    uint64_t left = *(const uint64_t *)a, right = *(const uint64_t *)b;
    return left < right ? -1 : left > right;
}

/* @return whether the answer is complete */
static bool read_answer(FILE *file, struct verdicts *verdicts)
{
    size_t room = 0;
    char line[64];
    int others;
    if (fgets(line, sizeof line, file) == NULL || sscanf(line, "D %d", &others) != 1) {
        return false;
    }
    verdicts->others = others != 0;
    while (fgets(line, sizeof line, file) != NULL && line[0] == 'X') {
        if (verdicts->count == room) {
            room = room != 0 ? 2 * room : 256;
            uint64_t *addresses = realloc(verdicts->addresses, room * sizeof *addresses);
            if (addresses == NULL) {
                return false;
            }
            verdicts->addresses = addresses;
        }
        verdicts->addresses[verdicts->count++] = strtoull(line + 1, NULL, 16);
    }
    if (verdicts->count != 0) {
        qsort(verdicts->addresses, verdicts->count, sizeof *verdicts->addresses, compare);
    }
    return line[0] == '.';
}

/* Without an answer, all functions are recorded. */
static void ask(const struct fm_module *module, struct verdicts *verdicts)
{
    char helper[PATH_MAX];
    FILE *questions = fm_helper_file("fermata-questions");
    FILE *answers = fm_helper_file("fermata-answers");
    fm_resolve_own_helper(helper, sizeof helper);
    bool good = questions != NULL && answers != NULL && helper[0] != '\0' && module->path != NULL &&
                write_question(questions, module) &&
                fm_helper_run(helper, fileno(questions), fileno(answers), SECONDS);
    if (good) {
        rewind(answers);
        good = read_answer(answers, verdicts);
    }
    if (!good) {
        free(verdicts->addresses);
        *verdicts = (struct verdicts){.others = false};
        filter.tell("the filter %s is not applied to %s: its functions cannot be told apart",
                    filter.path, module->path != NULL ? module->path : "a binary");
    }
    verdicts->asked = true;
    if (questions != NULL) {
        fclose(questions);
    }
    if (answers != NULL) {
        fclose(answers);
    }
}

/* ---- decisions ---- */

bool fm_function_filter_excludes(struct fm_site site)
{
    if (filter.path == NULL || site.module >= FM_MODULES_MOST) {
        return false;
    }
    int saved = errno;
    fm_lock(&filter.lock);
    struct verdicts *verdicts = &filter.modules[site.module];
    if (!verdicts->asked) {
        ask(fm_modules_get(site.module), verdicts);
    }
    bool listed =
        verdicts->count != 0 && bsearch(&site.offset, verdicts->addresses, verdicts->count,
                                        sizeof *verdicts->addresses, compare) != NULL;
    bool excluded = listed != verdicts->others;
    fm_unlock(&filter.lock);
    errno = saved;
    return excluded;
}
