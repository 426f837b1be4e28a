/* SPDX-License-Identifier: BSD-3-Clause */
#include "record/cuda/kernel_profiler.h"

#include "record/cuda/cuda.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const metric_names[FM_KERNEL_ACTIVITY_COUNT] = {
#define FM_KERNEL_ACTIVITY(symbol, name, unit, whole) name,
    FM_KERNEL_ACTIVITIES(FM_KERNEL_ACTIVITY)
#undef FM_KERNEL_ACTIVITY
};

/* Calls a function of CUPTI with an argument, by its row of FM_CUPTI_PROFILER_FUNCTIONS. */
#define CALL(member, argument) cupti->member(argument)

/* States why a call failed. @return false */
static bool fail(int result, const char *what, struct fm_refusal *refusal)
{
    const char *text = NULL, *remedy = "";
    if (fm_cupti.get_result_string(result, &text) != FM_CUPTI_SUCCESS || text == NULL) {
        text = "an unknown result";
    }
    if (result == FM_CUPTI_INSUFFICIENT_PRIVILEGES) {
        remedy =
            "; the administrator must permit profiling (NVreg_RestrictProfilingToAdminUsers=0)";
    } else if (result == FM_CUPTI_HARDWARE_BUSY) {
        remedy = "; another process or tool profiles the device";
    } else if (result == FM_CUPTI_NOT_INITIALIZED) {
        remedy = "; libnvperf_host.so must be beside CUPTI or on the library path";
    }
    snprintf(refusal->reason, sizeof refusal->reason, "CUPTI %s: %s%s", what, text, remedy);
    refusal->is_of_process =
        result != FM_CUPTI_INSUFFICIENT_PRIVILEGES && result != FM_CUPTI_NOT_INITIALIZED;
    return false;
}

/* ---- what the device permits ---- */

static bool is_supported(const struct fm_cupti_profiler *cupti, uint32_t device,
                         struct fm_refusal *refusal)
{
    struct fm_cupti_support support = FM_CUPTI_ARGUMENT(
        fm_cupti_support, api, .device = (int)device, .api = FM_CUPTI_API_RANGE_PROFILING);
    int result = CALL(device_supported, &support);
    if (result != FM_CUPTI_SUCCESS) {
        return fail(result, "does not state whether the device can be profiled", refusal);
    }
    if (support.supported == FM_CUPTI_SUPPORTED) {
        return true;
    }
    snprintf(refusal->reason, sizeof refusal->reason, "CUPTI cannot profile device %u%s", device,
             support.architecture != FM_CUPTI_SUPPORTED ? ": it is too old for this version"
             : support.virtual_gpu != FM_CUPTI_SUPPORTED
                 ? ": it is virtual, and profiling is not enabled for it"
             : support.confidential != FM_CUPTI_SUPPORTED ? ": it computes confidentially"
             : support.sli != FM_CUPTI_SUPPORTED          ? ": SLI is enabled"
             : support.mining != FM_CUPTI_SUPPORTED       ? ": it is made for mining"
             : support.wsl != FM_CUPTI_SUPPORTED ? ": this version of WSL does not permit it"
                                                 : "");
    return false;
}

/* @return what counters the device has, to be freed with free(); NULL: not known, with the reason
 */
static uint8_t *availability(const struct fm_cupti_profiler *cupti, void *context,
                             struct fm_refusal *refusal)
{
    struct fm_cupti_availability argument =
        FM_CUPTI_ARGUMENT(fm_cupti_availability, image, .context = context);
    int result = CALL(availability, &argument);
    if (result == FM_CUPTI_SUCCESS) {
        argument.image = calloc(1, argument.image_size + 1);
        result = argument.image != NULL ? CALL(availability, &argument) : FM_CUPTI_OUT_OF_MEMORY;
    }
    if (result != FM_CUPTI_SUCCESS) {
        fail(result, "does not state the device's counters", refusal);
        free(argument.image);
        return NULL;
    }
    return argument.image;
}

/* ---- which metrics ---- */

static void end_host(struct fm_kernel_profiler *profiler, const struct fm_cupti_profiler *cupti)
{
    if (profiler->host != NULL) {
        struct fm_cupti_host_end argument =
            FM_CUPTI_ARGUMENT(fm_cupti_host_end, host, .host = profiler->host);
        CALL(host_end, &argument);
    }
    free(profiler->config);
    profiler->host = NULL;
    profiler->config = NULL;
}

/* Makes the configuration that measures the first `count` metrics.
 * @param passes  out: executions of a kernel that it needs */
