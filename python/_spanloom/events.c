/* SPDX-License-Identifier: Apache-2.0 */
/* The functions of the module that record single events, and those about the process. */
#include "python.h"

#include <stdlib.h>
#include <string.h>

/* ---- single events ---- */

/* category=... among others; a new reference, or NULL. */
static PyObject *take_category(PyObject *kwargs)
{
    PyObject *category = kwargs && PyDict_Size(kwargs) ? PyDict_GetItemString(kwargs, "category") : NULL;

    Py_XINCREF(category);
    if (category)
        PyDict_DelItemString(kwargs, "category");
    return category;
}

/* An id is a number; other objects stand for a number by what they say, the same in every process. */
static bool id_of(PyObject *given, uint64_t *id)
{
    PyObject *said, *owned = NULL, *number;
    const char *p;

    if (PyIndex_Check(given)) {
        if (!(number = PyNumber_Index(given)))
            return false;
        *id = PyLong_AsUnsignedLongLongMask(number);
        Py_DECREF(number);
        return !PyErr_Occurred();
    }
    if (!(said = PyObject_Str(given)))
        return false;
    p = sl_py_text(said, &owned);
    *id = UINT64_C(14695981039346656037); /* FNV-1a; below 2^53, for JSON */
    for (; p && *p; p++)
        *id = (*id ^ (unsigned char)*p) * UINT64_C(1099511628211);
    *id &= (UINT64_C(1) << 53) - 1;
    Py_DECREF(said);
    Py_XDECREF(owned);
    return p != NULL;
}

static int which(PyObject *given, const char *const *names)
{
    const char *text = PyUnicode_Check(given) ? PyUnicode_AsUTF8AndSize(given, NULL) : NULL;

    for (int i = 0; text && names[i]; i++)
        if (!strcmp(text, names[i]))
            return i;
    PyErr_Clear();
    return -1;
}

static PyObject *invalid_pointcut(PyObject *given)
{
    return PyErr_Format(PyExc_ValueError, "Invalid pointcut: %S", given);
}

static PyObject *sync_event(PyObject *module, PyObject *args, PyObject *kwargs)
{
    static const char *const pointcuts[] = {"before", "after", NULL};
    static char *keys[] = {"pointcut", "name", "category", NULL};
    PyObject *pointcut, *name, *category = NULL;
    struct sl_site *site;
    int is_end;

    (void)module;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "OU|O:sync_event", keys, &pointcut, &name, &category))
        return NULL;
    if ((is_end = which(pointcut, pointcuts)) < 0)
        return invalid_pointcut(pointcut);
    if (SL_TRACING_) {
        sl_py_know_thread();
        if (!(site = sl_py_site_of(name, category, sl_loose_site_of)))
            return NULL;
        (is_end ? sl_span_end : sl_span_begin)(site);
    }
    return sl_py_ref(Py_None);
}

static PyObject *async_event(PyObject *module, PyObject *args, PyObject *kwargs)
{
    static const char *const pointcuts[] = {"before", "instant", "after", NULL};
    static void (*const record[])(struct sl_site *, uint64_t) = {sl_async_begin, sl_async_instant, sl_async_end};
    static char *keys[] = {"pointcut", "name", "category", "scope", "id", NULL};
    PyObject *pointcut, *name, *category = NULL, *scope = Py_None, *given = Py_None, *owned = NULL;
    const char *text = NULL;
    struct sl_site *site;
    uint64_t id = 123; /* where none is given, as PerfFlowAspect has it */
    int kind;

    (void)module;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "OU|OOO:async_event", keys, &pointcut, &name, &category, &scope,
                                     &given))
        return NULL;
    if ((kind = which(pointcut, pointcuts)) < 0)
        return invalid_pointcut(pointcut);
    if (scope != Py_None && !PyUnicode_Check(scope))
        return PyErr_Format(PyExc_TypeError, "scope is a str, not %R", scope);
    if (!SL_TRACING_)
        return sl_py_ref(Py_None);
    if (given != Py_None && !id_of(given, &id))
        return NULL;
    sl_py_know_thread();
    if (!(site = sl_py_site_of(name, category, sl_site_of)))
        return NULL;
    if (PyUnicode_Check(scope) && !(text = sl_py_text(scope, &owned)))
        return NULL;
    record[kind](site, id);
    if (text && *text)
        sl_async_scope(text);
    Py_XDECREF(owned);
    return sl_py_ref(Py_None);
}

