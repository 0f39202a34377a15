/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Python's limited API of 3.9, and what of later versions, or of the API that is not limited, every CPython since has
 * under the same name: declared here, and weak where some have not.
 */
#ifndef SL_PYTHON_H
#define SL_PYTHON_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <structmember.h>

#include "spanloom/trace.h"

#include <stdbool.h>
#include <stddef.h>

#define LIKELY(x) __builtin_expect(!!(x), 1)
#define UNLIKELY(x) __builtin_expect(!!(x), 0)
#define WEAK __attribute__((weak))

#ifndef METH_FASTCALL /* in the limited API since 3.10; 3.9 has it */
#define METH_FASTCALL 0x0080
#endif
#ifndef Py_TPFLAGS_METHOD_DESCRIPTOR
#define Py_TPFLAGS_METHOD_DESCRIPTOR (1UL << 17)
#endif
#define VECTORCALL_FLAG (1UL << 11)
#define VECTORCALL_NARGS(n) ((Py_ssize_t)((n) & ~((size_t)1 << (8 * sizeof(size_t) - 1))))

typedef PyObject *(*vectorcall)(PyObject *callable, PyObject *const *args, size_t nargsf, PyObject *kwnames);

extern PyObject *PyObject_Vectorcall(PyObject *, PyObject *const *, size_t, PyObject *) WEAK;     /* 3.11 */
extern PyObject *PyObject_VectorcallDict(PyObject *, PyObject *const *, size_t, PyObject *) WEAK; /* 3.9 */
extern PyObject *PyVectorcall_Call(PyObject *, PyObject *, PyObject *);                           /* 3.8 */
extern const char *PyUnicode_AsUTF8AndSize(PyObject *, Py_ssize_t *);                             /* 3.3 */
extern int PyIter_Send(PyObject *, PyObject *, PyObject **) WEAK;                                 /* 3.10 */

/* Not Py_RETURN_NONE and its like: in the headers of 3.12 and later these count no reference, which older Pythons need.
 */
static inline PyObject *sl_py_ref(PyObject *o)
{
    Py_INCREF(o);
    return o;
}

PyObject *sl_py_call_before_311(PyObject *f, PyObject *const *args, size_t nargsf, PyObject *kwnames);

static inline PyObject *sl_py_call(PyObject *f, PyObject *const *args, size_t nargsf, PyObject *kwnames)
{
    if (LIKELY(PyObject_Vectorcall))
        return PyObject_Vectorcall(f, args, nargsf, kwnames);
    return sl_py_call_before_311(f, args, nargsf, kwnames);
}

/* ---- module.c ---- */

/* tp_new of types that only this module makes objects of. */
PyObject *sl_py_not_to_be_made(PyTypeObject *type, PyObject *args, PyObject *kwargs);

/* ---- names.c ---- */

/* Its UTF-8, which lives as long as the text does; bytes that are none are escaped in one that *owned then holds. NULL:
 * an exception. */
const char *sl_py_text(PyObject *str, PyObject **owned);
/* Values as they are told: numbers of 64 bits, and texts, which are the repr() of all else.  To ask for these may run
 * code that is traced itself, so that they are asked for before the event.  New references; of a dict, what has a text
 * for a key, or NULL if nothing has.  Exceptions are those of interruptions only: then NULL. */
PyObject *sl_py_plain_value(PyObject *value);
/* An exception is under way that no program takes for an error (KeyboardInterrupt, SystemExit): it is not ours to drop.
 */
bool sl_py_interrupted(void);
/* PyErr_Restore(), unless an interruption came since. */
void sl_py_restore(PyObject *type, PyObject *value, PyObject *trace);
PyObject *sl_py_plain(PyObject *dict);
/* Arguments of the event before; NULL: none. */
void sl_py_args(PyObject *plain);
/* The type of the exception that is under way, as an argument, of the event before or of the innermost open span. */
void sl_py_arg_exception(bool of_span);
void sl_py_arg_type(PyObject *type, bool of_span);
/* Tells the runtime what Python calls this thread, once. */
extern __thread char sl_py_thread_known;
void sl_py_know_thread(void);
/* The flow ends in the span of the decorated function that this thread calls next; that has begun. */
void sl_py_expect_arrow(struct sl_site *site, uint64_t id);
void sl_py_end_arrow(void);
/* A str, borrowed; NULL: it has none. */
PyObject *sl_py_module_of_caller(void);
/* find is sl_site_of() or sl_loose_site_of(); category: NULL or None means the module that calls.  NULL: an exception.
 */
struct sl_site *sl_py_site_of(PyObject *name, PyObject *category, struct sl_site *find(const char *, const char *));
int sl_py_names_init(void);

/* ---- block.c, events.c ---- */

#define AS_FUNCTION(f) (PyCFunction)(void (*)(void)) f
PyObject *sl_py_span(PyObject *module, PyObject *const *args, Py_ssize_t n, PyObject *kwnames);
int sl_py_block_init(void);
extern PyMethodDef sl_py_event_functions[];

/* ---- traced.c: decorated functions ---- */

enum kind { FUNCTION, GENERATOR, COROUTINE, ASYNC_GENERATOR, ITERABLE_COROUTINE }; /* types.coroutine's are the last */
enum pointcut { AROUND, BEFORE, AFTER, AROUND_ASYNC, BEFORE_ASYNC, AFTER_ASYNC };

struct traced {
    PyObject_HEAD vectorcall call;
    PyObject *function, *dict, *weak;
    struct sl_site *site;
    PyObject *recorder; /* of arguments; NULL: none are recorded */
    PyObject *scope;    /* of asynchronous spans, a str; NULL: none */
    enum kind kind;
    enum pointcut pointcut;
};

/* One for each place in the source, however often it is decorated anew; never freed, as the runtime wants it.  NULL: an
 * exception. */
struct sl_site *sl_py_site_at(PyObject *name, PyObject *category, PyObject *file, int line);
/* What is recorded before and after a join point.  The id is that of its asynchronous span, if it has one. */
int sl_py_enter(const struct traced *t, uint64_t *id, PyObject *args, PyObject *kwargs); /* -1: an interruption came */
void sl_py_leave(const struct traced *t, uint64_t id, PyObject *args, PyObject *kwargs, PyObject *result);
/* What of a call's arguments is to be told; NULL: nothing, or an interruption. */
PyObject *sl_py_recorded(const struct traced *t, PyObject *args, PyObject *kwargs);
extern PyMethodDef sl_py_traced_functions[];
int sl_py_traced_init(PyObject *module);

/* ---- steps.c: what decorated generators and coroutines give ---- */

PyObject *sl_py_steps_new(struct traced *t, PyObject *inner, PyObject *args, PyObject *kwargs);
int sl_py_steps_init(void);

/* ---- advice.c: what else happens at join points ---- */

extern bool sl_py_advised;
void sl_py_advise_before(const struct traced *t, PyObject *args, PyObject *kwargs);
void sl_py_advise_after(const struct traced *t, PyObject *result);
extern PyMethodDef sl_py_advice_functions[];

/* ---- monitor.c: functions that are not decorated ---- */

extern PyMethodDef sl_py_monitor_functions[];

#endif
