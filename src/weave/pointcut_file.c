/* SPDX-License-Identifier: Apache-2.0 */
#include "weave/pointcut_file.h"

#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MODULE, FUNCTION, CLASS };
enum { LINE = 4096 };
static const char *const globs[] = {"module", "function", "class"};

/* The next word or key=value of a line, in place; a value may have quotes, which go.  NULL: no more. */
static char *next(char **line, bool *bad)
{
    char *p = *line + strspn(*line, " \t\r"), *start = p, *to = p;
    bool quoted = false;

    if (!*p || *p == '#')
        return NULL;
    for (; *p && (quoted || !strchr(" \t\r", *p)); p++)
        if (*p == '"')
            quoted = !quoted;
        else
            *to++ = *p;
    *bad |= quoted;
    *line = *p ? p + 1 : p;
    *to = 0;
    return start;
}

static bool set(struct sl_pointcut_rule *r, const char *key, const char *value, char *why, size_t n)
{
    for (size_t i = 0; i < SL_POINTCUT_GLOBS; i++)
        if (!strcmp(key, globs[i])) {
            snprintf(why, n, "%s is said twice", key);
            if (r->globs[i])
                return false;
            r->globs[i] = strdup(value);
            return true;
        }
    if (r->include && !strcmp(key, "pointcut")) {
        snprintf(why, n, "there is no pointcut '%s'", value);
        if (!sl_advice_is_pointcut(value))
            return false;
        strcpy(r->advice.pointcut, value);
        return true;
    }
    if (r->include && !strcmp(key, "scope") && strlen(value) < sizeof r->advice.scope) {
        strcpy(r->advice.scope, value);
        return true;
    }
    snprintf(why, n, "there is no key '%s' of %s; there are module, function, class%s", key,
             r->include ? "include" : "exclude", r->include ? ", pointcut, scope" : "");
    return false;
}

/* False: why.  *to: NULL, where the line has no rule. */
static bool rule(char *line, struct sl_pointcut_rule **to, char *why, size_t n)
{
    bool bad = false;
    char *word = next(&line, &bad), *value;
    struct sl_pointcut_rule *r;

    *to = NULL;
    if (!word)
        return true;
    snprintf(why, n, "a rule begins with include or exclude, not '%.40s'", word);
    if (strcmp(word, "include") != 0 && strcmp(word, "exclude") != 0)
        return false;
    r = calloc(1, sizeof *r);
    snprintf(why, n, "no memory");
    if (!r)
        return false;
    *to = r;
    r->include = *word == 'i';
    sl_advice_default(&r->advice);
    while ((word = next(&line, &bad))) {
        snprintf(why, n, "key=value is wanted at '%.40s'", word);
        if (!(value = strchr(word, '=')))
            return false;
        *value++ = 0;
        if (!set(r, word, value, why, n))
            return false;
    }
    snprintf(why, n, "a quote is not closed");
    return !bad;
}

bool sl_pointcuts_read(const char *file, struct sl_pointcuts *p, char *why, size_t n)
{
    struct sl_pointcut_rule **last = &p->rules;
    char *line = NULL, wrong[200] = "";
    size_t room = 0;
    bool ok = true;
    unsigned number = 0;
    FILE *f;

    *p = (struct sl_pointcuts){0};
    p->file = file && *file ? file : getenv("SPANLOOM_POINTCUTS");
    if (!p->file || !*p->file)
        return true;
    f = fopen(p->file, "re");
    if (!f) {
        snprintf(why, n, "%s: %s", p->file, strerror(errno));
        return false;
    }
    while (ok && (errno = 0, getline(&line, &room, f)) >= 0) {
        line[strcspn(line, "\n")] = 0;
        number++;
        ok = rule(line, last, wrong, sizeof wrong);
        if (*last) {
            (*last)->line = number;
            last = &(*last)->next;
        }
    }
    if (!ok)
        snprintf(why, n, "%s:%u: %s", p->file, number, wrong);
    else if (ferror(f) || errno == ENOMEM) /* for want of memory getline() ends like at the end */
        snprintf(why, n, "%s: %s", p->file, strerror(errno)), ok = false;
    free(line);
    fclose(f);
    return ok;
}

void sl_pointcuts_free(struct sl_pointcuts *p)
{
    while (p->rules) {
        struct sl_pointcut_rule *next = p->rules->next;
        for (size_t i = 0; i < SL_POINTCUT_GLOBS; i++)
            free(p->rules->globs[i]);
        free(p->rules);
        p->rules = next;
    }
}

static bool is(const char *glob, const char *text)
{
    return fnmatch(glob, text, 0) == 0;
}

static const char *behind(const char *s, const char *separator)
{
    for (const char *p; (p = strstr(s, separator));)
        s = p + strlen(separator);
    return s;
}

static bool matches(struct sl_pointcut_rule *r, const char *module, const struct sl_function_name *name)
{
    const char *glob = r->globs[MODULE];

    if (glob && !is(glob, module) && !is(glob, behind(module, "/")))
        return false;
    r->hit_module = true;
    glob = r->globs[FUNCTION];
    if (glob && !is(glob, name->full) && !is(glob, name->function) && !is(glob, name->last))
        return false;
    glob = r->globs[CLASS];
    if (glob && !is(glob, name->qualifier) && !is(glob, behind(name->qualifier, "::")))
        return false;
    r->hits++;
    return true;
}

const struct sl_pointcut_rule *sl_pointcuts_find(struct sl_pointcuts *p, const char *module,
                                                 const struct sl_function_name *name)
{
    struct sl_pointcut_rule *found = NULL;

    for (struct sl_pointcut_rule *r = p->rules; r; r = r->next)
        if (matches(r, module, name))
            found = r;
    return found;
}

/* A line, also from compilers that run side by side.  What cannot be written is no reason to stop one. */
static void tell(const char *line, int n)
{
    const char *file = getenv("SPANLOOM_WOVEN");
    int fd = file && *file ? open(file, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666) : -1;

    if (fd < 0)
        return;
    if (n > 0 && n < LINE && write(fd, line, (size_t)n) < 0)
        errno = 0;
    close(fd);
}

void sl_pointcuts_woven(const struct sl_pointcuts *p, const char *module, const char *function,
                        const struct sl_pointcut_rule *by)
{
    char line[LINE];

    if (by)
        tell(line, snprintf(line, sizeof line, "%s\t%s\t%s:%u\n", module, function, p->file, by->line));
    else
        tell(line, snprintf(line, sizeof line, "%s\t%s\tannotation\n", module, function));
}

void sl_pointcuts_unused(const struct sl_pointcuts *p, const char *module, void (*warn)(const char *text, void *data),
                         void *data)
{
    char line[LINE];

    for (const struct sl_pointcut_rule *r = p->rules; r; r = r->next) {
        tell(line, snprintf(line, sizeof line, "%s\t\t%s:%u\t%u\n", module, p->file, r->line, r->hits));
        if (r->globs[MODULE] && r->hit_module && !r->hits) {
            snprintf(line, sizeof line, "%s:%u: this rule matches no function of %s", p->file, r->line, module);
            warn(line, data);
        }
    }
}
