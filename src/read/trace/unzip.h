/* SPDX-License-Identifier: Apache-2.0 */
/* The bytes of a file, or what it holds compressed by gzip (RFC 1952), of which it may have several members. */
#ifndef SL_READ_TRACE_UNZIP_H
#define SL_READ_TRACE_UNZIP_H

#include "read/text/text.h"

#include <zlib.h>

struct sl_unzip {
    struct sl_text t;
    char *buf;                  /* of t, or what came out */
    size_t start, at, end, cap; /* as in struct sl_text */
    bool begun, zipped, over;
    z_stream z;
    const char *why; /* the compressed data is not whole; NULL: it is */
};

int sl_unzip_open(struct sl_unzip *u, struct sl_parse *p, const char *path, struct sl_err *err);
/* As sl_text_more(): [start, end) stays, and what it moved to is in buf. */
int sl_unzip_more(struct sl_unzip *u, struct sl_err *err);
int sl_unzip_close(struct sl_unzip *u, int rc, struct sl_err *err);

#endif
