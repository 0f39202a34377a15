/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A library that answers as NVML does, for two GPUs of which the second has no energy counter and the third is lost.
 * Declared as the NVML API Reference Guide has it, not by our header.
 */
#include <stdio.h>
#include <string.h>

typedef struct nvmlDevice_st {
    unsigned i;
} * nvmlDevice_t;
typedef int nvmlReturn_t;
typedef struct {
    unsigned long long total, free, used;
} nvmlMemory_t;
typedef struct {
    unsigned gpu, memory;
} nvmlUtilization_t;
typedef struct {
    unsigned pid;
    unsigned long long usedGpuMemory;
    unsigned gpuInstanceId, computeInstanceId;
} nvmlProcessInfo_t;
enum { SUCCESS = 0, UNINITIALIZED = 1, NOT_SUPPORTED = 3, INSUFFICIENT_SIZE = 7, GPU_IS_LOST = 15 };

static struct nvmlDevice_st gpus[3] = {{0}, {1}, {2}};
static int ready;
static unsigned long long energy_mj = 5000000;

nvmlReturn_t nvmlInit_v2(void)
{
    return ready = 1, SUCCESS;
}
nvmlReturn_t nvmlShutdown(void)
{
    return ready = 0, SUCCESS;
}
const char *nvmlErrorString(nvmlReturn_t r)
{
    return r == GPU_IS_LOST ? "GPU is lost" : "some error";
}
nvmlReturn_t nvmlSystemGetDriverVersion(char *s, unsigned n)
{
    return snprintf(s, n, "535.104.05"), SUCCESS;
}
nvmlReturn_t nvmlDeviceGetCount_v2(unsigned *n)
{
    return *n = 3, ready ? SUCCESS : UNINITIALIZED;
}
nvmlReturn_t nvmlDeviceGetHandleByIndex_v2(unsigned i, nvmlDevice_t *d)
{
    *d = &gpus[i];
    return i == 2 ? GPU_IS_LOST : SUCCESS;
}
nvmlReturn_t nvmlDeviceGetUUID(nvmlDevice_t d, char *s, unsigned n)
{
    return snprintf(s, n, "GPU-0000000%u-aaaa-bbbb-cccc-123456789abc", d->i), SUCCESS;
}
nvmlReturn_t nvmlDeviceGetName(nvmlDevice_t d, char *s, unsigned n)
{
    (void)d;
    return snprintf(s, n, "NVIDIA H200"), SUCCESS;
}
nvmlReturn_t nvmlDeviceGetMemoryInfo(nvmlDevice_t d, nvmlMemory_t *m)
{
    m->total = 141ull << 30;
    m->used = (10ull + d->i) << 30;
    m->free = m->total - m->used;
    return SUCCESS;
}
nvmlReturn_t nvmlDeviceGetUtilizationRates(nvmlDevice_t d, nvmlUtilization_t *u)
{
    u->gpu = 88 + d->i;
    u->memory = 41 + d->i;
    return SUCCESS;
}
nvmlReturn_t nvmlDeviceGetPowerUsage(nvmlDevice_t d, unsigned *mw)
{
    return *mw = 512345 + d->i, SUCCESS;
}
nvmlReturn_t nvmlDeviceGetTemperature(nvmlDevice_t d, int sensor, unsigned *c)
{
    return *c = 61 + d->i, sensor ? NOT_SUPPORTED : SUCCESS;
}
nvmlReturn_t nvmlDeviceGetClockInfo(nvmlDevice_t d, int clock, unsigned *mhz)
{
    return *mhz = 1980 + d->i, clock == 1 ? SUCCESS : NOT_SUPPORTED;
}
nvmlReturn_t nvmlDeviceGetTotalEnergyConsumption(nvmlDevice_t d, unsigned long long *mj)
{
    if (d->i)
        return NOT_SUPPORTED;
    *mj = energy_mj;
    energy_mj += 1500; /* 1.5 J between two readings */
    return SUCCESS;
}
nvmlReturn_t nvmlDeviceGetComputeRunningProcesses_v3(nvmlDevice_t d, unsigned *n, nvmlProcessInfo_t *p)
{
    unsigned room = *n, have = d->i ? 0 : 40; /* more than asked for at first */

    *n = have;
    if (room < have)
        return INSUFFICIENT_SIZE;
    for (unsigned i = 0; i < have; i++)
        p[i] = (nvmlProcessInfo_t){1000 + i, i ? (unsigned long long)i << 20 : ~0ull, ~0u, ~0u};
    return SUCCESS;
}
