/* SPDX-License-Identifier: Apache-2.0 */
/* Where a step of a plan is made: lines of the run's script that the words of its finding name. */
#include "findings/plan/planning_internal.h"
#include "plan_where.sql.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_BYTES = 1 << 20, MOST_LINES = 3, FOLDERS_UP = 4, SHOWN = 90 };

static bool is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

struct place {
    char *name, *log;
};

static int read_place(void *of, sqlite3_stmt *row, struct sl_err *err)
{
    struct place *p = of;

    (void)err;
    p->name = sl_strdup(sl_store_text(row, 0));
    p->log = sl_strdup(sl_store_text(row, 1));
    return 0;
}

/* The script, whose name a log has, beside the logs or in a folder above them.  NULL: it is not at hand. */
static char *find_script(struct sl_store *st, struct sl_buf *path)
{
    struct place p = {0};
    struct sl_buf text = {0};
    char *name, *log;
    FILE *f = NULL;

    sl_store_each(st, sql_script, read_place, &p, NULL, "");
    name = p.name;
    log = p.log;
    for (int i = 0; i < FOLDERS_UP && name && *name && !strchr(name, '/') && log && !f; i++) {
        char *slash = strrchr(log, '/');
        if (!slash)
            break;
        *slash = '\0';
        sl_buf_clear(path);
        sl_buf_addf(path, "%s/%s", log, name);
        f = fopen(path->s, "re");
    }
    while (f && text.n <= MOST_BYTES) {
        char part[4096];
        size_t n = fread(part, 1, sizeof part, f);
        sl_buf_add(&text, part, n);
        if (n < sizeof part)
            break;
    }
    if (!f || ferror(f) || !text.n || text.n > MOST_BYTES || memchr(text.s, '\0', text.n))
        sl_buf_free(&text);
    if (f)
        fclose(f);
    free(name);
    free(log);
    return text.s;
}

/* Does the line define, set or call what the n bytes at word name?  Words of prose are no names: a call has (). */
static bool has(const char *line, size_t length, const char *word, size_t n, bool call)
{
    for (const char *at = line; at + n <= line + length; at++) {
        const char *after = at + n;
        size_t left = length - (size_t)(after - line);
        if (memcmp(at, word, n) != 0 || (at > line && is_word(at[-1])) || (left && is_word(*after)))
            continue;
        if (at - line >= 4 && !memcmp(at - 4, "def ", 4))
            return true;
        if (call && left && *after == '(')
            return true;
        while (left && *after == ' ')
            after++, left--;
        if (memchr(word, '_', n) && left > 1 && *after == '=' && after[1] != '=')
            return true;
    }
    return false;
}

/* What of a script has been read: whether its lines are those of an app, which run on workers. */
struct reading {
    bool decorated, in_app;
    size_t indent; /* of the app's def */
};

/* Is it a line that one of the words names?  Comments are none; what an app calls is not the driver's. */
static bool is_named(struct reading *r, const char *line, size_t length, const char *words)
{
    size_t blank = 0;

    while (blank < length && (line[blank] == ' ' || line[blank] == '\t'))
        blank++;
    if (blank == length || line[blank] == '#')
        return false;
    if (r->in_app && blank <= r->indent)
        r->in_app = false;
    if (r->decorated && line[blank] != '@') {
        r->decorated = false;
        r->in_app = true;
        r->indent = blank;
    }
    r->decorated |= line[blank] == '@';
    for (const char *at = words, *end; *at; at = end) {
        while (*at && !is_word(*at))
            at++;
        for (end = at; is_word(*end);)
            end++;
        if (end - at >= 3 && has(line, length, at, (size_t)(end - at), !r->in_app && !strncmp(end, "()", 2)))
            return true;
    }
    return false;
}

void sl_plan_where(struct sl_buf *out, struct sl_store *st, const char *words)
{
    struct sl_buf path = {0};
    char *text = find_script(st, &path);
    const char *name = text ? strrchr(path.s, '/') + 1 : NULL;
    struct reading r = {0};
    int number = 1, lines = 0;

    for (const char *line = text, *end; line && *line && lines < MOST_LINES; line = *end ? end + 1 : NULL, number++) {
        end = line + strcspn(line, "\n");
        if (!is_named(&r, line, (size_t)(end - line), words))
            continue;
        line += strspn(line, " \t");
        sl_buf_addf(out, "%s%s:%d: %.*s", out->n ? "\n" : "", name, number,
                    (int)(end - line < SHOWN ? end - line : SHOWN), line);
        lines++;
    }
    free(text);
    sl_buf_free(&path);
}
