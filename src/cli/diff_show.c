/* SPDX-License-Identifier: Apache-2.0 */
/* What `spanloom diff` says to people. */
#include "cli/diff_show.h"
#include "base/mem.h"

#include <math.h>
#include <stdlib.h>

enum { TRANSITIONS = 20, SURE = 15, LONE = 5, PATH = 8, EVENTS = 10, WORDS = 3, TAIL = 20 };

static const char *seconds(double s, char *buf)
{
    return isnan(s) ? "-" : s == 0 ? "0" : sl_show_seconds(s, buf);
}

/* The same with its sign. */
static const char *signed_seconds(double s, char *buf)
{
    if (isnan(s) || s <= 0)
        return seconds(s, buf);
    *buf = '+';
    sl_show_seconds(s, buf + 1);
    return buf;
}

/* "+19 ms to +21 ms"; "*": all of it on one side of 0. */
static const char *interval(const struct sl_shift *s, char *buf, size_t n)
{
    char low[40], high[40];

    if (isnan(s->low))
        return "-";
    snprintf(buf, n, "%s to %s%s", signed_seconds(s->low, low), signed_seconds(s->high, high),
             sl_shift_sure(s) ? " *" : "");
    return buf;
}

/* ---- the verdict ---- */

static void say_where(const struct sl_comparison *d, double change)
{
    const struct sl_diff_path *most = NULL;
    char s[40];

    for (size_t i = 0; i < d->path.n; i++) {
        double x = (d->path.v[i].s[1] - d->path.v[i].s[0]) * (change > 0 ? 1 : -1);
        if (x > 0 && (!most || x > fabs(most->s[1] - most->s[0])))
            most = &d->path.v[i];
    }
    if (!most)
        return;
    printf("; %s: %s, %s, %s",
           fabs(most->s[1] - most->s[0]) > fabs(change) / 2 ? "most of it in" : "the largest part in", most->component,
           most->state, signed_seconds(most->s[1] - most->s[0], s));
}

static void show_verdict(const struct sl_comparison *d)
{
    bool whole = !isnan(d->makespan[0]) && !isnan(d->makespan[1]);
    double a = whole ? d->makespan[0] : d->d.history.median.a, b = whole ? d->makespan[1] : d->d.history.median.b;
    const struct sl_diff_row *history = &d->d.history;
    const char *who = whole ? "B" : "The median story in B";
    char from[40], to[40], percent[32];

    if (isnan(a) || isnan(b))
        printf("There is nothing to compare: %s has no events", isnan(a) ? "A" : "B");
    else if (fabs(b - a) <= 0.001 * a)
        printf("%s takes as long as %s: %s", who, whole ? "A" : "in A", seconds(b, to));
    else if (*diff_percent(a, b, percent))
        printf("%s is %s %s: %s -> %s", who, percent + 1, b > a ? "slower" : "faster", seconds(a, from),
               seconds(b, to));
    else
        printf("%s is slower: %s -> %s", who, seconds(a, from), seconds(b, to));
    if (whole && fabs(b - a) > 0.001 * a)
        say_where(d, b - a);
    puts("");
    if (whole && sl_shift_sure(&history->median) && *diff_percent(history->median.a, history->median.b, percent))
        printf("The median story is %s %s: %s -> %s\n", percent + 1, history->median.change > 0 ? "longer" : "shorter",
               seconds(history->median.a, from), seconds(history->median.b, to));
}

static void show_sides(const struct sl_comparison *d)
{
    for (int i = 0; i < 2; i++) {
        const struct sl_transitions *t = &d->d.t[i];
        char roots[32], orders[32];
        printf("%c  %s%s%s%s: %s span%s of type %s, %s ordering%s of events", i ? 'B' : 'A',
               d->side[i].run ? "run " : "", d->side[i].run ? d->side[i].run : "", d->side[i].run ? " in " : "",
               d->side[i].path, sl_show_count(t->roots, roots), t->roots == 1 ? "" : "s", d->type,
               sl_show_count(t->seq.n, orders), t->seq.n == 1 ? "" : "s");
        if (t->histories < t->roots)
            printf("; %s without any", sl_show_count(t->roots - t->histories, roots));
        puts("");
    }
}

