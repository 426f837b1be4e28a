/* SPDX-License-Identifier: BSD-3-Clause */
/* The recorder's declarations of CUPTI (record/cuda/cupti.h) against NVIDIA's headers: all checks
 * are made by the compiler. Built where the headers are installed only. */
#include "record/cuda/cupti_profiler.h"

#include <cupti.h>

#define VALUE(own, theirs) _Static_assert((int)(own) == (int)(theirs), #own)
VALUE(FM_CUPTI_SUCCESS, CUPTI_SUCCESS);
VALUE(FM_CUPTI_OUT_OF_MEMORY, CUPTI_ERROR_OUT_OF_MEMORY);
VALUE(FM_CUPTI_MAX_LIMIT_REACHED, CUPTI_ERROR_MAX_LIMIT_REACHED);
VALUE(FM_CUPTI_NOT_INITIALIZED, CUPTI_ERROR_NOT_INITIALIZED);
VALUE(FM_CUPTI_HARDWARE_BUSY, CUPTI_ERROR_HARDWARE_BUSY);
VALUE(FM_CUPTI_INSUFFICIENT_PRIVILEGES, CUPTI_ERROR_INSUFFICIENT_PRIVILEGES);
VALUE(FM_CUPTI_MULTIPLE_SUBSCRIBERS, CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED);
VALUE(FM_CUPTI_MEMCPY, CUPTI_ACTIVITY_KIND_MEMCPY);
VALUE(FM_CUPTI_MEMSET, CUPTI_ACTIVITY_KIND_MEMSET);
VALUE(FM_CUPTI_KERNEL, CUPTI_ACTIVITY_KIND_KERNEL);
VALUE(FM_CUPTI_CONCURRENT_KERNEL, CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL);
VALUE(FM_CUPTI_MEMCPY2, CUPTI_ACTIVITY_KIND_MEMCPY2);
VALUE(FM_CUPTI_COPY_TO_DEVICE, CUPTI_ACTIVITY_MEMCPY_KIND_HTOD);
VALUE(FM_CUPTI_COPY_TO_HOST, CUPTI_ACTIVITY_MEMCPY_KIND_DTOH);
VALUE(FM_CUPTI_COPY_TO_ARRAY, CUPTI_ACTIVITY_MEMCPY_KIND_HTOA);
VALUE(FM_CUPTI_COPY_FROM_ARRAY, CUPTI_ACTIVITY_MEMCPY_KIND_ATOH);
VALUE(FM_CUPTI_COPY_ON_HOST, CUPTI_ACTIVITY_MEMCPY_KIND_HTOH);
VALUE(FM_CUPTI_COPY_BETWEEN_DEVICES, CUPTI_ACTIVITY_MEMCPY_KIND_PTOP);
VALUE(FM_CUPTI_DRIVER_API, CUPTI_CB_DOMAIN_DRIVER_API);
VALUE(FM_CUPTI_RUNTIME_API, CUPTI_CB_DOMAIN_RUNTIME_API);
VALUE(FM_CUPTI_RESOURCES, CUPTI_CB_DOMAIN_RESOURCE);
VALUE(FM_CUPTI_CONTEXT_ENDS, CUPTI_CBID_RESOURCE_CONTEXT_DESTROY_STARTING);
VALUE(FM_CUPTI_API_ENTER, CUPTI_API_ENTER);
VALUE(FM_CUPTI_API_EXIT, CUPTI_API_EXIT);
VALUE(FM_CUPTI_FLUSH_FORCED, CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);

