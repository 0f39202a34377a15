/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A decorated function: an object that calls it between the two marks of its span, and that looks like the function
 * otherwise.  What a mark costs is the runtime's; here, nothing is allocated on the way of a plain call.
 */
#include "python.h"

#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static PyObject *method_type, *sites, *pickler, *is_copied;

PyObject *sl_py_call_before_311(PyObject *f, PyObject *const *args, size_t nargsf, PyObject *kwnames)
{
    Py_ssize_t n = VECTORCALL_NARGS(nargsf), named = kwnames ? PyTuple_Size(kwnames) : 0;
    PyObject *dict = NULL, *result;

    if (named && !(dict = PyDict_New()))
        return NULL;
    for (Py_ssize_t i = 0; i < named; i++)
        if (PyDict_SetItem(dict, PyTuple_GetItem(kwnames, i), args[n + i])) {
            Py_DECREF(dict);
            return NULL;
        }
    result = PyObject_VectorcallDict(f, args, nargsf, dict);
    Py_XDECREF(dict);
    return result;
}

/* ---- what is recorded ---- */

static uint64_t thread_id(void)
{
    return (uint64_t)syscall(SYS_gettid);
}

void sl_py_restore(PyObject *type, PyObject *value, PyObject *trace)
{
    if (!sl_py_interrupted()) {
        PyErr_Restore(type, value, trace);
        return;
    }
    Py_XDECREF(type);
    Py_XDECREF(value);
    Py_XDECREF(trace);
}

PyObject *sl_py_recorded(const struct traced *t, PyObject *args, PyObject *kwargs)
{
    PyObject *type, *value, *trace, *dict, *plain = NULL;

    if (!t->recorder)
        return NULL;
    PyErr_Fetch(&type, &value, &trace);
    dict = PyObject_CallFunctionObjArgs(t->recorder, args ? args : Py_None, kwargs ? kwargs : Py_None, NULL);
    if (dict && PyDict_Check(dict))
        plain = sl_py_plain(dict);
    else if (!dict && !sl_py_interrupted())
        PyErr_WriteUnraisable(t->function);
    Py_XDECREF(dict);
    sl_py_restore(type, value, trace);
    return plain;
}

static void scope(const struct traced *t)
{
    PyObject *type, *value, *trace;
    const char *text;

    if (!t->scope)
        return;
    PyErr_Fetch(&type, &value, &trace);
    if ((text = PyUnicode_AsUTF8AndSize(t->scope, NULL)))
        sl_async_scope(text);
    PyErr_Restore(type, value, trace);
}

int sl_py_enter(const struct traced *t, uint64_t *id, PyObject *args, PyObject *kwargs)
{
    PyObject *recorded;

    if (UNLIKELY(sl_py_advised))
        sl_py_advise_before(t, args, kwargs);
    if (PyErr_Occurred())
        return -1;
    if (!SL_TRACING_ || t->pointcut == AFTER || t->pointcut == AFTER_ASYNC)
        return 0;
    sl_py_know_thread();
    recorded = sl_py_recorded(t, args, kwargs);
    if (!recorded && PyErr_Occurred())
        return -1;
    switch (t->pointcut) {
    case AROUND:
    case BEFORE: sl_span_begin(t->site); break;
    case AROUND_ASYNC:
    case BEFORE_ASYNC:
        *id = t->pointcut == AROUND_ASYNC ? sl_new_id() : thread_id();
        sl_async_begin(t->site, *id);
        scope(t);
        break;
    default: break;
    }
    sl_py_args(recorded);
    Py_XDECREF(recorded);
    if (t->pointcut == AROUND)
        sl_py_end_arrow();
    if (t->pointcut == BEFORE) /* a moment: a begin without an end would take in what comes after it */
        sl_span_end(t->site);
    return 0;
}

void sl_py_leave(const struct traced *t, uint64_t id, PyObject *args, PyObject *kwargs, PyObject *result)
{
    bool async = t->pointcut == AROUND_ASYNC || t->pointcut == AFTER_ASYNC;
    bool after = t->pointcut == AFTER || t->pointcut == AFTER_ASYNC;

    if (SL_TRACING_) {
        PyObject *recorded = after ? sl_py_recorded(t, args, kwargs) : NULL;
        if (t->pointcut == AFTER)
            sl_span_begin(t->site);
        if (async) {
            sl_async_end(t->site, t->pointcut == AFTER_ASYNC ? thread_id() : id);
            scope(t);
        }
        sl_py_args(recorded);
        Py_XDECREF(recorded);
        if (!result && t->pointcut != BEFORE && t->pointcut != BEFORE_ASYNC)
            sl_py_arg_exception(!async);
        if (t->pointcut == AROUND || t->pointcut == AFTER)
            sl_span_end(t->site);
    }
    if (UNLIKELY(sl_py_advised))
        sl_py_advise_after(t, result);
}

