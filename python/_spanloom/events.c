/* SPDX-License-Identifier: Apache-2.0 */
/* Events that the program itself asks for: spans of a block, moments, counters, asynchronous spans, arrows. */
#include "python.h"

#include <stdlib.h>
#include <string.h>

__thread char sl_py_thread_known;

/* ---- texts and arguments ---- */

const char *sl_py_text(PyObject *str, PyObject **owned)
{
    const char *text = PyUnicode_AsUTF8AndSize(str, NULL);

    if (text || !PyErr_ExceptionMatches(PyExc_UnicodeEncodeError))
        return text;
    PyErr_Clear();
    Py_XDECREF(*owned);
    *owned = PyUnicode_AsEncodedString(str, "utf-8", "backslashreplace");
    return *owned ? PyBytes_AsString(*owned) : NULL;
}

static bool put_number(const char *key, PyObject *value)
{
    int overflow;
    long long number;
    double real;

    if (PyFloat_Check(value)) {
        real = PyFloat_AsDouble(value);
        sl_arg_double(key, real);
        return true;
    }
    if (!PyLong_Check(value) || PyBool_Check(value))
        return false;
    number = PyLong_AsLongLongAndOverflow(value, &overflow);
    if (!overflow)
        sl_arg_int(key, number);
    return !overflow;
}

void sl_py_arg(PyObject *key, PyObject *value)
{
    PyObject *owned = NULL, *owned_key = NULL, *said = NULL;
    const char *name = PyUnicode_Check(key) ? sl_py_text(key, &owned_key) : NULL, *text;

    if (name && !put_number(name, value)) {
        said = PyUnicode_Check(value) ? NULL : PyObject_Repr(value);
        text = said || PyUnicode_Check(value) ? sl_py_text(said ? said : value, &owned) : NULL;
        sl_arg_string(name, text ? text : "(its repr() failed)");
    }
    PyErr_Clear();
    Py_XDECREF(said);
    Py_XDECREF(owned);
    Py_XDECREF(owned_key);
}

void sl_py_args(PyObject *dict)
{
    PyObject *key, *value;
    Py_ssize_t at = 0;

    if (!dict || !PyDict_Size(dict))
        return;
    if (!(dict = PyDict_Copy(dict))) { /* a repr() may change it */
        PyErr_Clear();
        return;
    }
    while (PyDict_Next(dict, &at, &key, &value))
        sl_py_arg(key, value);
    Py_DECREF(dict);
}

void sl_py_arg_exception(void)
{
    PyObject *type, *value, *trace, *name;
    const char *text;

    PyErr_Fetch(&type, &value, &trace);
    name = type ? PyObject_GetAttrString(type, "__name__") : NULL;
    if (name && PyUnicode_Check(name) && (text = PyUnicode_AsUTF8AndSize(name, NULL)))
        sl_arg_string("exception", text);
    PyErr_Clear();
    Py_XDECREF(name);
    PyErr_Restore(type, value, trace);
}

/* ---- threads ---- */

/* The thread's object is asked for where Python has one: current_thread() would make one for others. */
static PyObject *name_of_thread(void)
{
    PyObject *threading = PyImport_ImportModule("threading"), *ident = NULL, *all = NULL, *thread = NULL, *name = NULL;

    if (threading && (ident = PyObject_CallMethod(threading, "get_ident", NULL)) &&
        (all = PyObject_GetAttrString(threading, "_active")))
        thread = PyObject_GetItem(all, ident);
    if (thread)
        name = PyObject_GetAttrString(thread, "name");
    Py_XDECREF(threading);
    Py_XDECREF(ident);
    Py_XDECREF(all);
    Py_XDECREF(thread);
    return name;
}

static __attribute__((noinline)) void know_thread(void)
{
    PyObject *type, *value, *trace, *name, *owned = NULL;
    const char *text;

    sl_py_thread_known = 1; /* first: what follows may be traced */
    PyErr_Fetch(&type, &value, &trace);
    name = name_of_thread();
    if (name && PyUnicode_Check(name) && (text = sl_py_text(name, &owned)))
        sl_thread_name(text);
    PyErr_Clear();
    Py_XDECREF(name);
    Py_XDECREF(owned);
    PyErr_Restore(type, value, trace);
}

