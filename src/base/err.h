/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Errors.  Every function that can fail returns 0 or a negative enum sl_code and takes, as its last parameter, a
 * caller-owned struct sl_err that may be NULL.  The text says what is wrong, where (file:line) and what to do.
 */
#ifndef SL_BASE_ERR_H
#define SL_BASE_ERR_H

enum sl_code {
    SL_OK = 0,
    SL_EIO = -1,     /* the system refused to read or write */
    SL_EFORMAT = -2, /* the input is not what it claims to be */
    SL_EUSAGE = -3,  /* the caller asked for something that makes no sense */
    SL_ESTORE = -4,  /* the store (SQLite) refused */
    SL_ENOTFOUND = -5,
    SL_EBUSY = -6, /* someone else holds a lock */
};

struct sl_err {
    int code;
    char text[1000];
};

/* Fill err (if not NULL) and return code, so that callers write `return sl_err(err, SL_EIO, "...")`. */
int sl_err(struct sl_err *err, int code, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

/* Put context in front of what is already there; returns err->code (SL_EIO when err is NULL). */
int sl_err_wrap(struct sl_err *err, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

#endif
