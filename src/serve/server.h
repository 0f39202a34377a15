/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A small HTTP server on 127.0.0.1 for one user.  It reads requests itself; each that is whole and allowed
 * (serve/request.h) is answered by a child process, so that an answer that takes long or is too large holds up no
 * other; the answer is sent here, so that one that is read slowly does not either.  One answer a connection.
 */
#ifndef SL_SERVE_SERVER_H
#define SL_SERVE_SERVER_H

#include "base/err.h"
#include "serve/request.h"

#include <signal.h>
#include <stddef.h>

struct sl_server {
    int port;                      /* 0: any that is free, told after sl_server_open() */
    char token[SL_TOKEN_TEXT + 1]; /* 128 random bits, hexadecimal: by sl_server_open() */
    void *context;
    /* In the child: ends by sl_server_answer(fd, ...), once. */
    void (*answer)(void *context, const struct sl_request *r, int fd);
    /*
     * In a child too, one at a time, `every` milliseconds after the last one ended, or as long as that took, if that is
     * longer; its exit status goes to worked(), here.  NULL: there is no work.
     */
    int (*work)(void *context);
    void (*worked)(void *context, int status);
    int every;
    int listening;   /* own, */
    sigset_t before; /* and signals that were blocked */
};

/* Listens, makes the token, and takes the signals that end it. */
int sl_server_open(struct sl_server *s, struct sl_err *err);
/* Until SIGINT, SIGTERM or SIGHUP; ends all children, and closes. */
int sl_server_run(struct sl_server *s, struct sl_err *err);

/* The whole answer, into the file that answer() was given; closes it. */
void sl_server_answer(int fd, int status, const char *type, const void *body, size_t n);

#endif
