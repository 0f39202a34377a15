/* SPDX-License-Identifier: Apache-2.0 */
#include "base/near.h"
#include "base/mem.h"

#include <stdlib.h>

/*
 * Edits that turn a into b, where two letters that changed places are one edit (optimal string alignment: R. Lowrance
 * and R. A. Wagner, An extension of the string-to-string correction problem, 1975); a is short.
 */
static size_t distance(const char *a, const char *b)
{
    size_t n = strlen(a), *rows = sl_alloc(3 * (n + 1) * sizeof *rows), d;
    size_t *before = rows, *above = rows + n + 1, *row = rows + 2 * (n + 1);

    for (size_t i = 0; i <= n; i++)
        row[i] = i;
    for (size_t j = 1; b[j - 1]; j++) {
        size_t *next = before;
        before = above;
        above = row;
        row = next;
        row[0] = j;
        for (size_t i = 1; i <= n; i++) {
            size_t least = above[i - 1] + (a[i - 1] != b[j - 1]);
            least = above[i] + 1 < least ? above[i] + 1 : least;
            least = row[i - 1] + 1 < least ? row[i - 1] + 1 : least;
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] && before[i - 2] + 1 < least)
                least = before[i - 2] + 1;
            row[i] = least;
        }
    }
    d = row[n];
    free(rows);
    return d;
}

/*
 * How far a name is from a pattern, in halves of an edit: the end of it that is nearest, a half behind a whole name; of
 * the pattern's own type, only the events.
 */
static size_t far(const char *pattern, const char *name)
{
    size_t least, type = strcspn(pattern, "/");

    if (pattern[type] && !strncmp(pattern, name, type + 1))
        return far(pattern + type + 1, name + type + 1);
    least = strlen(pattern) > 2 && strstr(name, pattern) ? 2 : 2 * distance(pattern, name);

    for (const char *s = name; (s = strpbrk(s, "./_"));) {
        size_t d = 2 * distance(pattern, ++s) + 1;
        least = d < least ? d : least;
    }
    return least;
}

int sl_near(const char *const *names, size_t n, const char *pattern, size_t best[SL_NEAR])
{
    size_t d, how[SL_NEAR], len = strlen(pattern + strspn(pattern, "-"));
    size_t edits = len / 2 < 2 + len / 4 ? len / 2 : 2 + len / 4, limit = 2 * edits + (edits == 1);
    int found = 0;

    for (size_t i = 0; i < n; i++) {
        int k = found;
        d = far(pattern, names[i]);
        if (d > limit)
            continue;
        while (k > 0 && (d < how[k - 1] || (d == how[k - 1] && strlen(names[i]) < strlen(names[best[k - 1]]))))
            k--; /* of those as near, the shorter */
        if (k == SL_NEAR)
            continue;
        found += found < SL_NEAR;
        for (int m = found - 1; m > k; m--) {
            best[m] = best[m - 1];
            how[m] = how[m - 1];
        }
        best[k] = i;
        how[k] = d;
    }
    while (found > 1 && how[found - 1] > 2 * how[0]) /* beside a slip of a finger another word is not near */
        found--;
    return found;
}

void sl_near_add(struct sl_buf *b, const char *const *names, size_t n, const char *pattern)
{
    size_t best[SL_NEAR];
    int found = sl_near(names, n, pattern, best);

    for (int i = 0; i < found; i++)
        sl_buf_addf(b, "%s'%s'", i == 0 ? "; did you mean " : i == found - 1 ? " or " : ", ", names[best[i]]);
    if (found)
        sl_buf_addc(b, '?');
}
