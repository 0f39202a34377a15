/* SPDX-License-Identifier: Apache-2.0 */
#include "serve/server.h"
#include "base/clock.h"
#include "base/mem.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
    CONNECTIONS = 64,   /* of more, one is closed: room_for_one() */
    ANSWERS = 12,       /* children at once */
    REQUEST_MS = 10000, /* until a request is whole */
    WAIT_MS = 60000,    /* until a child is free for it */
    ANSWER_S = 180,     /* until the answer is made */
    SEND_MS = 10000,    /* without a byte of it being read */
    DRAIN_MS = 1000,    /* until the other side has seen the end */
    GRACE_MS = 200,     /* in which nobody has to give way */
};

/*
 * A connection goes through these in order.  A child makes the answer in a file in memory, and is gone before a byte is
 * sent: who reads slowly keeps that memory, and no child from others.
 */
enum stage { READS, WAITS, WORKS, SENDS, DRAINS };

struct connection {
    int fd; /* -1: free */
    enum stage is;
    long since_ms; /* when this stage began, or the last byte was sent */
    char *b;       /* READS, WAITS: the request; SENDS: the answer, mapped */
    size_t n;      /* how much there is of it */
    size_t sent;
    pid_t pid; /* WORKS: the child, */
    int made;  /* and the file that it writes */
};

struct state {
    struct connection c[CONNECTIONS];
    pid_t answering[ANSWERS];
    bool full; /* who wants to connect has to wait */
    pid_t working;
    long work_began_ms, work_at_ms;
};

static volatile sig_atomic_t ending, child_ended;

static void on_end(int sig)
{
    (void)sig;
    ending = 1;
}

static void on_child(int sig)
{
    (void)sig;
    child_ended = 1;
}

static long now_ms(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000L + t.tv_nsec / 1000000;
}

/* ---- answers ---- */

static const char *reason(int status)
{
    switch (status) {
    case 200: return "OK";
    case 400: return "Bad Request";
    case 403: return "Forbidden";
    case 404: return "Not Found";
    case 405: return "Method Not Allowed";
    case 413: return "Content Too Large";
    case 421: return "Misdirected Request";
    case 422: return "Unprocessable Content";
    case 431: return "Request Header Fields Too Large";
    case 501: return "Not Implemented";
    case 503: return "Service Unavailable";
    case 505: return "HTTP Version Not Supported";
    default: return "Internal Server Error";
    }
}

static int head(char *to, size_t room, int status, const char *type, size_t n)
{
    return snprintf(to, room,
                    "HTTP/1.1 %d %s\r\nContent-Type: %s\r\nContent-Length: %zu\r\nConnection: close\r\n"
                    "Cache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\nReferrer-Policy: no-referrer\r\n"
                    "Cross-Origin-Resource-Policy: same-origin\r\nCross-Origin-Opener-Policy: same-origin\r\n"
                    "X-Frame-Options: DENY\r\n%s\r\n",
                    status, reason(status), type, n,
                    strncmp(type, "text/html", 9)
                        ? "Content-Security-Policy: default-src 'none'; frame-ancestors 'none'\r\n"
                        : "Content-Security-Policy: frame-ancestors 'none'\r\n");
}

void sl_server_answer(int fd, int status, const char *type, const void *body, size_t n)
{
    char top[1024];
    FILE *f = fdopen(fd, "w");

    if (!f || fwrite(top, 1, (size_t)head(top, sizeof top, status, type, n), f) == 0 || fwrite(body, 1, n, f) != n ||
        fclose(f))
        _exit(1);
}

static void stage(struct connection *c, enum stage is)
{
    c->is = is;
    c->since_ms = now_ms();
}

/* What a connection holds but for itself. */
static void empty(struct connection *c)
{
    if (c->is == SENDS)
        munmap(c->b, c->n);
    else
        free(c->b);
    if (c->is == WORKS)
        close(c->made);
    c->b = NULL;
    c->n = c->sent = 0;
}

static void drop(struct connection *c)
{
    empty(c);
    close(c->fd);
    *c = (struct connection){.fd = -1};
}

