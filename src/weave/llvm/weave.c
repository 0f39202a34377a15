/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Puts calls of the runtime into functions of an LLVM module, by LLVM's C interface.  Pointers of LLVM 14 have types;
 * constants that are cast to i8* are right with those and without.
 */
#include "weave/advice.h"
#include "weave/function_name.h"
#include "weave/llvm/shim.h"
#include "weave/pointcut_file.h"

#include <limits.h>
#include <llvm-c/DebugInfo.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct weaver {
    LLVMModuleRef module;
    LLVMContextRef context;
    LLVMTypeRef i32, text, nothing, site;
    const char *module_path;
    LLVMValueRef module_name;
    struct sl_pointcuts pointcuts;
    LLVMValueRef *annotated; /* functions that are woven, by their annotations */
    size_t nannotated;
};

/* What is being put into a function now. */
struct join_point {
    struct weaver *w;
    LLVMValueRef function;
    LLVMMetadataRef place; /* of the calls, for debuggers; NULL: unknown */
    struct sl_weaving weaving;
    const struct sl_advice *advice;
    LLVMValueRef site, name;
};

static LLVMValueRef plain(LLVMValueRef v)
{
    while (LLVMIsAConstantExpr(v))
        v = LLVMGetOperand(v, 0);
    return v;
}

static LLVMValueRef text(struct weaver *w, const char *s)
{
    LLVMValueRef init = LLVMConstStringInContext(w->context, s, (unsigned)strlen(s), 0);
    LLVMValueRef global = LLVMAddGlobal(w->module, LLVMTypeOf(init), "spanloom.text");

    LLVMSetInitializer(global, init);
    LLVMSetLinkage(global, LLVMPrivateLinkage);
    LLVMSetGlobalConstant(global, 1);
    LLVMSetUnnamedAddress(global, LLVMGlobalUnnamedAddr);
    return LLVMConstBitCast(global, w->text);
}

static LLVMTypeRef pointer_to(LLVMTypeRef t)
{
    return LLVMPointerType(t, 0);
}

/* ---- calls ---- */

static void call(struct join_point *p, LLVMBuilderRef b, const char *callee, LLVMValueRef *args, unsigned n)
{
    struct weaver *w = p->w;
    LLVMTypeRef params[6], type;
    LLVMValueRef f = LLVMGetNamedFunction(w->module, callee), made;
    unsigned nounwind = LLVMGetEnumAttributeKindForName("nounwind", 8);

    for (unsigned i = 0; i < n; i++)
        params[i] = LLVMTypeOf(args[i]);
    type = LLVMFunctionType(w->nothing, params, n, 0);
    if (!f)
        f = LLVMAddFunction(w->module, callee, type);
    if (p->place)
        LLVMSetCurrentDebugLocation2(b, p->place);
    made = LLVMBuildCall2(b, type, LLVMConstBitCast(f, pointer_to(type)), args, n, "");
    LLVMAddCallSiteAttribute(made, LLVMAttributeFunctionIndex, LLVMCreateEnumAttribute(w->context, nounwind, 0));
}

static void perfflow(struct join_point *p, LLVMBuilderRef b, const char *callee, const char *flow)
{
    struct weaver *w = p->w;
    LLVMValueRef args[] = {LLVMConstInt(w->i32, p->weaving.async, 0),
                           w->module_name,
                           p->name,
                           text(w, p->advice->scope),
                           text(w, flow),
                           text(w, p->advice->pointcut)};

    call(p, b, callee, args, 6);
}

static void put_before(struct join_point *p, LLVMBuilderRef b)
{
    if (p->weaving.span)
        call(p, b, "sl_span_begin", &p->site, 1);
    else
        perfflow(p, b, "perfflow_weave_before", p->weaving.flow_before);
}

static void put_after(LLVMBuilderRef b, void *data)
{
    struct join_point *p = data;

    if (p->weaving.span)
        call(p, b, "sl_span_end", &p->site, 1);
    else
        perfflow(p, b, "perfflow_weave_after", p->weaving.flow_after);
}

/* ---- where ---- */