static PyObject *instant(PyObject *module, PyObject *args, PyObject *kwargs)
{
    PyObject *name, *category = NULL, *taken = take_category(kwargs);
    struct sl_site *site = NULL;
    bool ok = PyArg_ParseTuple(args, "U|O:instant", &name, &category);
    PyObject *plain = ok && SL_TRACING_ ? sl_py_plain(kwargs) : NULL;

    (void)module;
    ok = ok && !PyErr_Occurred();
    if (ok && SL_TRACING_) {
        sl_py_know_thread();
        site = sl_py_site_of(name, category ? category : taken, sl_site_of);
        ok = site != NULL;
    }
    if (site) {
        sl_instant(site);
        sl_py_args(plain);
    }
    Py_XDECREF(plain);
    Py_XDECREF(taken);
    if (!ok)
        return NULL;
    return sl_py_ref(Py_None);
}

static PyObject *counter(PyObject *module, PyObject *args, PyObject *kwargs)
{
    static char *keys[] = {"name", "value", "category", NULL};
    PyObject *name, *category = NULL;
    struct sl_site *site;
    double value;

    (void)module;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "Ud|O:counter", keys, &name, &value, &category))
        return NULL;
    if (SL_TRACING_) {
        sl_py_know_thread();
        if (!(site = sl_py_site_of(name, category, sl_site_of)))
            return NULL;
        sl_counter(site, value);
    }
    return sl_py_ref(Py_None);
}

static PyObject *flow(PyObject *module, PyObject *args, PyObject *kwargs)
{
    static const char *const ends[] = {"out", "step", "in", NULL};
    static char *keys[] = {"name", "id", "end", "category", NULL};
    PyObject *name, *given, *where = NULL, *category = NULL;
    struct sl_site *site;
    uint64_t id;
    int end = SL_FLOW_OUT;

    (void)module;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "UO|OO:flow", keys, &name, &given, &where, &category))
        return NULL;
    if (where && (end = which(where, ends)) < 0)
        return PyErr_Format(PyExc_ValueError, "flow: end is %R; it is 'out', 'step' or 'in'", where);
    if (!id_of(given, &id))
        return NULL;
    if (SL_TRACING_) {
        sl_py_know_thread();
        if (!(site = sl_py_site_of(name, category ? category : name, sl_site_of)))
            return NULL;
        sl_flow(site, id, end);
    }
    return sl_py_ref(Py_None);
}

/* _arrive(name, category, id): the flow ends in the span of the decorated function that this thread calls next. */
static PyObject *arrive(PyObject *module, PyObject *args)
{
    PyObject *name, *category;
    struct sl_site *site;
    unsigned long long id;

    (void)module;
    if (!PyArg_ParseTuple(args, "UUK:_arrive", &name, &category, &id))
        return NULL;
    if (SL_TRACING_) {
        if (!(site = sl_py_site_of(name, category, sl_site_of)))
            return NULL;
        sl_py_expect_arrow(site, id);
    }
    return sl_py_ref(Py_None);
}

static PyObject *args_of_event(PyObject *module, PyObject *args, PyObject *kwargs)
{
    (void)module;
    if (!PyArg_ParseTuple(args, ":_args_of_event"))
        return NULL;
    if (SL_TRACING_ && (args = sl_py_plain(kwargs))) {
        sl_py_args(args);
        Py_DECREF(args);
    }
    return sl_py_ref(Py_None);
}

static PyObject *args_of(PyObject *module, PyObject *args, PyObject *kwargs)
{
    (void)module;
    if (!PyArg_ParseTuple(args, ":args"))
        return NULL;
    if (SL_TRACING_ && (args = sl_py_plain(kwargs))) {
        sl_args_of_span();
        sl_py_args(args);
        Py_DECREF(args);
    }
    if (PyErr_Occurred())
        return NULL;
    return sl_py_ref(Py_None);
}

/* ---- the process ---- */

static PyObject *new_id(PyObject *module, PyObject *unused)
{
    (void)module, (void)unused;
    return PyLong_FromUnsignedLongLong(sl_new_id());
}

static PyObject *thread_name(PyObject *module, PyObject *given)
{
    PyObject *owned = NULL;
    const char *text;

    (void)module;
    if (!PyUnicode_Check(given))
        return PyErr_Format(PyExc_TypeError, "thread_name: a str, not %R", given);
    if (!(text = sl_py_text(given, &owned)))
        return NULL;
    sl_py_thread_known = 1;
    if (SL_TRACING_)
        sl_thread_name(text);
    Py_XDECREF(owned);
    return sl_py_ref(Py_None);
}

static PyObject *traceparent(PyObject *module, PyObject *unused)
{
    char to[56];

    (void)module, (void)unused;
    sl_traceparent(to);
    return PyUnicode_FromString(to);
}

static PyObject *enable(PyObject *module, PyObject *args, PyObject *kwargs)
{
    static char *keys[] = {"on", NULL};
    int on = 1;

    (void)module;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "|p:enable", keys, &on))
        return NULL;
    return PyBool_FromLong(sl_trace_enable(on));
}

