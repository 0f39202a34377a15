/* SPDX-License-Identifier: Apache-2.0 */
/* The module _spanloom: the package's part in C. */
#include "python.h"

PyObject *sl_py_not_to_be_made(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    (void)args, (void)kwargs;
    return PyErr_Format(PyExc_TypeError, "cannot create instances of %R", type);
}

/* Whether the environment lets anything be recorded; else decorators leave functions alone. */
static int may_record(void)
{
    int was = sl_trace_enable(1), may = sl_trace_on;

    if (!was)
        sl_trace_enable(0);
    return may;
}

static int init(PyObject *module)
{
    static PyMethodDef *const functions[] = {sl_py_traced_functions, sl_py_event_functions, sl_py_advice_functions,
                                             sl_py_monitor_functions};

    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
        if (PyModule_AddFunctions(module, functions[i]))
            return -1;
    if (sl_py_traced_init(module) || sl_py_steps_init() || sl_py_names_init() || sl_py_block_init())
        return -1;
    if (PyModule_AddStringConstant(module, "version", SL_VERSION))
        return -1;
    return PyModule_AddIntConstant(module, "may_record", may_record());
}

PyMODINIT_FUNC PyInit__spanloom(void);
PyMODINIT_FUNC PyInit__spanloom(void)
{
    static PyModuleDef definition = {
        PyModuleDef_HEAD_INIT, "_spanloom", "The part of spanloom that is in C.", -1, NULL, NULL, NULL, NULL, NULL};
    static PyInterpreterState *first; /* what is static here belongs to it */
    PyObject *module = NULL;

    if (!first)
        first = PyInterpreterState_Get();
    if (first == PyInterpreterState_Get())
        module = PyModule_Create(&definition);
    else
        PyErr_SetString(PyExc_ImportError, "spanloom can be imported by one interpreter of a process only");
    if (module && init(module)) {
        Py_DECREF(module);
        return NULL;
    }
    return module;
}