void sl_py_know_thread(void)
{
    if (UNLIKELY(!sl_py_thread_known))
        know_thread();
}

static PyObject *forget_thread(PyObject *module, PyObject *unused)
{
    (void)module, (void)unused;
    sl_py_thread_known = 0;
    Py_RETURN_NONE;
}

/* ---- sites by name ---- */

static PyObject *dunder_name, *co_flags; /* texts */

static PyObject *module_of_caller(void)
{
    PyObject *globals = PyEval_GetGlobals(), *name = globals ? PyDict_GetItemWithError(globals, dunder_name) : NULL;

    if (!name)
        PyErr_Clear();
    return name;
}

/* category: NULL or None means the module that calls. */
static struct sl_site *site_of(PyObject *name, PyObject *category, struct sl_site *find(const char *, const char *))
{
    PyObject *owned = NULL, *owned_category = NULL;
    const char *text = sl_py_text(name, &owned), *cat = NULL;
    struct sl_site *site = NULL;

    if (!category || category == Py_None)
        category = module_of_caller();
    if (text && category && PyUnicode_Check(category))
        cat = sl_py_text(category, &owned_category);
    if (text && !PyErr_Occurred())
        site = find(text, cat ? cat : "python");
    Py_XDECREF(owned);
    Py_XDECREF(owned_category);
    return site;
}

/* category=... among others; a new reference, or NULL. */
static PyObject *take_category(PyObject *kwargs)
{
    PyObject *category = kwargs && PyDict_Size(kwargs) ? PyDict_GetItemString(kwargs, "category") : NULL;

    Py_XINCREF(category);
    if (category)
        PyDict_DelItemString(kwargs, "category");
    return category;
}

/* ---- a block ---- */

struct span {
    PyObject_HEAD PyObject *name, *category, *args;
    struct sl_site *site; /* while it is open */
    uint64_t id;          /* 0: it is a span of the thread */
};

static PyObject *span_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    allocfunc alloc = (allocfunc)PyType_GetSlot(type, Py_tp_alloc);
    PyObject *name, *category = NULL;
    struct span *s;

    if (!PyArg_ParseTuple(args, "U|O:span", &name, &category))
        return NULL;
    if (category)
        Py_INCREF(category);
    else
        category = take_category(kwargs);
    if (!category || category == Py_None) {
        Py_XDECREF(category);
        category = module_of_caller();
        Py_XINCREF(category);
    }
    if (!(s = (struct span *)alloc(type, 0))) {
        Py_XDECREF(category);
        return NULL;
    }
    Py_INCREF(name);
    Py_XINCREF(kwargs);
    s->name = name;
    s->category = category;
    s->args = kwargs;
    return (PyObject *)s;
}

static void span_dealloc(PyObject *self)
{
    struct span *s = (struct span *)self;
    PyTypeObject *type = Py_TYPE(self);

    Py_XDECREF(s->name);
    Py_XDECREF(s->category);
    Py_XDECREF(s->args);
    ((freefunc)PyType_GetSlot(type, Py_tp_free))(self);
    Py_DECREF(type);
}

enum { CO_COROUTINE = 0x80, CO_ASYNC_GENERATOR = 0x200 };

/* Where the block may be left for another task while it is open.  What was asked last is asked most. */
static bool in_coroutine(void)
{
    static PyCodeObject *known;
    static bool answer;
    PyFrameObject *frame = PyEval_GetFrame();
    PyCodeObject *code = frame ? PyFrame_GetCode(frame) : NULL, *old = known;
    PyObject *flags;

    if (!code || code == known) {
        Py_XDECREF(code);
        return code && answer;
    }
    flags = PyObject_GetAttr((PyObject *)code, co_flags);
    answer = flags && (PyLong_AsLong(flags) & (CO_COROUTINE | CO_ASYNC_GENERATOR));
    Py_XDECREF(flags);
    PyErr_Clear();
    known = code;
    Py_XDECREF(old);
    return answer;
}

static int span_open(struct span *s, bool async)
{
    if (!SL_TRACING_ || s->site)
        return 0;
    sl_py_know_thread();
    s->site = site_of(s->name, s->category, sl_site_of);
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
    if (span_open((struct span *)self, SL_TRACING_ && in_coroutine()))
        return NULL;
    Py_INCREF(self);
    return self;
}

