/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where the group of a process can be seen: /proc/PID/cgroup says its name, /proc/self/mountinfo where groups are
 * mounted, and which part of them (cgroups(7), proc_pid_mountinfo(5)).  In a container either may be a part of the
 * host's: a name that begins with the root of the mount is below it, "/../x" is outside of what can be seen.
 */
#include "collect/sampler/sampler_internal.h"

#include <stdio.h>

static const char *const controllers[CGROUP_PLACES] = {
    [CGROUP_CPU] = "cpu",     [CGROUP_CPUACCT] = "cpuacct", [CGROUP_MEMORY] = "memory",
    [CGROUP_BLKIO] = "blkio", [CGROUP_PIDS] = "pids",
};

/* Whether the list a,b,c, which ends where s does, has a word. */
static bool has(struct scan s, const char *word)
{
    size_t n = strlen(word);

    while (s.at < s.end) {
        const char *comma = memchr(s.at, ',', (size_t)(s.end - s.at));
        const char *end = comma ? comma : s.end;
        if ((size_t)(end - s.at) == n && !memcmp(s.at, word, n))
            return true;
        s.at = comma ? comma + 1 : s.end;
    }
    return false;
}

/* Up to `stop`, which is passed; false: there is none. */
static bool part(struct scan *s, char stop, struct scan *out)
{
    const char *end = memchr(s->at, stop, (size_t)(s->end - s->at));

    if (!end)
        return false;
    *out = (struct scan){s->at, end};
    s->at = end + 1;
    return true;
}

/* Copies without the escapes \040 of blanks; false: no room. */
static bool copy(char *to, size_t size, struct scan s)
{
    size_t n = 0;

    for (; s.at < s.end; s.at++) {
        char c = *s.at;
        if (c == '\\' && s.end - s.at > 3 && s.at[1] >= '0' && s.at[1] <= '3') {
            c = (char)((s.at[1] - '0') << 6 | ((s.at[2] - '0') & 7) << 3 | ((s.at[3] - '0') & 7));
            s.at += 3;
        }
        if (!c || n + 1 >= size)
            return false;
        to[n++] = c;
    }
    to[n] = 0;
    return true;
}

/* "4:memory:/path"; "0::/path" is of v2 */
static void name_places(struct cgroup_place place[CGROUP_PLACES], const struct text *cgroup)
{
    struct scan s = scan_text(cgroup), line, number, list;

    while (scan_line(&s, &line)) {
        if (!part(&line, ':', &number) || !part(&line, ':', &list) || line.at == line.end || *line.at != '/')
            continue;
        for (int i = 0; i < CGROUP_PLACES; i++)
            if (i == CGROUP_V2 ? list.at == list.end : has(list, controllers[i]))
                if (!copy(place[i].path, sizeof place[i].path, line))
                    *place[i].path = 0;
    }
}

/* Where a mount of the part `root` at `point` shows the group. */
static void show(struct cgroup_place *p, const char *root, const char *point)
{
    size_t n = strcmp(root, "/") ? strlen(root) : 0;

    if (!*p->path || *p->dir || !strncmp(p->path, "/..", 3))
        return;
    if (strncmp(p->path, root, n) || (p->path[n] && p->path[n] != '/'))
        return;
    if (snprintf(p->mount, sizeof p->mount, "%s", point) >= (int)sizeof p->mount ||
        snprintf(p->dir, sizeof p->dir, "%s%s", point, strcmp(p->path + n, "/") ? p->path + n : "") >=
            (int)sizeof p->dir)
        *p->dir = 0;
}

/* "36 35 98:0 /root /point options [more...] - type source super" */
static void mount_line(struct cgroup_place place[CGROUP_PLACES], struct scan line)
{
    char root[256], point[256];
    struct scan f, at[2];
    bool v2;

    for (int i = 0; i < 3; i++)
        if (!part(&line, ' ', &f))
            return;
    if (!part(&line, ' ', &at[0]) || !part(&line, ' ', &at[1]))
        return;
    while (part(&line, ' ', &f) && !(f.end - f.at == 1 && *f.at == '-'))
        ;
    if (!part(&line, ' ', &f))
        return;
    v2 = f.end - f.at == 7 && !memcmp(f.at, "cgroup2", 7);
    if (!v2 && (f.end - f.at != 6 || memcmp(f.at, "cgroup", 6)))
        return;
    if (!part(&line, ' ', &f) || !copy(root, sizeof root, at[0]) || !copy(point, sizeof point, at[1]))
        return;
    for (int i = 0; i < CGROUP_PLACES; i++)
        if (i == CGROUP_V2 ? v2 : !v2 && has(line, controllers[i]))
            show(&place[i], root, point);
}

void cgroup_places_parse(struct cgroup_place place[CGROUP_PLACES], const struct text *cgroup, const struct text *mounts)
{
    struct scan s = scan_text(mounts), line;

    memset(place, 0, CGROUP_PLACES * sizeof *place);
    name_places(place, cgroup);
    while (scan_line(&s, &line))
        mount_line(place, line);
}
