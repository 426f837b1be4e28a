/* SPDX-License-Identifier: BSD-3-Clause */
/* Subscribes to all kinds of events and checks what they say of each other. The parameter `report`
 * is the kind of events that are reported. */
#include <fermata/pattern.h>

#include <stdlib.h>
#include <string.h>

#define REQUIRE(condition)                                                                         \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            fermata_fail(at, "not true: " #condition);                                             \
        }                                                                                          \
    } while (0)

struct memory {
    int64_t last; /* number of the last call */
    char *own;    /* freed by `release` */
    int has_begun;
};

static void report_if(fermata_location_t *at, const fermata_event_t *event, const char *kind)
{
    char path[64];
    fermata_event_t call;
    REQUIRE(((struct memory *)at->memory)->has_begun);
    REQUIRE(event->rank == at->rank && event->thread == at->thread);
    if (event->is_timed) {
        REQUIRE(event->enter <= event->leave && event->enter >= 0);
    }
    if (event->region != NULL) {
        const size_t length = fermata_path(at, event, path, sizeof path);
        REQUIRE(length > 0 && (length >= sizeof path || strlen(path) == length));
        REQUIRE(fermata_path(at, event, NULL, 0) == length);
        REQUIRE(fermata_within(at, event, event->region));
        REQUIRE(!fermata_within(at, event, "no such function"));
        if (strcmp(fermata_text(at, "report"), kind) == 0) {
            fermata_report(at, event, 1);
        }
    }
    if (event->number >= 0) {
        REQUIRE(fermata_related(at, event, FERMATA_THE_CALL, &call));
        REQUIRE(call.enter == event->enter && call.kind == FERMATA_EVENT_CALL);
        REQUIRE(fermata_related(at, event, FERMATA_PREVIOUS, &call) == (event->number > 0));
    }
}

static void take_call(fermata_location_t *at, const fermata_event_t *event)
{
    struct memory *memory = at->memory;
    fermata_event_t other;
    report_if(at, event, "call");
    REQUIRE(event->kind == FERMATA_EVENT_CALL && event->number == memory->last + 1);
    REQUIRE(!fermata_related(at, event, FERMATA_PARTNER, &other));
    REQUIRE(event->call_class != NULL);
    memory->last = event->number;
}

static void take_message(fermata_location_t *at, const fermata_event_t *event)
{
    fermata_event_t other;
    report_if(at, event, event->kind == FERMATA_EVENT_SEND ? "send" : "receive");
    REQUIRE(fermata_related(at, event, FERMATA_PARTNER, &other));
    REQUIRE(other.rank == event->peer && other.number >= 0);
    REQUIRE(event->bytes >= 0 && event->posted >= 0);
}

static void take_operation(fermata_location_t *at, const fermata_event_t *event)
{
    report_if(at, event, "operation");
    REQUIRE(event->peer >= 0 && event->action != NULL && event->bytes >= 0);
}

static void take_collective(fermata_location_t *at, const fermata_event_t *event)
{
    report_if(at, event, "collective");
    REQUIRE(event->first_enter <= event->last_enter && event->members > 1);
    REQUIRE(event->enter >= event->first_enter && event->enter <= event->last_enter);
}

static void take_lock(fermata_location_t *at, const fermata_event_t *event)
{
    fermata_event_t other;
    report_if(at, event, "lock");
    REQUIRE(event->requested <= event->acquired && event->acquired <= event->released);
    if (fermata_related(at, event, FERMATA_BLOCKED_BY, &other)) {
        REQUIRE(event->waited > 0 && other.kind == FERMATA_EVENT_LOCK && other.lock != NULL);
    }
    if (fermata_related(at, event, FERMATA_BEFORE, &other)) {
        REQUIRE(strcmp(other.lock, event->lock) == 0 && other.acquired <= event->acquired);
    }
}

static void take_thread(fermata_location_t *at, const fermata_event_t *event)
{
    report_if(at, event, "thread");
    REQUIRE(event->action != NULL && event->time >= 0 && event->number == -1);
}

static void take_phase(fermata_location_t *at, const fermata_event_t *event)
{
    report_if(at, event, "phase");
    REQUIRE(event->is_timed && event->number == -1);
}

static void take_sample(fermata_location_t *at, const fermata_event_t *event)
{
    report_if(at, event, "sample");
    REQUIRE(event->counter != NULL && event->unit != NULL && event->sample >= 0);
}

static void take_wait(fermata_location_t *at, const fermata_event_t *event)
{
    fermata_event_t cause;
    report_if(at, event, "wait");
    REQUIRE(event->waited > 0 && event->own <= event->waited && event->metric != NULL);
    if (fermata_related(at, event, FERMATA_CAUSE, &cause)) {
        REQUIRE(cause.number >= 0);
    }
}

static void begin(fermata_location_t *at)
{
    struct memory *memory = at->memory;
    REQUIRE(memory->last == 0 && !memory->has_begun && at->ticks_per_second > 0);
    memory->last = -1;
    memory->has_begun = 1;
    memory->own = malloc(1);
}

static void end(fermata_location_t *at)
{
    free(((struct memory *)at->memory)->own);
}

static void combine(fermata_severity_t *severities, size_t count)
{
    size_t i;
    for (i = 0; i < count; i++) {
        severities[i].value *= severities[i].path != NULL && severities[i].rank >= 0 ? 2 : 0;
    }
}

static const fermata_parameter_t parameters[] = {{"report", "call"}, {NULL, NULL}};
static const fermata_subscription_t subscriptions[] = {{"call", take_call},
                                                       {"send", take_message},
                                                       {"receive", take_message},
                                                       {"operation", take_operation},
                                                       {"collective", take_collective},
                                                       {"lock", take_lock},
                                                       {"thread", take_thread},
                                                       {"phase", take_phase},
                                                       {"sample", take_sample},
                                                       {"mpi_latesender", take_wait},
                                                       {NULL, NULL}};

const fermata_pattern_t fermata_pattern = {
    .version = FERMATA_PATTERN_VERSION,
    .id = "every_event",
    .name = "Every event",
    .unit = "occurrences",
    .description = "Events, twice each.",
    .confidence = "low",
    .parameters = parameters,
    .subscriptions = subscriptions,
    .memory_size = sizeof(struct memory),
    .begin = begin,
    .release = end,
    .combine = combine,
};