static void span_close(struct span *s, PyObject *type)
{
    PyObject *name = NULL, *owned = NULL;
    const char *text = NULL;

    if (!s->site)
        return;
    if (s->id)
        sl_async_end(s->site, s->id);
    if (type != Py_None && (name = PyObject_GetAttrString(type, "__name__")) && PyUnicode_Check(name))
        text = sl_py_text(name, &owned);
    if (text)
        sl_arg_string("exception", text);
    if (!s->id)
        sl_span_end(s->site);
    s->site = NULL;
    PyErr_Clear();
    Py_XDECREF(name);
    Py_XDECREF(owned);
}

static PyObject *span_exit(PyObject *self, PyObject *const *args, Py_ssize_t n)
{
    span_close((struct span *)self, n > 0 ? args[0] : Py_None);
    Py_RETURN_FALSE;
}

/* An awaitable that is done at once, as `async with` wants it. */
struct done {
    PyObject_HEAD PyObject *value;
};

static PyTypeObject *done_type;

static PyObject *done_new(PyObject *value)
{
    struct done *d = (struct done *)((allocfunc)PyType_GetSlot(done_type, Py_tp_alloc))(done_type, 0);

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
    ((freefunc)PyType_GetSlot(type, Py_tp_free))(self);
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

static PyObject *span_args(PyObject *self, PyObject *args, PyObject *kwargs)
{
    struct span *s = (struct span *)self;

    if (!PyArg_ParseTuple(args, ":args"))
        return NULL;
    if (s->site && s->id)
        sl_async_instant(s->site, s->id);
    if (s->site)
        sl_py_args(kwargs);
    Py_RETURN_NONE;
}

static PyMethodDef span_methods[] = {
    {"__enter__", span_enter, METH_NOARGS, NULL},
    {"__exit__", (PyCFunction)(void (*)(void))span_exit, METH_FASTCALL, NULL},
    {"__aenter__", span_aenter, METH_NOARGS, NULL},
    {"__aexit__", (PyCFunction)(void (*)(void))span_aexit, METH_FASTCALL, NULL},
    {"args", (PyCFunction)(void (*)(void))span_args, METH_VARARGS | METH_KEYWORDS,
     "args(**values): of this span, which is open."},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot span_slots[] = {
    {Py_tp_new, span_new},
    {Py_tp_dealloc, span_dealloc},
    {Py_tp_methods, span_methods},
    {Py_tp_doc, "span(name, category=None, **args)\n\nA context manager: a span from the beginning of the block to its "
                "end, however that is left.\nIn a coroutine, or by `async with`, it is an asynchronous one, since "
                "others may run within."},
    {0, NULL},
};
static PyType_Spec span_spec = {"spanloom.span", sizeof(struct span), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE,
                                span_slots};

static PyType_Slot done_slots[] = {
    {Py_tp_dealloc, done_dealloc},
    {Py_am_await, done_await},
    {Py_tp_iternext, done_next},
    {0, NULL},
};
static PyType_Spec done_spec = {"spanloom.Done", sizeof(struct done), 0, Py_TPFLAGS_DEFAULT, done_slots};

/* ---- single events ---- */

/* An id is a number; other objects stand for a number by what they say, the same in every process. */
static bool id_of(PyObject *given, uint64_t *id)
{
    PyObject *said, *owned = NULL;
    const char *p;

    if (PyLong_Check(given)) {
        *id = PyLong_AsUnsignedLongLongMask(given);
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
        if (!(site = site_of(name, category, sl_loose_site_of)))
            return NULL;
        (is_end ? sl_span_end : sl_span_begin)(site);
    }
    Py_RETURN_NONE;
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
    if (!SL_TRACING_)
        Py_RETURN_NONE;
    if (PyObject_IsTrue(given) == 1 && !id_of(given, &id))
        return NULL;
    sl_py_know_thread();
    if (!(site = site_of(name, category, sl_site_of)))
        return NULL;
    if (PyUnicode_Check(scope) && !(text = sl_py_text(scope, &owned)))
        return NULL;
    record[kind](site, id);
    if (text && *text)
        sl_async_scope(text);
    Py_XDECREF(owned);
    Py_RETURN_NONE;
}

static PyObject *instant(PyObject *module, PyObject *args, PyObject *kwargs)
{
    PyObject *name, *category = NULL, *taken = take_category(kwargs);
    struct sl_site *site = NULL;
    bool ok = PyArg_ParseTuple(args, "U|O:instant", &name, &category);

    (void)module;
    if (ok && SL_TRACING_) {
        sl_py_know_thread();
        site = site_of(name, category ? category : taken, sl_site_of);
        ok = site != NULL;
    }
    if (site) {
        sl_instant(site);
        sl_py_args(kwargs);
    }
    Py_XDECREF(taken);
    if (!ok)
        return NULL;
    Py_RETURN_NONE;
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
        if (!(site = site_of(name, category, sl_site_of)))
            return NULL;
        sl_counter(site, value);
    }
    Py_RETURN_NONE;
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
        if (!(site = site_of(name, category ? category : name, sl_site_of)))
            return NULL;
        sl_flow(site, id, end);
    }
    Py_RETURN_NONE;
}

