/* SPDX-License-Identifier: Apache-2.0 */
/* span(): a block as a span of its thread, or, where the block may be left for another task while it is open, as an
 * asynchronous span. */
#include "python.h"

struct span {
    PyObject_HEAD PyObject *name, *category, *args; /* args: plain, so that it cannot reach the span */
    PyObject *late;                                 /* those that came while it was open */
    struct sl_site *site;                           /* while it is open */
    uint64_t id;                                    /* 0: it is a span of the thread */
};

static PyTypeObject *span_type;
static PyObject *co_flags; /* a text */

static bool is_category(PyObject *key)
{
    return PyUnicode_CompareWithASCIIString(key, "category") == 0;
}

static int add(PyObject **dict, PyObject *key, PyObject *value)
{
    PyObject *plain = sl_py_plain_value(value);
    int rc = -1;

    if (plain && (*dict || (*dict = PyDict_New())))
        rc = PyDict_SetItem(*dict, key, plain);
    Py_XDECREF(plain);
    return rc;
}

PyObject *sl_py_span(PyObject *module, PyObject *const *args, Py_ssize_t n, PyObject *kwnames)
{
    Py_ssize_t named = kwnames ? PyTuple_Size(kwnames) : 0;
    struct span *s;

    (void)module;
    if (n < 1 || n > 2 || !PyUnicode_Check(args[0]))
        return PyErr_Format(PyExc_TypeError, "span(name, category=None, **args): name is a str");
    if (!(s = PyObject_New(struct span, span_type)))
        return NULL;
    *s = (struct span){.ob_base = s->ob_base, .name = args[0], .category = n > 1 ? args[1] : NULL};
    Py_INCREF(s->name);
    for (Py_ssize_t i = 0; i < named; i++) {
        PyObject *key = PyTuple_GetItem(kwnames, i);
        if (is_category(key))
            s->category = args[n + i];
        else if (add(&s->args, key, args[n + i]))
            goto failed;
    }
    if (!s->category || s->category == Py_None)
        s->category = sl_py_module_of_caller();
    if (s->category && !PyUnicode_Check(s->category)) {
        PyErr_Format(PyExc_TypeError, "span: category is a str, not %R", s->category);
        goto failed;
    }
    Py_XINCREF(s->category);
    return (PyObject *)s;

failed:
    s->category = NULL;
    Py_DECREF(s);
    return NULL;
}

static void span_dealloc(PyObject *self)
{
    struct span *s = (struct span *)self;
    PyTypeObject *type = Py_TYPE(self);

    Py_XDECREF(s->name);
    Py_XDECREF(s->category);
    Py_XDECREF(s->args);
    Py_XDECREF(s->late);
    PyObject_Free(self);
    Py_DECREF(type);
}

enum { CO_GENERATOR = 0x20, CO_COROUTINE = 0x80, CO_ASYNC_GENERATOR = 0x200 };

static long flags_of(PyObject *frame)
{
    PyObject *code = PyObject_GetAttrString(frame, "f_code"), *flags = code ? PyObject_GetAttr(code, co_flags) : NULL;
    long bits = flags ? PyLong_AsLong(flags) : 0;

    Py_XDECREF(code);
    Py_XDECREF(flags);
    return bits;
}

static bool is_contextlib(PyObject *frame)
{
    PyObject *globals = frame && frame != Py_None ? PyObject_GetAttrString(frame, "f_globals") : NULL;
    PyObject *name = globals ? PyDict_GetItemString(globals, "__name__") : NULL;
    bool yes = name && PyUnicode_Check(name) && PyUnicode_CompareWithASCIIString(name, "contextlib") == 0;

    Py_XDECREF(globals);
    return yes;
}

/* contextlib enters blocks for others (ExitStack), and runs generators up to their yield, and from there: the block is
 * that of whom it does so for. */
static bool may_be_left_beyond_contextlib(PyObject *frame)
{
    PyObject *back = NULL;
    long flags;

    for (Py_INCREF(frame);; frame = back) {
        bool own = is_contextlib(frame);
        flags = flags_of(frame);
        back = PyObject_GetAttrString(frame, "f_back");
        Py_DECREF(frame);
        if (!back || back == Py_None || flags & (CO_COROUTINE | CO_ASYNC_GENERATOR) ||
            (!own && !(flags & CO_GENERATOR && is_contextlib(back))))
            break;
    }
    Py_XDECREF(back);
    PyErr_Clear();
    return flags & (CO_COROUTINE | CO_ASYNC_GENERATOR | CO_GENERATOR);
}

/* Where the block may be left for others while it is open.  What was asked last is asked most. */
static bool may_be_left(void)
{
    static PyCodeObject *known;
    static enum { NO, YES, ASK } answer;
    PyFrameObject *frame = PyEval_GetFrame();
    PyCodeObject *code = frame ? PyFrame_GetCode(frame) : NULL, *old = known;
    long flags;

    if (!code)
        return false;
    if (code == known) {
        Py_DECREF(code);
    } else {
        flags = flags_of((PyObject *)frame);
        answer = flags & (CO_COROUTINE | CO_ASYNC_GENERATOR)                ? YES
                 : flags & CO_GENERATOR || is_contextlib((PyObject *)frame) ? ASK
                                                                            : NO;
        PyErr_Clear();
        known = code;
        Py_XDECREF(old);
    }
    return answer == ASK ? may_be_left_beyond_contextlib((PyObject *)frame) : answer == YES;
}

