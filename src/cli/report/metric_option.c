/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/report/metric_option.h"

#include "base/text.h"
#include "cube/model/metric_id.h"

#include <stdio.h>
#include <stdlib.h>
#include <strings.h>

/* Metrics of counters that a message lists; the others are counted. */
enum { LISTED = 8 };

bool fm_metric_option_needs_report(const char *text)
{
    return strncasecmp(text, FM_METRIC_OF_COUNTER, strlen(FM_METRIC_OF_COUNTER)) == 0;
}

/* The metrics of counters that there are, as a sentence that continues a message. */
static void list_counters(char *text, size_t size)
{
    unsigned count = 0;
    size_t length = 0;
    text[0] = '\0';
    for (unsigned i = 0; i < fm_metric_end(); i++) {
        if (!fm_metric_is_counter((fm_metric_t)i)) {
            continue;
        }
        if (count++ < LISTED) {
            length += (size_t)snprintf(text + length, size - length, "%s%s",
                                       count == 1 ? "metrics of counters: " : ", ",
                                       fm_metric_info((fm_metric_t)i)->id);
        }
    }
    if (count > LISTED) {
        snprintf(text + length, size - length, " and %u more", count - LISTED);
    }
}

fm_status_t fm_metric_option(const char *text, const char *option, const char *directory,
                             fm_metric_t *metric, struct fm_error *error)
{
    char counters[LISTED * (FM_METRIC_ID_SIZE + 2) + 64];
    bool is_counter = fm_metric_option_needs_report(text);
    *metric = fm_metric_named(text);
    if (*metric != FM_METRIC_NONE) {
        return FM_OK;
    }
    if (is_counter) {
        list_counters(counters, sizeof counters);
    }
    char *word = directory != NULL ? fm_text_shell_word(directory) : NULL;
    fm_status_t status = fm_fail(
        error, FM_ERR_USAGE,
        "%s: there is no metric '%s'; %s%s`fermata report --explain all%s%s` lists them%s", option,
        text, is_counter ? counters : "", is_counter ? "; " : "", word != NULL ? " " : "",
        word != NULL ? word : "",
        is_counter && word == NULL ? ", with the directory of a run also those of its counters"
                                   : "");
    free(word);
    return status;
}