static PyObject *args_of(PyObject *module, PyObject *args, PyObject *kwargs)
{
    (void)module;
    if (!PyArg_ParseTuple(args, ":args"))
        return NULL;
    if (SL_TRACING_)
        sl_py_args(kwargs);
    Py_RETURN_NONE;
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
    Py_RETURN_NONE;
}

static PyObject *traceparent(PyObject *module, PyObject *unused)
{
    char to[56];

    (void)module, (void)unused;
    sl_traceparent(to);
    return PyUnicode_FromString(to);
}

/* What the runtime put into the environment for children; os.environ, made before, knows nothing of it. */
static PyObject *environment(PyObject *module, PyObject *unused)
{
    static const char *const names[] = {"TRACEPARENT", "PERFFLOW_INSTANCE_PATH"};
    PyObject *dict = PyDict_New(), *value;
    const char *text;

    (void)module, (void)unused;
    for (size_t i = 0; dict && i < sizeof names / sizeof *names; i++) {
        if (!(text = getenv(names[i])))
            continue;
        if (!(value = PyUnicode_DecodeFSDefault(text)) || PyDict_SetItemString(dict, names[i], value))
            Py_CLEAR(dict);
        Py_XDECREF(value);
    }
    return dict;
}

static PyObject *lie_in(PyObject *module, PyObject *context)
{
    const char *text = PyUnicode_AsUTF8AndSize(context, NULL);

    (void)module;
    if (!text)
        return NULL;
    sl_trace_parent(text);
    Py_RETURN_NONE;
}

static PyObject *enable(PyObject *module, PyObject *args)
{
    int on = 1;

    (void)module;
    if (!PyArg_ParseTuple(args, "|p:enable", &on))
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
    Py_END_ALLOW_THREADS Py_RETURN_NONE;
}

#define WITH_KEYWORDS(f) (PyCFunction)(void (*)(void)) f, METH_VARARGS | METH_KEYWORDS

PyMethodDef sl_py_event_functions[] = {
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
    {"enable", enable, METH_VARARGS,
     "enable(on=True)\n\nRecord, or do not, from now on, in the whole process. Returns what it was."},
    {"flush", flush, METH_NOARGS,
     "flush()\n\nWrites the .pfw now, with what is recorded so far; whether there was something to write."},
    {"finish", finish, METH_NOARGS,
     "finish()\n\nWhat the end of the process does: the trace is complete then, and nothing is recorded later. For "
     "processes that leave by os._exit()."},
    {"_lie_in", lie_in, METH_O, NULL},
    {"_environment", environment, METH_NOARGS, NULL},
    {"_forget_thread", forget_thread, METH_NOARGS, NULL},
    {NULL, NULL, 0, NULL},
};

int sl_py_events_init(PyObject *module)
{
    PyObject *span = PyType_FromSpec(&span_spec);

    dunder_name = PyUnicode_InternFromString("__name__");
    co_flags = PyUnicode_InternFromString("co_flags");
    if (!dunder_name || !co_flags)
        return -1;
    done_type = (PyTypeObject *)PyType_FromSpec(&done_spec);
    return span && done_type ? PyModule_AddObject(module, "span", span) : -1;
}