static int configure(struct fm_kernel_profiler *profiler, const struct fm_cupti_profiler *cupti,
                     const char *chip, const uint8_t *available, size_t count, size_t *passes)
{
    struct fm_cupti_host host =
        FM_CUPTI_ARGUMENT(fm_cupti_host, host, .type = FM_CUPTI_TYPE_RANGE_PROFILER, .chip = chip,
                          .availability = available);
    int result = CALL(host_initialize, &host);
    if (result != FM_CUPTI_SUCCESS) {
        return result;
    }
    profiler->host = host.host;
    profiler->count = count;
    struct fm_cupti_metrics metrics = FM_CUPTI_ARGUMENT(fm_cupti_metrics, count, .host = host.host,
                                                        .names = profiler->names, .count = count);
    struct fm_cupti_config_size needed =
        FM_CUPTI_ARGUMENT(fm_cupti_config_size, config_size, .host = host.host);
    if ((result = CALL(add_metrics, &metrics)) != FM_CUPTI_SUCCESS ||
        (result = CALL(config_size, &needed)) != FM_CUPTI_SUCCESS) {
        return result;
    }
    profiler->config_size = needed.config_size;
    profiler->config = calloc(1, needed.config_size + 1);
    struct fm_cupti_config config =
        FM_CUPTI_ARGUMENT(fm_cupti_config, config, .host = host.host,
                          .config_size = needed.config_size, .config = profiler->config);
    struct fm_cupti_passes counted = FM_CUPTI_ARGUMENT(
        fm_cupti_passes, passes, .config_size = needed.config_size, .config = profiler->config);
    if (profiler->config == NULL) {
        return FM_CUPTI_OUT_OF_MEMORY;
    }
    if ((result = CALL(config, &config)) == FM_CUPTI_SUCCESS) {
        result = CALL(passes, &counted);
    }
    *passes = counted.passes;
    return result;
}

/* Measures as many metrics as one execution suffices for; those of formula 4.3 at least. */
static bool choose_metrics(struct fm_kernel_profiler *profiler,
                           const struct fm_cupti_profiler *cupti, const char *chip,
                           const uint8_t *available, struct fm_refusal *refusal)
{
    int result = FM_CUPTI_SUCCESS;
    size_t passes = 0;
    for (size_t count = FM_KERNEL_ACTIVITY_COUNT; count > FM_KERNEL_WARP; count--) {
        result = configure(profiler, cupti, chip, available, count, &passes);
        if (result == FM_CUPTI_SUCCESS && passes == 1) {
            return true;
        }
        end_host(profiler, cupti);
    }
    if (result != FM_CUPTI_SUCCESS) {
        fail(result, "cannot measure the metrics on this chip", refusal);
        refusal->is_of_process = false;
        return false;
    }
    snprintf(refusal->reason, sizeof refusal->reason,
             "on the chip %s kernels would have to be executed %zu times", chip, passes);
    return false;
}

/* ---- the range profiler ---- */

static int make_image(struct fm_kernel_profiler *profiler, const struct fm_cupti_profiler *cupti)
{
    struct fm_cupti_image_size needed =
        FM_CUPTI_ARGUMENT(fm_cupti_image_size, image_size, .profiler = profiler->object,
                          .names = profiler->names, .count = profiler->count,
                          .most_ranges = FM_PROFILER_RANGES, .most_nodes = FM_PROFILER_RANGES);
    int result = CALL(image_size, &needed);
    if (result != FM_CUPTI_SUCCESS) {
        return result;
    }
    profiler->image_size = needed.image_size;
    profiler->image = calloc(1, needed.image_size + 1);
    return profiler->image != NULL ? FM_CUPTI_SUCCESS : FM_CUPTI_OUT_OF_MEMORY;
}

/* Empties the image, and makes it the place of the next values. */
static int set_config(struct fm_kernel_profiler *profiler, const struct fm_cupti_profiler *cupti)
{
    struct fm_cupti_image empty =
        FM_CUPTI_ARGUMENT(fm_cupti_image, image, .profiler = profiler->object,
                          .image_size = profiler->image_size, .image = profiler->image);
    struct fm_cupti_range_config argument = FM_CUPTI_ARGUMENT(
        fm_cupti_range_config, level, .profiler = profiler->object,
        .config_size = profiler->config_size, .config = profiler->config,
        .image_size = profiler->image_size, .image = profiler->image, .range = FM_CUPTI_AUTO_RANGE,
        .replay = FM_CUPTI_KERNEL_REPLAY, .most_ranges = FM_PROFILER_RANGES, .levels = 1,
        .least_level = 1, .pass = 0, .level = 1);
    int result = CALL(image, &empty);
    return result == FM_CUPTI_SUCCESS ? CALL(set_config, &argument) : result;
}

