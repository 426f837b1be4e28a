/* SPDX-License-Identifier: BSD-3-Clause */
#include "record/stack/python/interpreter.h"

#include "record/stack/exports.h"

#include <stdio.h>
#include <string.h>

struct fm_python fm_python;

static void set_state(enum fm_python_state state)
{
    __atomic_store_n(&fm_python.state, (uint32_t)state, __ATOMIC_RELEASE);
}

/* The lowest byte of a version is 0xf0 in releases; layouts change until then. */
static bool is_release(uint64_t version)
{
    return (version & 0xf0) == 0xf0;
}

static void note_interpreter(const struct dl_phdr_info *binary)
{
    uint64_t state_function = fm_export_find(binary, "PyGILState_GetThisThreadState");
    uint64_t version = fm_export_find(binary, "Py_Version");
    if (state_function == 0 || fm_export_find(binary, "_PyEval_EvalFrameDefault") == 0) {
        return;
    }
    fm_python.base = binary->dlpi_addr;
    /* Py_Version exists from 3.11 on. */
    fm_python.version = version != 0 ? *(const unsigned long *)(uintptr_t)version : 0;
    fm_python.layout = fm_python_layout((uint32_t)(fm_python.version >> 16));
    fm_python.code_type = fm_export_find(binary, "PyCode_Type");
    fm_python.text_type = fm_export_find(binary, "PyUnicode_Type");
    fm_python.bytes_type = fm_export_find(binary, "PyBytes_Type");
    fm_python.thread_state = (void *(*)(void))(uintptr_t)state_function;
    bool known = fm_python.layout != NULL && is_release(fm_python.version) &&
                 fm_python.code_type != 0 && fm_python.text_type != 0 && fm_python.bytes_type != 0;
    set_state(known ? FM_PYTHON_FOUND : FM_PYTHON_UNKNOWN);
}

static bool begins_with(const char *text, const char *prefix)
{
    return strncmp(text, prefix, strlen(prefix)) == 0;
}

bool fm_python_binary_loaded(const struct dl_phdr_info *binary, const char *path)
{
    const char *slash = strrchr(path, '/'), *name = slash != NULL ? slash + 1 : path;
    if (fm_python.state == FM_PYTHON_ABSENT) {
        note_interpreter(binary);
    }
    if (begins_with(name, "libpython") || begins_with(name, "python")) {
        return fm_python.state != FM_PYTHON_ABSENT && fm_python.base == binary->dlpi_addr;
    }
    /* libffi is the glue of ctypes. */
    return strstr(path, "/lib-dynload/") != NULL || begins_with(name, "libffi.");
}

void fm_python_binary_unloaded(uint64_t base)
{
    if (fm_python.state != FM_PYTHON_ABSENT && fm_python.base == base) {
        set_state(FM_PYTHON_ABSENT);
    }
}

void fm_python_tested(bool works)
{
    set_state(works ? FM_PYTHON_WORKS : FM_PYTHON_DIFFERS);
}

const char *fm_python_complaint(void)
{
    static char text[128];
    unsigned major = (unsigned)(fm_python.version >> 24) & 0xff;
    unsigned minor = (unsigned)(fm_python.version >> 16) & 0xff;
    if (fm_python.state == FM_PYTHON_UNKNOWN && major == 0) {
        return "Python functions are not shown: Python is older than 3.11";
    }
    if (fm_python.state == FM_PYTHON_UNKNOWN) {
        snprintf(text, sizeof text,
                 "Python functions are not shown: Python %u.%u (0x%x) is not supported", major,
                 minor, (unsigned)fm_python.version);
        return text;
    }
    if (fm_python.state == FM_PYTHON_DIFFERS) {
        snprintf(text, sizeof text,
                 "Python functions are not shown: this Python %u.%u is not built as expected",
                 major, minor);
        return text;
    }
    return NULL;
}
