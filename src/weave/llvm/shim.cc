/* SPDX-License-Identifier: Apache-2.0 */
/* The pass as LLVM wants it, which is C++: all that is in C is in weave.c.  Compiled for each version of LLVM. */
#include "weave/llvm/shim.h"

#include <llvm/Demangle/Demangle.h>
#include <llvm/IR/DiagnosticInfo.h>
#include <llvm/IR/DiagnosticPrinter.h>
#include <llvm/IR/Module.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Passes/PassPlugin.h>
#include <llvm/Support/CommandLine.h>
#include <llvm/Transforms/Utils/EscapeEnumerator.h>

using namespace llvm;

namespace {

cl::opt<std::string> pointcuts("spanloom-pointcuts", cl::desc("What to weave beside annotated functions"),
                               cl::value_desc("file"));

struct Message : DiagnosticInfo {
    const char *text;
    Message(DiagnosticSeverity s, const char *t) : DiagnosticInfo(getNextAvailablePluginDiagnosticKind(), s), text(t)
    {
    }
    void print(DiagnosticPrinter &to) const override
    {
        to << text;
    }
};

struct Weave : PassInfoMixin<Weave> {
    PreservedAnalyses run(Module &m, ModuleAnalysisManager &)
    {
        sl_weave_module(wrap(&m), pointcuts.c_str());
        return PreservedAnalyses::none();
    }
    static bool isRequired() /* at -O0, too */
    {
        return true;
    }
};

void add_to(PassBuilder &b)
{
    /* Before anything is inlined, at every level, and once only with link-time optimization. */
    b.registerPipelineStartEPCallback([](ModulePassManager &passes, auto) { passes.addPass(Weave()); });
}

} // namespace

void sl_llvm_escapes(LLVMValueRef function, void (*each)(LLVMBuilderRef b, void *data), void *data)
{
    EscapeEnumerator ways(*unwrap<Function>(function), "spanloom.cleanup");

    while (IRBuilder<> *b = ways.Next())
        each(wrap(b), data);
}

char *sl_llvm_demangle(const char *symbol)
{
    return strdup(demangle(symbol).c_str());
}

void sl_llvm_say(LLVMModuleRef module, int is_error, const char *text)
{
    unwrap(module)->getContext().diagnose(Message(is_error ? DS_Error : DS_Warning, text));
}

extern "C" __attribute__((visibility("default"))) PassPluginLibraryInfo llvmGetPassPluginInfo()
{
    return {LLVM_PLUGIN_API_VERSION, "spanloom", SL_VERSION, add_to};
}