/* ---- sections ---- */

static void show_shift(const char *name, const struct sl_shift *s)
{
    char a[40], b[40], change[40], percent[32], range[90];

    printf("%-24s %11s %11s %11s %8s  %s\n", name, seconds(s->a, a), seconds(s->b, b),
           signed_seconds(s->change, change), isnan(s->change) ? "" : diff_percent(s->a, s->b, percent),
           interval(s, range, sizeof range));
}

static void show_whole(const struct sl_comparison *d)
{
    const struct sl_diff_row *r = &d->d.history;
    const double *m = d->makespan;
    struct sl_shift makespan = {m[0], m[1], m[1] - m[0], NAN, NAN};

    printf("\n%-24s %11s %11s %11s %8s  %s\n", "", "A", "B", "change", "", "95 % interval");
    show_shift("makespan", &makespan);
    show_shift("whole story, median", &r->median);
    show_shift("             95 %", &r->p95);
    show_shift("             99 %", &r->p99);
}

static void show_path(const struct sl_comparison *d, bool all)
{
    char a[40], b[40], change[40];
    size_t n = all || d->path.n < PATH ? d->path.n : PATH;
    double rest = 0;

    puts("\nOn the critical path");
    if (!d->path.n) {
        printf("not compared: %s\n", d->no_path);
        return;
    }
    printf("%11s %11s %11s  %s\n", "A", "B", "change", "component, state");
    for (size_t i = 0; i < n; i++)
        printf("%11s %11s %11s  %s, %s\n", seconds(d->path.v[i].s[0], a), seconds(d->path.v[i].s[1], b),
               signed_seconds(d->path.v[i].s[1] - d->path.v[i].s[0], change), d->path.v[i].component,
               d->path.v[i].state);
    for (size_t i = n; i < d->path.n; i++)
        rest += d->path.v[i].s[1] - d->path.v[i].s[0];
    if (n < d->path.n)
        printf("%11s %11s %11s  %zu more; --all shows them\n", "", "", signed_seconds(rest, change), d->path.n - n);
}

static void put_ends(const struct sl_diff *d, const struct sl_diff_row *r)
{
    const struct sl_diff_event *from = &d->event.v[r->from], *to = &d->event.v[r->to];
    printf("  %s/%s -> %s/%s\n", from->span_type, from->event_type, to->span_type, to->event_type);
}

static void put_transition(const struct sl_diff *d, const struct sl_diff_row *r)
{
    char a[40], b[40], change[40], percent[32], tail[40], range[90];

    printf("%7zu %7zu %10s %10s %10s %8s  %-22s %10s", r->n[0], r->n[1], seconds(r->median.a, a),
           seconds(r->median.b, b), signed_seconds(r->median.change, change),
           diff_percent(r->median.a, r->median.b, percent), interval(&r->median, range, sizeof range),
           r->n[0] < TAIL || r->n[1] < TAIL ? "-" : signed_seconds(r->p95.change, tail));
    put_ends(d, r);
}

static void put_part(const struct sl_diff *d, const char *title, size_t from, size_t n, size_t most)
{
    if (!n)
        return;
    printf("%s", title);
    if (n > most)
        printf("; %zu more with --all", n - most);
    puts("");
    for (size_t i = from; i < from + n && i < from + most; i++)
        put_transition(d, &d->transition.v[i]);
}

