/* SPDX-License-Identifier: Apache-2.0 */
/*
 * /proc/stat: proc_stat(5).  user has guest in it, nice has guest_nice, so these two are not added once more.  What has
 * no idle CPU time is busy: time that a hypervisor gave to others (steal), too, as in psutil.cpu_percent().
 */
#include "collect/sampler/sampler_internal.h"

#include <math.h>
#include <stdlib.h>

enum { CPUS_MAX = 65536, ROOM = 64 };
static const uint64_t LEAP = UINT64_C(1) << 50; /* ticks: 300,000 years */

static bool make_room(struct cpus *c, size_t n)
{
    struct cpu *cpu;
    double *pct;

    n = (n + ROOM - 1) / ROOM * ROOM;
    if (!(cpu = read_realloc(c->cpu, n * sizeof *cpu)))
        return false;
    c->cpu = cpu;
    if (!(pct = read_realloc(c->pct, n * sizeof *pct)))
        return false;
    c->pct = pct;
    memset(cpu + c->cap, 0, (n - c->cap) * sizeof *cpu);
    c->cap = n;
    return true;
}

/*
 * The step of one CPU.  Idle times go backwards at times (proc_stat(5) says so of iowait), which is no step; where busy
 * times do, or one leaps, all began anew.
 */
static void step(struct cpus *c, struct cpu *cpu, const uint64_t now[CPU_TIMES], bool count, struct oddities *odd)
{
    uint64_t step[CPU_TIMES], sum = 0;
    bool anew = false;

    for (int i = 0; i < CPU_TIMES; i++) {
        step[i] = now[i] > cpu->last[i] ? now[i] - cpu->last[i] : 0;
        sum += step[i];
        anew |= (now[i] < cpu->last[i] && i != CPU_IDLE && i != CPU_IOWAIT) || step[i] > LEAP;
        cpu->last[i] = now[i];
    }
    cpu->anew |= anew;
    if (anew) {
        odd->reset++;
        return;
    }
    for (int i = 0; count && i < CPU_TIMES; i++)
        c->total[i] += step[i];
    cpu->sum += sum;
    cpu->idle += step[CPU_IDLE] + step[CPU_IOWAIT];
}

/* NAN: nothing passed, or it is not known what. */
static double take_pct(struct cpu *cpu)
{
    double pct = cpu->sum && !cpu->anew ? 100 * (double)(cpu->sum - cpu->idle) / (double)cpu->sum : NAN;

    cpu->sum = cpu->idle = 0;
    cpu->anew = false;
    return pct;
}

static void one(struct cpus *c, struct cpu *cpu, const uint64_t now[CPU_TIMES], bool count, struct oddities *odd)
{
    if (cpu->online) {
        step(c, cpu, now, count, odd);
    } else { /* new, or it was away: counting begins here */
        memcpy(cpu->last, now, sizeof cpu->last);
        cpu->sum = cpu->idle = 0;
        cpu->anew = false;
    }
}

/* "cpu3 1 2 3 ..." behind "cpu": -1 where there is no number.  False: it is no such line. */
static bool cpu_line(struct cpus *c, struct scan *line, int64_t *number, uint64_t now[CPU_TIMES])
{
    uint64_t n;
    int times;

    *number = -1;
    if (line->at < line->end && *line->at != ' ') {
        if (!scan_uint(line, &n) || n >= CPUS_MAX)
            return false;
        *number = (int64_t)n;
    }
    memset(now, 0, CPU_TIMES * sizeof *now);
    times = scan_uints(line, now, CPU_TIMES);
    if (times <= CPU_IDLE)
        return false;
    c->times = times;
    return true;
}

static void summarise(struct cpus *c, bool measure)
{
    double sum = 0, min = INFINITY, max = -INFINITY;
    int n = 0;

    for (size_t i = 0; i < c->ncpu; i++) {
        double pct = measure && c->cpu[i].online ? take_pct(&c->cpu[i]) : NAN;
        c->pct[i] = pct;
        if (isnan(pct))
            continue;
        sum += pct;
        min = pct < min ? pct : min;
        max = pct > max ? pct : max;
        n++;
    }
    c->avg = n ? sum / n : measure && !c->online && c->all.online ? take_pct(&c->all) : NAN;
    c->min = n ? min : NAN;
    c->max = n ? max : NAN;
}

void cpus_parse(struct cpus *c, const struct text *t, bool measure, struct oddities *odd)
{
    struct scan s = scan_text(t), line;
    uint64_t now[CPU_TIMES], of_all[CPU_TIMES], x;
    bool has_all = false;
    int64_t number;

    c->has_blocked = c->has_forks = c->has_switches = false;
    c->online = 0;
    while (scan_line(&s, &line)) {
        if (scan_word(&line, "cpu")) {
            if (!cpu_line(c, &line, &number, now))
                continue;
            if (number < 0) {
                memcpy(of_all, now, sizeof of_all);
                has_all = true;
                continue;
            }
            if ((size_t)number >= c->cap && !make_room(c, (size_t)number + 1))
                continue;
            if ((size_t)number >= c->ncpu)
                c->ncpu = (size_t)number + 1;
            one(c, &c->cpu[number], now, true, odd);
            c->online += !c->cpu[number].seen;
            c->cpu[number].seen = true;
        } else if (scan_word(&line, "ctxt ") && scan_uint(&line, &x)) {
            counter_add(&c->switches, x, LESS_RESET, odd);
            c->has_switches = true;
        } else if (scan_word(&line, "processes ") && scan_uint(&line, &x)) {
            counter_add(&c->forks, x, LESS_RESET, odd);
            c->has_forks = true;
        } else if (scan_word(&line, "procs_blocked ") && scan_uint(&line, &x)) {
            c->blocked = x;
            c->has_blocked = true;
        }
    }
    for (size_t i = 0; i < c->ncpu; i++) {
        c->cpu[i].online = c->cpu[i].seen;
        c->cpu[i].seen = false;
    }
    c->is_there = c->online || has_all;
    if (has_all) /* counts only where the kernel tells no single ones */
        one(c, &c->all, of_all, !c->online, odd);
    c->all.online = has_all;
    summarise(c, measure);
}

void cpus_free(struct cpus *c)
{
    free(c->cpu);
    free(c->pct);
    *c = (struct cpus){0};
}
