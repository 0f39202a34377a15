/* SPDX-License-Identifier: Apache-2.0 */
#include "design/settings/fraction.h"
#include "base/mem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* As many sets of columns are looked at, at most. */
#define MOST_SETS 3000000

static const char *const roman[] = {"full", "I", "II", "III", "IV", "V", "VI", "VII", "VIII", "IX", "X"};

const char *sl_fraction_roman(int resolution)
{
    return resolution <= 10 ? roman[resolution] : "above X";
}

/* ---- words ---- */

struct search {
    int k, m;
    uint32_t runs;
    uint8_t *weight[SL_FRACTION_FACTORS + 1]; /* of n columns: of each run, how many factors are high */
    uint32_t column[SL_FRACTION_FACTORS], best[SL_FRACTION_FACTORS];
    double words[SL_FRACTION_FACTORS + 1];
    bool found;
    long sets;
};

/* A_j = 2^-m sum over runs of K_j(weight), with the polynomials of Krawtchouk for n columns; j = 0 .. upto. */
static void count_words(struct search *s, const uint8_t *weight, int n, int upto, double *words)
{
    double runs[SL_FRACTION_FACTORS + 1] = {0};

    for (uint32_t i = 0; i < s->runs; i++)
        runs[weight[i]]++;
    for (int j = 0; j <= upto; j++)
        words[j] = 0;
    for (int w = 0; w <= n; w++) {
        double before = 0, now = 1;
        for (int j = 0; runs[w] > 0 && j <= upto && j <= n; j++) {
            double next = ((n - 2 * w) * now - (n - j + 1) * before) / (j + 1);
            words[j] += runs[w] * now;
            before = now;
            now = next;
        }
    }
    for (int j = 0; j <= upto; j++)
        words[j] = round(words[j] / s->runs);
}

static void add_column(struct search *s, int n, uint32_t column)
{
    for (uint32_t i = 0; i < s->runs; i++)
        s->weight[n + 1][i] = (uint8_t)(s->weight[n][i] + __builtin_parity(i & column));
    s->column[n] = column;
}

/* The first difference counts. */
static int compare(const double *a, const double *b, int upto)
{
    for (int j = 3; j <= upto; j++)
        if (a[j] != b[j])
            return a[j] < b[j] ? -1 : 1;
    return 0;
}

/* ---- which columns ---- */

static bool is_basic(uint32_t c)
{
    return !(c & (c - 1));
}

/* All sets of columns in ascending order; those that have more short words already than the best one are left. */
static void all_sets(struct search *s, int n, uint32_t from)
{
    double words[SL_FRACTION_FACTORS + 1];

    if (s->sets > MOST_SETS)
        return;
    if (n == s->k) {
        s->sets++;
        count_words(s, s->weight[n], n, n, words);
        if (!s->found || compare(words, s->words, n) < 0) {
            s->found = true;
            memcpy(s->words, words, sizeof words);
            memcpy(s->best, s->column, sizeof s->best);
        }
        return;
    }
    if (s->found && n > s->m) {
        s->sets++;
        count_words(s, s->weight[n], n, n < 4 ? n : 4, words);
        if (words[3] > s->words[3] || (n >= 4 && words[3] == s->words[3] && words[4] > s->words[4]))
            return;
    }
    for (uint32_t c = from; c < s->runs && s->sets <= MOST_SETS; c++)
        if (!is_basic(c)) {
            add_column(s, n, c);
            all_sets(s, n + 1, c + 1);
        }
}