/* A refusal fits into the socket's buffer: nobody waits for it. */
static void refuse(struct connection *c, int status)
{
    char b[1200], text[80];
    int n = snprintf(text, sizeof text, "%d %s\n", status, reason(status)),
        length = head(b, sizeof b - sizeof text, status, "text/plain", (size_t)n);

    memcpy(b + length, text, (size_t)n);
    empty(c);
    stage(c, DRAINS);
    if (send(c->fd, b, (size_t)(length + n), MSG_NOSIGNAL | MSG_DONTWAIT) < 0)
        c->since_ms -= DRAIN_MS;
    shutdown(c->fd, SHUT_WR);
}

/* As much as the other side takes. */
static void send_on(struct connection *c)
{
    while (c->sent < c->n) {
        ssize_t sent = send(c->fd, c->b + c->sent, c->n - c->sent, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (sent < 0 && errno == EINTR)
            continue;
        if (sent < 0 && errno == EAGAIN)
            return;
        if (sent <= 0) {
            drop(c);
            return;
        }
        c->sent += (size_t)sent;
        c->since_ms = now_ms();
    }
    empty(c);
    stage(c, DRAINS); /* until its side is closed, else it may lose what it has not read */
    shutdown(c->fd, SHUT_WR);
}

/* The child has ended. */
static void made(struct connection *c, int status)
{
    off_t n = lseek(c->made, 0, SEEK_END);
    void *b = MAP_FAILED;

    if (WIFEXITED(status) && !WEXITSTATUS(status) && n > 0)
        b = mmap(NULL, (size_t)n, PROT_READ, MAP_SHARED, c->made, 0);
    if (b == MAP_FAILED) {
        refuse(c, 500);
        return;
    }
    empty(c);
    stage(c, SENDS);
    c->b = b;
    c->n = (size_t)n;
    send_on(c);
}

/* ---- children ---- */

static pid_t child(const struct sl_server *s, struct state *st)
{
    sigset_t none;
    pid_t pid;

    fflush(NULL);
    pid = fork();
    if (pid)
        return pid;
    signal(SIGINT, SIG_DFL);
    signal(SIGTERM, SIG_DFL);
    signal(SIGHUP, SIG_DFL);
    signal(SIGCHLD, SIG_DFL);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    close(s->listening);
    for (int i = 0; i < CONNECTIONS; i++)
        if (st->c[i].fd >= 0) {
            close(st->c[i].fd);
            if (st->c[i].is == WORKS)
                close(st->c[i].made);
        }
    return 0;
}

static void answer(struct sl_server *s, struct state *st, struct connection *c, pid_t *answering)
{
    struct sl_request r;
    int to = memfd_create("answer", MFD_CLOEXEC);
    pid_t pid = to < 0 ? -1 : child(s, st);

    if (pid < 0) {
        if (to >= 0)
            close(to);
        refuse(c, 503);
        return;
    }
    if (!pid) {
        alarm(ANSWER_S);
        sl_request_parse(&r, c->b, c->n);
        s->answer(s->context, &r, to);
        _exit(0);
    }
    *answering = pid;
    empty(c);
    stage(c, WORKS);
    c->pid = pid;
    c->made = to;
}

/* Those that wait, the longest first, as far as children are free. */
static void answer_waiting(struct sl_server *s, struct state *st)
{
    for (int free_at = 0; free_at < ANSWERS; free_at++) {
        struct connection *next = NULL;
        if (st->answering[free_at])
            continue;
        for (int i = 0; i < CONNECTIONS; i++)
            if (st->c[i].fd >= 0 && st->c[i].is == WAITS && (!next || st->c[i].since_ms < next->since_ms))
                next = &st->c[i];
        if (!next)
            return;
        answer(s, st, next, &st->answering[free_at]);
    }
}

static void reap(struct sl_server *s, struct state *st)
{
    int status;
    pid_t pid;

    child_ended = 0;
    while ((pid = waitpid(-1, &status, WNOHANG)) > 0) {
        for (int i = 0; i < ANSWERS; i++)
            if (st->answering[i] == pid)
                st->answering[i] = 0;
        for (int i = 0; i < CONNECTIONS; i++)
            if (st->c[i].fd >= 0 && st->c[i].is == WORKS && st->c[i].pid == pid)
                made(&st->c[i], status);
        if (pid == st->working) {
            long now = now_ms(), took = now - st->work_began_ms;
            st->working = 0;
            st->work_at_ms = now + (took > s->every ? took : s->every);
            s->worked(s->context, WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
        }
    }
}

static void work(struct sl_server *s, struct state *st)
{
    pid_t pid;

    if (!s->work || st->working || now_ms() < st->work_at_ms)
        return;
    st->work_began_ms = now_ms();
    pid = child(s, st);
    if (!pid)
        _exit(s->work(s->context));
    if (pid > 0)
        st->working = pid;
    else
        st->work_at_ms = now_ms() + s->every;
}

static void end_children(struct state *st)
{
    for (int i = 0; i < ANSWERS; i++)
        if (st->answering[i])
            kill(st->answering[i], SIGKILL);
    if (st->working)
        kill(st->working, SIGTERM); /* an import is one transaction: it is rolled back */
    while (waitpid(-1, NULL, 0) > 0 || errno == EINTR)
        ;
}

/* ---- connections ---- */

/*
 * Where a new one goes: of all taken, in the place of the oldest that has told nothing or is done; else of who has read
 * nothing for longest.  NULL: nobody gives way now, it waits until it is accepted.
 */
static struct connection *room_for_one(struct state *st)
{
    struct connection *worst = NULL;
    long now = now_ms();

    for (int i = 0; i < CONNECTIONS; i++) {
        struct connection *c = &st->c[i];
        if (c->fd < 0)
            return c;
        if (c->is == WAITS || c->is == WORKS || now - c->since_ms < GRACE_MS)
            continue;
        if (!worst || (c->is == SENDS) < (worst->is == SENDS) ||
            ((c->is == SENDS) == (worst->is == SENDS) && c->since_ms < worst->since_ms))
            worst = c;
    }
    return worst;
}

static void take(struct sl_server *s, struct state *st)
{
    struct connection *c = NULL;
    int fd;

    while ((c = room_for_one(st)) && (fd = accept4(s->listening, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK)) >= 0) {
        if (c->fd >= 0)
            drop(c);
        *c = (struct connection){.fd = fd, .since_ms = now_ms()};
    }
    st->full = !c;
}

static void take_in(struct sl_server *s, struct connection *c)
{
    struct sl_request r;
    char rest[4096];
    ssize_t got;
    int rc;

    if (c->is == SENDS) {
        send_on(c);
        return;
    }
    if (c->is != READS) {
        while ((got = recv(c->fd, rest, sizeof rest, 0)) > 0)
            ;
        if (!got || (errno != EAGAIN && errno != EINTR))
            drop(c);
        return;
    }
    if (!c->b)
        c->b = sl_alloc(SL_REQUEST_HEAD + SL_REQUEST_BODY);
    got = recv(c->fd, c->b + c->n, SL_REQUEST_HEAD + SL_REQUEST_BODY - c->n, 0);
    if (got < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    if (got <= 0) {
        drop(c);
        return;
    }
    c->n += (size_t)got;
    rc = sl_request_parse(&r, c->b, c->n);
    if (rc > 0)
        rc = -sl_request_refused(&r, s->port, s->token);
    else if (!rc && c->n < SL_REQUEST_HEAD + SL_REQUEST_BODY)
        return;
    else if (!rc)
        rc = -413;
    if (rc)
        refuse(c, -rc);
    else
        stage(c, WAITS);
}

/* The time until something is due, after all that is has been done. */
static int due(struct sl_server *s, struct state *st)
{
    static const long most_ms[] = {[READS] = REQUEST_MS, [WAITS] = WAIT_MS, [SENDS] = SEND_MS, [DRAINS] = DRAIN_MS};
    long now = now_ms(), next = now + 60000;

    for (int i = 0; i < CONNECTIONS; i++) {
        struct connection *c = &st->c[i];
        long end = c->since_ms + most_ms[c->is];
        if (c->fd < 0 || c->is == WORKS) /* the child has an end of its own */
            continue;
        if (end <= now && c->is == WAITS)
            refuse(c, 503);
        else if (end <= now)
            drop(c);
        else if (end < next)
            next = end;
    }
    if (s->work && !st->working && st->work_at_ms < next)
        next = st->work_at_ms;
    if (st->full && now + GRACE_MS < next)
        next = now + GRACE_MS;
    return next <= now ? 0 : (int)(next - now);
}

/* From here on a signal ends the loop, and is seen between two requests only. */
static void take_signals(struct sl_server *s)
{
    struct sigaction end = {.sa_handler = on_end}, gone = {.sa_handler = on_child, .sa_flags = SA_NOCLDSTOP};
    sigset_t ours;

    sigemptyset(&ours);
    sigaddset(&ours, SIGINT);
    sigaddset(&ours, SIGTERM);
    sigaddset(&ours, SIGHUP);
    sigaddset(&ours, SIGCHLD);
    sigprocmask(SIG_BLOCK, &ours, &s->before);
    sigaction(SIGINT, &end, NULL);
    sigaction(SIGTERM, &end, NULL);
    sigaction(SIGHUP, &end, NULL);
    sigaction(SIGCHLD, &gone, NULL);
}

int sl_server_open(struct sl_server *s, struct sl_err *err)
{
    struct sockaddr_in a = {.sin_family = AF_INET, .sin_port = htons((uint16_t)s->port)};
    socklen_t n = sizeof a;
    unsigned char random[SL_TOKEN_TEXT / 2];
    int one = 1;

    if (getrandom(random, sizeof random, 0) != sizeof random)
        return sl_err(err, SL_EIO, "no random bytes: %s", strerror(errno));
    for (size_t i = 0; i < sizeof random; i++)
        snprintf(s->token + 2 * i, 3, "%02x", random[i]);
    a.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    s->listening = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (s->listening < 0)
        return sl_err(err, SL_EIO, "no socket: %s", strerror(errno));
    setsockopt(s->listening, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
    if (bind(s->listening, (struct sockaddr *)&a, sizeof a) || listen(s->listening, CONNECTIONS) ||
        getsockname(s->listening, (struct sockaddr *)&a, &n)) {
        sl_err(err, SL_EIO, "cannot listen on 127.0.0.1:%d: %s", s->port, strerror(errno));
        close(s->listening);
        return err ? err->code : SL_EIO;
    }
    s->port = ntohs(a.sin_port);
    take_signals(s);
    return 0;
}

int sl_server_run(struct sl_server *s, struct sl_err *err)
{
    static const short events[] = {[READS] = POLLIN, [WAITS] = 0, [WORKS] = 0, [SENDS] = POLLOUT, [DRAINS] = POLLIN};
    struct state st = {.working = 0};
    int rc = 0;

    for (int i = 0; i < CONNECTIONS; i++)
        st.c[i].fd = -1;
    while (!ending) {
        struct pollfd p[CONNECTIONS + 1] = {{.fd = st.full ? -1 : s->listening, .events = POLLIN}};
        struct timespec wait;
        int ms;
        if (child_ended)
            reap(s, &st);
        answer_waiting(s, &st);
        work(s, &st);
        ms = due(s, &st);
        wait = (struct timespec){.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000L};
        for (int i = 0; i < CONNECTIONS; i++)
            p[i + 1] = (struct pollfd){.fd = st.c[i].fd, .events = events[st.c[i].is]};
        if (ppoll(p, CONNECTIONS + 1, &wait, &s->before) < 0) {
            if (errno == EINTR)
                continue;
            rc = sl_err(err, SL_EIO, "cannot wait: %s", strerror(errno));
            break;
        }
        for (int i = 0; i < CONNECTIONS; i++)
            if (p[i + 1].revents && st.c[i].fd == p[i + 1].fd && st.c[i].fd >= 0)
                take_in(s, &st.c[i]);
        if (p[0].revents || st.full)
            take(s, &st);
    }
    close(s->listening);
    for (int i = 0; i < CONNECTIONS; i++)
        if (st.c[i].fd >= 0)
            drop(&st.c[i]);
    end_children(&st);
    sigprocmask(SIG_SETMASK, &s->before, NULL);
    return rc;
}
