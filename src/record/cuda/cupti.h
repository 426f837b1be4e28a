/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * The part of CUPTI, the profiling interface of CUDA, that the recorder uses. These are
 * declarations of its own: CUDA is not needed to build it. Types and values are those of NVIDIA's
 * cupti.h; the test tests/unit/record/cupti_headers.c compares them where it is installed.
 *
 * Activity records have grown with the versions of CUPTI, by new members behind the old ones. The
 * structures below are the common beginnings of all versions from FM_CUPTI_OLDEST on.
 */
#ifndef FERMATA_RECORD_CUDA_CUPTI_H
#define FERMATA_RECORD_CUDA_CUPTI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Oldest version of CUPTI's interface whose records have the layout below: that of CUDA 10.0. */
enum { FM_CUPTI_OLDEST = 12 };

/** CUptiResult. */
enum {
    FM_CUPTI_SUCCESS = 0,
    FM_CUPTI_OUT_OF_MEMORY = 8,
    FM_CUPTI_MAX_LIMIT_REACHED = 12, /**< there is no further record in a buffer */
    FM_CUPTI_NOT_INITIALIZED = 15,
    FM_CUPTI_HARDWARE_BUSY = 26,
    FM_CUPTI_INSUFFICIENT_PRIVILEGES = 35,
    FM_CUPTI_MULTIPLE_SUBSCRIBERS = 39
};

/** CUpti_ActivityKind. */
enum {
    FM_CUPTI_MEMCPY = 1,
    FM_CUPTI_MEMSET = 2,
    FM_CUPTI_KERNEL = 3,
    FM_CUPTI_CONCURRENT_KERNEL = 10,
    FM_CUPTI_MEMCPY2 = 22 /**< between devices */
};

/** CUpti_ActivityMemcpyKind. */
enum {
    FM_CUPTI_COPY_TO_DEVICE = 1,
    FM_CUPTI_COPY_TO_HOST = 2,
    FM_CUPTI_COPY_TO_ARRAY = 3,
    FM_CUPTI_COPY_FROM_ARRAY = 4,
    FM_CUPTI_COPY_ON_HOST = 9,
    FM_CUPTI_COPY_BETWEEN_DEVICES = 10
};

/** CUpti_CallbackDomain: those of functions, and of contexts. */
enum {
    FM_CUPTI_DRIVER_API = 1,
    FM_CUPTI_RUNTIME_API = 2,
    FM_CUPTI_DOMAINS = 3, /**< of functions */
    FM_CUPTI_RESOURCES = 3
};

/** CUpti_CallbackIdResource: a context is about to be destroyed. */
enum { FM_CUPTI_CONTEXT_ENDS = 2 };

/** CUpti_ApiCallbackSite. */
enum { FM_CUPTI_API_ENTER = 0, FM_CUPTI_API_EXIT = 1 };

/** CUPTI_ACTIVITY_FLAG_FLUSH_FORCED: buffers with unfinished records, too. */
enum { FM_CUPTI_FLUSH_FORCED = 1 };

/** CUpti_Activity: the begin of every record. */
struct fm_cupti_record {
    uint32_t kind;
};

/** CUpti_ActivityKernel4 and later. Times are nanoseconds of CUPTI's clock; 0: not known. */
struct fm_cupti_kernel {
    uint32_t kind;
    uint8_t cache_config, shared_memory_config;
    uint16_t registers;
    uint32_t partitioned_cache[2];
    uint64_t start, end, completed;
    uint32_t device, context, stream;
    int32_t grid[3], block[3];
    int32_t static_shared_memory, dynamic_shared_memory;
    uint32_t local_memory_per_thread, local_memory;
    uint32_t correlation;
    int64_t grid_id;
    const char *name; /**< linkage name; valid as long as the process */
};

/** CUpti_ActivityMemcpy and later. */
struct fm_cupti_copy {
    uint32_t kind;
    uint8_t copy_kind, from_kind, to_kind, flags;
    uint64_t bytes, start, end;
    uint32_t device, context, stream, correlation;
};

