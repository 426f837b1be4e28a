/* SPDX-License-Identifier: BSD-3-Clause */
/* The recorder's declarations of CUPTI's profiler (record/cuda/cupti_profiler.h) against NVIDIA's
 * headers, one of which is C++: all checks are made by the compiler. Built where the headers are
 * installed and state the structures of CUDA 13.0 or later ones only. */
#include "record/cuda/cupti_profiler.h"

#include <cupti.h>
#include <cupti_profiler_host.h>
#include <cupti_profiler_target.h>
#include <cupti_range_profiler.h>
#include <cupti_target.h>

#define VALUE(own, theirs) static_assert((int)(own) == (int)(theirs), #own)
VALUE(FM_CUPTI_TYPE_RANGE_PROFILER, CUPTI_PROFILER_TYPE_RANGE_PROFILER);
VALUE(FM_CUPTI_AUTO_RANGE, CUPTI_AutoRange);
VALUE(FM_CUPTI_KERNEL_REPLAY, CUPTI_KernelReplay);
VALUE(FM_CUPTI_API_RANGE_PROFILING, CUPTI_PROFILER_RANGE_PROFILING);
VALUE(FM_CUPTI_SUPPORTED, CUPTI_PROFILER_CONFIGURATION_SUPPORTED);
static_assert(CUPTI_PROFILER_CONFIGURATION_UNSUPPORTED < CUPTI_PROFILER_CONFIGURATION_SUPPORTED &&
                  CUPTI_PROFILER_CONFIGURATION_DISABLED < CUPTI_PROFILER_CONFIGURATION_SUPPORTED,
              "levels below");

