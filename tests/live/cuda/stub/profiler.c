/* SPDX-License-Identifier: BSD-3-Clause */
/* The range profiler and the host interface of the stub of libcupti.so: kernels have the values of
 * a table, by their names and lengths. What a profiler must not do ends the program with a message:
 * sizes of structures that are not those of CUDA 13.0, calls in a wrong order or for a context that
 * has ended. By variables of the environment:
 * - STUB_FAIL=FUNCTION:N: the result of this function
 * - STUB_LEVEL=N: the member of fm_cupti_support from `architecture` on that is not supported
 * - STUB_PASSES=A,B: executions that two and three metrics need (else 1,1)
 * - STUB_LOSE=1: the last kernel of each batch has no range
 * - STUB_EXCLUSIVE=1: there are no activity records of kernels that are measured (device.c) */
#include "stub.h"

#include "base/kernel_activity.h"
#include "record/cuda/cupti_profiler.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RANGES_MOST = 512, OBJECTS = 8, CONFIG_BYTES = 64 };

static const char *const metrics[] = {
#define FM_KERNEL_ACTIVITY(symbol, name, unit, whole) name,
    FM_KERNEL_ACTIVITIES(FM_KERNEL_ACTIVITY)
#undef FM_KERNEL_ACTIVITY
};
enum { METRICS = sizeof metrics / sizeof metrics[0] };

struct image {
    uint64_t is_ready;
    uint64_t count;
    double values[RANGES_MOST][METRICS];
};

static struct object {
    void *context; /* NULL: the place is free */
    struct image *image;
    uint64_t count; /* kernels since the start; those beyond RANGES_MOST have no values */
    double values[RANGES_MOST][METRICS];
    int is_configured, is_started, has_range, is_decoded;
} objects[OBJECTS];

static struct host {
    size_t count; /* metrics */
} hosts[64];
static size_t host_count;

static void must(int good, const char *what)
{
    if (!good) {
        fprintf(stderr, "stub of CUPTI: %s\n", what);
        abort();
    }
}

/* The result that is planted for a function. */
static int planted(const char *function)
{
    const char *text = getenv("STUB_FAIL");
    size_t length = strlen(function);
    return text != NULL && strncmp(text, function, length) == 0 && text[length] == ':'
               ? atoi(text + length + 1)
               : 0;
}

