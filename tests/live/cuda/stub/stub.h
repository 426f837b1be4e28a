/* SPDX-License-Identifier: BSD-3-Clause */
/* A device that is simulated, the part of CUDA's libraries that the test programs call, and what
 * the stub of CUPTI needs of it. Kernels are names and durations. */
#ifndef STUB_H
#define STUB_H

#include <stddef.h>
#include <stdint.h>

typedef struct stub_stream *cudaStream_t;
typedef struct stub_event *cudaEvent_t;

enum { cudaMemcpyHostToDevice = 1, cudaMemcpyDeviceToHost = 2, cudaMemcpyDeviceToDevice = 3 };

int cuInit(unsigned flags);
int cudaSetDevice(int device);
int cudaStreamCreate(cudaStream_t *stream);
int cudaLaunchKernel(const char *symbol, double milliseconds, cudaStream_t stream);
/* Kernels of one launch, which run at the same time. */
int cudaGraphLaunch(const char *symbol, double milliseconds, int kernels, cudaStream_t stream);
int cudaMemcpy(void *to, const void *from, size_t bytes, int kind);
int cudaMemcpyAsync(void *to, const void *from, size_t bytes, int kind, cudaStream_t stream);
int cudaMemcpyPeerAsync(void *to, const void *from, size_t bytes, cudaStream_t stream);
int cudaMemsetAsync(void *to, int value, size_t bytes, cudaStream_t stream);
int cudaStreamSynchronize(cudaStream_t stream);
int cudaDeviceSynchronize(void);
int cudaEventCreate(cudaEvent_t *event);
int cudaEventRecord(cudaEvent_t event, cudaStream_t stream);
int cudaEventSynchronize(cudaEvent_t event);
int cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags);
/* What is captured is not executed; the graph is not kept. */
int cudaStreamBeginCapture(cudaStream_t stream, int mode);
int cudaStreamEndCapture(cudaStream_t stream, void **graph);
/* Ends the context of the device. */
int cudaDeviceReset(void);
/* The driver's functions, which programs may call themselves. */
int cuLaunchKernel(const char *symbol, double milliseconds, cudaStream_t stream);
int cuCtxSynchronize(void);

/* ---- for the stub of CUPTI ---- */

struct stub_stream {
    uint32_t id, context, device;
    uint64_t end; /* of its work so far, nanoseconds of CLOCK_REALTIME */
    int is_captured;
};

/* A work of a stream, as the device has executed it. */
struct stub_work {
    int kind; /* of CUPTI's records */
    int copy_kind;
    const char *symbol;
    uint64_t begin, end;
    uint32_t device, context, stream, correlation;
};

/* What CUPTI has asked for. */
extern struct stub_tool {
    void (*call)(int domain, const char *name, int site, const void *arguments, uint64_t *own,
                 uint32_t correlation, void *context, uint32_t context_id, int *result);
    void (*work)(const struct stub_work *work);
    /* Kernels of the context are measured: a launch returns when its kernel has ended. */
    int (*measures)(void *context);
    void (*kernel)(void *context, const struct stub_work *work);
    void (*context_ends)(void *context);
} stub_tool;

uint64_t stub_now(void);
/* Whether a stream is captured. */
int stub_is_capturing(void);

#endif
