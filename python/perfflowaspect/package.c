/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The package perfflowaspect, in the place of PerfFlowAspect's own.  It is perfflowaspect/__init__.abi3.so and nothing
 * else: Python prefers that to an __init__.py beside it, and no file has the name of one of theirs.  So both may be
 * installed, in any order, and either uninstalled.  What is in it lies in spanloom/_perfflowaspect.
 */
#define PY_SSIZE_T_CLEAN
#include <Python.h>

static int begin(PyObject *package)
{
    PyObject *ours = PyImport_ImportModule("spanloom._perfflowaspect");
    PyObject *done = ours ? PyObject_CallMethod(ours, "stand_in", "O", package) : NULL;

    Py_XDECREF(ours);
    Py_XDECREF(done);
    return done ? 0 : -1;
}

PyMODINIT_FUNC PyInit_perfflowaspect(void);
PyMODINIT_FUNC PyInit_perfflowaspect(void)
{
    static PyModuleDef_Slot slots[] = {{Py_mod_exec, (void *)(uintptr_t)begin}, {0, NULL}};
    static PyModuleDef definition = {PyModuleDef_HEAD_INIT, "perfflowaspect", NULL, 0, NULL, slots, NULL, NULL, NULL};

    return PyModuleDef_Init(&definition);
}
