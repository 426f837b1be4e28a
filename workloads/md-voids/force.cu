/* SPDX-License-Identifier: BSD-3-Clause */
/* The force kernels for accelerators of NVIDIA: gpu.h. */
#include "gpu.h"
#include "packing.h"

#include <cuda_runtime.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SHARING 16 /* threads for a slot of the naive kernel */

/* The boxes in the memory of the device. */
struct device_boxes {
    int inner, edge;
    const int *counts;
    const double *at;
};

/* Energy and force of an atom, of a part of its pairs. */
struct pull {
    double energy, force[3];
};

/* Adds the pairs of an atom with every step-th atom of a box, from the first-th on. */
__device__ static void add_box(const struct device_boxes *b, int box, const double *at, int first,
                               int step, struct pull *pull)
{
    const double cutoff = CUTOFF * CUTOFF, sigma = SIGMA * SIGMA;
    for (int j = first; j < b->counts[box]; j += step) {
        const double *other = &b->at[3 * ((size_t)box * SLOTS + j)];
        const double x = at[0] - other[0], y = at[1] - other[1], z = at[2] - other[2];
        const double square = x * x + y * y + z * z;
        if (square < cutoff && square > 0) {
            const double s2 = sigma / square, s6 = s2 * s2 * s2;
            const double strength = 24 * EPSILON * s6 * (2 * s6 - 1) / square;
            pull->energy += 2 * EPSILON * s6 * (s6 - 1);
            pull->force[0] += strength * x;
            pull->force[1] += strength * y;
            pull->force[2] += strength * z;
        }
    }
}

__device__ static void add_near(const struct device_boxes *b, int box, const double *at, int first,
                                int step, struct pull *pull)
{
    const int x = box % b->edge, y = box / b->edge % b->edge, z = box / b->edge / b->edge;
    for (int near = 0; near < 27; near++) {
        const int other = ((z + near / 9 - 1) * b->edge + y + near / 3 % 3 - 1) * b->edge + x +
                          near % 3 - 1;
        add_box(b, other, at, first, step, pull);
    }
}

/* A block for each box of the domain: 64 slots x 16 threads, which share the atoms of a box. The
 * threads of empty slots have nothing to do. */
__global__ static void naive_kernel(struct device_boxes b, double *results)
{
    const int x = blockIdx.x % b.inner, y = blockIdx.x / b.inner % b.inner;
    const int z = blockIdx.x / b.inner / b.inner;
    const int box = ((z + 1) * b.edge + y + 1) * b.edge + x + 1;
    const int slot = threadIdx.y;
    if (slot >= b.counts[box]) {
        return;
    }
    const size_t atom = (size_t)box * SLOTS + slot;
    struct pull pull = {0, {0, 0, 0}};
    add_near(&b, box, &b.at[3 * atom], threadIdx.x, SHARING, &pull);
    atomicAdd(&results[4 * atom], pull.energy);
    for (int d = 0; d < 3; d++) {
        atomicAdd(&results[4 * atom + 1 + d], pull.force[d]);
    }
}

/* A block for each bin, a thread for each atom of a chunk. atoms: [number]: box * SLOTS + slot */
__global__ static void packed_kernel(struct device_boxes b, const int *atoms, int count,
                                     double *results)
{
    for (int chunk = blockIdx.x; chunk * CHUNK < count; chunk += gridDim.x) { /* packing_bin() */
        const int number = chunk * CHUNK + threadIdx.x;
        if (number >= count) {
            continue;
        }
        const size_t atom = atoms[number];
        struct pull pull = {0, {0, 0, 0}};
        add_near(&b, (int)(atom / SLOTS), &b.at[3 * atom], 0, 1, &pull);
        results[4 * atom] = pull.energy;
        for (int d = 0; d < 3; d++) {
            results[4 * atom + 1 + d] = pull.force[d];
        }
    }
}

/* What the host and the device hold for a computation. */
struct memory {
    int *counts, *atoms;
    double *at, *results;
    int *numbers;  /* host: atoms of the domain */
    double *found; /* host: results */
    cudaEvent_t begin, end;
};

