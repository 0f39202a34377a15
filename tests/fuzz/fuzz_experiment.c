/* SPDX-License-Identifier: Apache-2.0 */
/* What users write by hand of experiments: a plan, and behind a byte 1 the runs that are planned, as CSV. */
#include "design/settings/schedule.h"
#include "fuzz.h"

#include <sys/mman.h>
#include <unistd.h>

static const char some_plan[] =
    "experiment: t\ncommand: x\nfactors: {a: {argument: x}, b: {levels: [lo, 'h,\"i'], argument: x}}\n"
    "constraints: [{not: [a, b]}]\n";

/* Whatever can be read is written as the same again, and allowed. */
static void planned_runs(const struct sl_plan *p, const uint8_t *data, size_t size)
{
    struct sl_schedule s, again;
    struct sl_err err = {0};
    char path[64], copy[64];
    int fd = memfd_create("planned", 0), rc;

    MUST(fd >= 0 && write(fd, data, size) == (ssize_t)size);
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    rc = sl_schedule_read(&s, p, path, size % 2, &err);
    MUST((rc < 0) == (err.code < 0));
    for (size_t i = 0; !rc && i < s.v.n; i++)
        MUST(!sl_plan_broken(p, s.v.v[i].setting));
    if (!rc) {
        snprintf(copy, sizeof copy, "%s/spanloom-fuzz-%ld.csv", access("/dev/shm", W_OK) ? "/tmp" : "/dev/shm",
                 (long)getpid());
        MUST(!sl_schedule_write(&s, p, copy, NULL));
        rc = sl_schedule_read(&again, p, copy, false, &err);
        MUST(!rc && again.v.n == s.v.n);
        for (size_t i = 0; i < s.v.n; i++)
            MUST(!strcmp(s.v.v[i].run, again.v.v[i].run) &&
                 !memcmp(s.v.v[i].setting, again.v.v[i].setting, p->factor.n * sizeof(int32_t)));
        sl_schedule_free(&again);
        unlink(copy);
    }
    sl_schedule_free(&s);
    close(fd);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const uint8_t *csv = size ? memchr(data, 1, size) : NULL;
    size_t n = csv ? (size_t)(csv - data) : size;
    struct sl_err err = {0};
    struct sl_plan p;
    char *exact = malloc(n ? n : 1); /* no NUL behind it */
    int rc;

    memcpy(exact, data, n);
    rc = csv && !n ? sl_plan_parse(&p, "/study/experiment.yaml", some_plan, sizeof some_plan - 1, &err)
                   : sl_plan_parse(&p, "/study/experiment.yaml", exact, n, &err);
    MUST((rc < 0) == (err.code < 0) && (!rc || strstr(err.text, "experiment.yaml")));
    if (!rc) {
        int32_t *base = calloc(p.factor.n + 1, sizeof *base);
        for (size_t f = 0; f < p.factor.n; f++)
            MUST(p.factor.v[f].level.n >= 2 && sl_plan_factor(&p, p.factor.v[f].name) == (int32_t)f);
        sl_plan_broken(&p, base);
        sl_plan_ideal(&p, base);
        free(base);
        if (csv)
            planned_runs(&p, csv + 1, size - n - 1);
    }
    sl_plan_free(&p);
    free(exact);
    return 0;
}
