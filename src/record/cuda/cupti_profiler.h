/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * The part of CUPTI that measures kernels: its range profiler, which runs in the process, and its
 * host interface, which knows the metrics of a chip; both since CUDA 12.6 Update 2. As cupti.h,
 * these are declarations of its own, which tests/unit/record/cupti_headers.c compares with
 * NVIDIA's.
 *
 * Each function has one argument, a structure that begins with its size (FM_CUPTI_ARGUMENT) and an
 * unused pointer. Versions of CUPTI accept the sizes of earlier ones.
 */
#ifndef FERMATA_RECORD_CUDA_CUPTI_PROFILER_H
#define FERMATA_RECORD_CUDA_CUPTI_PROFILER_H

#include "record/cuda/cupti.h"

/** CUpti_ProfilerType, CUpti_ProfilerRange, CUpti_ProfilerReplayMode, CUpti_Profiler_API,
 * CUpti_Profiler_Support_Level. */
enum {
    FM_CUPTI_TYPE_RANGE_PROFILER = 0,
    FM_CUPTI_AUTO_RANGE = 1,
    FM_CUPTI_KERNEL_REPLAY = 2,
    FM_CUPTI_API_RANGE_PROFILING = 0,
    FM_CUPTI_SUPPORTED = 3
};

/** CUpti_Profiler_Initialize_Params. */
struct fm_cupti_initialize {
    size_t size;
    void *unused;
};

/** CUpti_Profiler_DeviceSupported_Params. The levels are FM_CUPTI_SUPPORTED or less. */
struct fm_cupti_support {
    size_t size;
    void *unused;
    int device;
    int supported; /**< out: all of the following */
    int architecture, sli, virtual_gpu, confidential, mining, wsl;
    int api;
};

/** CUpti_Device_GetChipName_Params. */
struct fm_cupti_chip {
    size_t size;
    void *unused;
    size_t device;
    const char *name; /**< out */
};

/** CUpti_Profiler_GetCounterAvailability_Params. */
struct fm_cupti_availability {
    size_t size;
    void *unused;
    void *context;
    size_t image_size; /**< in and out */
    uint8_t *image;    /**< NULL: its size is asked for */
};

/** CUpti_Profiler_Host_Initialize_Params. */
struct fm_cupti_host {
    size_t size;
    void *unused;
    int type;
    const char *chip;
    const uint8_t *availability;
    void *host; /**< out */
};

/** CUpti_Profiler_Host_Deinitialize_Params. */
struct fm_cupti_host_end {
    size_t size;
    void *unused, *host;
};

/** CUpti_Profiler_Host_ConfigAddMetrics_Params. */
struct fm_cupti_metrics {
    size_t size;
    void *unused, *host;
    const char **names;
    size_t count;
};

/** CUpti_Profiler_Host_GetConfigImageSize_Params. */
struct fm_cupti_config_size {
    size_t size;
    void *unused, *host;
    size_t config_size; /**< out */
};

/** CUpti_Profiler_Host_GetConfigImage_Params. */
struct fm_cupti_config {
    size_t size;
    void *unused, *host;
    size_t config_size;
    uint8_t *config;
};

/** CUpti_Profiler_Host_GetNumOfPasses_Params. */
struct fm_cupti_passes {
    size_t size;
    void *unused;
    size_t config_size;
    uint8_t *config;
    size_t passes; /**< out */
};

/** CUpti_Profiler_Host_EvaluateToGpuValues_Params. */
struct fm_cupti_evaluation {
    size_t size;
    void *unused, *host;
    const uint8_t *image;
    size_t image_size, range;
    const char **names;
    size_t count;
    double *values; /**< out */
};

/** CUpti_RangeProfiler_Enable_Params. */
struct fm_cupti_range_enable {
    size_t size;
    void *unused;
    void *context;
    void *profiler; /**< out */
};

/** CUpti_RangeProfiler_Disable_Params, ..._Start_Params, ..._PopRange_Params. */
struct fm_cupti_range {
    size_t size;
    void *unused, *profiler;
};

/** CUpti_RangeProfiler_PushRange_Params. */
struct fm_cupti_range_push {
    size_t size;
    void *unused, *profiler;
    const char *name;
};

/** CUpti_RangeProfiler_Stop_Params. */
struct fm_cupti_range_stop {
    size_t size;
    void *unused, *profiler;
    size_t pass, level;
    uint8_t all_submitted;
};

/** CUpti_RangeProfiler_SetConfig_Params. */
struct fm_cupti_range_config {
    size_t size;
    void *unused, *profiler;
    size_t config_size;
    const uint8_t *config;
    size_t image_size;
    uint8_t *image;
    int range, replay;
    size_t most_ranges;
    uint16_t levels, least_level;
    size_t pass;
    uint16_t level;
};

