/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What we call of NVIDIA's management library: names, arguments and layouts as in the NVML API Reference Guide,
 * https://docs.nvidia.com/deploy/nvml-api/ (R470 and later).  It is loaded while the program runs, so that nothing is
 * linked, and a driver that lacks a function lacks a figure.
 */
#ifndef SL_COLLECT_SAMPLER_NVML_H
#define SL_COLLECT_SAMPLER_NVML_H

enum { NVML_OK = 0, NVML_TOO_SMALL = 7 }; /* NVML_SUCCESS, NVML_ERROR_INSUFFICIENT_SIZE */
enum { NVML_SENSOR_GPU = 0, NVML_SM_CLOCK = 1 };
#define NVML_NO_VALUE (~0ull)

typedef struct nvml_device *nvml_device;
struct nvml_memory {
    unsigned long long total, free, used; /* bytes */
};
struct nvml_utilization {
    unsigned gpu, memory; /* percent */
};
struct nvml_process { /* nvmlProcessInfo_v2_t */
    unsigned pid;
    unsigned long long used_memory; /* bytes, or NVML_NO_VALUE */
    unsigned gpu_instance, compute_instance;
};

/* F(what it is here, its name there, its arguments) */
#define NVML_FUNCTIONS(F)                                                                                              \
    F(init, "nvmlInit_v2", (void))                                                                                     \
    F(shutdown, "nvmlShutdown", (void))                                                                                \
    F(driver, "nvmlSystemGetDriverVersion", (char *, unsigned))                                                        \
    F(count, "nvmlDeviceGetCount_v2", (unsigned *))                                                                    \
    F(device, "nvmlDeviceGetHandleByIndex_v2", (unsigned, nvml_device *))                                              \
    F(uuid, "nvmlDeviceGetUUID", (nvml_device, char *, unsigned))                                                      \
    F(name, "nvmlDeviceGetName", (nvml_device, char *, unsigned))                                                      \
    F(memory, "nvmlDeviceGetMemoryInfo", (nvml_device, struct nvml_memory *))                                          \
    F(utilization, "nvmlDeviceGetUtilizationRates", (nvml_device, struct nvml_utilization *))                          \
    F(power_mw, "nvmlDeviceGetPowerUsage", (nvml_device, unsigned *))                                                  \
    F(energy_mj, "nvmlDeviceGetTotalEnergyConsumption", (nvml_device, unsigned long long *))                           \
    F(temperature, "nvmlDeviceGetTemperature", (nvml_device, int, unsigned *))                                         \
    F(clock_mhz, "nvmlDeviceGetClockInfo", (nvml_device, int, unsigned *))                                             \
    F(processes, "nvmlDeviceGetComputeRunningProcesses_v3", (nvml_device, unsigned *, struct nvml_process *))

struct nvml {
#define NVML_POINTER(what, name, arguments) int(*what) arguments;
    NVML_FUNCTIONS(NVML_POINTER)
#undef NVML_POINTER
    const char *(*error)(int);
};

#endif
