/* SPDX-License-Identifier: BSD-3-Clause */
// Kernels of planted length on a real accelerator: in each step a short one and a long one on two streams.
// Prints the length of each in milliseconds, as CUDA's events measure it, and the host's time of a launch.
// Exit status 77: there is no accelerator.
#include <chrono>
#include <cstdio>

enum { STEPS = 10, LAUNCHES = 2000 };

__device__ void spin(unsigned long long nanoseconds)
{
    unsigned long long begin, now;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(begin));
    do {
        asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
    } while (now - begin < nanoseconds);
}

__global__ void spin_short(unsigned long long nanoseconds)
{
    spin(nanoseconds);
}

__global__ void spin_long(unsigned long long nanoseconds)
{
    spin(nanoseconds);
}

__global__ void nothing()
{
}

static void check(cudaError_t result)
{
    if (result != cudaSuccess) {
        fprintf(stderr, "%s\n", cudaGetErrorString(result));
        exit(1);
    }
}

__attribute__((noinline)) static void launch_short(cudaStream_t stream)
{
    spin_short<<<1, 32, 0, stream>>>(2000000);
}

__attribute__((noinline)) static void launch_long(cudaStream_t stream)
{
    spin_long<<<1, 32, 0, stream>>>(20000000);
}

static float measured(cudaEvent_t begin, cudaEvent_t end)
{
    float milliseconds = 0;
    check(cudaEventElapsedTime(&milliseconds, begin, end));
    return milliseconds;
}

int main()
{
    int devices = 0;
    if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
        return 77;
    }
    cudaStream_t streams[2];
    cudaEvent_t events[4];
    float *memory, number = 0;
    check(cudaMalloc(&memory, sizeof *memory));
    for (auto &stream : streams) {
        check(cudaStreamCreate(&stream));
    }
    for (auto &event : events) {
        check(cudaEventCreate(&event));
    }
    nothing<<<1, 32>>>();
    check(cudaDeviceSynchronize());
    for (int step = 0; step < STEPS; step++) {
        check(cudaEventRecord(events[0], streams[0]));
        launch_short(streams[0]);
        check(cudaEventRecord(events[1], streams[0]));
        check(cudaEventRecord(events[2], streams[1]));
        launch_long(streams[1]);
        check(cudaEventRecord(events[3], streams[1]));
        check(cudaStreamSynchronize(streams[1]));
        check(cudaStreamSynchronize(streams[0]));
        check(cudaMemcpy(&number, memory, sizeof number, cudaMemcpyDeviceToHost));
        printf("spin_short %.4f\nspin_long %.4f\n", measured(events[0], events[1]),
               measured(events[2], events[3]));
    }
    auto begin = std::chrono::steady_clock::now();
    for (int i = 0; i < LAUNCHES; i++) {
        nothing<<<1, 32, 0, streams[0]>>>();
    }
    std::chrono::duration<double, std::micro> launches = std::chrono::steady_clock::now() - begin;
    check(cudaDeviceSynchronize());
    printf("microseconds of a launch %.3f\n", launches.count() / LAUNCHES);
    return 0;
}
