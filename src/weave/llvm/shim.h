/* SPDX-License-Identifier: Apache-2.0 */
/* What LLVM's C interface lacks. */
#ifndef SL_WEAVE_LLVM_SHIM_H
#define SL_WEAVE_LLVM_SHIM_H

#include <llvm-c/Core.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Weaves a module.  pointcuts: a file, or "".  Defined in weave.c, called by shim.cc. */
void sl_weave_module(LLVMModuleRef module, const char *pointcuts);

/*
 * Calls each(b, data) for each way out of the function, with b where code is to stand that runs before it: returns,
 * and exceptions that leave it, for which it makes a landing pad.  Defined in shim.cc, as the next.
 */
void sl_llvm_escapes(LLVMValueRef function, void (*each)(LLVMBuilderRef b, void *data), void *data);

/* A symbol demangled, by LLVM; to be freed. */
char *sl_llvm_demangle(const char *symbol);

/* A warning of the compiler, or an error, with which it fails. */
void sl_llvm_say(LLVMModuleRef module, int is_error, const char *text);

#ifdef __cplusplus
}
#endif

#endif
