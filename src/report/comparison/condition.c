/* SPDX-License-Identifier: BSD-3-Clause */
/* Conditions on how metrics change, for `fermata diff --fail-if`. */
#include "report/comparison/comparison.h"

#include "cube/model/metric_id.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *skip_spaces(const char *text)
{
    while (isspace((unsigned char)*text))
        text++;
    return text;
}

static bool names_a_metric(const char *pattern)
{
    for (unsigned m = 0; m < fm_metric_end(); m++) {
        if (fm_metric_matches((fm_metric_t)m, pattern))
            return true;
    }
    return false;
}

fm_status_t fm_condition_parse(struct fm_condition *condition, const char *text,
                               struct fm_error *error)
{
    *condition = (struct fm_condition){.text = text};
    const char *at = skip_spaces(text);
    size_t length = strcspn(at, "<> \t");
    if (length == 0 || length >= sizeof condition->pattern)
        return fm_fail(error, FM_ERR_USAGE,
                       "'%s' is no condition such as 'mpi_late* > +5%%' or 'time > 0.5'", text);
    memcpy(condition->pattern, at, length);
    at = skip_spaces(at + length);
    if (*at != '<' && *at != '>')
        return fm_fail(error, FM_ERR_USAGE, "'%s': < or > is missing behind %s", text,
                       condition->pattern);
    condition->above = *at == '>';
    char *end;
    at = skip_spaces(at + 1);
    condition->limit = strtod(at, &end);
    if (end == at || !isfinite(condition->limit))
        return fm_fail(error, FM_ERR_USAGE, "'%s': there is no number behind %c", text,
                       condition->above ? '>' : '<');
    at = skip_spaces(end);
    condition->relative = *at == '%';
    if (condition->relative)
        condition->limit /= 100;
    /* The unit s of seconds is optional; other units have no symbols. */
    if (*at == '%' || *at == 's')
        at = skip_spaces(at + 1);
    if (*at != '\0')
        return fm_fail(error, FM_ERR_USAGE, "'%s': what is '%s'? A number, with %% or s behind",
                       text, at);
    return FM_OK;
}

fm_status_t fm_condition_check(const struct fm_condition *condition, struct fm_error *error)
{
    return names_a_metric(condition->pattern)
               ? FM_OK
               : fm_fail(
                     error, FM_ERR_USAGE,
                     "'%s': no metric fits '%s'; `fermata report --explain all DIR` lists those "
                     "of a report",
                     condition->text, condition->pattern);
}

bool fm_condition_met(const struct fm_condition *condition, const struct fm_comparison *comparison,
                      size_t variant, fm_metric_t metric)
{
    if (!fm_comparison_compares(comparison, variant) ||
        !fm_metric_matches(metric, condition->pattern))
        return false;
    int64_t base = fm_comparison_total(comparison, 0, metric);
    int64_t value = fm_comparison_total(comparison, variant, metric);
    double change = fm_comparison_scaled(comparison, metric, value - base);
    if (condition->relative) {
        if (base == 0 && value == 0)
            change = 0;
        else
            change = base == 0 ? copysign(INFINITY, (double)value)
                               : (double)(value - base) / fabs((double)base);
    }
    return condition->above ? change > condition->limit : change < condition->limit;
}
