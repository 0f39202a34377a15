/* SPDX-License-Identifier: Apache-2.0 */
#include "collect/sampler/nvml.h"
#include "collect/sampler/sampler_internal.h"

#include <dlfcn.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { MOST = 256 };

struct gpu {
    nvml_device device;
    bool is_there;
    struct sl_gpu_facts facts;
    struct counter energy; /* mJ since the driver was loaded */
};
struct sl_gpus {
    void *library;
    struct nvml nvml;
    struct gpu *gpu;
    unsigned n;
    struct nvml_process *processes;
    struct sl_gpu_process *process_reports;
    unsigned room;
    struct oddities odd;
};

static const double MB = 1048576;

static bool load(struct sl_gpus *g)
{
    if (!(g->library = dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL)))
        return false;
#define NVML_FIND(what, name, arguments) *(void **)&g->nvml.what = dlsym(g->library, name);
    NVML_FUNCTIONS(NVML_FIND)
#undef NVML_FIND
    *(void **)&g->nvml.error = dlsym(g->library, "nvmlErrorString");
    return g->nvml.init && g->nvml.count && g->nvml.device;
}

static const char *reason(const struct sl_gpus *g, int code)
{
    return g->nvml.error ? g->nvml.error(code) : "NVML gives an error";
}

static void find_facts(const struct nvml *nvml, struct gpu *gpu, unsigned i)
{
    struct sl_gpu_facts *facts = &gpu->facts;
    struct nvml_memory memory;

    *facts = (struct sl_gpu_facts){.index = i, .memory_mb = NAN};
    if (nvml->driver && nvml->driver(facts->driver, sizeof facts->driver) != NVML_OK)
        *facts->driver = 0;
    if (!gpu->is_there)
        return;
    if (nvml->uuid && nvml->uuid(gpu->device, facts->uuid, sizeof facts->uuid) != NVML_OK)
        *facts->uuid = 0;
    if (nvml->name && nvml->name(gpu->device, facts->name, sizeof facts->name) != NVML_OK)
        *facts->name = 0;
    if (nvml->memory && nvml->memory(gpu->device, &memory) == NVML_OK)
        facts->memory_mb = (double)memory.total / MB;
}

static bool find_devices(struct sl_gpus *g, struct sl_err *err)
{
    int code = g->nvml.count(&g->n);

    if (code != NVML_OK || !g->n || g->n > MOST) {
        sl_err(err, SL_ENOTFOUND, "no NVIDIA GPU: %s", code != NVML_OK ? reason(g, code) : "NVML counts none");
        g->n = 0;
        return false;
    }
    if (!(g->gpu = calloc(g->n, sizeof *g->gpu)))
        return sl_err(err, SL_EIO, "no memory for GPUs: %s", strerror(ENOMEM)), false;
    for (unsigned i = 0; i < g->n; i++) {
        struct sl_gpu_report r;
        g->gpu[i].is_there = g->nvml.device(i, &g->gpu[i].device) == NVML_OK;
        find_facts(&g->nvml, &g->gpu[i], i);
        sl_gpus_read(g, i, &r); /* counters begin */
    }
    return true;
}

struct sl_gpus *sl_gpus_new(struct sl_err *err)
{
    struct sl_gpus *g = calloc(1, sizeof *g);
    int code;

    if (!g) {
        sl_err(err, SL_EIO, "no memory for GPUs: %s", strerror(ENOMEM));
    } else if (!load(g)) {
        sl_err(err, SL_ENOTFOUND, "no NVIDIA GPU: there is no libnvidia-ml.so.1, or it is of before R470");
    } else if ((code = g->nvml.init()) != NVML_OK) {
        sl_err(err, SL_ENOTFOUND, "no NVIDIA GPU: %s", reason(g, code));
        g->nvml.shutdown = NULL;
    } else if (find_devices(g, err)) {
        return g;
    }
    sl_gpus_free(g);
    return NULL;
}

void sl_gpus_free(struct sl_gpus *g)
{
    if (!g)
        return;
    if (g->nvml.init && g->nvml.shutdown)
        g->nvml.shutdown();
    if (g->library)
        dlclose(g->library);
    free(g->gpu);
    free(g->processes);
    free(g->process_reports);
    free(g);
}

size_t sl_gpus_count(const struct sl_gpus *g)
{
    return g ? g->n : 0;
}

void sl_gpus_facts(const struct sl_gpus *g, size_t i, struct sl_gpu_facts *facts)
{
    *facts = g->gpu[i].facts;
}

static bool room_for(struct sl_gpus *g, unsigned n)
{
    void *a, *b;

    if (n > 65536)
        return false;
    if ((a = read_realloc(g->processes, n * sizeof *g->processes)))
        g->processes = a;
    if ((b = read_realloc(g->process_reports, n * sizeof *g->process_reports)))
        g->process_reports = b;
    if (!a || !b)
        return false;
    g->room = n;
    return true;
}

static void report_processes(struct sl_gpus *g, nvml_device device, struct sl_gpu_report *r)
{
    unsigned n;

    if (!g->nvml.processes || (!g->room && !room_for(g, 16)))
        return;
    for (int tries = 0;; tries++) {
        int code = (n = g->room, g->nvml.processes(device, &n, g->processes));
        if (code == NVML_OK)
            break;
        if (code != NVML_TOO_SMALL || tries == 3 || !room_for(g, n + 16)) /* there may be more by then */
            return;
    }
    n = n < g->room ? n : g->room;
    for (unsigned i = 0; i < n; i++)
        g->process_reports[i] = (struct sl_gpu_process){
            g->processes[i].pid,
            g->processes[i].used_memory == NVML_NO_VALUE ? NAN : (double)g->processes[i].used_memory / MB};
    r->processes = g->process_reports;
    r->nprocesses = n;
}

bool sl_gpus_read(struct sl_gpus *g, size_t i, struct sl_gpu_report *r)
{
    const struct nvml *nvml = &g->nvml;
    struct gpu *gpu = &g->gpu[i];
    struct nvml_utilization used;
    struct nvml_memory memory;
    unsigned long long mj;
    bool any = false;
    unsigned x;

    *r = (struct sl_gpu_report){
#define SL_FIELD(name, decimals) .name = NAN,
        SL_GPU_FIELDS(SL_FIELD)
#undef SL_FIELD
    };
    if (!gpu->is_there)
        return false;
    if (nvml->utilization && nvml->utilization(gpu->device, &used) == NVML_OK) {
        r->gpu_pct = used.gpu;
        r->memory_pct = used.memory;
        any = true;
    }
    if (nvml->memory && nvml->memory(gpu->device, &memory) == NVML_OK) {
        r->memory_mb = (double)memory.used / MB;
        any = true;
    }
    if (nvml->power_mw && nvml->power_mw(gpu->device, &x) == NVML_OK)
        r->power_w = x / 1000.0;
    if (nvml->temperature && nvml->temperature(gpu->device, NVML_SENSOR_GPU, &x) == NVML_OK)
        r->temperature_c = x;
    if (nvml->clock_mhz && nvml->clock_mhz(gpu->device, NVML_SM_CLOCK, &x) == NVML_OK)
        r->sm_mhz = x;
    if (nvml->energy_mj && nvml->energy_mj(gpu->device, &mj) == NVML_OK) {
        counter_add(&gpu->energy, mj, LESS_RESET, &g->odd);
        r->energy_j = (double)gpu->energy.total / 1000;
    }
    report_processes(g, gpu->device, r);
    return any;
}