/* A member has the same place and size. */
#define MEMBER(own, member, theirs, name)                                                          \
    _Static_assert(offsetof(struct own, member) == offsetof(theirs, name), #theirs "." #name);     \
    _Static_assert(sizeof(((struct own *)0)->member) == sizeof(((theirs *)0)->name),               \
                   #theirs "." #name)

#define KERNEL(theirs)                                                                             \
    MEMBER(fm_cupti_kernel, kind, theirs, kind);                                                   \
    MEMBER(fm_cupti_kernel, registers, theirs, registersPerThread);                                \
    MEMBER(fm_cupti_kernel, start, theirs, start);                                                 \
    MEMBER(fm_cupti_kernel, end, theirs, end);                                                     \
    MEMBER(fm_cupti_kernel, completed, theirs, completed);                                         \
    MEMBER(fm_cupti_kernel, device, theirs, deviceId);                                             \
    MEMBER(fm_cupti_kernel, context, theirs, contextId);                                           \
    MEMBER(fm_cupti_kernel, stream, theirs, streamId);                                             \
    MEMBER(fm_cupti_kernel, grid[0], theirs, gridX);                                               \
    MEMBER(fm_cupti_kernel, grid[2], theirs, gridZ);                                               \
    MEMBER(fm_cupti_kernel, block[0], theirs, blockX);                                             \
    MEMBER(fm_cupti_kernel, block[2], theirs, blockZ);                                             \
    MEMBER(fm_cupti_kernel, correlation, theirs, correlationId);                                   \
    MEMBER(fm_cupti_kernel, grid_id, theirs, gridId);                                              \
    MEMBER(fm_cupti_kernel, name, theirs, name)

#define COPY(own, theirs)                                                                          \
    MEMBER(own, kind, theirs, kind);                                                               \
    MEMBER(own, copy_kind, theirs, copyKind);                                                      \
    MEMBER(own, bytes, theirs, bytes);                                                             \
    MEMBER(own, start, theirs, start);                                                             \
    MEMBER(own, end, theirs, end);                                                                 \
    MEMBER(own, device, theirs, deviceId);                                                         \
    MEMBER(own, context, theirs, contextId);                                                       \
    MEMBER(own, stream, theirs, streamId);                                                         \
    MEMBER(own, correlation, theirs, correlationId)

#define SET(theirs)                                                                                \
    MEMBER(fm_cupti_set, kind, theirs, kind);                                                      \
    MEMBER(fm_cupti_set, value, theirs, value);                                                    \
    MEMBER(fm_cupti_set, bytes, theirs, bytes);                                                    \
    MEMBER(fm_cupti_set, start, theirs, start);                                                    \
    MEMBER(fm_cupti_set, end, theirs, end);                                                        \
    MEMBER(fm_cupti_set, device, theirs, deviceId);                                                \
    MEMBER(fm_cupti_set, context, theirs, contextId);                                              \
    MEMBER(fm_cupti_set, stream, theirs, streamId);                                                \
    MEMBER(fm_cupti_set, correlation, theirs, correlationId)

/* The versions of the records that this header knows, from CUDA 9 on. */
KERNEL(CUpti_ActivityKernel4);
KERNEL(CUpti_ActivityKernel5);
KERNEL(CUpti_ActivityKernel6);
KERNEL(CUpti_ActivityKernel7);
KERNEL(CUpti_ActivityKernel8);
COPY(fm_cupti_copy, CUpti_ActivityMemcpy);
COPY(fm_cupti_copy, CUpti_ActivityMemcpy3);
COPY(fm_cupti_copy, CUpti_ActivityMemcpy4);
COPY(fm_cupti_copy, CUpti_ActivityMemcpy5);
COPY(fm_cupti_peer_copy, CUpti_ActivityMemcpyPtoP);
COPY(fm_cupti_peer_copy, CUpti_ActivityMemcpyPtoP2);
COPY(fm_cupti_peer_copy, CUpti_ActivityMemcpyPtoP3);
SET(CUpti_ActivityMemset);
SET(CUpti_ActivityMemset2);
SET(CUpti_ActivityMemset3);
#if CUPTI_API_VERSION >= 18
KERNEL(CUpti_ActivityKernel9);
COPY(fm_cupti_peer_copy, CUpti_ActivityMemcpyPtoP4);
SET(CUpti_ActivityMemset4);
#endif
#if CUPTI_API_VERSION >= 130000
KERNEL(CUpti_ActivityKernel10);
COPY(fm_cupti_copy, CUpti_ActivityMemcpy6);
#endif

MEMBER(fm_cupti_call, site, CUpti_CallbackData, callbackSite);
MEMBER(fm_cupti_call, function, CUpti_CallbackData, functionName);
MEMBER(fm_cupti_call, arguments, CUpti_CallbackData, functionParams);
MEMBER(fm_cupti_call, result, CUpti_CallbackData, functionReturnValue);
MEMBER(fm_cupti_call, symbol, CUpti_CallbackData, symbolName);
MEMBER(fm_cupti_call, context, CUpti_CallbackData, context);
MEMBER(fm_cupti_call, context_id, CUpti_CallbackData, contextUid);
MEMBER(fm_cupti_call, own, CUpti_CallbackData, correlationData);
MEMBER(fm_cupti_call, correlation, CUpti_CallbackData, correlationId);

MEMBER(fm_cupti_resource, context, CUpti_ResourceData, context);
MEMBER(fm_cupti_resource, handle, CUpti_ResourceData, resourceHandle);
MEMBER(fm_cupti_resource, descriptor, CUpti_ResourceData, resourceDescriptor);

/* Arguments that the collector reads by their place. */
#define ARGUMENT(structure, name, place)                                                           \
    _Static_assert(offsetof(structure, name) == (place) * sizeof(void *), #structure "." #name)
ARGUMENT(cudaStreamSynchronize_v3020_params, stream, 0);
ARGUMENT(cudaEventSynchronize_v3020_params, event, 0);
ARGUMENT(cudaEventRecord_v3020_params, event, 0);
ARGUMENT(cudaEventRecord_v3020_params, stream, 1);
ARGUMENT(cudaEventRecordWithFlags_v11010_params, stream, 1);
ARGUMENT(cudaStreamWaitEvent_v3020_params, stream, 0);
ARGUMENT(cudaStreamWaitEvent_v3020_params, event, 1);
ARGUMENT(cudaStreamBeginCapture_v10000_params, stream, 0);
ARGUMENT(cudaStreamEndCapture_v10000_params, stream, 0);
ARGUMENT(cuStreamSynchronize_params, hStream, 0);
ARGUMENT(cuEventSynchronize_params, hEvent, 0);
ARGUMENT(cuEventRecord_params, hEvent, 0);
ARGUMENT(cuEventRecord_params, hStream, 1);
ARGUMENT(cuStreamWaitEvent_params, hStream, 0);
ARGUMENT(cuStreamWaitEvent_params, hEvent, 1);
ARGUMENT(cuStreamBeginCapture_v2_params, hStream, 0);
ARGUMENT(cuStreamEndCapture_params, hStream, 0);

/* The functions have the declared types, but for names of types. */
int fm_cupti_functions_exist(void);
int fm_cupti_functions_exist(void)
{
    CUpti_CallbackFunc callback = NULL;
    CUpti_BuffersCallbackRequestFunc request = NULL;
    CUpti_BuffersCallbackCompleteFunc complete = NULL;
    CUpti_SubscriberHandle subscriber = NULL;
    CUpti_Activity *record = NULL;
    CUcontext context = NULL;
    CUstream stream = NULL;
    uint8_t *buffer = NULL;
    const char *text;
    uint64_t time;
    uint32_t number;
    size_t size;
    return (int)cuptiGetVersion(&number) + (int)cuptiGetResultString(CUPTI_SUCCESS, &text) +
           (int)cuptiSubscribe(&subscriber, callback, NULL) + (int)cuptiUnsubscribe(subscriber) +
           (int)cuptiEnableCallback(1u, subscriber, CUPTI_CB_DOMAIN_DRIVER_API, 1u) +
           (int)cuptiGetCallbackName(CUPTI_CB_DOMAIN_DRIVER_API, 1u, &text) +
           (int)cuptiActivityRegisterCallbacks(request, complete) +
           (int)cuptiActivityEnable(CUPTI_ACTIVITY_KIND_MEMCPY) +
           (int)cuptiActivityGetNextRecord(buffer, size = 0, &record) +
           (int)cuptiActivityGetNumDroppedRecords(context, 0u, &size) +
           (int)cuptiActivityFlushAll(1u) + (int)cuptiGetTimestamp(&time) +
           (int)cuptiGetStreamIdEx(context, stream, 0, &number) +
           (int)cuptiGetDeviceId(context, &number) + (int)cuptiActivityFlushPeriod(1u);
}