/*
 * A landing pad that is no cleanup is passed over by exceptions that it does not catch, though what it does with them
 * ends in a resume, behind which stands ours.
 */
static void enter_all_landing_pads(LLVMValueRef function)
{
    for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(function); block; block = LLVMGetNextBasicBlock(block))
        for (LLVMValueRef i = LLVMGetFirstInstruction(block); i; i = LLVMGetNextInstruction(i))
            if (LLVMIsALandingPadInst(i))
                LLVMSetCleanup(i, 1);
}

static const char *callee_of(LLVMValueRef i)
{
    size_t n;
    LLVMValueRef f = LLVMIsACallInst(i) || LLVMIsAInvokeInst(i) ? plain(LLVMGetCalledValue(i)) : NULL;

    return f && LLVMIsAGlobalValue(f) ? LLVMGetValueName2(f, &n) : "";
}

/* Spans that are open when the process ends are told as such; of others it has to be said before. */
static void put_before_exits(struct join_point *p, LLVMBuilderRef b)
{
    for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(p->function); block; block = LLVMGetNextBasicBlock(block))
        for (LLVMValueRef i = LLVMGetFirstInstruction(block); i; i = LLVMGetNextInstruction(i))
            if (sl_ends_process(callee_of(i))) {
                LLVMPositionBuilderBefore(b, i);
                put_after(b, p);
            }
}

/* `pure` and `const`, which let callers leave calls out, are true no longer. */
static void has_effects(LLVMValueRef function)
{
    static const char *const promises[] = {"memory", "readnone", "readonly", "writeonly", "argmemonly"};
    const LLVMAttributeIndex at = (LLVMAttributeIndex)LLVMAttributeFunctionIndex;

    for (size_t i = 0; i < sizeof promises / sizeof *promises; i++) {
        unsigned kind = LLVMGetEnumAttributeKindForName(promises[i], strlen(promises[i]));
        if (!kind) /* not of this version */
            continue;
        LLVMRemoveEnumAttributeAtIndex(function, at, kind);
        for (LLVMUseRef use = LLVMGetFirstUse(function); use; use = LLVMGetNextUse(use)) {
            LLVMValueRef user = LLVMGetUser(use);
            if ((LLVMIsACallInst(user) || LLVMIsAInvokeInst(user)) && LLVMGetCalledValue(user) == function)
                LLVMRemoveCallSiteEnumAttribute(user, at, kind);
        }
    }
}

static void weave(struct join_point *p)
{
    LLVMBuilderRef b = LLVMCreateBuilderInContext(p->w->context);
    LLVMValueRef first;

    has_effects(p->function);
    if (p->weaving.after) {
        if (!p->weaving.span)
            put_before_exits(p, b);
        enter_all_landing_pads(p->function);
        sl_llvm_escapes(p->function, put_after, p);
    }
    if (p->weaving.before) {
        first = LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(p->function));
        while (LLVMIsAAllocaInst(first))
            first = LLVMGetNextInstruction(first);
        LLVMPositionBuilderBefore(b, first);
        put_before(p, b);
    }
    LLVMDisposeBuilder(b);
}

/* ---- functions ---- */

static const char *symbol_of(LLVMValueRef function)
{
    size_t n;

    return LLVMGetValueName2(function, &n);
}

static bool calls_twin(LLVMValueRef function)
{
    const char *symbol = symbol_of(function);

    for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(function); block; block = LLVMGetNextBasicBlock(block))
        for (LLVMValueRef i = LLVMGetFirstInstruction(block); i; i = LLVMGetNextInstruction(i))
            if (sl_function_delegates(symbol, callee_of(i)))
                return true;
    return false;
}

/* Its body runs in stretches, of which some are no calls of it. */
static bool is_coroutine(LLVMValueRef function)
{
    for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(function); block; block = LLVMGetNextBasicBlock(block))
        for (LLVMValueRef i = LLVMGetFirstInstruction(block); i; i = LLVMGetNextInstruction(i))
            if (!strcmp(callee_of(i), "llvm.coro.begin"))
                return true;
    return false;
}