static int span_open(struct span *s, bool async)
{
    if (!SL_TRACING_ || s->site)
        return 0;
    sl_py_know_thread();
    s->site = sl_py_site_of(s->name, s->category, sl_site_of);
    if (!s->site)
        return -1;
    s->id = async ? sl_new_id() : 0;
    if (async)
        sl_async_begin(s->site, s->id);
    else
        sl_span_begin(s->site);
    sl_py_args(s->args);
    return 0;
}

static PyObject *span_enter(PyObject *self, PyObject *unused)
{
    (void)unused;
    if (span_open((struct span *)self, SL_TRACING_ && may_be_left()))
        return NULL;
    Py_INCREF(self);
    return self;
}

static void tell_exception(PyObject *type)
{
    PyObject *name = PyObject_GetAttrString(type, "__name__"), *owned = NULL;
    const char *text = name && PyUnicode_Check(name) ? sl_py_text(name, &owned) : NULL;

    if (text)
        sl_arg_string("exception", text);
    PyErr_Clear();
    Py_XDECREF(name);
    Py_XDECREF(owned);
}

static void span_close(struct span *s, PyObject *type)
{
    if (!s->site)
        return;
    if (s->id)
        sl_async_end(s->site, s->id);
    else if (s->late || type != Py_None)
        sl_args_of_span();
    sl_py_args(s->late);
    if (type != Py_None)
        tell_exception(type);
    if (!s->id)
        sl_span_end(s->site);
    s->site = NULL;
    Py_CLEAR(s->late);
}

static PyObject *span_exit(PyObject *self, PyObject *const *args, Py_ssize_t n)
{
    span_close((struct span *)self, n > 0 ? args[0] : Py_None);
    return sl_py_ref(Py_False);
}

/* An awaitable that is done at once, as `async with` wants it. */
struct done {
    PyObject_HEAD PyObject *value;
};

static PyTypeObject *done_type;

static PyObject *done_new(PyObject *value)
{
    struct done *d = PyObject_New(struct done, done_type);

    Py_INCREF(value);
    if (d)
        d->value = value;
    else
        Py_DECREF(value);
    return (PyObject *)d;
}

static void done_dealloc(PyObject *self)
{
    PyTypeObject *type = Py_TYPE(self);

    Py_XDECREF(((struct done *)self)->value);
    PyObject_Free(self);
    Py_DECREF(type);
}

static PyObject *done_await(PyObject *self)
{
    Py_INCREF(self);
    return self;
}

static PyObject *done_next(PyObject *self)
{
    PyErr_SetObject(PyExc_StopIteration, ((struct done *)self)->value);
    return NULL;
}

static PyObject *span_aenter(PyObject *self, PyObject *unused)
{
    (void)unused;
    return span_open((struct span *)self, true) ? NULL : done_new(self);
}

static PyObject *span_aexit(PyObject *self, PyObject *const *args, Py_ssize_t n)
{
    span_close((struct span *)self, n > 0 ? args[0] : Py_None);
    return done_new(Py_False);
}

/* Told when the span ends, since others may be open within it now. */
static PyObject *span_args(PyObject *self, PyObject *args, PyObject *kwargs)
{
    struct span *s = (struct span *)self;
    PyObject *key, *value;
    Py_ssize_t at = 0;

    if (!PyArg_ParseTuple(args, ":args"))
        return NULL;
    while (s->site && kwargs && PyDict_Next(kwargs, &at, &key, &value)) /* nobody else has it */
        if (add(&s->late, key, value))
            return NULL;
    return sl_py_ref(Py_None);
}

static PyMethodDef span_methods[] = {
    {"__enter__", span_enter, METH_NOARGS, NULL},
    {"__exit__", AS_FUNCTION(span_exit), METH_FASTCALL, NULL},
    {"__aenter__", span_aenter, METH_NOARGS, NULL},
    {"__aexit__", AS_FUNCTION(span_aexit), METH_FASTCALL, NULL},
    {"args", AS_FUNCTION(span_args), METH_VARARGS | METH_KEYWORDS, "args(**values): of this span, which is open."},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot span_slots[] = {
    {Py_tp_new, sl_py_not_to_be_made},
    {Py_tp_dealloc, span_dealloc},
    {Py_tp_methods, span_methods},
    {0, NULL},
};
static PyType_Spec span_spec = {"spanloom.Span", sizeof(struct span), 0, Py_TPFLAGS_DEFAULT, span_slots};

static PyType_Slot done_slots[] = {
    {Py_tp_new, sl_py_not_to_be_made},
    {Py_tp_dealloc, done_dealloc},
    {Py_am_await, done_await},
    {Py_tp_iternext, done_next},
    {0, NULL},
};
static PyType_Spec done_spec = {"spanloom.Done", sizeof(struct done), 0, Py_TPFLAGS_DEFAULT, done_slots};

int sl_py_block_init(void)
{
    co_flags = PyUnicode_InternFromString("co_flags");
    span_type = (PyTypeObject *)PyType_FromSpec(&span_spec);
    done_type = (PyTypeObject *)PyType_FromSpec(&done_spec);
    return co_flags && span_type && done_type ? 0 : -1;
}
