/* SPDX-License-Identifier: Apache-2.0 */
/* Decorated generators and coroutines: steps.c has the objects, stretch.c what is recorded of them. */
#ifndef SL_PYTHON_STEPS_H
#define SL_PYTHON_STEPS_H

#include "python.h"

enum { SENT_RETURN = 0, SENT_ERROR = -1, SENT_NEXT = 1 }; /* PySendResult */

struct steps {
    PyObject_HEAD struct traced *of;
    PyObject *inner, *weak;
    PyObject *args, *kwargs; /* as long as somebody wants them */
    struct steps *whole;     /* of one step of an asynchronous generator; NULL: it is itself */
    uint64_t id;             /* of the asynchronous span */
    PyObject *finalizer;     /* who closes an asynchronous generator that is left in the middle */
    bool begun, over, closing, hooked;
};

static inline struct steps *sl_py_whole_of(struct steps *s)
{
    return s->whole ? s->whole : s;
}

/* Begins the whole, if it has not begun.  -1: an interruption came.  What never ran is not run to be closed. */
int sl_py_stretch_start(struct steps *s);
/* Whether a span begins with this stretch, which sl_py_stretch_end() is told. */
bool sl_py_stretch_begin(struct steps *s);
void sl_py_stretch_end(struct steps *s, bool marked);
/* Ends the whole if what came of this stretch, sent and result, is its end. */
void sl_py_stretch_settle(struct steps *s, int sent, PyObject *result);
/* The whole will not run again.  result: NULL where an exception ended it. */
void sl_py_stretch_over(struct steps *s, PyObject *result);
/* Whether the frame is there: an exception may also say that it cannot be run now.  One may be under way. */
bool sl_py_stretch_alive(const struct steps *s);

#endif
