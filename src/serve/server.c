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
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
    CONNECTIONS = 64,   /* that send their request; of more, the oldest is closed */
    ANSWERS = 12,       /* children at once */
    REQUEST_MS = 10000, /* until a request is whole */
    DRAIN_MS = 1000,    /* until the other side has seen the end */
    ANSWER_S = 180,     /* until an answer is whole, and sent */
};

struct connection {
    int fd; /* -1: free */
    long since_ms;
    bool drains; /* it is answered */
    char *b;
    size_t n;
};

struct state {
    struct connection c[CONNECTIONS];
    pid_t answering[ANSWERS];
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

static bool send_all(int fd, const char *b, size_t n)
{
    while (n) {
        ssize_t sent = send(fd, b, n, MSG_NOSIGNAL);
        if (sent < 0 && errno == EINTR)
            continue;
        if (sent <= 0)
            return false;
        b += sent;
        n -= (size_t)sent;
    }
    return true;
}

void sl_server_answer(int fd, int status, const char *type, const void *body, size_t n)
{
    char top[1024], rest[256];
    int length = head(top, sizeof top, status, type, n);

    if (send_all(fd, top, (size_t)length) && send_all(fd, body, n)) {
        shutdown(fd, SHUT_WR);
        while (recv(fd, rest, sizeof rest, 0) > 0) /* until its side is closed, else it may lose what it has not read */
            ;
    }
    close(fd);
}

/* A refusal fits into the socket's buffer: nobody waits for it. */
static void refuse(struct connection *c, int status)
{
    char b[1200], text[80];
    int n = snprintf(text, sizeof text, "%d %s\n", status, reason(status)),
        length = head(b, sizeof b - sizeof text, status, "text/plain", (size_t)n);

    memcpy(b + length, text, (size_t)n);
    if (send(c->fd, b, (size_t)(length + n), MSG_NOSIGNAL | MSG_DONTWAIT) < 0)
        c->since_ms = 0;
    shutdown(c->fd, SHUT_WR);
    c->drains = true;
    c->since_ms = now_ms();
    c->n = 0;
}

static void drop(struct connection *c)
{
    close(c->fd);
    free(c->b);
    *c = (struct connection){.fd = -1};
}

/* ---- children ---- */

static pid_t child(const struct sl_server *s, struct state *st, int but)
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
        if (st->c[i].fd >= 0 && st->c[i].fd != but)
            close(st->c[i].fd);
    return 0;
}

static void answer(struct sl_server *s, struct state *st, struct connection *c, const struct sl_request *r)
{
    struct timeval wait = {.tv_sec = 10};
    int free_at = 0;
    pid_t pid;

    while (free_at < ANSWERS && st->answering[free_at])
        free_at++;
    if (free_at == ANSWERS || (pid = child(s, st, c->fd)) < 0) {
        refuse(c, 503);
        return;
    }
    if (!pid) {
        alarm(ANSWER_S);
        fcntl(c->fd, F_SETFL, 0);
        setsockopt(c->fd, SOL_SOCKET, SO_SNDTIMEO, &wait, sizeof wait);
        wait.tv_sec = 1;
        setsockopt(c->fd, SOL_SOCKET, SO_RCVTIMEO, &wait, sizeof wait);
        s->answer(s->context, r, c->fd);
        _exit(0);
    }
    st->answering[free_at] = pid;
    drop(c);
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
    pid = child(s, st, -1);
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

static void take(struct sl_server *s, struct state *st)
{
    int fd, at = -1;

    while ((fd = accept4(s->listening, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK)) >= 0) {
        at = 0;
        for (int i = 0; i < CONNECTIONS; i++) {
            if (st->c[i].fd < 0) {
                at = i;
                break;
            }
            if (st->c[i].since_ms < st->c[at].since_ms)
                at = i;
        }
        if (st->c[at].fd >= 0)
            drop(&st->c[at]);
        st->c[at] = (struct connection){.fd = fd, .since_ms = now_ms()};
    }
}

static void take_in(struct sl_server *s, struct state *st, struct connection *c)
{
    struct sl_request r;
    char rest[4096];
    ssize_t got;
    int rc;

    if (c->drains) {
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
        answer(s, st, c, &r);
}

/* The time until something is due, after all that is has been done. */
static int due(struct sl_server *s, struct state *st)
{
    long now = now_ms(), next = now + 60000;

    for (int i = 0; i < CONNECTIONS; i++) {
        struct connection *c = &st->c[i];
        long end = c->since_ms + (c->drains ? DRAIN_MS : REQUEST_MS);
        if (c->fd >= 0 && end <= now)
            drop(c);
        else if (c->fd >= 0 && end < next)
            next = end;
    }
    if (s->work && !st->working && st->work_at_ms < next)
        next = st->work_at_ms;
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
    struct state st = {.working = 0};
    int rc = 0;

    for (int i = 0; i < CONNECTIONS; i++)
        st.c[i].fd = -1;
    while (!ending) {
        struct pollfd p[CONNECTIONS + 1] = {{.fd = s->listening, .events = POLLIN}};
        struct timespec wait;
        int ms;
        if (child_ended)
            reap(s, &st);
        work(s, &st);
        ms = due(s, &st);
        wait = (struct timespec){.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000L};
        for (int i = 0; i < CONNECTIONS; i++)
            p[i + 1] = (struct pollfd){.fd = st.c[i].fd, .events = POLLIN};
        if (ppoll(p, CONNECTIONS + 1, &wait, &s->before) < 0) {
            if (errno == EINTR)
                continue;
            rc = sl_err(err, SL_EIO, "cannot wait: %s", strerror(errno));
            break;
        }
        for (int i = 0; i < CONNECTIONS; i++)
            if (p[i + 1].revents && st.c[i].fd == p[i + 1].fd && st.c[i].fd >= 0)
                take_in(s, &st, &st.c[i]);
        if (p[0].revents)
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
