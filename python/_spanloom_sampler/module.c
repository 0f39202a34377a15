/* SPDX-License-Identifier: Apache-2.0 */
/* The module _spanloom_sampler: readings of the node (src/collect/sampler) for spanloom.monitor.  Limited API of 3.9.
 */
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "collect/sampler/sampler.h"

#include <math.h>
#include <unistd.h>

struct sampler {
    PyObject_HEAD struct sl_sampler *sampler;
    pid_t owner; /* the process that made it: after a fork, files are shared with it */
    bool busy;   /* some thread is reading, without the interpreter's lock */
};

static PyObject *make(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    static char *names[] = {"mount", "proc", "sys", NULL};
    const char *mount = "/";
    struct sl_sampler_options o = {.mounts = &mount, .nmounts = 1};
    struct sl_err err = {0};
    allocfunc alloc = (allocfunc)PyType_GetSlot(type, Py_tp_alloc);
    struct sampler *s;

    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "|szz", names, &mount, &o.roots.proc, &o.roots.sys))
        return NULL;
    if (!(s = (struct sampler *)alloc(type, 0)))
        return NULL;
    s->owner = getpid();
    s->sampler = sl_sampler_new(&o, &err);
    if (s->sampler)
        return (PyObject *)s;
    Py_DECREF(s);
    return PyErr_Format(PyExc_OSError, "%s", err.text);
}

static void drop(PyObject *self)
{
    struct sampler *s = (struct sampler *)self;
    PyTypeObject *type = Py_TYPE(self);
    freefunc free_ = (freefunc)PyType_GetSlot(type, Py_tp_free);

    if (s->sampler)
        sl_sampler_free(s->sampler);
    free_(self);
    Py_DECREF(type);
}

static int put(PyObject *report, const char *name, double value)
{
    PyObject *o;
    int rc;

    if (isnan(value)) /* absent, and never zero */
        return 0;
    if (!(o = PyFloat_FromDouble(value)))
        return -1;
    rc = PyDict_SetItemString(report, name, o);
    Py_DECREF(o);
    return rc;
}

static PyObject *read_node(PyObject *self, PyObject *none)
{
    struct sampler *s = (struct sampler *)self;
    struct sl_node_report r;
    PyObject *report;

    (void)none;
    if (s->owner != getpid())
        return PyErr_Format(PyExc_RuntimeError, "a sampler is of the process that made it, and not of its forks");
    if (s->busy)
        return PyErr_Format(PyExc_RuntimeError, "another thread is reading this sampler");
    s->busy = true;
    Py_BEGIN_ALLOW_THREADS sl_sampler_read(s->sampler, &r);
    Py_END_ALLOW_THREADS s->busy = false;
    if (!(report = PyDict_New()))
        return NULL;
#define SL_FIELD(name, decimals) put(report, #name, r.name) ||
    if (SL_NODE_FIELDS(SL_FIELD) put(report, "uptime_s", (double)r.uptime_ns / 1e9) ||
        put(report, "interval_s", r.interval_s) || put(report, "timestamp", (double)r.timestamp_ns / 1e9)) {
        Py_DECREF(report);
        return NULL;
    }
#undef SL_FIELD
    return report;
}

PyMODINIT_FUNC PyInit__spanloom_sampler(void);
PyMODINIT_FUNC PyInit__spanloom_sampler(void)
{
    static PyMethodDef methods[] = {
        {"read", read_node, METH_NOARGS,
         "A report: a dict of numbers by the names of docs/monitor.md, without what the system does not offer. "
         "Counters "
         "are since the sampler was made, percentages of CPU since the reading before (absent within 0.1 s)."},
        {NULL, NULL, 0, NULL}};
    static PyType_Slot slots[] = {{Py_tp_new, (void *)make},
                                  {Py_tp_dealloc, (void *)drop},
                                  {Py_tp_methods, methods},
                                  {Py_tp_doc, "Sampler(mount='/', proc=None, sys=None): readings of this node."},
                                  {0, NULL}};
    static PyType_Spec spec = {"_spanloom_sampler.Sampler", sizeof(struct sampler), 0, Py_TPFLAGS_DEFAULT, slots};
    static PyModuleDef definition = {PyModuleDef_HEAD_INIT,
                                     "_spanloom_sampler",
                                     "What the node is doing, by /proc and /sys.",
                                     -1,
                                     NULL,
                                     NULL,
                                     NULL,
                                     NULL,
                                     NULL};
    PyObject *module = PyModule_Create(&definition), *type = module ? PyType_FromSpec(&spec) : NULL;

    if (type && !PyModule_AddObject(module, "Sampler", type))
        return module;
    Py_XDECREF(type);
    Py_XDECREF(module);
    return NULL;
}
