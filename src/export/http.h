/* SPDX-License-Identifier: Apache-2.0 */
/*
 * HTTP by libcurl, which is loaded when it is first needed, so that no other command pays for it.  Redirects are not
 * followed: they would carry credentials elsewhere.
 */
#ifndef SL_EXPORT_HTTP_H
#define SL_EXPORT_HTTP_H

#include "base/buf.h"
#include "base/err.h"

#include <stdbool.h>

/* Texts are borrowed while the connection lives; NULL: none. */
struct sl_http_options {
    const char *user, *password; /* basic */
    const char *token;           /* Authorization: Bearer */
    const char *ca_file;         /* certificates to trust, instead of the system's */
    const char *client_cert;     /* PEM with our own certificate and key */
    bool insecure;               /* any certificate will do */
    long timeout_s;
};

struct sl_http;
/* SL_ENOTFOUND: there is no libcurl, or spanloom was built without it; err says what to do. */
int sl_http_open(struct sl_http **out, const struct sl_http_options *options, struct sl_err *err);
void sl_http_close(struct sl_http *h);

/*
 * One request; body NULL: none, else of the type application/json.  0, with the *status and what came (at most 16 MiB,
 * appended to reply); SL_EIO: no whole answer came, so that the server may have acted, or not.
 */
int sl_http_request(struct sl_http *h, const char *method, const char *url, const struct sl_buf *body, long *status,
                    struct sl_buf *reply, struct sl_err *err);

/* Appends s as a part of a path or a query of an URL. */
void sl_http_escape(struct sl_buf *url, const char *s);

#endif
