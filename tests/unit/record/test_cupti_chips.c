/* SPDX-License-Identifier: BSD-3-Clause */
/* The metrics of kernels, asked of NVIDIA's own library where it is installed (no accelerator is
 * needed): on every chip that it knows, one execution of a kernel suffices for those of
 * formula 4.3, and for all of them unless memory has no such metric or the chip is older. Exit
 * status 77: there is no library with this interface. */
#include "base/kernel_activity.h"
#include "record/cuda/cupti_profiler.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

/* CUpti_Profiler_Host_GetSupportedChips_Params. */
struct chips {
    size_t size;
    void *unused;
    size_t count;
    const char *const *names;
};

static const char *metrics[] = {
#define FM_KERNEL_ACTIVITY(symbol, name, unit, whole) name,
    FM_KERNEL_ACTIVITIES(FM_KERNEL_ACTIVITY)
#undef FM_KERNEL_ACTIVITY
};

/* @return executions that the first `count` metrics need; 0: they cannot be measured; -1: the chip
 * is not supported */
static long passes(const struct fm_cupti_profiler *cupti, const char *chip, size_t count)
{
    struct fm_cupti_host host =
        FM_CUPTI_ARGUMENT(fm_cupti_host, host, .type = FM_CUPTI_TYPE_RANGE_PROFILER, .chip = chip);
    if (cupti->host_initialize(&host) != FM_CUPTI_SUCCESS) {
        return -1;
    }
    struct fm_cupti_metrics wanted = FM_CUPTI_ARGUMENT(fm_cupti_metrics, count, .host = host.host,
                                                       .names = metrics, .count = count);
    struct fm_cupti_config_size size =
        FM_CUPTI_ARGUMENT(fm_cupti_config_size, config_size, .host = host.host);
    struct fm_cupti_passes result = FM_CUPTI_ARGUMENT(fm_cupti_passes, passes, .passes = 0);
    if (cupti->add_metrics(&wanted) == FM_CUPTI_SUCCESS &&
        cupti->config_size(&size) == FM_CUPTI_SUCCESS) {
        uint8_t *image = calloc(1, size.config_size);
        struct fm_cupti_config config =
            FM_CUPTI_ARGUMENT(fm_cupti_config, config, .host = host.host,
                              .config_size = size.config_size, .config = image);
        result.config_size = size.config_size;
        result.config = image;
        if (image == NULL || cupti->config(&config) != FM_CUPTI_SUCCESS ||
            cupti->passes(&result) != FM_CUPTI_SUCCESS) {
            result.passes = 0;
        }
        free(image);
    }
    struct fm_cupti_host_end end = FM_CUPTI_ARGUMENT(fm_cupti_host_end, host, .host = host.host);
    cupti->host_end(&end);
    return (long)result.passes;
}

int main(void)
{
    struct fm_cupti cupti;
    struct fm_cupti_profiler profiler;
    char reason[512];
    if (!fm_cupti_load(&cupti, reason, sizeof reason) ||
        !fm_cupti_profiler_load(&cupti, &profiler, reason, sizeof reason)) {
        printf("left out: %s\n", reason);
        return 77;
    }
    int (*supported)(struct chips *) = NULL;
    void *handle = dlopen(cupti.path, RTLD_NOW);
    *(void **)&supported =
        handle != NULL ? dlsym(handle, "cuptiProfilerHostGetSupportedChips") : NULL;
    struct chips chips = {.size = sizeof chips};
    int result = supported != NULL ? supported(&chips) : -1;
    if (result != FM_CUPTI_SUCCESS) { /* libnvperf_host.so is not there */
        printf("left out: the chips are not known (%d)\n", result);
        return 77;
    }
    size_t measured = 0, whole = 0, wrong = 0;
    for (size_t i = 0; i < chips.count; i++) {
        const long two = passes(&profiler, chips.names[i], FM_KERNEL_WARP + 1);
        const long all = passes(&profiler, chips.names[i], FM_KERNEL_ACTIVITY_COUNT);
        printf("%s: %ld, with the memory %ld\n", chips.names[i], two, all);
        measured += two == 1;
        whole += all == 1;
        wrong += two != 1 && two != -1;
    }
    return wrong == 0 && measured > 0 && whole > 0 ? 0 : 1;
}