#define BEGIN(function, bytes)                                                                     \
    must(argument->size == (bytes) && argument->unused == NULL, #function ": size");               \
    if (planted(#function) != 0) {                                                                 \
        return planted(#function);                                                                 \
    }

/* ---- kernels ---- */

/* Slow kernels have the same load as fast ones: fewer multiprocessors are active. */
static void values_of(const struct stub_work *work, double *values)
{
    const double milliseconds = (double)(work->end - work->begin) / 1e6;
    values[0] = 100;
    values[1] = 32;
    values[2] = 0;
    if (strcmp(work->symbol, "_Z5forceIfEvPT_i") == 0) {
        values[0] = milliseconds > 30 ? 12.5 : 75;
        values[1] = 16;
        values[2] = 50;
    } else if (strcmp(work->symbol, "update") == 0) {
        values[0] = 50;
        values[2] = 75;
    } else if (strcmp(work->symbol, "second") == 0) {
        values[1] = NAN;
    }
}

static struct object *of_context(const void *context)
{
    for (int i = 0; i < OBJECTS; i++) {
        if (objects[i].context == context) {
            return &objects[i];
        }
    }
    return NULL;
}

static int measures(void *context)
{
    const struct object *object = of_context(context);
    return object != NULL && object->is_started && object->has_range;
}

static void kernel(void *context, const struct stub_work *work)
{
    struct object *object = of_context(context);
    if (!measures(context)) {
        return;
    }
    if (object->count < RANGES_MOST) {
        values_of(work, object->values[object->count]);
    }
    object->count++;
}

/* ---- the device ---- */

int cuptiProfilerInitialize(struct fm_cupti_initialize *argument)
{
    BEGIN(cuptiProfilerInitialize, 16)
    return 0;
}

int cuptiProfilerDeviceSupported(struct fm_cupti_support *argument)
{
    BEGIN(cuptiProfilerDeviceSupported, 52)
    const char *level = getenv("STUB_LEVEL");
    int *levels = &argument->architecture;
    must(argument->api == 0, "which interface");
    argument->supported = level != NULL ? 1 : 3;
    for (int i = 0; i < 6; i++) {
        levels[i] = level != NULL && atoi(level) == i ? 1 : 3;
    }
    return 0;
}

int cuptiDeviceGetChipName(struct fm_cupti_chip *argument)
{
    BEGIN(cuptiDeviceGetChipName, 32)
    argument->name = "GS100";
    return 0;
}

int cuptiProfilerGetCounterAvailability(struct fm_cupti_availability *argument)
{
    BEGIN(cuptiProfilerGetCounterAvailability, 40)
    must(argument->context != NULL, "availability without context");
    if (argument->image == NULL) {
        argument->image_size = 4;
    } else {
        must(argument->image_size == 4, "size of the availability");
        memcpy(argument->image, "good", 4);
    }
    return 0;
}

/* ---- the host interface ---- */

int cuptiProfilerHostInitialize(struct fm_cupti_host *argument)
{
    BEGIN(cuptiProfilerHostInitialize, 48)
    must(argument->type == 0 && strcmp(argument->chip, "GS100") == 0 &&
             memcmp(argument->availability, "good", 4) == 0,
         "host interface of another chip");
    must(host_count < 64, "too many host interfaces");
    argument->host = &hosts[host_count++];
    return 0;
}

int cuptiProfilerHostDeinitialize(struct fm_cupti_host_end *argument)
{
    BEGIN(cuptiProfilerHostDeinitialize, 24)
    must(argument->host != NULL, "no host interface");
    return 0;
}

static void check_names(const char **names, size_t count)
{
    must(count >= 2 && count <= METRICS, "number of metrics");
    for (size_t i = 0; i < count; i++) {
        must(strcmp(names[i], metrics[i]) == 0, "name of a metric");
    }
}

int cuptiProfilerHostConfigAddMetrics(struct fm_cupti_metrics *argument)
{
    BEGIN(cuptiProfilerHostConfigAddMetrics, 40)
    struct host *host = argument->host;
    must(host->count == 0, "metrics are added twice");
    check_names(argument->names, argument->count);
    host->count = argument->count;
    return 0;
}

int cuptiProfilerHostGetConfigImageSize(struct fm_cupti_config_size *argument)
{
    BEGIN(cuptiProfilerHostGetConfigImageSize, 32)
    argument->config_size = CONFIG_BYTES;
    return 0;
}

int cuptiProfilerHostGetConfigImage(struct fm_cupti_config *argument)
{
    BEGIN(cuptiProfilerHostGetConfigImage, 40)
    const struct host *host = argument->host;
    must(argument->config_size == CONFIG_BYTES, "size of the configuration");
    memset(argument->config, (int)host->count, CONFIG_BYTES);
    return 0;
}

int cuptiProfilerHostGetNumOfPasses(struct fm_cupti_passes *argument)
{
    BEGIN(cuptiProfilerHostGetNumOfPasses, 40)
    const char *text = getenv("STUB_PASSES");
    int of_two = 1, of_three = 1;
    if (text != NULL) {
        sscanf(text, "%d,%d", &of_two, &of_three);
    }
    argument->passes = (size_t)(argument->config[0] == 2 ? of_two : of_three);
    return 0;
}

int cuptiProfilerHostEvaluateToGpuValues(struct fm_cupti_evaluation *argument)
{
    BEGIN(cuptiProfilerHostEvaluateToGpuValues, 72)
    const struct image *image = (const struct image *)(const void *)argument->image;
    const struct host *host = argument->host;
    check_names(argument->names, argument->count);
    must(host->count == argument->count && argument->image_size == sizeof *image &&
             argument->range < image->count,
         "evaluation of what was not measured");
    memcpy(argument->values, image->values[argument->range], argument->count * sizeof(double));
    return 0;
}

/* ---- the range profiler ---- */

int cuptiRangeProfilerEnable(struct fm_cupti_range_enable *argument)
{
    BEGIN(cuptiRangeProfilerEnable, 32)
    must(argument->context != NULL && of_context(argument->context) == NULL, "context");
    struct object *object = of_context(NULL);
    memset(object, 0, sizeof *object);
    object->context = argument->context;
    argument->profiler = object;
    stub_tool.measures = measures;
    stub_tool.kernel = kernel;
    return 0;
}

int cuptiRangeProfilerDisable(struct fm_cupti_range *argument)
{
    BEGIN(cuptiRangeProfilerDisable, 24)
    struct object *object = argument->profiler;
    must(object->context != NULL, "a context is disabled twice");
    object->context = NULL;
    object->is_started = 0;
    return 0;
}

int cuptiRangeProfilerGetCounterDataSize(struct fm_cupti_image_size *argument)
{
    BEGIN(cuptiRangeProfilerGetCounterDataSize, 64)
    must(argument->most_ranges == RANGES_MOST && argument->most_nodes >= RANGES_MOST, "ranges");
    check_names(argument->names, argument->count);
    argument->image_size = sizeof(struct image);
    return 0;
}

int cuptiRangeProfilerCounterDataImageInitialize(struct fm_cupti_image *argument)
{
    BEGIN(cuptiRangeProfilerCounterDataImageInitialize, 40)
    struct image *image = (struct image *)(void *)argument->image;
    must(argument->image_size == sizeof *image, "size of the image");
    image->is_ready = 1;
    image->count = 0;
    return 0;
}

int cuptiRangeProfilerSetConfig(struct fm_cupti_range_config *argument)
{
    BEGIN(cuptiRangeProfilerSetConfig, 90)
    struct object *object = argument->profiler;
    object->image = (struct image *)(void *)argument->image;
    must(!object->is_started && object->image->is_ready && object->image->count == 0,
         "the image is not empty");
    must(argument->config_size == CONFIG_BYTES && argument->config[CONFIG_BYTES - 1] >= 2,
         "configuration");
    must(argument->range == 1 && argument->replay == 2 && argument->levels == 1 &&
             argument->least_level == 1 && argument->most_ranges == RANGES_MOST,
         "mode");
    object->is_configured = 1;
    return 0;
}

int cuptiRangeProfilerStart(struct fm_cupti_range *argument)
{
    BEGIN(cuptiRangeProfilerStart, 24)
    struct object *object = argument->profiler;
    must(object->context != NULL && object->is_configured && !object->is_started, "start");
    must(!stub_is_capturing(), "start during a capture");
    object->is_started = 1;
    object->is_decoded = 0;
    object->count = 0;
    return 0;
}

int cuptiRangeProfilerPushRange(struct fm_cupti_range_push *argument)
{
    BEGIN(cuptiRangeProfilerPushRange, 32)
    struct object *object = argument->profiler;
    must(object->is_started && argument->name != NULL, "range");
    object->has_range = 1;
    return 0;
}

int cuptiRangeProfilerPopRange(struct fm_cupti_range *argument)
{
    BEGIN(cuptiRangeProfilerPopRange, 24)
    struct object *object = argument->profiler;
    must(object->has_range, "end of a range");
    object->has_range = 0;
    return 0;
}

int cuptiRangeProfilerStop(struct fm_cupti_range_stop *argument)
{
    BEGIN(cuptiRangeProfilerStop, 41)
    struct object *object = argument->profiler;
    must(object->context != NULL && object->is_started, "stop");
    object->is_started = 0;
    argument->all_submitted = 1;
    return 0;
}

int cuptiRangeProfilerDecodeData(struct fm_cupti_range_decode *argument)
{
    BEGIN(cuptiRangeProfilerDecodeData, 32)
    struct object *object = argument->profiler;
    must(!object->is_started && !object->is_decoded, "decoding");
    must(!stub_is_capturing(), "decoding during a capture");
    uint64_t kept = object->count < RANGES_MOST ? object->count : RANGES_MOST;
    argument->dropped = object->count - kept;
    kept -= kept > 0 && getenv("STUB_LOSE") != NULL;
    memcpy(object->image->values, object->values, sizeof object->values);
    object->image->count = kept;
    object->is_decoded = 1;
    return 0;
}

int cuptiRangeProfilerGetCounterDataInfo(struct fm_cupti_image_info *argument)
{
    BEGIN(cuptiRangeProfilerGetCounterDataInfo, 40)
    argument->ranges = ((const struct image *)(const void *)argument->image)->count;
    return 0;
}
