/* SPDX-License-Identifier: BSD-3-Clause */
/* fermata counters findings: what counters of the inside of the library show, in sentences. */
#include "base/json/json_writer.h"
#include "cli/counters/counter_output.h"
#include "cli/text/safe_text.h"
#include "counters/findings/counter_findings.h"

#include <stdio.h>

static void print_text(const struct fm_counter_finding *finding, void *context)
{
    (void)context;
    printf("* %s\n  %s\n", finding->statement, finding->advice);
}

static void print_json(const struct fm_counter_finding *finding, void *context)
{
    struct fm_json *json = context;
    fm_json_object(json, NULL);
    fm_json_string(json, "id", finding->id);
    fm_json_string(json, "statement", finding->statement);
    fm_json_string(json, "advice", finding->advice);
    fm_json_end(json);
}

static void write_unjudged(struct fm_json *json, const struct fm_counter_job *job)
{
    struct fm_counter_rule unjudged[FM_COUNTER_RULES];
    size_t count = fm_counter_findings_unjudged(job, unjudged);
    fm_json_array(json, "not_judged");
    for (size_t i = 0; i < count; i++) {
        fm_json_object(json, NULL);
        fm_json_string(json, "id", unjudged[i].id);
        fm_json_string(json, "needs", unjudged[i].needs);
        fm_json_end(json);
    }
    fm_json_end(json);
}

static void print_all(const struct fm_counter_job *job)
{
    struct fm_counter_rule unjudged[FM_COUNTER_RULES];
    size_t count = fm_counter_findings_unjudged(job, unjudged);
    if (fm_counter_findings(job, print_text, NULL) == 0) {
        puts(count == 0 ? "Nothing notable." : "Nothing notable by the counters of this run.");
    }
    for (size_t i = 0; i < count; i++) {
        printf("Not judged: %s (needed: %s).\n", unjudged[i].what, unjudged[i].needs);
    }
}

void fm_counters_findings(const struct fm_counter_request *request,
                          const struct fm_counter_job *job)
{
    bool is_possible = fm_counter_findings_possible(job);
    const char *lack = fm_counter_findings_lack(job);
    char safe[256];
    if (request->format == FM_COUNTERS_JSON) {
        struct fm_json json = fm_json_begin(stdout, FM_JSON_INDENTED);
        fm_json_object(&json, NULL);
        fm_json_bool(&json, "has_counters_of_the_library", is_possible);
        fm_json_string(&json, "unavailable_because", lack);
        fm_json_array(&json, "findings");
        fm_counter_findings(job, print_json, &json);
        fm_json_end(&json);
        write_unjudged(&json, job);
        fm_json_end(&json);
        putchar('\n');
    } else if (lack != NULL) {
        printf("The run has no counters of messages inside of its library: %s.\n",
               fm_safe_copy(safe, sizeof safe, lack));
    } else if (!is_possible) {
        puts("The run has no counters of messages inside of its library. `fermata record --hooks` "
             "counts them in Open MPI 4.1.4;\nwith other versions they exist if the library has "
             "variables of them (--counters=all,OMPI_SPC_*).");
    } else {
        print_all(job);
    }
}