static cudaError_t allocate(const struct boxes *b, size_t boxes, struct memory *m)
{
    cudaError_t error = cudaMalloc((void **)&m->counts, boxes * sizeof(int));
    if (error == cudaSuccess) {
        error = cudaMalloc((void **)&m->atoms, boxes * SLOTS * sizeof(int));
    }
    if (error == cudaSuccess) {
        error = cudaMalloc((void **)&m->at, boxes * SLOTS * 3 * sizeof(double));
    }
    if (error == cudaSuccess) {
        error = cudaMalloc((void **)&m->results, boxes * SLOTS * 4 * sizeof(double));
    }
    if (error == cudaSuccess) {
        error = cudaMemcpy(m->counts, b->counts, boxes * sizeof(int), cudaMemcpyHostToDevice);
    }
    if (error == cudaSuccess) {
        error = cudaMemcpy(m->at, b->at, boxes * SLOTS * 3 * sizeof(double),
                           cudaMemcpyHostToDevice);
    }
    if (error == cudaSuccess) {
        error = cudaMemset(m->results, 0, boxes * SLOTS * 4 * sizeof(double));
    }
    if (error == cudaSuccess) {
        error = cudaEventCreate(&m->begin);
    }
    if (error == cudaSuccess) {
        error = cudaEventCreate(&m->end);
    }
    m->numbers = (int *)malloc(boxes * SLOTS * sizeof(int));
    m->found = (double *)malloc(boxes * SLOTS * 4 * sizeof(double));
    return error == cudaSuccess && (m->numbers == NULL || m->found == NULL)
               ? cudaErrorMemoryAllocation
               : error;
}

static void release(struct memory *m)
{
    cudaFree(m->counts);
    cudaFree(m->atoms);
    cudaFree(m->at);
    cudaFree(m->results);
    free(m->numbers);
    free(m->found);
    if (m->begin != NULL) {
        cudaEventDestroy(m->begin);
    }
    if (m->end != NULL) {
        cudaEventDestroy(m->end);
    }
}

/* Lists the atoms of the domain in the order of their boxes; counts the pairs that are compared. */
static int list_atoms(const struct boxes *b, int *numbers, long long *pairs)
{
    int count = 0;
    *pairs = 0;
    for (int z = 1; z <= b->inner; z++) {
        for (int y = 1; y <= b->inner; y++) {
            for (int x = 1; x <= b->inner; x++) {
                const int box = box_index(b, x, y, z);
                long long near = 0;
                for (int n = 0; n < 27; n++) {
                    near += b->counts[box_index(b, x + n % 3 - 1, y + n / 3 % 3 - 1, z + n / 9 - 1)];
                }
                *pairs += near * b->counts[box];
                for (int slot = 0; slot < b->counts[box]; slot++) {
                    numbers[count++] = box * SLOTS + slot;
                }
            }
        }
    }
    *pairs = (*pairs - count) / 2;
    return count;
}

static cudaError_t launch(const struct boxes *b, bool packed, int count, struct memory *m,
                          double *seconds)
{
    const struct device_boxes boxes = {b->inner, b->edge, m->counts, m->at};
    int device, processors;
    float milliseconds = 0;
    cudaError_t error = cudaGetDevice(&device);
    if (error == cudaSuccess) {
        error = cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device);
    }
    if (error != cudaSuccess) {
        return error;
    }
    cudaEventRecord(m->begin, 0);
    if (packed && count > 0) {
        packed_kernel<<<processors, CHUNK>>>(boxes, m->atoms, count, m->results);
    } else if (!packed) {
        const dim3 threads(SHARING, SLOTS);
        naive_kernel<<<b->inner * b->inner * b->inner, threads>>>(boxes, m->results);
    }
    error = cudaGetLastError();
    cudaEventRecord(m->end, 0);
    if (error == cudaSuccess) {
        error = cudaEventSynchronize(m->end);
    }
    if (error == cudaSuccess) {
        error = cudaEventElapsedTime(&milliseconds, m->begin, m->end);
    }
    *seconds = 1e-3 * milliseconds;
    return error;
}

static void add_up(const struct memory *m, int count, struct forces *result)
{
    for (int i = 0; i < count; i++) {
        const double *found = &m->found[4 * (size_t)m->numbers[i]];
        result->energy += found[0];
        for (int d = 0; d < 3; d++) {
            result->sum[d] += found[1 + d];
            result->magnitude += fabs(found[1 + d]);
        }
    }
}

const char *gpu_force_compute(const struct boxes *b, bool packed, struct forces *result,
                              double *seconds)
{
    const size_t boxes = (size_t)b->edge * b->edge * b->edge;
    struct memory m;
    memset(&m, 0, sizeof m);
    memset(result, 0, sizeof *result);
    cudaError_t error = allocate(b, boxes, &m);
    if (error == cudaSuccess) {
        const int count = list_atoms(b, m.numbers, &result->interactions);
        error = cudaMemcpy(m.atoms, m.numbers, count * sizeof(int), cudaMemcpyHostToDevice);
        if (error == cudaSuccess) {
            error = launch(b, packed, count, &m, seconds);
        }
        if (error == cudaSuccess) {
            error = cudaMemcpy(m.found, m.results, boxes * SLOTS * 4 * sizeof(double),
                               cudaMemcpyDeviceToHost);
        }
        if (error == cudaSuccess) {
            add_up(&m, count, result);
        }
    }
    release(&m);
    return error == cudaSuccess ? NULL : cudaGetErrorString(error);
}
