/* SPDX-License-Identifier: Apache-2.0 */
/* Pressure stall information: https://docs.kernel.org/accounting/psi.html */
#include "collect/sampler/sampler_internal.h"

#include <math.h>
#include <stdio.h>

static const char *const names[PRESSURES] = {"cpu", "memory", "io"};

/* suffix: ".pressure" of a group, "" of the node. */
bool pressure_init(struct pressure *p, const char *dir, const char *suffix)
{
    bool ok = true;

    *p = (struct pressure){0};
    for (int i = 0; i < PRESSURES; i++) {
        char name[32];
        snprintf(name, sizeof name, "%s%s", names[i], suffix);
        ok &= kept_file_init(&p->file[i], dir, name);
    }
    return ok;
}

/* "some avg10=0.00 avg60=0.00 avg300=0.00 total=12345": microseconds */
static bool total(struct scan line, uint64_t *us)
{
    while (line.at < line.end) {
        if (scan_word(&line, "total="))
            return scan_uint(&line, us);
        line.at++;
    }
    return false;
}

void pressure_read(struct pressure *p, struct text *t, struct oddities *odd)
{
    for (int i = 0; i < PRESSURES; i++) {
        struct scan s = {0}, line;
        uint64_t us;
        p->has_some[i] = p->has_full[i] = false;
        if (kept_file_read(&p->file[i], t)) /* EOPNOTSUPP where the kernel was booted without */
            s = scan_text(t);
        while (scan_line(&s, &line))
            if (scan_word(&line, "some ") && total(line, &us)) {
                counter_add(&p->some[i], us, LESS_RESET, odd);
                p->has_some[i] = true;
            } else if (scan_word(&line, "full ") && total(line, &us)) {
                counter_add(&p->full[i], us, LESS_RESET, odd);
                p->has_full[i] = true;
            }
    }
}

void pressure_free(struct pressure *p)
{
    for (int i = 0; i < PRESSURES; i++)
        kept_file_free(&p->file[i]);
}

double pressure_s(bool has, const struct counter *c)
{
    return has ? (double)c->total / 1e6 : NAN;
}