/* Why a function is not woven: "" where nobody would expect it, which is another way into what is; NULL: it can be. */
static const char *why_not(LLVMValueRef function)
{
    LLVMModuleRef module = LLVMGetGlobalParent(function);
    unsigned naked = LLVMGetEnumAttributeKindForName("naked", 5);

    if (is_coroutine(function))
        return SL_IS_COROUTINE;
    if (LLVMGetEnumAttributeAtIndex(function, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, naked))
        return SL_IS_NAKED;
    for (LLVMValueRef i = LLVMGetFirstGlobalIFunc(module); i; i = LLVMGetNextGlobalIFunc(i))
        if (plain(LLVMGetGlobalIFuncResolver(i)) == function)
            return SL_IS_RESOLVER;
    return calls_twin(function) ? "" : NULL;
}

static LLVMValueRef make_site(struct weaver *w, const char *name, LLVMValueRef function, const char *file,
                              unsigned line)
{
    LLVMMetadataRef subprogram = LLVMGetSubprogram(function);
    LLVMValueRef none = LLVMConstNull(w->text), fields[5], site;

    if (subprogram)
        line = LLVMDISubprogramGetLine(subprogram);
    fields[0] = LLVMConstInt(w->i32, 0, 0);
    fields[1] = LLVMConstInt(w->i32, line | SL_LINE_WOVEN, 0);
    fields[2] = text(w, name);
    fields[3] = w->module_name;
    fields[4] = file ? text(w, file) : none;
    site = LLVMAddGlobal(w->module, w->site, "spanloom.site");
    LLVMSetInitializer(site, LLVMConstStructInContext(w->context, fields, 5, 0));
    LLVMSetLinkage(site, LLVMInternalLinkage);
    LLVMSetAlignment(site, 8);
    return LLVMConstBitCast(site, w->text);
}

static void advise(struct weaver *w, LLVMValueRef function, const struct sl_function_name *name,
                   const struct sl_advice *advice, const char *file, unsigned line)
{
    struct join_point p = {.w = w, .function = function, .advice = advice, .weaving = sl_advice_weaving(advice)};
    LLVMMetadataRef subprogram = LLVMGetSubprogram(function);

    if (subprogram)
        p.place =
            LLVMDIBuilderCreateDebugLocation(w->context, LLVMDISubprogramGetLine(subprogram), 0, subprogram, NULL);
    if (p.weaving.span)
        p.site = make_site(w, name->full, function, file, line);
    else
        p.name = text(w, name->full);
    weave(&p);
}

/* ---- annotations: llvm.global.annotations, an array of {function, text, file, line, arguments} ---- */

static const char *string_of(LLVMValueRef v)
{
    LLVMValueRef global = plain(v), init = LLVMIsAGlobalVariable(global) ? LLVMGetInitializer(global) : NULL;
    size_t n;

    return init && LLVMIsAConstantDataSequential(init) && LLVMIsConstantString(init) ? LLVMGetAsString(init, &n) : "";
}

static bool same_annotation(LLVMValueRef a, LLVMValueRef b)
{
    return plain(LLVMGetOperand(a, 0)) == plain(LLVMGetOperand(b, 0)) &&
           !strcmp(string_of(LLVMGetOperand(a, 1)), string_of(LLVMGetOperand(b, 1)));
}

static void annotated(struct weaver *w, LLVMValueRef annotation)
{
    LLVMValueRef function = plain(LLVMGetOperand(annotation, 0)), line = LLVMGetOperand(annotation, 3);
    const char *said = string_of(LLVMGetOperand(annotation, 1)), *file = string_of(LLVMGetOperand(annotation, 2));
    unsigned at = (unsigned)LLVMConstIntGetZExtValue(line);
    const struct sl_pointcut_rule *rule;
    struct sl_function_name name;
    struct sl_advice advice;
    const char *not_here;
    char why[200], warning[2 * PATH_MAX];

    if (!LLVMIsAFunction(function) || LLVMIsDeclaration(function))
        return;
    switch (sl_advice_parse(said, &advice, why, sizeof why)) {
    case SL_ADVICE:
        sl_function_name(symbol_of(function), sl_llvm_demangle, &name);
        rule = sl_pointcuts_find(&w->pointcuts, w->module_path, &name);
        w->annotated[w->nannotated++] = function;
        not_here = why_not(function);
        if (not_here && *not_here) {
            snprintf(warning, sizeof warning, "%s:%u: " SL_NOT_WOVEN, file, at, name.full, not_here);
            sl_llvm_say(w->module, 0, warning);
        } else if ((!rule || rule->include) && !not_here) {
            advise(w, function, &name, &advice, file, at);
            sl_pointcuts_woven(&w->pointcuts, w->module_path, name.full, NULL);
        }
        break;
    case SL_ADVICE_BAD:
        snprintf(warning, sizeof warning, "%s:%u: annotation \"%.100s\" is ignored: %s", file, at, said, why);
        sl_llvm_say(w->module, 0, warning);
        break;
    case SL_ADVICE_OTHERS: break;
    }
}