/* Those whose median did not move are listed with --all only. */
static void show_both(const struct sl_diff *d, bool all)
{
    size_t both = 0, sure = 0, moved = 0, most;

    for (; both < d->transition.n && d->transition.v[both].n[0] && d->transition.v[both].n[1]; both++) {
        sure += sl_diff_sure(&d->transition.v[both]) != 0;
        moved += d->transition.v[both].weight > 0;
    }
    printf("\nFrom one event to the next: both have %zu transition%s%s", both, both == 1 ? "" : "s",
           both && !moved ? ", and no median changed" : "");
    if (moved && moved < both && !all)
        printf("; the medians of %zu did not change, --all shows them", both - moved);
    puts("");
    if (!moved && !all)
        return;
    printf("%7s %7s %10s %10s %10s %8s  %-22s %10s  %s\n", "n in A", "in B", "median A", "B", "change", "",
           "95 % interval", "p95 change", "from -> to");
    most = sure < SURE ? sure : SURE;
    put_part(d, "surely changed (the interval is without 0), what matters most first", 0, sure, all ? both : most);
    put_part(
        d, "not surely: the interval has 0, or one side has it more often, since who logs first differs (try --merge)",
        sure, (all ? both : moved) - sure, all ? both : TRANSITIONS - most);
}

/* Those that only one side has stand behind the others, by weight. */
static void show_one(const struct sl_diff *d, int side, bool all)
{
    size_t n = 0, shown = 0;
    char s[40];

    for (size_t i = 0; i < d->transition.n; i++)
        n += !d->transition.v[i].n[!side];
    if (!n)
        return;
    printf("\n%zu transition%s that only %c has%s\n%7s %10s\n", n, n == 1 ? "" : "s", "AB"[side],
           n > LONE && !all ? ", those with most of the time first; --all shows all" : "", "n", "median");
    for (size_t i = 0; i < d->transition.n && (all || shown < LONE); i++) {
        const struct sl_diff_row *r = &d->transition.v[i];
        if (r->n[!side])
            continue;
        printf("%7zu %10s", r->n[side], seconds(side ? r->median.b : r->median.a, s));
        put_ends(d, r);
        shown++;
    }
}

/* ---- orderings ---- */

/* Orderings that differ in the same from what they are compared with. */
struct alike {
    char *how;
    size_t orderings;
    uint64_t roots;
};

static bool shared(const struct sl_diff *d, size_t event)
{
    return d->event.v[event].in[0] && d->event.v[event].in[1];
}

/* Events that one side never has stand above. */
static void list_events(struct sl_buf *b, const struct sl_diff *d, const int *surplus, int sign, const char *word)
{
    size_t n = 0;

    for (size_t i = 0; i < d->event.n; i++) {
        if (surplus[i] * sign <= 0 || !shared(d, i))
            continue;
        if (n++ < WORDS)
            sl_buf_addf(b, "%s %s/%s", n > 1 ? "," : word, d->event.v[i].span_type, d->event.v[i].event_type);
        if (n <= WORDS && abs(surplus[i]) > 1)
            sl_buf_addf(b, " (%d times)", abs(surplus[i]));
    }
    if (n > WORDS)
        sl_buf_addf(b, " and %zu more", n - WORDS);
}

static char *difference(const struct sl_diff *d, const int *surplus)
{
    struct sl_buf b = {0};
    bool events = false, others = false;

    for (size_t i = 0; i < d->event.n; i++) {
        events |= surplus[i] && shared(d, i);
        others |= surplus[i] && !shared(d, i);
    }
    if (!events)
        sl_buf_adds(&b,
                    others ? "but for events that one side never has, the same" : "the same events in another order");
    list_events(&b, d, surplus, 1, "with");
    list_events(&b, d, surplus, -1, b.n ? " without" : "without");
    return b.s;
}

/* In what an ordering differs from the most common one of the other side that has events. */
static struct alike how_it_differs(const struct sl_diff *d, const struct sl_diff_lone *l)
{
    const struct sl_sequences *mine = &d->t[l->side].seq, *its = &d->t[!l->side].seq;
    const struct sl_ordering *o = &mine->v[l->ordering];
    int *surplus = sl_alloc(d->event.n * sizeof *surplus);
    struct alike a = {.orderings = 1, .roots = o->count};
    size_t other = 0;