/* A member has the same place and size. */
#define MEMBER(own, member, theirs, name)                                                          \
    static_assert(offsetof(own, member) == offsetof(theirs, name), #theirs "." #name);             \
    static_assert(sizeof(((own *)0)->member) == sizeof(((theirs *)0)->name), #theirs "." #name)

/* Every structure begins with its size; ours is that of its last member. Later versions may add
 * members. */
#define STRUCTURE(own, last, theirs, their_last)                                                   \
    MEMBER(own, size, theirs, structSize);                                                         \
    MEMBER(own, unused, theirs, pPriv);                                                            \
    MEMBER(own, last, theirs, their_last);                                                         \
    static_assert(FM_CUPTI_SIZE(own, last) <= theirs##_STRUCT_SIZE, #theirs)

STRUCTURE(fm_cupti_initialize, unused, CUpti_Profiler_Initialize_Params, pPriv);

STRUCTURE(fm_cupti_support, api, CUpti_Profiler_DeviceSupported_Params, api);
MEMBER(fm_cupti_support, device, CUpti_Profiler_DeviceSupported_Params, cuDevice);
MEMBER(fm_cupti_support, supported, CUpti_Profiler_DeviceSupported_Params, isSupported);
MEMBER(fm_cupti_support, architecture, CUpti_Profiler_DeviceSupported_Params, architecture);
MEMBER(fm_cupti_support, sli, CUpti_Profiler_DeviceSupported_Params, sli);
MEMBER(fm_cupti_support, virtual_gpu, CUpti_Profiler_DeviceSupported_Params, vGpu);
MEMBER(fm_cupti_support, confidential, CUpti_Profiler_DeviceSupported_Params, confidentialCompute);
MEMBER(fm_cupti_support, mining, CUpti_Profiler_DeviceSupported_Params, cmp);
MEMBER(fm_cupti_support, wsl, CUpti_Profiler_DeviceSupported_Params, wsl);

STRUCTURE(fm_cupti_chip, name, CUpti_Device_GetChipName_Params, pChipName);
MEMBER(fm_cupti_chip, device, CUpti_Device_GetChipName_Params, deviceIndex);

STRUCTURE(fm_cupti_availability, image, CUpti_Profiler_GetCounterAvailability_Params,
          pCounterAvailabilityImage);
MEMBER(fm_cupti_availability, context, CUpti_Profiler_GetCounterAvailability_Params, ctx);
MEMBER(fm_cupti_availability, image_size, CUpti_Profiler_GetCounterAvailability_Params,
       counterAvailabilityImageSize);

STRUCTURE(fm_cupti_host, host, CUpti_Profiler_Host_Initialize_Params, pHostObject);
MEMBER(fm_cupti_host, type, CUpti_Profiler_Host_Initialize_Params, profilerType);
MEMBER(fm_cupti_host, chip, CUpti_Profiler_Host_Initialize_Params, pChipName);
MEMBER(fm_cupti_host, availability, CUpti_Profiler_Host_Initialize_Params,
       pCounterAvailabilityImage);

STRUCTURE(fm_cupti_host_end, host, CUpti_Profiler_Host_Deinitialize_Params, pHostObject);

STRUCTURE(fm_cupti_metrics, count, CUpti_Profiler_Host_ConfigAddMetrics_Params, numMetrics);
MEMBER(fm_cupti_metrics, host, CUpti_Profiler_Host_ConfigAddMetrics_Params, pHostObject);
MEMBER(fm_cupti_metrics, names, CUpti_Profiler_Host_ConfigAddMetrics_Params, ppMetricNames);

STRUCTURE(fm_cupti_config_size, config_size, CUpti_Profiler_Host_GetConfigImageSize_Params,
          configImageSize);
MEMBER(fm_cupti_config_size, host, CUpti_Profiler_Host_GetConfigImageSize_Params, pHostObject);

STRUCTURE(fm_cupti_config, config, CUpti_Profiler_Host_GetConfigImage_Params, pConfigImage);
MEMBER(fm_cupti_config, host, CUpti_Profiler_Host_GetConfigImage_Params, pHostObject);
MEMBER(fm_cupti_config, config_size, CUpti_Profiler_Host_GetConfigImage_Params, configImageSize);

STRUCTURE(fm_cupti_passes, passes, CUpti_Profiler_Host_GetNumOfPasses_Params, numOfPasses);
MEMBER(fm_cupti_passes, config_size, CUpti_Profiler_Host_GetNumOfPasses_Params, configImageSize);
MEMBER(fm_cupti_passes, config, CUpti_Profiler_Host_GetNumOfPasses_Params, pConfigImage);

STRUCTURE(fm_cupti_evaluation, values, CUpti_Profiler_Host_EvaluateToGpuValues_Params,
          pMetricValues);
MEMBER(fm_cupti_evaluation, host, CUpti_Profiler_Host_EvaluateToGpuValues_Params, pHostObject);
MEMBER(fm_cupti_evaluation, image, CUpti_Profiler_Host_EvaluateToGpuValues_Params,
       pCounterDataImage);
MEMBER(fm_cupti_evaluation, image_size, CUpti_Profiler_Host_EvaluateToGpuValues_Params,
       counterDataImageSize);
MEMBER(fm_cupti_evaluation, range, CUpti_Profiler_Host_EvaluateToGpuValues_Params, rangeIndex);
MEMBER(fm_cupti_evaluation, names, CUpti_Profiler_Host_EvaluateToGpuValues_Params, ppMetricNames);
MEMBER(fm_cupti_evaluation, count, CUpti_Profiler_Host_EvaluateToGpuValues_Params, numMetrics);

STRUCTURE(fm_cupti_range_enable, profiler, CUpti_RangeProfiler_Enable_Params,
          pRangeProfilerObject);
MEMBER(fm_cupti_range_enable, context, CUpti_RangeProfiler_Enable_Params, ctx);

STRUCTURE(fm_cupti_range, profiler, CUpti_RangeProfiler_Disable_Params, pRangeProfilerObject);
STRUCTURE(fm_cupti_range, profiler, CUpti_RangeProfiler_Start_Params, pRangeProfilerObject);
STRUCTURE(fm_cupti_range, profiler, CUpti_RangeProfiler_PopRange_Params, pRangeProfilerObject);

STRUCTURE(fm_cupti_range_push, name, CUpti_RangeProfiler_PushRange_Params, pRangeName);
MEMBER(fm_cupti_range_push, profiler, CUpti_RangeProfiler_PushRange_Params, pRangeProfilerObject);

STRUCTURE(fm_cupti_range_stop, all_submitted, CUpti_RangeProfiler_Stop_Params, isAllPassSubmitted);
MEMBER(fm_cupti_range_stop, profiler, CUpti_RangeProfiler_Stop_Params, pRangeProfilerObject);
MEMBER(fm_cupti_range_stop, pass, CUpti_RangeProfiler_Stop_Params, passIndex);
MEMBER(fm_cupti_range_stop, level, CUpti_RangeProfiler_Stop_Params, targetNestingLevel);

STRUCTURE(fm_cupti_range_config, level, CUpti_RangeProfiler_SetConfig_Params, targetNestingLevel);
MEMBER(fm_cupti_range_config, profiler, CUpti_RangeProfiler_SetConfig_Params,
       pRangeProfilerObject);
MEMBER(fm_cupti_range_config, config_size, CUpti_RangeProfiler_SetConfig_Params, configSize);
MEMBER(fm_cupti_range_config, config, CUpti_RangeProfiler_SetConfig_Params, pConfig);
MEMBER(fm_cupti_range_config, image_size, CUpti_RangeProfiler_SetConfig_Params,
       counterDataImageSize);
MEMBER(fm_cupti_range_config, image, CUpti_RangeProfiler_SetConfig_Params, pCounterDataImage);
MEMBER(fm_cupti_range_config, range, CUpti_RangeProfiler_SetConfig_Params, range);
MEMBER(fm_cupti_range_config, replay, CUpti_RangeProfiler_SetConfig_Params, replayMode);
MEMBER(fm_cupti_range_config, most_ranges, CUpti_RangeProfiler_SetConfig_Params, maxRangesPerPass);
MEMBER(fm_cupti_range_config, levels, CUpti_RangeProfiler_SetConfig_Params, numNestingLevels);
MEMBER(fm_cupti_range_config, least_level, CUpti_RangeProfiler_SetConfig_Params, minNestingLevel);
MEMBER(fm_cupti_range_config, pass, CUpti_RangeProfiler_SetConfig_Params, passIndex);

STRUCTURE(fm_cupti_range_decode, dropped, CUpti_RangeProfiler_DecodeData_Params,
          numOfRangeDropped);
MEMBER(fm_cupti_range_decode, profiler, CUpti_RangeProfiler_DecodeData_Params,
       pRangeProfilerObject);

STRUCTURE(fm_cupti_image_size, image_size, CUpti_RangeProfiler_GetCounterDataSize_Params,
          counterDataSize);
MEMBER(fm_cupti_image_size, profiler, CUpti_RangeProfiler_GetCounterDataSize_Params,
       pRangeProfilerObject);
MEMBER(fm_cupti_image_size, names, CUpti_RangeProfiler_GetCounterDataSize_Params, pMetricNames);
MEMBER(fm_cupti_image_size, count, CUpti_RangeProfiler_GetCounterDataSize_Params, numMetrics);
MEMBER(fm_cupti_image_size, most_ranges, CUpti_RangeProfiler_GetCounterDataSize_Params,
       maxNumOfRanges);
MEMBER(fm_cupti_image_size, most_nodes, CUpti_RangeProfiler_GetCounterDataSize_Params,
       maxNumRangeTreeNodes);

STRUCTURE(fm_cupti_image, image, CUpti_RangeProfiler_CounterDataImage_Initialize_Params,
          pCounterData);
MEMBER(fm_cupti_image, profiler, CUpti_RangeProfiler_CounterDataImage_Initialize_Params,
       pRangeProfilerObject);
MEMBER(fm_cupti_image, image_size, CUpti_RangeProfiler_CounterDataImage_Initialize_Params,
       counterDataSize);

STRUCTURE(fm_cupti_image_info, ranges, CUpti_RangeProfiler_GetCounterDataInfo_Params,
          numTotalRanges);
MEMBER(fm_cupti_image_info, image, CUpti_RangeProfiler_GetCounterDataInfo_Params,
       pCounterDataImage);
MEMBER(fm_cupti_image_info, image_size, CUpti_RangeProfiler_GetCounterDataInfo_Params,
       counterDataImageSize);

/* The functions exist, and have one argument, which is a structure of theirs. */
template <typename Argument> constexpr bool takes_one(CUptiResult (*)(Argument *))
{
    return sizeof(Argument) >= 2 * sizeof(void *);
}
#define FUNCTION(member, name, structure, last) static_assert(takes_one(name), #name);
FM_CUPTI_PROFILER_FUNCTIONS(FUNCTION)
