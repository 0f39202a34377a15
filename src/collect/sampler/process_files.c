/* SPDX-License-Identifier: Apache-2.0 */
/* The files of a process: proc_pid_stat(5), proc_pid_io(5), proc_pid_status(5), proc_pid_smaps(5). */
#include "collect/sampler/sampler_internal.h"

#include <limits.h>

static bool skip_words(struct scan *s, int n)
{
    while (n--) {
        scan_blanks(s);
        if (s->at == s->end)
            return false;
        while (s->at < s->end && *s->at != ' ' && *s->at != '\n')
            s->at++;
    }
    return true;
}

/* "17 (a name) S 1 ...": the name may have any characters, ") R 1 (" too. */
bool process_stat_parse(struct process_stat *p, const struct text *t)
{
    struct scan s = scan_text(t);
    const char *open = memchr(s.at, '(', t->n), *close = memrchr(s.at, ')', t->n);
    uint64_t pid, ppid, faults[3], times[4];
    size_t n;

    if (!open || !close || close < open || !scan_uint(&s, &pid) || pid > INT_MAX)
        return false;
    *p = (struct process_stat){.pid = (pid_t)pid};
    n = (size_t)(close - open - 1);
    n = n < sizeof p->name ? n : sizeof p->name - 1;
    memcpy(p->name, open + 1, n);
    s.at = close + 1;
    scan_blanks(&s);
    if (s.at == s.end)
        return false;
    p->state = *s.at++;
    if (!scan_uint(&s, &ppid) || ppid > INT_MAX || !skip_words(&s, 6)) /* pgrp session tty tpgid flags minflt */
        return false;
    if (scan_uints(&s, faults, 3) != 3 || scan_uints(&s, times, 4) != 4) /* cminflt majflt cmajflt */
        return false;
    if (!skip_words(&s, 2) || !scan_uint(&s, &p->threads) || !skip_words(&s, 1)) /* priority nice; itrealvalue */
        return false;
    if (!scan_uint(&s, &p->start_ticks) || !skip_words(&s, 1) || !scan_uint(&s, &p->rss_pages)) /* vsize */
        return false;
    p->ppid = (pid_t)ppid;
    p->faults = faults[1];
    p->children_faults = faults[2];
    p->user = times[0];
    p->system = times[1];
    p->children_user = times[2];
    p->children_system = times[3];
    return true;
}

bool process_io_parse(struct process_io *p, const struct text *t)
{
    struct scan s = scan_text(t), line;
    int found = 0;

    while (scan_line(&s, &line))
        found += (scan_word(&line, "rchar: ") && scan_uint(&line, &p->read)) ||
                 (scan_word(&line, "wchar: ") && scan_uint(&line, &p->write)) ||
                 (scan_word(&line, "read_bytes: ") && scan_uint(&line, &p->disk_read)) ||
                 (scan_word(&line, "write_bytes: ") && scan_uint(&line, &p->disk_write));
    return found == 4;
}

static bool number_behind(struct scan *line, const char *key, int64_t *to)
{
    uint64_t x;

    if (!scan_word(line, key) || !scan_uint(line, &x) || x > INT64_MAX)
        return false;
    *to = (int64_t)x;
    return true;
}

void process_status_parse(struct process_status *p, const struct text *t)
{
    struct scan s = scan_text(t), line;

    *p = (struct process_status){-1, -1, -1, -1};
    while (scan_line(&s, &line))
        if (line.at < line.end && (*line.at == 'V' || *line.at == 'v' || *line.at == 'n'))
            (void)(number_behind(&line, "VmHWM:", &p->peak_kb) || number_behind(&line, "VmSwap:", &p->swap_kb) ||
                   number_behind(&line, "voluntary_ctxt_switches:", &p->voluntary) ||
                   number_behind(&line, "nonvoluntary_ctxt_switches:", &p->involuntary));
}

int64_t process_pss_parse(const struct text *t)
{
    struct scan s = scan_text(t), line;
    int64_t kb = -1;

    while (scan_line(&s, &line) && !number_behind(&line, "Pss:", &kb))
        ;
    return kb;
}