static void annotations(struct weaver *w)
{
    LLVMValueRef all = LLVMGetNamedGlobal(w->module, "llvm.global.annotations");
    int n;

    all = all ? LLVMGetInitializer(all) : NULL;
    n = all && LLVMIsAConstantArray(all) ? LLVMGetNumOperands(all) : 0;
    w->annotated = calloc((size_t)n + 1, sizeof *w->annotated);
    if (!w->annotated)
        return;
    for (int i = 0; i < n; i++) {
        LLVMValueRef annotation = LLVMGetOperand(all, (unsigned)i);
        int k = 0;
        while (k < i && !same_annotation(annotation, LLVMGetOperand(all, (unsigned)k)))
            k++;
        if (k == i)
            annotated(w, annotation);
    }
}

/* ---- rules from outside ---- */

static bool is_annotated(const struct weaver *w, LLVMValueRef function)
{
    for (size_t i = 0; i < w->nannotated; i++)
        if (w->annotated[i] == function)
            return true;
    return false;
}

static void warn(const char *text, void *module)
{
    sl_llvm_say(module, 0, text);
}

/* What the linker takes from elsewhere is woven there, if at all. */
static void by_rules(struct weaver *w)
{
    struct sl_function_name name;

    for (LLVMValueRef f = LLVMGetFirstFunction(w->module); f; f = LLVMGetNextFunction(f)) {
        const struct sl_pointcut_rule *rule;
        if (LLVMIsDeclaration(f) || LLVMGetLinkage(f) == LLVMAvailableExternallyLinkage || is_annotated(w, f) ||
            sl_function_is_made(symbol_of(f)))
            continue;
        sl_function_name(symbol_of(f), sl_llvm_demangle, &name);
        rule = sl_pointcuts_find(&w->pointcuts, w->module_path, &name);
        if (rule && rule->include && !why_not(f)) {
            advise(w, f, &name, &rule->advice, NULL, 0);
            sl_pointcuts_woven(&w->pointcuts, w->module_path, name.full, rule);
        }
    }
    sl_pointcuts_unused(&w->pointcuts, w->module_path, warn, w->module);
}

void sl_weave_module(LLVMModuleRef module, const char *pointcuts)
{
    LLVMContextRef c = LLVMGetModuleContext(module);
    LLVMTypeRef i32 = LLVMInt32TypeInContext(c), pointer = pointer_to(LLVMInt8TypeInContext(c));
    LLVMTypeRef fields[] = {i32, i32, pointer, pointer, pointer};
    struct weaver w = {.module = module,
                       .context = c,
                       .i32 = i32,
                       .text = pointer,
                       .nothing = LLVMVoidTypeInContext(c),
                       .site = LLVMStructTypeInContext(c, fields, 5, 0)};
    size_t n;
    char why[600];

    if (!sl_pointcuts_read(pointcuts, &w.pointcuts, why, sizeof why)) {
        sl_llvm_say(module, 1, why);
        sl_pointcuts_free(&w.pointcuts);
        return;
    }
    w.module_path = LLVMGetModuleIdentifier(module, &n);
    w.module_name = text(&w, w.module_path);
    annotations(&w);
    if (w.pointcuts.rules)
        by_rules(&w);
    free(w.annotated);
    sl_pointcuts_free(&w.pointcuts);
}