    while (other < its->n && !its->v[other].n)
        other++;
    for (uint32_t i = 0; i < o->n; i++)
        surplus[mine->code[o->at + i]]++;
    for (uint32_t i = 0; other < its->n && i < its->v[other].n; i++)
        surplus[its->code[its->v[other].at + i]]--;
    a.how = o->n ? difference(d, surplus) : sl_strdup("no events");
    free(surplus);
    return a;
}

static int by_how(const void *a, const void *b)
{
    return strcmp(((const struct alike *)a)->how, ((const struct alike *)b)->how);
}

static int by_roots(const void *a, const void *b)
{
    const struct alike *x = a, *y = b;
    return x->roots != y->roots ? x->roots > y->roots ? -1 : 1 : by_how(a, b);
}

/* Puts those together that are alike; how many are left. */
static size_t gather(struct alike *v, size_t n)
{
    size_t k = 0;

    qsort(v, n, sizeof *v, by_how);
    for (size_t i = 1; i < n; i++)
        if (!strcmp(v[i].how, v[k].how)) {
            v[k].orderings += v[i].orderings;
            v[k].roots += v[i].roots;
            free(v[i].how);
        } else {
            v[++k] = v[i];
        }
    qsort(v, k + 1, sizeof *v, by_roots);
    return k + 1;
}

static void show_lone(const struct sl_diff *d, int side, bool all)
{
    SL_VEC(struct alike) v = {0};
    uint64_t roots = 0;
    size_t n;
    char count[32];

    for (size_t i = 0; i < d->lone.n; i++)
        if (d->lone.v[i].side == side) {
            *sl_vec_add(&v) = how_it_differs(d, &d->lone.v[i]);
            roots += v.v[v.n - 1].roots;
        }
    if (!v.n)
        return;
    printf("\n%zu %s ordering%s of events that only %c has, of %s span%s\n", v.n, side ? "new" : "vanished",
           v.n == 1 ? "" : "s", "AB"[side], sl_show_count(roots, count), roots == 1 ? "" : "s");
    n = gather(v.v, v.n);
    printf("%9s %9s  compared with the most common of %c", "orderings", "spans", "BA"[side]);
    if (n > LONE && !all)
        printf("; %zu more with --all", n - LONE);
    puts("");
    for (size_t i = 0; i < n; i++) {
        if (all || i < LONE)
            printf("%9zu %9llu  %s\n", v.v[i].orderings, (unsigned long long)v.v[i].roots, v.v[i].how);
        free(v.v[i].how);
    }
    sl_vec_free(&v);
}

static void show_events(const struct sl_diff *d, int side, bool all)
{
    size_t n = 0;

    for (size_t i = 0; i < d->event.n; i++)
        if (!d->event.v[i].in[!side] && (n++ < EVENTS || all))
            printf("%s %s/%s", n == 1 ? side ? "\nEvents that only B has:" : "\nEvents that only A has:" : ",",
                   d->event.v[i].span_type, d->event.v[i].event_type);
    if (n > EVENTS && !all)
        printf(" and %zu more with --all", n - EVENTS);
    if (n)
        puts("");
}

void diff_show(const struct sl_comparison *d, bool all)
{
    show_verdict(d);
    show_sides(d);
    show_whole(d);
    show_path(d, all);
    show_both(&d->d, all);
    for (int side = 0; side < 2; side++)
        show_one(&d->d, side, all);
    for (int side = 0; side < 2; side++)
        show_events(&d->d, side, all);
    for (int side = 0; side < 2; side++)
        show_lone(&d->d, side, all);
    if (!d->d.lone.n)
        puts("\nBoth have the same orderings of events");
}