/** CUpti_ActivityMemcpy2 (CUpti_ActivityMemcpyPtoP) and later. */
struct fm_cupti_peer_copy {
    uint32_t kind;
    uint8_t copy_kind, from_kind, to_kind, flags;
    uint64_t bytes, start, end;
    uint32_t device, context, stream;
    uint32_t from_device, from_context, to_device, to_context, correlation;
};

/** CUpti_ActivityMemset and later. */
struct fm_cupti_set {
    uint32_t kind, value;
    uint64_t bytes, start, end;
    uint32_t device, context, stream, correlation;
};

/** CUpti_CallbackData. */
struct fm_cupti_call {
    int site;
    const char *function;
    const void *arguments; /**< structure of the function's arguments, in order */
    void *result;
    const char *symbol;
    void *context; /**< CUcontext */
    uint32_t context_id;
    uint64_t *own; /**< of the subscriber, the same at Enter and Leave of a call */
    uint32_t correlation;
};

/** CUpti_ResourceData. */
struct fm_cupti_resource {
    void *context; /**< CUcontext */
    void *handle;
    void *descriptor;
};

typedef void fm_cupti_callback_t(void *user, int domain, uint32_t id, const void *data);
typedef void fm_cupti_request_t(uint8_t **buffer, size_t *size, size_t *most_records);
typedef void fm_cupti_complete_t(void *context, uint32_t stream, uint8_t *buffer, size_t size,
                                 size_t valid);

/** The functions, by the names that libcupti.so exports: X(member, name, arguments). All return a
 * CUptiResult. */
#define FM_CUPTI_FUNCTIONS(X)                                                                      \
    X(get_version, cuptiGetVersion, (uint32_t * version))                                          \
    X(get_result_string, cuptiGetResultString, (int result, const char **text))                    \
    X(subscribe, cuptiSubscribe, (void **subscriber, fm_cupti_callback_t *callback, void *user))   \
    X(unsubscribe, cuptiUnsubscribe, (void *subscriber))                                           \
    X(enable_callback, cuptiEnableCallback,                                                        \
      (uint32_t enable, void *subscriber, int domain, uint32_t id))                                \
    X(get_callback_name, cuptiGetCallbackName, (int domain, uint32_t id, const char **name))       \
    X(register_callbacks, cuptiActivityRegisterCallbacks,                                          \
      (fm_cupti_request_t * request, fm_cupti_complete_t * complete))                              \
    X(activity_enable, cuptiActivityEnable, (int kind))                                            \
    X(get_next_record, cuptiActivityGetNextRecord,                                                 \
      (uint8_t * buffer, size_t valid, void **record))                                             \
    X(get_dropped, cuptiActivityGetNumDroppedRecords,                                              \
      (void *context, uint32_t stream, size_t *dropped))                                           \
    X(flush_all, cuptiActivityFlushAll, (uint32_t flag))                                           \
    X(get_timestamp, cuptiGetTimestamp, (uint64_t * timestamp))                                    \
    X(get_stream_id, cuptiGetStreamIdEx,                                                           \
      (void *context, void *stream, uint8_t of_thread, uint32_t *id))                              \
    X(get_device_id, cuptiGetDeviceId, (void *context, uint32_t *device))

/** A loaded CUPTI. */
struct fm_cupti {
#define FM_CUPTI_MEMBER(member, name, arguments) int(*member) arguments;
    FM_CUPTI_FUNCTIONS(FM_CUPTI_MEMBER)
#undef FM_CUPTI_MEMBER
    int (*flush_period)(uint32_t milliseconds); /**< cuptiActivityFlushPeriod, since CUDA 11.1;
                                                   NULL: it has none */
    uint32_t version;
    char path[256];
};

/** Why nothing is recorded without a driver. */
#define FM_CUDA_NO_DRIVER "there is no NVIDIA driver on this machine (libcuda.so.1)"

/** Whether the driver's library can be loaded, which then stays loaded. */
bool fm_cuda_driver_is_installed(void);

/** Loads libcupti.so: from the folder `lib64` or `extras/CUPTI/lib64` of CUDA_HOME or CUDA_PATH,
 * the loader's search path, or /usr/local/cuda.
 * @param reason  out: why it cannot be used, in `size` bytes, without a full stop
 * @return whether it can. Not thread-safe. */
bool fm_cupti_load(struct fm_cupti *cupti, char *reason, size_t size);

#endif