bool fm_kernel_profiler_open(struct fm_kernel_profiler *profiler,
                             const struct fm_cupti_profiler *cupti, void *context, uint32_t device,
                             struct fm_refusal *refusal)
{
    struct fm_cupti_initialize initialize = FM_CUPTI_ARGUMENT(fm_cupti_initialize, unused, );
    struct fm_cupti_chip chip = FM_CUPTI_ARGUMENT(fm_cupti_chip, name, .device = device);
    struct fm_cupti_range_enable enable =
        FM_CUPTI_ARGUMENT(fm_cupti_range_enable, profiler, .context = context);
    *profiler = (struct fm_kernel_profiler){.context = context};
    memcpy(profiler->names, metric_names, sizeof metric_names);
    int result = CALL(initialize, &initialize);
    if (result != FM_CUPTI_SUCCESS) {
        return fail(result, "does not initialize its profiler", refusal);
    }
    if (!is_supported(cupti, device, refusal)) {
        return false;
    }
    result = CALL(chip_name, &chip);
    if (result != FM_CUPTI_SUCCESS) {
        return fail(result, "does not name the chip", refusal);
    }
    uint8_t *available = availability(cupti, context, refusal);
    bool chosen =
        available != NULL && choose_metrics(profiler, cupti, chip.name, available, refusal);
    free(available);
    if (!chosen) {
        return false;
    }
    result = CALL(enable, &enable);
    profiler->object = result == FM_CUPTI_SUCCESS ? enable.profiler : NULL;
    if (result == FM_CUPTI_SUCCESS) {
        result = make_image(profiler, cupti);
    }
    if (result != FM_CUPTI_SUCCESS) {
        fm_kernel_profiler_close(profiler, cupti);
        return fail(result, "does not profile the context", refusal);
    }
    return true;
}

/* According to CUPTI's documentation each kernel is a range by itself in this mode, without the
 * calls that begin and end ranges; NVIDIA's example calls them in this mode, too, and users report
 * that nothing is measured without them. They have no effect where they are not needed, and their
 * results do not matter. */
bool fm_kernel_profiler_start(struct fm_kernel_profiler *profiler,
                              const struct fm_cupti_profiler *cupti, struct fm_refusal *refusal)
{
    struct fm_cupti_range start =
        FM_CUPTI_ARGUMENT(fm_cupti_range, profiler, .profiler = profiler->object);
    struct fm_cupti_range_push push = FM_CUPTI_ARGUMENT(
        fm_cupti_range_push, name, .profiler = profiler->object, .name = "fermata");
    int result = set_config(profiler, cupti);
    if (result == FM_CUPTI_SUCCESS) {
        result = CALL(start, &start);
    }
    if (result != FM_CUPTI_SUCCESS) {
        return fail(result, "does not start profiling", refusal);
    }
    CALL(push, &push);
    return true;
}

bool fm_kernel_profiler_stop(struct fm_kernel_profiler *profiler,
                             const struct fm_cupti_profiler *cupti, size_t *ranges, size_t *dropped,
                             struct fm_refusal *refusal)
{
    struct fm_cupti_range pop =
        FM_CUPTI_ARGUMENT(fm_cupti_range, profiler, .profiler = profiler->object);
    struct fm_cupti_range_stop stop =
        FM_CUPTI_ARGUMENT(fm_cupti_range_stop, all_submitted, .profiler = profiler->object);
    struct fm_cupti_range_decode decode =
        FM_CUPTI_ARGUMENT(fm_cupti_range_decode, dropped, .profiler = profiler->object);
    struct fm_cupti_image_info info = FM_CUPTI_ARGUMENT(
        fm_cupti_image_info, ranges, .image = profiler->image, .image_size = profiler->image_size);
    CALL(pop, &pop);
    int result = CALL(stop, &stop);
    if (result == FM_CUPTI_SUCCESS) {
        result = CALL(decode, &decode);
    }
    if (result == FM_CUPTI_SUCCESS) {
        result = CALL(image_info, &info);
    }
    if (result != FM_CUPTI_SUCCESS) {
        return fail(result, "does not decode what it has measured", refusal);
    }
    *ranges = info.ranges;
    *dropped = decode.dropped;
    return true;
}

void fm_kernel_profiler_values(const struct fm_kernel_profiler *profiler,
                               const struct fm_cupti_profiler *cupti, size_t range, double *values)
{
    double found[FM_KERNEL_ACTIVITY_COUNT];
    struct fm_cupti_evaluation argument =
        FM_CUPTI_ARGUMENT(fm_cupti_evaluation, values, .host = profiler->host,
                          .image = profiler->image, .image_size = profiler->image_size,
                          .range = range, .names = (const char **)(uintptr_t)profiler->names,
                          .count = profiler->count, .values = found);
    const bool is_known = CALL(evaluate, &argument) == FM_CUPTI_SUCCESS;
    for (size_t i = 0; i < FM_KERNEL_ACTIVITY_COUNT; i++) {
        values[i] = is_known && i < profiler->count && isfinite(found[i]) ? found[i] : NAN;
    }
}

void fm_kernel_profiler_close(struct fm_kernel_profiler *profiler,
                              const struct fm_cupti_profiler *cupti)
{
    if (profiler->object != NULL) {
        struct fm_cupti_range argument =
            FM_CUPTI_ARGUMENT(fm_cupti_range, profiler, .profiler = profiler->object);
        CALL(disable, &argument);
    }
    end_host(profiler, cupti);
    free(profiler->image);
    *profiler = (struct fm_kernel_profiler){.context = NULL};
}