/* ---- calls ---- */

static int as_tuple_and_dict(PyObject *const *args, size_t nargsf, PyObject *kwnames, PyObject **tuple, PyObject **dict)
{
    Py_ssize_t n = VECTORCALL_NARGS(nargsf), named = kwnames ? PyTuple_Size(kwnames) : 0;

    *dict = NULL;
    if (!(*tuple = PyTuple_New(n)))
        return -1;
    for (Py_ssize_t i = 0; i < n; i++) {
        Py_INCREF(args[i]);
        PyTuple_SetItem(*tuple, i, args[i]);
    }
    if (!(*dict = PyDict_New()))
        return -1;
    for (Py_ssize_t i = 0; i < named; i++)
        if (PyDict_SetItem(*dict, PyTuple_GetItem(kwnames, i), args[n + i]))
            return -1;
    return 0;
}

static __attribute__((noinline)) PyObject *call_slow(struct traced *t, PyObject *const *args, size_t nargsf,
                                                     PyObject *kwnames)
{
    PyObject *tuple = NULL, *dict = NULL, *result = NULL, *inner;
    uint64_t id = 0;

    if ((t->recorder || sl_py_advised) && as_tuple_and_dict(args, nargsf, kwnames, &tuple, &dict)) {
        PyErr_Clear(); /* the call does not suffer */
        Py_CLEAR(dict);
    }
    if (t->kind == FUNCTION) {
        if (!sl_py_enter(t, &id, tuple, dict)) {
            result = sl_py_call(t->function, args, nargsf, kwnames);
            sl_py_leave(t, id, tuple, dict, result);
            if (result && PyErr_Occurred())
                Py_CLEAR(result);
        }
    } else if ((inner = sl_py_call(t->function, args, nargsf, kwnames))) { /* nothing of it has run */
        result = sl_py_steps_new(t, inner, tuple, dict);
        Py_DECREF(inner);
    }
    Py_XDECREF(tuple);
    Py_XDECREF(dict);
    return result;
}

static PyObject *call(PyObject *self, PyObject *const *args, size_t nargsf, PyObject *kwnames)
{
    struct traced *t = (struct traced *)self;
    struct sl_site *site = t->site;
    PyObject *result;

    if (UNLIKELY(!SL_TRACING_))
        return sl_py_advised || t->kind != FUNCTION ? call_slow(t, args, nargsf, kwnames)
                                                    : sl_py_call(t->function, args, nargsf, kwnames);
    if (UNLIKELY(sl_py_advised || !sl_py_thread_known))
        return call_slow(t, args, nargsf, kwnames);
    sl_span_begin(site);
    result = sl_py_call(t->function, args, nargsf, kwnames);
    if (UNLIKELY(!result))
        sl_py_arg_exception(true);
    sl_span_end(site);
    return result;
}

static PyObject *call_otherwise(PyObject *self, PyObject *const *args, size_t nargsf, PyObject *kwnames)
{
    return call_slow((struct traced *)self, args, nargsf, kwnames);
}

static void choose_call(struct traced *t)
{
    t->call = t->kind == FUNCTION && t->pointcut == AROUND && !t->recorder ? call : call_otherwise;
}

/* ---- it looks like the function ---- */

static PyObject *get(PyObject *self, PyObject *object, PyObject *type)
{
    (void)type;
    if (!object || object == Py_None) {
        Py_INCREF(self);
        return self;
    }
    return PyObject_CallFunctionObjArgs(method_type, self, object, NULL);
}

static PyObject *get_attribute(PyObject *self, PyObject *name)
{
    PyObject *value = PyObject_GenericGetAttr(self, name);

    if (value || !PyErr_ExceptionMatches(PyExc_AttributeError))
        return value;
    PyErr_Clear();
    return PyObject_GetAttr(((struct traced *)self)->function, name);
}

enum { CO_GENERATOR = 0x20, CO_COROUTINE = 0x80, CO_ITERABLE_COROUTINE = 0x100, CO_ASYNC_GENERATOR = 0x200 };

/* The function has this code from now on. */
static void is_of(struct traced *t, PyObject *code)
{
    PyObject *given = PyObject_GetAttrString(code, "co_flags");
    long flags = given ? PyLong_AsLong(given) : 0;

    Py_XDECREF(given);
    PyErr_Clear();
    t->kind = flags & CO_ITERABLE_COROUTINE ? ITERABLE_COROUTINE
              : flags & CO_COROUTINE        ? COROUTINE
              : flags & CO_ASYNC_GENERATOR  ? ASYNC_GENERATOR
              : flags & CO_GENERATOR        ? GENERATOR
                                            : FUNCTION;
    choose_call(t);
}