/** CUpti_RangeProfiler_DecodeData_Params. */
struct fm_cupti_range_decode {
    size_t size;
    void *unused, *profiler;
    size_t dropped; /**< out: ranges for which the image has no room */
};

/** CUpti_RangeProfiler_GetCounterDataSize_Params. */
struct fm_cupti_image_size {
    size_t size;
    void *unused, *profiler;
    const char **names;
    size_t count, most_ranges;
    uint32_t most_nodes;
    size_t image_size; /**< out */
};

/** CUpti_RangeProfiler_CounterDataImage_Initialize_Params. */
struct fm_cupti_image {
    size_t size;
    void *unused, *profiler;
    size_t image_size;
    uint8_t *image;
};

/** CUpti_RangeProfiler_GetCounterDataInfo_Params. */
struct fm_cupti_image_info {
    size_t size;
    void *unused;
    const uint8_t *image;
    size_t image_size;
    size_t ranges; /**< out */
};

/** X(member, name that libcupti.so exports, structure, its last member). */
#define FM_CUPTI_PROFILER_FUNCTIONS(X)                                                             \
    X(initialize, cuptiProfilerInitialize, fm_cupti_initialize, unused)                            \
    X(device_supported, cuptiProfilerDeviceSupported, fm_cupti_support, api)                       \
    X(chip_name, cuptiDeviceGetChipName, fm_cupti_chip, name)                                      \
    X(availability, cuptiProfilerGetCounterAvailability, fm_cupti_availability, image)             \
    X(host_initialize, cuptiProfilerHostInitialize, fm_cupti_host, host)                           \
    X(host_end, cuptiProfilerHostDeinitialize, fm_cupti_host_end, host)                            \
    X(add_metrics, cuptiProfilerHostConfigAddMetrics, fm_cupti_metrics, count)                     \
    X(config_size, cuptiProfilerHostGetConfigImageSize, fm_cupti_config_size, config_size)         \
    X(config, cuptiProfilerHostGetConfigImage, fm_cupti_config, config)                            \
    X(passes, cuptiProfilerHostGetNumOfPasses, fm_cupti_passes, passes)                            \
    X(evaluate, cuptiProfilerHostEvaluateToGpuValues, fm_cupti_evaluation, values)                 \
    X(enable, cuptiRangeProfilerEnable, fm_cupti_range_enable, profiler)                           \
    X(disable, cuptiRangeProfilerDisable, fm_cupti_range, profiler)                                \
    X(set_config, cuptiRangeProfilerSetConfig, fm_cupti_range_config, level)                       \
    X(start, cuptiRangeProfilerStart, fm_cupti_range, profiler)                                    \
    X(stop, cuptiRangeProfilerStop, fm_cupti_range_stop, all_submitted)                            \
    X(push, cuptiRangeProfilerPushRange, fm_cupti_range_push, name)                                \
    X(pop, cuptiRangeProfilerPopRange, fm_cupti_range, profiler)                                   \
    X(decode, cuptiRangeProfilerDecodeData, fm_cupti_range_decode, dropped)                        \
    X(image_size, cuptiRangeProfilerGetCounterDataSize, fm_cupti_image_size, image_size)           \
    X(image, cuptiRangeProfilerCounterDataImageInitialize, fm_cupti_image, image)                  \
    X(image_info, cuptiRangeProfilerGetCounterDataInfo, fm_cupti_image_info, ranges)

/** The size that a structure states: up to the end of its last member. */
#define FM_CUPTI_SIZE(structure, last)                                                             \
    (offsetof(struct structure, last) + sizeof(((struct structure *)0)->last))

/** The begin of an argument: FM_CUPTI_ARGUMENT(structure, last member, .member = ...). */
#define FM_CUPTI_ARGUMENT(structure, last, ...)                                                    \
    {                                                                                              \
        .size = FM_CUPTI_SIZE(structure, last), __VA_ARGS__                                        \
    }

/** The functions of a loaded CUPTI; each returns a CUptiResult. */
struct fm_cupti_profiler {
#define FM_CUPTI_MEMBER(member, name, structure, last) int (*member)(struct structure * argument);
    FM_CUPTI_PROFILER_FUNCTIONS(FM_CUPTI_MEMBER)
#undef FM_CUPTI_MEMBER
};

/** Finds the functions in a loaded CUPTI.
 * @param reason  out: why kernels cannot be measured, in `size` bytes, without a full stop
 * @return whether all are there */
bool fm_cupti_profiler_load(const struct fm_cupti *cupti, struct fm_cupti_profiler *profiler,
                            char *reason, size_t size);

#endif