static PyObject *flush(PyObject *module, PyObject *unused)
{
    int rc;

    (void)module, (void)unused;
    Py_BEGIN_ALLOW_THREADS rc = sl_trace_flush();
    Py_END_ALLOW_THREADS return PyBool_FromLong(rc == 0);
}

static PyObject *finish(PyObject *module, PyObject *unused)
{
    (void)module, (void)unused;
    Py_BEGIN_ALLOW_THREADS sl_trace_finish();
    Py_END_ALLOW_THREADS return sl_py_ref(Py_None);
}

/* No other thread of Python runs meanwhile, and none of a process that comes to its end is kept from it. */
static PyObject *finish_at_once(PyObject *module, PyObject *unused)
{
    (void)module, (void)unused;
    sl_trace_finish();
    return sl_py_ref(Py_None);
}

static PyObject *forget_thread(PyObject *module, PyObject *unused)
{
    (void)module, (void)unused;
    sl_py_thread_known = 0;
    return sl_py_ref(Py_None);
}

static PyObject *lie_in(PyObject *module, PyObject *context)
{
    const char *text = PyUnicode_AsUTF8AndSize(context, NULL);

    (void)module;
    if (!text)
        return NULL;
    sl_trace_parent(text);
    return sl_py_ref(Py_None);
}

/* What the runtime put into the environment of C for this process's children, of which os.environ is an older copy. */
static PyObject *told_children(PyObject *module, PyObject *unused)
{
    (void)module, (void)unused;
    return Py_BuildValue("{s:y,s:y}", "TRACEPARENT", getenv("TRACEPARENT"), "PERFFLOW_INSTANCE_PATH",
                         getenv("PERFFLOW_INSTANCE_PATH"));
}

#define WITH_KEYWORDS(f) AS_FUNCTION(f), METH_VARARGS | METH_KEYWORDS

PyMethodDef sl_py_event_functions[] = {
    {"span", AS_FUNCTION(sl_py_span), METH_FASTCALL | METH_KEYWORDS,
     "span(name, category=None, **args)\n\nA context manager: a span from the beginning of the block to its end, "
     "however "
     "that is left.\nIn a coroutine, or by `async with`, it is an asynchronous one, since others may run within."},
    {"sync_event", WITH_KEYWORDS(sync_event),
     "sync_event(pointcut, name, category=None)\n\nThe begin ('before') or the end ('after') of a span of this "
     "thread."},
    {"async_event", WITH_KEYWORDS(async_event),
     "async_event(pointcut, name, category=None, scope=None, id=None)\n\nThe begin ('before') or end ('after') of an "
     "asynchronous span, or a moment in it ('instant').\nThose of one name, category and id belong together; without "
     "an id, it is 123."},
    {"instant", WITH_KEYWORDS(instant), "instant(name, category=None, **args)\n\nSomething that happened."},
    {"counter", WITH_KEYWORDS(counter), "counter(name, value, category=None)\n\nA value that changed."},
    {"flow", WITH_KEYWORDS(flow),
     "flow(name, id, end='out', category=None)\n\nOne end of an arrow between spans, of one process or of several: "
     "'out', 'step' or 'in'."},
    {"args", WITH_KEYWORDS(args_of), "args(**values)\n\nArguments of the innermost open span of this thread."},
    {"new_id", new_id, METH_NOARGS, "new_id()\n\nAn id that no other event has, for asynchronous spans and flows."},
    {"thread_name", thread_name, METH_O, "thread_name(name)\n\nWhat people call this thread."},
    {"traceparent", traceparent, METH_NOARGS,
     "traceparent()\n\nThe TRACEPARENT for a process that the innermost open span starts; '' where nothing is "
     "recorded."},
    {"enable", WITH_KEYWORDS(enable),
     "enable(on=True)\n\nRecord, or do not, from now on, in the whole process. Returns what it was."},
    {"flush", flush, METH_NOARGS,
     "flush()\n\nWrites the .pfw now, with what is recorded so far; whether there was something to write."},
    {"finish", finish, METH_NOARGS,
     "finish()\n\nWhat the end of the process does: the trace is complete then, and nothing is recorded later."},
    {"_finish_at_once", finish_at_once, METH_NOARGS, NULL},
    {"_arrive", arrive, METH_VARARGS, NULL},
    {"_args_of_event", WITH_KEYWORDS(args_of_event), "Of what this thread recorded last."},
    {"_lie_in", lie_in, METH_O, NULL},
    {"_told_children", told_children, METH_NOARGS, NULL},
    {"_forget_thread", forget_thread, METH_NOARGS, NULL},
    {NULL, NULL, 0, NULL},
};