/* What makes the function what it is, is the function's; the rest is told of this object. */
static int set_attribute(PyObject *self, PyObject *name, PyObject *value)
{
    static const char *const own[] = {"__code__", "__defaults__", "__kwdefaults__", "__annotations__", NULL};
    struct traced *t = (struct traced *)self;
    int i = 0;

    while (own[i] && !(PyUnicode_Check(name) && PyUnicode_CompareWithASCIIString(name, own[i]) == 0))
        i++;
    if (!own[i] && value && !PyUnicode_Check(value) && PyUnicode_Check(name) &&
        (PyUnicode_CompareWithASCIIString(name, "__name__") == 0 ||
         PyUnicode_CompareWithASCIIString(name, "__qualname__") == 0)) {
        PyErr_Format(PyExc_TypeError, "%U must be set to a string object", name);
        return -1;
    }
    if (!own[i])
        return PyObject_GenericSetAttr(self, name, value);
    if (PyObject_SetAttr(t->function, name, value))
        return -1;
    if (i == 0 && value)
        is_of(t, value);
    return 0;
}

static PyObject *repr(PyObject *self)
{
    return PyUnicode_FromFormat("<spanloom.critical_path %R>", ((struct traced *)self)->function);
}

/* Whoever asks is told the class of the function, but those that take functions apart to rebuild them elsewhere. */
static PyObject *class_of(PyObject *self, void *closure)
{
    PyObject *copied = PyObject_CallFunctionObjArgs(is_copied, NULL), *answer = NULL;

    (void)closure;
    if (copied == Py_True)
        Py_INCREF(answer = (PyObject *)Py_TYPE(self));
    else if (copied)
        answer = PyObject_GetAttrString(((struct traced *)self)->function, "__class__");
    Py_XDECREF(copied);
    return answer;
}

static PyObject *reduce(PyObject *self, PyObject *protocol)
{
    (void)protocol;
    return PyObject_CallFunctionObjArgs(pickler, self, NULL);
}

static int traverse(PyObject *self, visitproc visit, void *arg)
{
    struct traced *t = (struct traced *)self;

    Py_VISIT(Py_TYPE(self));
    Py_VISIT(t->function);
    Py_VISIT(t->dict);
    Py_VISIT(t->recorder);
    return 0;
}

static int clear(PyObject *self)
{
    struct traced *t = (struct traced *)self;

    Py_CLEAR(t->dict); /* not the function, which somebody may still call: it breaks its own circles */
    Py_CLEAR(t->recorder);
    return 0;
}

static void dealloc(PyObject *self)
{
    PyTypeObject *type = Py_TYPE(self);

    PyObject_GC_UnTrack(self);
    if (((struct traced *)self)->weak)
        PyObject_ClearWeakRefs(self);
    clear(self);
    Py_CLEAR(((struct traced *)self)->function);
    Py_CLEAR(((struct traced *)self)->scope);
    PyObject_GC_Del(self);
    Py_DECREF(type);
}

static PyObject *dict_of(PyObject *self, void *closure)
{
    struct traced *t = (struct traced *)self;

    (void)closure;
    if (!t->dict && !(t->dict = PyDict_New()))
        return NULL;
    return sl_py_ref(t->dict);
}

static int set_dict(PyObject *self, PyObject *dict, void *closure)
{
    struct traced *t = (struct traced *)self;
    PyObject *old = t->dict;

    (void)closure;
    if (!dict || !PyDict_Check(dict)) {
        PyErr_SetString(PyExc_TypeError, "__dict__ must be set to a dictionary");
        return -1;
    }
    t->dict = sl_py_ref(dict);
    Py_XDECREF(old);
    return 0;
}

static PyMemberDef members[] = {
    {"__traced__", T_OBJECT, offsetof(struct traced, function), READONLY, NULL},
    {"__vectorcalloffset__", T_PYSSIZET, offsetof(struct traced, call), READONLY, NULL},
    {"__dictoffset__", T_PYSSIZET, offsetof(struct traced, dict), READONLY, NULL},
    {"__weaklistoffset__", T_PYSSIZET, offsetof(struct traced, weak), READONLY, NULL},
    {NULL, 0, 0, 0, NULL},
};