/* One column after the other, each the best as it is; then columns are exchanged as long as that helps. */
static void one_by_one(struct search *s)
{
    double words[SL_FRACTION_FACTORS + 1], best[SL_FRACTION_FACTORS + 1];
    bool better = true;

    for (int n = s->m; n < s->k; n++) {
        uint32_t choice = 0;
        for (uint32_t c = 3; c < s->runs; c++) {
            bool there = is_basic(c);
            for (int i = s->m; i < n; i++)
                there |= s->column[i] == c;
            if (there)
                continue;
            add_column(s, n, c);
            count_words(s, s->weight[n + 1], n + 1, n + 1, words);
            if (!choice || compare(words, best, n + 1) < 0) {
                choice = c;
                memcpy(best, words, sizeof best);
            }
        }
        add_column(s, n, choice);
    }
    for (int round = 0; better && round < 10; round++) {
        better = false;
        for (int at = s->m; at < s->k; at++) {
            uint32_t was = s->column[at], choice = was;
            for (uint32_t c = 3; c < s->runs; c++) {
                bool there = is_basic(c);
                for (int i = s->m; i < s->k; i++)
                    there |= s->column[i] == c;
                if (there)
                    continue;
                s->column[at] = c;
                for (int n = at; n < s->k; n++)
                    add_column(s, n, s->column[n]);
                count_words(s, s->weight[s->k], s->k, s->k, words);
                if (compare(words, best, s->k) < 0) {
                    memcpy(best, words, sizeof best);
                    choice = c;
                    better = true;
                }
            }
            s->column[at] = choice;
            for (int n = at; n < s->k; n++)
                add_column(s, n, s->column[n]);
        }
    }
    if (!s->found || compare(best, s->words, s->k) < 0) {
        memcpy(s->words, best, sizeof best);
        memcpy(s->best, s->column, sizeof s->best);
        s->found = true;
    }
}

/* ---- fractions ---- */

static void begin(struct search *s, int k, int m)
{
    *s = (struct search){.k = k, .m = m, .runs = UINT32_C(1) << m};
    for (int n = 0; n <= k; n++)
        s->weight[n] = sl_alloc(s->runs);
    for (int n = 0; n < m; n++)
        add_column(s, n, UINT32_C(1) << n);
}

static void end(struct search *s)
{
    for (int n = 0; n <= s->k; n++)
        free(s->weight[n]);
}

static void set_resolution(struct sl_fraction *f)
{
    f->resolution = 0;
    for (int j = f->factors; j > 0; j--)
        if (f->words[j] > 0)
            f->resolution = j;
}

void sl_fraction_words(struct sl_fraction *f)
{
    struct search s;

    begin(&s, f->factors, f->bits);
    for (int n = 0; n < f->factors; n++)
        add_column(&s, n, f->column[n]);
    memset(f->words, 0, sizeof f->words);
    count_words(&s, s.weight[f->factors], f->factors, f->factors, f->words);
    end(&s);
    set_resolution(f);
}

int sl_fraction_of_runs(struct sl_fraction *out, int factors, int bits, struct sl_err *err)
{
    struct search s;

    *out = (struct sl_fraction){.factors = factors, .bits = bits};
    if (factors < 1 || factors > SL_FRACTION_FACTORS)
        return sl_err(err, SL_EUSAGE, "a fraction is of 1 to %d factors of two levels, not %d", SL_FRACTION_FACTORS,
                      factors);
    if (bits < 1 || bits > SL_FRACTION_BITS || bits > factors)
        return sl_err(err, SL_EUSAGE, "a fraction of %d factors has 2 to %d runs, a power of 2", factors,
                      1 << (factors < SL_FRACTION_BITS ? factors : SL_FRACTION_BITS));
    if (factors > (1 << bits) - 1)
        return sl_err(err, SL_EUSAGE, "%d runs cannot tell %d factors apart: at most %d", 1 << bits, factors,
                      (1 << bits) - 1);
    begin(&s, factors, bits);
    if (factors == bits) {
        memcpy(s.best, s.column, sizeof s.best);
        s.found = true;
    } else {
        all_sets(&s, bits, 3);
        if (s.sets > MOST_SETS)
            one_by_one(&s);
    }
    memcpy(out->column, s.best, sizeof out->column);
    out->best = s.sets <= MOST_SETS;
    end(&s);
    sl_fraction_words(out);
    return 0;
}

int sl_fraction_of_resolution(struct sl_fraction *out, int factors, int resolution, struct sl_err *err)
{
    if (resolution < 3)
        return sl_err(err, SL_EUSAGE, "a resolution is 3 (III) or more: with less, factors are not told apart");
    for (int bits = 1; bits <= SL_FRACTION_BITS && bits <= factors; bits++)
        if (factors <= (1 << bits) - 1) {
            int rc = sl_fraction_of_runs(out, factors, bits, err);
            if (rc || !out->resolution || out->resolution >= resolution)
                return rc;
        }
    return sl_err(err, SL_EUSAGE, "no fraction of %d factors with at most %d runs has resolution %s", factors,
                  1 << SL_FRACTION_BITS, sl_fraction_roman(resolution));
}
