/* SPDX-License-Identifier: BSD-3-Clause */
/* The part of Late Sender below one function, as late_sender_in_function.lua.
 *
 *     cc -O2 -shared -fPIC -o late_sender.so late_sender_in_function.c
 *     fermata analyze DIR --pattern late_sender.so:function=exchange */
#include <fermata/pattern.h>

static void take(fermata_location_t *at, const fermata_event_t *wait)
{
    if (fermata_within(at, wait, fermata_text(at, "function"))) {
        fermata_report(at, wait, wait->own);
    }
}

static const fermata_parameter_t parameters[] = {{"function", "main"}, {NULL, NULL}};
static const fermata_subscription_t subscriptions[] = {{"mpi_latesender", take}, {NULL, NULL}};

const fermata_pattern_t fermata_pattern = {
    .version = FERMATA_PATTERN_VERSION,
    .id = "late_sender_in_function",
    .name = "Late Sender in the function",
    .unit = "time",
    .parent = "mpi_latesender",
    .description = "The part of Late Sender in calls below the function.",
    .formula = "Sum of the waiting times.",
    .advice = "Let the partners of this function begin their sends earlier.",
    .confidence = "high",
    .parameters = parameters,
    .subscriptions = subscriptions,
};