static PyGetSetDef properties[] = {
    {"__class__", class_of, NULL, NULL, NULL},
    {"__dict__", dict_of, set_dict, NULL, NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyMethodDef methods[] = {
    {"__reduce_ex__", reduce, METH_O, NULL},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot slots[] = {
    {Py_tp_new, sl_py_not_to_be_made},
    {Py_tp_call, PyVectorcall_Call},
    {Py_tp_descr_get, get},
    {Py_tp_getattro, get_attribute},
    {Py_tp_setattro, set_attribute},
    {Py_tp_repr, repr},
    {Py_tp_traverse, traverse},
    {Py_tp_clear, clear},
    {Py_tp_dealloc, dealloc},
    {Py_tp_members, members},
    {Py_tp_getset, properties},
    {Py_tp_methods, methods},
    {0, NULL},
};

static PyType_Spec spec = {"spanloom.Traced", sizeof(struct traced), 0,
                           Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | VECTORCALL_FLAG | Py_TPFLAGS_METHOD_DESCRIPTOR,
                           slots};

/* ---- from Python ---- */

static char *copy(PyObject *str)
{
    PyObject *owned = NULL;
    const char *text = sl_py_text(str, &owned);
    char *to = text ? strdup(text) : NULL;

    Py_XDECREF(owned);
    return to;
}

struct sl_site *sl_py_site_at(PyObject *name, PyObject *category, PyObject *file, int line)
{
    PyObject *key = Py_BuildValue("(OOOi)", name, category, file, line), *known, *capsule;
    struct sl_site *site = NULL;

    if (!key)
        return NULL;
    if ((known = PyDict_GetItemWithError(sites, key))) {
        site = PyCapsule_GetPointer(known, NULL);
    } else if (!PyErr_Occurred() && (site = calloc(1, sizeof *site))) {
        *site = (struct sl_site){0, (uint32_t)line, copy(name), copy(category), copy(file)};
        capsule = site->name && site->category && site->file ? PyCapsule_New(site, NULL, NULL) : NULL;
        if (!capsule || PyDict_SetItem(sites, key, capsule))
            site = NULL;
        Py_XDECREF(capsule);
    }
    if (!site && !PyErr_Occurred())
        PyErr_NoMemory();
    Py_DECREF(key);
    return site;
}

static PyTypeObject *traced_type;

/* traced(function, name, category, file, line, kind, pointcut, scope, recorder) */
static PyObject *traced(PyObject *module, PyObject *args)
{
    PyObject *function, *name, *category, *file, *given_scope, *recorder;
    int line, kind, pointcut;
    struct sl_site *site;
    struct traced *t;

    (void)module;
    if (!PyArg_ParseTuple(args, "OUUUiiiOO", &function, &name, &category, &file, &line, &kind, &pointcut, &given_scope,
                          &recorder) ||
        !(site = sl_py_site_at(name, category, file, line)))
        return NULL;
    if (!(t = PyObject_GC_New(struct traced, traced_type)))
        return NULL;
    Py_INCREF(function);
    t->function = function;
    t->weak = NULL;
    t->site = site;
    t->recorder = recorder == Py_None ? NULL : recorder;
    t->scope = given_scope == Py_None ? NULL : given_scope;
    Py_XINCREF(t->recorder);
    Py_XINCREF(t->scope);
    t->kind = kind;
    t->pointcut = pointcut;
    choose_call(t);
    t->dict = PyDict_New();
    PyObject_GC_Track(t);
    if (!t->dict) {
        Py_DECREF(t);
        return NULL;
    }
    return (PyObject *)t;
}

/* helpers(pickle, is_copied): the functions in Python that this needs */
static PyObject *helpers(PyObject *module, PyObject *args)
{
    (void)module;
    if (!PyArg_ParseTuple(args, "OO", &pickler, &is_copied))
        return NULL;
    Py_INCREF(pickler);
    Py_INCREF(is_copied);
    return sl_py_ref(Py_None);
}

PyMethodDef sl_py_traced_functions[] = {
    {"traced", traced, METH_VARARGS, NULL},
    {"helpers", helpers, METH_VARARGS, NULL},
    {NULL, NULL, 0, NULL},
};

int sl_py_traced_init(PyObject *module)
{
    PyObject *types = PyImport_ImportModule("types");

    method_type = types ? PyObject_GetAttrString(types, "MethodType") : NULL;
    Py_XDECREF(types);
    sites = PyDict_New();
    traced_type = (PyTypeObject *)PyType_FromSpec(&spec);
    if (!method_type || !sites || !traced_type)
        return -1;
    Py_INCREF(traced_type);
    return PyModule_AddObject(module, "Traced", (PyObject *)traced_type);
}
