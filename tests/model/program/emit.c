/* A shader of a random program as SPIR-V assembly. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/model/program/program.h"

struct text {
    char *data;
    size_t size;
    size_t capacity;
};

struct emitter {
    const struct model_program *program;
    const struct model_shader *shader;
    struct text constants; /* declarations of %c_<number> */
    struct text code;
    uint32_t *known; /* numbers that have a declaration */
    uint32_t known_count;
    uint32_t known_capacity;
    uint32_t *executed; /* instructions of the part of a block being written */
    uint32_t next;      /* of temporary names */
    uint32_t proceeded; /* name of what the last proceed returned */
    bool log;
};

static void append(struct text *text, const char *format, va_list arguments)
{
    va_list again;
    va_copy(again, arguments);
    const size_t length = (size_t)vsnprintf(NULL, 0, format, again);
    va_end(again);
    if (text->size + length + 1 > text->capacity) {
        text->capacity = (text->size + length + 1) * 2;
        text->data = realloc(text->data, text->capacity);
        if (text->data == NULL)
            abort();
    }
    vsnprintf(text->data + text->size, length + 1, format, arguments);
    text->size += length;
}

__attribute__((format(printf, 2, 3))) static void write(struct text *text, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    append(text, format, arguments);
    va_end(arguments);
}

/* One instruction that a device executes. */
__attribute__((format(printf, 2, 3))) static void run(struct emitter *emitter, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    append(&emitter->code, format, arguments);
    va_end(arguments);
    write(&emitter->code, "\n");
    (*emitter->executed)++;
}

/* Declares %c_<value>; returns the value. */
static uint32_t constant(struct emitter *emitter, uint32_t value)
{
    for (uint32_t i = 0; i < emitter->known_count; i++)
        if (emitter->known[i] == value)
            return value;
    if (emitter->known_count == emitter->known_capacity) {
        emitter->known_capacity = emitter->known_capacity * 2 + 64;
        emitter->known = realloc(emitter->known, emitter->known_capacity * sizeof(*emitter->known));
        if (emitter->known == NULL)
            abort();
    }
    emitter->known[emitter->known_count++] = value;
    write(&emitter->constants, "%%c_%u = OpConstant %%uint %u\n", value, value);
    return value;
}

/* Writes the hash of a variable; the name of its result is %t<returned>. */
static uint32_t emit_hash(struct emitter *emitter, const char *variable, uint32_t salt)
{
    const uint32_t t = emitter->next;
    emitter->next += 4;
    run(emitter, "%%t%u = OpLoad %%uint %%%s", t, variable);
    run(emitter, "%%t%u = OpBitwiseXor %%uint %%t%u %%c_%u", t + 1, t, constant(emitter, salt));
    run(emitter, "%%t%u = OpIMul %%uint %%t%u %%c_%u", t + 2, t + 1, constant(emitter, MODEL_HASH_FACTOR));
    run(emitter, "%%t%u = OpShiftRightLogical %%uint %%t%u %%c_%u", t + 3, t + 2, constant(emitter, 16));
    return t + 3;
}

/* Puts state and next depth into the payload or callable data. */
static void emit_pass(struct emitter *emitter, const char *variable)
{
    const uint32_t t = emitter->next;
    emitter->next += 4;
    run(emitter, "%%t%u = OpLoad %%uint %%state", t);
    run(emitter, "%%t%u = OpLoad %%uint %%depth", t + 1);
    run(emitter, "%%t%u = OpIAdd %%uint %%t%u %%c_%u", t + 2, t + 1, constant(emitter, 1));
    run(emitter, "%%t%u = OpCompositeConstruct %%v2uint %%t%u %%t%u", t + 3, t, t + 2);
    run(emitter, "OpStore %%%s %%t%u", variable, t + 3);
}

static void emit_trace(struct emitter *emitter, const struct model_action *action)
{
    const uint32_t hash = emit_hash(emitter, "state", action->salt);
    const uint32_t t = emitter->next;
    emitter->next += 3;
    run(emitter, "%%t%u = OpBitwiseAnd %%uint %%t%u %%c_%u", t, hash, constant(emitter, action->reach));
    run(emitter, "%%t%u = OpShiftLeftLogical %%uint %%c_%u %%t%u", t + 1, constant(emitter, 1), t);
    emit_pass(emitter, "payload");
    run(emitter, "%%t%u = OpLoad %%structure %%scene", t + 2);
    run(emitter,
        "OpTraceRayKHR %%t%u %%c_%u %%t%u %%c_%u %%c_%u %%c_%u %%origin %%f_0 %%along %%f_10 %%payload",
        t + 2, constant(emitter, action->flags), t + 1, constant(emitter, 0), constant(emitter, 0),
        constant(emitter, action->miss));
}

static void emit_execute(struct emitter *emitter, const struct model_action *action)
{
    const uint32_t hash = emit_hash(emitter, "state", action->salt);
    const uint32_t t = emitter->next++;
    run(emitter, "%%t%u = OpUMod %%uint %%t%u %%c_%u", t, hash,
        constant(emitter, emitter->program->callable_count));
    emit_pass(emitter, "data");
    run(emitter, "OpExecuteCallableKHR %%t%u %%data", t);
}

/* Each report is nearer than the one before: 5 - n / 1024; or beyond the ray's end. */
static void emit_report(struct emitter *emitter, const struct model_action *action)
{
    const uint32_t t = emitter->next;
    emitter->next += 6;
    run(emitter, "%%t%u = OpLoad %%uint %%reports", t);
    run(emitter, "%%t%u = OpIAdd %%uint %%t%u %%c_%u", t + 1, t, constant(emitter, 1));
    run(emitter, "OpStore %%reports %%t%u", t + 1);
    run(emitter, "%%t%u = OpConvertUToF %%float %%t%u", t + 2, t + 1);
    run(emitter, "%%t%u = OpFMul %%float %%t%u %%f_step", t + 3, t + 2);
    run(emitter, "%%t%u = OpFSub %%float %%%s %%t%u", t + 4, action->target == 1 ? "f_beyond" : "f_5", t + 3);
    run(emitter, "%%t%u = OpReportIntersectionKHR %%bool %%t%u %%c_%u", t + 5, t + 4, constant(emitter, 0));
}

static void emit_initialize(struct emitter *emitter, const struct model_action *action)
{
    const uint32_t hash = emit_hash(emitter, "state", action->salt);
    const uint32_t t = emitter->next;
    emitter->next += 3;
    run(emitter, "%%t%u = OpBitwiseAnd %%uint %%t%u %%c_%u", t, hash, constant(emitter, action->reach));
    run(emitter, "%%t%u = OpShiftLeftLogical %%uint %%c_%u %%t%u", t + 1, constant(emitter, 1), t);
    run(emitter, "%%t%u = OpLoad %%structure %%scene", t + 2);
    run(emitter, "OpRayQueryInitializeKHR %%query %%t%u %%c_%u %%t%u %%origin %%f_0 %%along %%f_10", t + 2,
        constant(emitter, action->flags), t + 1);
}

/* The name of a hit object, without its %: of the array's elements a pointer is made here. */
static void name_object(struct emitter *emitter, uint32_t object, char name[16])
{
    const uint32_t t = emitter->next;
    snprintf(name, 16, object == 0 ? "object" : "t%u", t);
    if (object == 0)
        return;
    emitter->next++;
    run(emitter, "%%t%u = OpAccessChain %%p_object %%objects %%c_%u", t, constant(emitter, object - 1));
}

/* Instructions of SPV_EXT_shader_invocation_reorder, which the assembler does not know: it takes their words as they are. */
enum {
    RECORD_MISS = 5305,
    REORDER_EXECUTE = 5310,
    TRACE_REORDER_EXECUTE = 5311,
    TYPE_HIT_OBJECT = 5313,
    CAPABILITY = 5388, /* ShaderInvocationReorderEXT */
    REORDER_WITH_HINT = 5314,
    REORDER_WITH_OBJECT = 5315,
    OBJECT_TRACE_RAY = 5316,
    RECORD_EMPTY = 5318,
    EXECUTE_SHADER = 5319,
    IS_EMPTY = 5350,
    IS_HIT = 5351,
    IS_MISS = 5352,
};

/* One instruction, by its name in the NV form, or its number in the EXT form and how many words it has. What stands before
 * it may have operands that are optional, which the assembler would take from the words: but a copy has none. */
__attribute__((format(printf, 5, 6))) static void run_object(struct emitter *emitter, const char *name,
                                                             uint32_t number, uint32_t words,
                                                             const char *format, ...)
{
    va_list arguments;
    const bool ext = emitter->program->objects == MODEL_OBJECTS_EXT;
    if (ext)
        run(emitter, "%%t%u = OpCopyObject %%float %%f_0", emitter->next++);
    if (ext)
        write(&emitter->code, "!0x%08x ", words << 16 | number);
    else
        write(&emitter->code, "%s ", name);
    va_start(arguments, format);
    append(&emitter->code, format, arguments);
    va_end(arguments);
    write(&emitter->code, "\n");
    (*emitter->executed)++;
}

static void emit_object_trace(struct emitter *emitter, const struct model_action *action)
{
    const bool runs = action->kind == MODEL_OBJECT_RUN;
    const uint32_t hash = emit_hash(emitter, "state", action->salt);
    const uint32_t t = emitter->next;
    char object[16];
    emitter->next += 3;
    run(emitter, "%%t%u = OpBitwiseAnd %%uint %%t%u %%c_%u", t, hash, constant(emitter, action->reach));
    run(emitter, "%%t%u = OpShiftLeftLogical %%uint %%c_%u %%t%u", t + 1, constant(emitter, 1), t);
    emit_pass(emitter, "payload");
    run(emitter, "%%t%u = OpLoad %%structure %%scene", t + 2);
    name_object(emitter, action->object, object);
    run_object(emitter, "OpHitObjectTraceRayNV", runs ? TRACE_REORDER_EXECUTE : OBJECT_TRACE_RAY, 13,
               "%%%s %%t%u %%c_%u %%t%u %%c_%u %%c_%u %%c_%u %%origin %%f_0 %%along %%f_10 %%payload", object,
               t + 2, constant(emitter, action->flags), t + 1, constant(emitter, 0), constant(emitter, 0),
               constant(emitter, action->miss));
}

/* What is put into a hit object without a ray. */
static void emit_record(struct emitter *emitter, const struct model_action *action)
{
    const uint32_t zero = constant(emitter, 0);
    char object[16], flags[16];
    name_object(emitter, action->object, object);
    if (action->kind == MODEL_OBJECT_EMPTY) {
        run_object(emitter, "OpHitObjectRecordEmptyNV", RECORD_EMPTY, 2, "%%%s", object);
    } else if (action->kind == MODEL_OBJECT_MISS) {
        snprintf(flags, sizeof(flags), " %%c_%u", zero);
        run_object(emitter, "OpHitObjectRecordMissNV", RECORD_MISS, 8,
                   "%%%s%s %%c_%u %%origin %%f_0 %%along %%f_10", object,
                   emitter->program->objects == MODEL_OBJECTS_EXT ? flags : "",
                   constant(emitter, action->miss));
    } else {
        const uint32_t t = emitter->next++;
        run(emitter, "%%t%u = OpLoad %%structure %%scene", t);
        run(emitter,
            "OpHitObjectRecordHitNV %%%s %%t%u %%c_%u %%c_%u %%c_%u %%c_%u %%c_%u %%c_%u %%origin %%f_0 "
            "%%along "
            "%%f_10 %%attributes",
            object, t, constant(emitter, action->target - 1), zero, zero, zero, zero, zero);
    }
}

static void emit_reorder(struct emitter *emitter, const struct model_action *action)
{
    char object[16] = "", hint[32] = "";
    const uint32_t t = emitter->next;
    if (action->target != MODEL_BY_OBJECT) {
        emitter->next++;
        run(emitter, "%%t%u = OpLoad %%uint %%state", t);
        snprintf(hint, sizeof(hint), "%%t%u %%c_%u", t, constant(emitter, 4));
    }
    if (action->target != MODEL_BY_HINT)
        name_object(emitter, action->object, object);
    if (action->target == MODEL_BY_HINT)
        run_object(emitter, "OpReorderThreadWithHintNV", REORDER_WITH_HINT, 3, "%s", hint);
    else
        run_object(emitter, "OpReorderThreadWithHitObjectNV", REORDER_WITH_OBJECT,
                   action->target == MODEL_BY_OBJECT ? 2 : 4, "%%%s %s", object, hint);
}

static void emit_object_action(struct emitter *emitter, const struct model_action *action)
{
    char object[16];
    switch (action->kind) {
    case MODEL_OBJECT_TRACE:
    case MODEL_OBJECT_RUN: emit_object_trace(emitter, action); break;
    case MODEL_OBJECT_EXECUTE:
    case MODEL_OBJECT_REORDER_EXECUTE:
        emit_pass(emitter, "payload");
        name_object(emitter, action->object, object);
        run_object(emitter, "OpHitObjectExecuteShaderNV",
                   action->kind == MODEL_OBJECT_EXECUTE ? EXECUTE_SHADER : REORDER_EXECUTE, 3,
                   "%%%s %%payload", object);
        break;
    default: emit_record(emitter, action); break;
    }
}

/* Whether the hit object is what is asked: its name is %t<returned>. */
static uint32_t emit_asked(struct emitter *emitter, const struct model_block *block)
{
    static const char *const names[] = {"OpHitObjectIsEmptyNV", "OpHitObjectIsHitNV", "OpHitObjectIsMissNV"};
    static const uint32_t numbers[] = {IS_EMPTY, IS_HIT, IS_MISS};
    char object[16];
    name_object(emitter, block->object, object);
    const uint32_t t = emitter->next;
    emitter->next += 2;
    if (emitter->program->objects == MODEL_OBJECTS_EXT) {
        run(emitter, "%%t%u = OpCopyObject %%float %%f_0", t + 1);
        run(emitter, "!0x%08x %%bool %%t%u %%%s", 4u << 16 | numbers[block->asked], t, object);
    } else {
        run(emitter, "%%t%u = %s %%bool %%%s", t, names[block->asked], object);
    }
    return t;
}

static void emit_action(struct emitter *emitter, uint32_t function, const struct model_action *action)
{
    const uint32_t t = emitter->next;
    switch (action->kind) {
    case MODEL_CALL:
        emitter->next++;
        run(emitter, "%%t%u = OpFunctionCall %%void %%f%u", t, action->target);
        break;
    case MODEL_TRACE: emit_trace(emitter, action); break;
    case MODEL_EXECUTE: emit_execute(emitter, action); break;
    case MODEL_REPORT: emit_report(emitter, action); break;
    case MODEL_INITIALIZE: emit_initialize(emitter, action); break;
    case MODEL_PROCEED:
        emitter->next++;
        run(emitter, "%%t%u = OpRayQueryProceedKHR %%bool %%query", t);
        emitter->proceeded = t;
        break;
    case MODEL_CONFIRM: run(emitter, "OpRayQueryConfirmIntersectionKHR %%query"); break;
    case MODEL_GENERATE: run(emitter, "OpRayQueryGenerateIntersectionKHR %%query %%f_1"); break;
    case MODEL_DEMOTE: run(emitter, "OpDemoteToHelperInvocationEXT"); break;
    case MODEL_REORDER: emit_reorder(emitter, action); break;
    case MODEL_LOOP_ZERO:
        run(emitter, "OpStore %%loop%u_%u %%c_%u", function, action->target, constant(emitter, 0));
        break;
    case MODEL_LOOP_NEXT:
        emitter->next += 2;
        run(emitter, "%%t%u = OpLoad %%uint %%loop%u_%u", t, function, action->target);
        run(emitter, "%%t%u = OpIAdd %%uint %%t%u %%c_%u", t + 1, t, constant(emitter, 1));
        run(emitter, "OpStore %%loop%u_%u %%t%u", function, action->target, t + 1);
        break;
    default: emit_object_action(emitter, action); break;
    }
}

/* The condition of a branch: its name is %t<returned>. */
static uint32_t emit_condition(struct emitter *emitter, const struct model_block *block)
{
    const bool thread = block->end == MODEL_IF_THREAD;
    if (block->end == MODEL_IF_PROCEEDED)
        return emitter->proceeded;
    if (block->end == MODEL_IF_OBJECT)
        return emit_asked(emitter, block);
    if (block->end == MODEL_IF_TRIANGLE) {
        const uint32_t type = emitter->next;
        emitter->next += 2;
        run(emitter, "%%t%u = OpRayQueryGetIntersectionTypeKHR %%uint %%query %%c_%u", type,
            constant(emitter, 0));
        run(emitter, "%%t%u = OpIEqual %%bool %%t%u %%c_%u", type + 1, type, constant(emitter, 0));
        return type + 1;
    }
    const uint32_t hash = emit_hash(emitter, thread ? "thread" : "state", block->salt);
    const uint32_t t = emitter->next;
    emitter->next += 4;
    if (block->end == MODEL_IF_LOOP) {
        run(emitter, "%%t%u = OpBitwiseAnd %%uint %%t%u %%c_%u", t, hash, constant(emitter, block->turns));
        run(emitter, "%%t%u = OpLoad %%uint %%loop%u_%u", t + 1, block->function, block->loop);
        run(emitter, "%%t%u = OpULessThan %%bool %%t%u %%t%u", t + 2, t + 1, t);
        return t + 2;
    }
    run(emitter, "%%t%u = OpULessThan %%bool %%t%u %%c_%u", t, hash, constant(emitter, block->threshold));
    if (block->end == MODEL_IF_DEPTH) {
        run(emitter, "%%t%u = OpLoad %%uint %%depth", t + 1);
        run(emitter, "%%t%u = OpULessThan %%bool %%t%u %%c_%u", t + 2, t + 1, constant(emitter, MODEL_DEPTH));
        run(emitter, "%%t%u = OpLogicalAnd %%bool %%t%u %%t%u", t + 3, t + 2, t);
        return t + 3;
    }
    return t;
}

static void emit_merge(struct emitter *emitter, const struct model_block *block)
{
    if (block->continue_target != MODEL_NONE) {
        write(&emitter->code, "OpLoopMerge %%%u %%%u None\n", MODEL_BLOCK_LABEL + block->merge,
              MODEL_BLOCK_LABEL + block->continue_target);
    } else if (block->merge != MODEL_NONE) {
        write(&emitter->code, "OpSelectionMerge %%%u None\n", MODEL_BLOCK_LABEL + block->merge);
    }
}

static void emit_switch(struct emitter *emitter, const struct model_block *block)
{
    const uint32_t hash = emit_hash(emitter, "state", block->salt);
    const uint32_t t = emitter->next++;
    const uint32_t last = block->target_count - 1;
    run(emitter, "%%t%u = OpUMod %%uint %%t%u %%c_%u", t, hash, constant(emitter, block->target_count));
    emit_merge(emitter, block);
    write(&emitter->code, "OpSwitch %%t%u %%%u", t, MODEL_BLOCK_LABEL + block->targets[last]);
    for (uint32_t i = 0; i < last; i++)
        write(&emitter->code, " %u %%%u", i, MODEL_BLOCK_LABEL + block->targets[i]);
    write(&emitter->code, "\n");
    (*emitter->executed)++;
}

static void emit_end(struct emitter *emitter, const struct model_block *block)
{
    uint32_t condition = 0;
    switch (block->end) {
    case MODEL_BRANCH:
        emit_merge(emitter, block);
        run(emitter, "OpBranch %%%u", MODEL_BLOCK_LABEL + block->targets[0]);
        break;
    case MODEL_IF_STATE:
    case MODEL_IF_THREAD:
    case MODEL_IF_DEPTH:
    case MODEL_IF_LOOP:
    case MODEL_IF_PROCEEDED:
    case MODEL_IF_TRIANGLE:
    case MODEL_IF_OBJECT:
        condition = emit_condition(emitter, block);
        emit_merge(emitter, block);
        run(emitter, "OpBranchConditional %%t%u %%%u %%%u", condition, MODEL_BLOCK_LABEL + block->targets[0],
            MODEL_BLOCK_LABEL + block->targets[1]);
        break;
    case MODEL_SWITCH: emit_switch(emitter, block); break;
    case MODEL_RETURN: run(emitter, "OpReturn"); break;
    case MODEL_IGNORE: run(emitter, "OpIgnoreIntersectionKHR"); break;
    case MODEL_TERMINATE: run(emitter, "OpTerminateRayKHR"); break;
    case MODEL_KILL: run(emitter, "OpKill"); break;
    case MODEL_TERMINATE_INVOCATION: run(emitter, "OpTerminateInvocation"); break;
    case MODEL_MESH_TASKS:
        run(emitter, "OpEmitMeshTasksEXT %%c_%u %%c_%u %%c_%u", constant(emitter, 1), constant(emitter, 1),
            constant(emitter, 1));
        break;
    case MODEL_UNREACHABLE: run(emitter, "OpUnreachable"); break;
    }
}

/* Where the thread is in its launch: x, y and z are %t<t + 1> and the next two. */
static void emit_place(struct emitter *emitter, uint32_t t)
{
    switch (emitter->shader->stage) {
    case WS_STAGE_VERTEX:
        run(emitter, "%%t%u = OpLoad %%uint %%id", t + 1);
        run(emitter, "%%t%u = OpLoad %%uint %%instance", t + 2);
        run(emitter, "%%t%u = OpCopyObject %%uint %%c_%u", t + 3, constant(emitter, 0));
        break;
    case WS_STAGE_FRAGMENT:
        run(emitter, "%%t%u = OpLoad %%v4float %%id", t);
        run(emitter, "%%t%u = OpCompositeExtract %%float %%t%u 0", t + 12, t);
        run(emitter, "%%t%u = OpCompositeExtract %%float %%t%u 1", t + 13, t);
        run(emitter, "%%t%u = OpConvertFToU %%uint %%t%u", t + 1, t + 12);
        run(emitter, "%%t%u = OpConvertFToU %%uint %%t%u", t + 2, t + 13);
        run(emitter, "%%t%u = OpCopyObject %%uint %%c_%u", t + 3, constant(emitter, 0));
        break;
    default:
        run(emitter, "%%t%u = OpLoad %%v3uint %%id", t);
        for (uint32_t i = 0; i < 3; i++)
            run(emitter, "%%t%u = OpCompositeExtract %%uint %%t%u %u", t + 1 + i, t, i);
        break;
    }
}

/* The number of the thread, depth and state, where an entry point begins. */
static void emit_prologue(struct emitter *emitter)
{
    const struct model_program *program = emitter->program;
    const enum ws_stage stage = emitter->shader->stage;
    const uint32_t t = emitter->next;
    emitter->next += 16;
    emit_place(emitter, t);
    run(emitter, "%%t%u = OpIMul %%uint %%t%u %%c_%u", t + 4, t + 3, constant(emitter, program->size[1]));
    run(emitter, "%%t%u = OpIAdd %%uint %%t%u %%t%u", t + 5, t + 4, t + 2);
    run(emitter, "%%t%u = OpIMul %%uint %%t%u %%c_%u", t + 6, t + 5, constant(emitter, program->size[0]));
    run(emitter, "%%t%u = OpIAdd %%uint %%t%u %%t%u", t + 7, t + 6, t + 1);
    run(emitter, "OpStore %%thread %%t%u", t + 7);
    if ((stage & WS_STAGES_CALLED) == 0) {
        run(emitter, "OpStore %%depth %%c_%u", constant(emitter, 0));
        run(emitter, "%%t%u = OpIMul %%uint %%t%u %%c_%u", t + 8, t + 7,
            constant(emitter, MODEL_HASH_FACTOR));
    } else if (stage == WS_STAGE_INTERSECTION) {
        /* It has no payload. */
        run(emitter, "OpStore %%depth %%c_%u", constant(emitter, MODEL_DEPTH));
        run(emitter, "OpStore %%reports %%c_%u", constant(emitter, 0));
        run(emitter, "%%t%u = OpIMul %%uint %%t%u %%c_%u", t + 8, t + 7,
            constant(emitter, MODEL_HASH_FACTOR));
    } else {
        run(emitter, "%%t%u = OpLoad %%v2uint %%incoming", t + 9);
        run(emitter, "%%t%u = OpCompositeExtract %%uint %%t%u 0", t + 8, t + 9);
        run(emitter, "%%t%u = OpCompositeExtract %%uint %%t%u 1", t + 10, t + 9);
        run(emitter, "OpStore %%depth %%t%u", t + 10);
    }
    run(emitter, "%%t%u = OpBitwiseXor %%uint %%t%u %%c_%u", t + 11, t + 8,
        constant(emitter, emitter->shader->salt ^ program->salt));
    run(emitter, "OpStore %%state %%t%u", t + 11);
}

/* Four words: thread, shader << 16 | block, lanes 0 to 31 that are here, lane. */
static void emit_log(struct emitter *emitter, uint32_t block)
{
    const uint32_t shader = (uint32_t)(emitter->shader - emitter->program->shaders);
    const uint32_t t = emitter->next;
    emitter->next += 24;
    run(emitter, "%%t%u = OpGroupNonUniformBallot %%v4uint %%c_%u %%true", t, constant(emitter, 3));
    run(emitter, "%%t%u = OpCompositeExtract %%uint %%t%u 0", t + 1, t);
    run(emitter, "%%t%u = OpLoad %%uint %%thread", t + 2);
    run(emitter, "%%t%u = OpLoad %%uint %%lane", t + 3);
    run(emitter, "%%t%u = OpAccessChain %%p_buffer %%log %%c_%u %%c_%u", t + 4, constant(emitter, 0),
        constant(emitter, 0));
    run(emitter, "%%t%u = OpAtomicIAdd %%uint %%t%u %%c_%u %%c_%u %%c_%u", t + 5, t + 4, constant(emitter, 1),
        constant(emitter, 0), constant(emitter, 4));
    run(emitter, "%%t%u = OpIAdd %%uint %%t%u %%c_%u", t + 7, t + 5, constant(emitter, 4));
    for (uint32_t i = 0; i < 4; i++) {
        const uint32_t a = t + 8 + 2 * i;
        run(emitter, "%%t%u = OpIAdd %%uint %%t%u %%c_%u", a, t + 7, constant(emitter, i));
        run(emitter, "%%t%u = OpAccessChain %%p_buffer %%log %%c_%u %%t%u", a + 1, constant(emitter, 0), a);
    }
    run(emitter, "OpStore %%t%u %%t%u", t + 9, t + 2);
    run(emitter, "OpStore %%t%u %%c_%u", t + 11, constant(emitter, shader << 16 | block));
    run(emitter, "OpStore %%t%u %%t%u", t + 13, t + 1);
    run(emitter, "OpStore %%t%u %%t%u", t + 15, t + 3);
}

static void emit_block(struct emitter *emitter, uint32_t index, uint32_t instructions[MODEL_PARTS])
{
    const struct model_block *block = &emitter->shader->blocks[index];
    const struct model_function *function = &emitter->shader->functions[block->function];
    const uint32_t t = emitter->next;
    emitter->next += 3;
    emitter->executed = instructions;
    memset(instructions, 0, MODEL_PARTS * sizeof(*instructions));
    write(&emitter->code, "%%%u = OpLabel\n", MODEL_BLOCK_LABEL + index);
    for (uint32_t i = 0; index == function->first && i < function->loop_count; i++)
        write(&emitter->code, "%%loop%u_%u = OpVariable %%p_function Function\n", block->function, i);
    if (index == function->first && block->function == 0)
        emit_prologue(emitter);
    run(emitter, "%%t%u = OpLoad %%uint %%state", t);
    run(emitter, "%%t%u = OpIMul %%uint %%t%u %%c_%u", t + 1, t, constant(emitter, MODEL_STATE_FACTOR));
    run(emitter, "%%t%u = OpIAdd %%uint %%t%u %%c_%u", t + 2, t + 1, constant(emitter, block->salt));
    run(emitter, "OpStore %%state %%t%u", t + 2);
    if (emitter->log)
        emit_log(emitter, index);
    for (uint32_t i = 0; i < block->action_count; i++) {
        emit_action(emitter, block->function, &block->actions[i]);
        if (model_cuts(emitter->shader, &block->actions[i]))
            emitter->executed = &instructions[i + 1];
    }
    emit_end(emitter, block);
}

/* Which of the variables the shader has. */
struct uses {
    bool payload;
    bool data;
    bool incoming;
    bool reorders;
    bool queries;
    bool objects;
};

static struct uses find_uses(const struct model_shader *shader)
{
    const bool objects = shader->object_count > 0;
    struct uses uses = {.reorders = objects,
                        .objects = objects,
                        .incoming = (shader->stage & WS_STAGES_CALLED) != 0 &&
                                    shader->stage != WS_STAGE_INTERSECTION};
    for (uint32_t i = 0; i < shader->block_count; i++) {
        for (uint32_t j = 0; j < shader->blocks[i].action_count; j++) {
            const enum model_action_kind kind = shader->blocks[i].actions[j].kind;
            uses.payload = uses.payload || (model_runs_shaders(kind) && kind != MODEL_EXECUTE);
            uses.queries = uses.queries || kind == MODEL_INITIALIZE;
            uses.reorders = uses.reorders || kind == MODEL_REORDER;
            uses.data = uses.data || kind == MODEL_EXECUTE;
        }
    }
    return uses;
}

static const char *model_of(enum ws_stage stage)
{
    switch (stage) {
    case WS_STAGE_RAYGEN: return "RayGenerationKHR";
    case WS_STAGE_MISS: return "MissKHR";
    case WS_STAGE_CLOSEST_HIT: return "ClosestHitKHR";
    case WS_STAGE_ANY_HIT: return "AnyHitKHR";
    case WS_STAGE_INTERSECTION: return "IntersectionKHR";
    case WS_STAGE_CALLABLE: return "CallableKHR";
    case WS_STAGE_VERTEX: return "Vertex";
    case WS_STAGE_FRAGMENT: return "Fragment";
    case WS_STAGE_TASK: return "TaskEXT";
    case WS_STAGE_MESH: return "MeshEXT";
    default: return "GLCompute";
    }
}

/* Capabilities and extensions. */
static void write_needs(const struct emitter *emitter, const struct uses *uses, struct text *text)
{
    const enum ws_stage stage = emitter->shader->stage;
    const bool rays = emitter->program->rays, fragment = stage == WS_STAGE_FRAGMENT;
    const bool mesh = stage == WS_STAGE_TASK || stage == WS_STAGE_MESH;
    const bool nv = emitter->program->objects != MODEL_OBJECTS_EXT;
    write(text, "OpCapability Shader\n%s%s%s%s%s%s", uses->queries ? "OpCapability RayQueryKHR\n" : "",
          rays ? "OpCapability RayTracingKHR\n" : "",
          uses->reorders && nv ? "OpCapability ShaderInvocationReorderNV\n" : "",
          fragment ? "OpCapability DemoteToHelperInvocationEXT\n" : "",
          mesh ? "OpCapability MeshShadingEXT\n" : "",
          emitter->log ? "OpCapability GroupNonUniformBallot\n" : "");
    if (uses->reorders && !nv)
        write(text, "!0x%08x !%u\n", 2u << 16 | 17u, CAPABILITY); /* OpCapability */
    write(text, "%s%s%s%s%s", uses->queries ? "OpExtension \"SPV_KHR_ray_query\"\n" : "",
          rays ? "OpExtension \"SPV_KHR_ray_tracing\"\n" : "",
          !uses->reorders ? ""
          : nv            ? "OpExtension \"SPV_NV_shader_invocation_reorder\"\n"
                          : "OpExtension \"SPV_EXT_shader_invocation_reorder\"\n",
          fragment ? "OpExtension \"SPV_EXT_demote_to_helper_invocation\"\n"
                     "OpExtension \"SPV_KHR_terminate_invocation\"\n"
                   : "",
          mesh ? "OpExtension \"SPV_EXT_mesh_shader\"\n" : "");
    write(text, "OpMemoryModel Logical GLSL450\n");
}

static void write_modes(const struct emitter *emitter, struct text *text)
{
    const uint32_t *group = emitter->program->group;
    const enum ws_stage stage = emitter->shader->stage;
    if (model_has_groups(stage))
        write(text, "OpExecutionMode %%f0 LocalSize %u %u %u\n", group[0], group[1], group[2]);
    if (stage == WS_STAGE_FRAGMENT)
        write(text, "OpExecutionMode %%f0 OriginUpperLeft\n");
    if (stage == WS_STAGE_MESH)
        write(text, "OpExecutionMode %%f0 OutputVertices 3\nOpExecutionMode %%f0 OutputPrimitivesEXT 1\n"
                    "OpExecutionMode %%f0 OutputTrianglesEXT\n");
}

/* The built-in variable that says which thread it is. */
static const char *id_of(enum ws_stage stage)
{
    switch (stage) {
    case WS_STAGE_VERTEX: return "VertexIndex";
    case WS_STAGE_FRAGMENT: return "FragCoord";
    case WS_STAGE_COMPUTE:
    case WS_STAGE_TASK:
    case WS_STAGE_MESH: return "GlobalInvocationId";
    default: return "LaunchIdKHR";
    }
}

static void write_head(const struct emitter *emitter, const struct uses *uses, struct text *text)
{
    const bool vertex = emitter->shader->stage == WS_STAGE_VERTEX;
    const bool scene = uses->payload || uses->queries || uses->objects;
    write_needs(emitter, uses, text);
    write(text, "OpEntryPoint %s %%f0 \"main\" %%id %%state %%thread %%depth %%reports%s%s%s%s%s%s%s%s%s%s\n",
          model_of(emitter->shader->stage), vertex ? " %instance" : "", scene ? " %scene" : "",
          uses->payload ? " %payload" : "", uses->queries ? " %query" : "", uses->data ? " %data" : "",
          uses->incoming ? " %incoming" : "", uses->objects ? " %object %objects" : "",
          uses->objects && emitter->program->objects == MODEL_OBJECTS_NV ? " %attributes" : "",
          emitter->log ? " %lane" : "", emitter->log ? " %log" : "");
    write_modes(emitter, text);
    write(text, "OpDecorate %%id BuiltIn %s\n%s", id_of(emitter->shader->stage),
          vertex ? "OpDecorate %instance BuiltIn InstanceIndex\n" : "");
    write(text, "%s", scene ? "OpDecorate %scene DescriptorSet 0\nOpDecorate %scene Binding 0\n" : "");
    if (emitter->log) {
        write(text,
              "OpDecorate %%lane BuiltIn SubgroupLocalInvocationId\n%sOpDecorate %%log DescriptorSet 0\n"
              "OpDecorate %%log Binding 1\nOpDecorate %%words ArrayStride 4\nOpDecorate %%buffer Block\n"
              "OpMemberDecorate %%buffer 0 Offset 0\n",
              emitter->shader->stage == WS_STAGE_FRAGMENT ? "OpDecorate %lane Flat\n" : "");
    }
}

/* Hit objects, and the attributes that one is recorded with. */
static void write_objects(const struct emitter *emitter, struct text *text)
{
    const bool ext = emitter->program->objects == MODEL_OBJECTS_EXT;
    write(text, "%%c_objects = OpConstant %%uint 2\n");
    if (ext)
        write(text, "!0x%08x %%object_type\n", 2u << 16 | TYPE_HIT_OBJECT);
    else
        write(text, "%%object_type = OpTypeHitObjectNV\n");
    write(text,
          "%%p_object = OpTypePointer Private %%object_type\n%%object = OpVariable %%p_object Private\n"
          "%%object_array = OpTypeArray %%object_type %%c_objects\n"
          "%%p_objects = OpTypePointer Private %%object_array\n%%objects = OpVariable %%p_objects Private\n");
    if (!ext)
        write(text, "%%v2float = OpTypeVector %%float 2\n"
                    "%%p_attributes = OpTypePointer HitObjectAttributeNV %%v2float\n"
                    "%%attributes = OpVariable %%p_attributes HitObjectAttributeNV\n");
}

static void write_types(const struct emitter *emitter, const struct uses *uses, struct text *text)
{
    const enum ws_stage stage = emitter->shader->stage;
    write(text,
          "%%void = OpTypeVoid\n%%fn = OpTypeFunction %%void\n%%uint = OpTypeInt 32 0\n%%bool = OpTypeBool\n"
          "%%float = OpTypeFloat 32\n%%v2uint = OpTypeVector %%uint 2\n%%v3uint = OpTypeVector %%uint 3\n"
          "%%v3float = OpTypeVector %%float 3\n%%v4float = OpTypeVector %%float 4\n"
          "%%p_input = OpTypePointer Input %s\n"
          "%%p_private = OpTypePointer Private %%uint\n%%p_function = OpTypePointer Function %%uint\n"
          "%%f_0 = OpConstant %%float 0\n%%f_1 = OpConstant %%float 1\n%%f_minus = OpConstant %%float -1\n"
          "%%f_5 = OpConstant %%float 5\n%%f_10 = OpConstant %%float 10\n"
          "%%f_beyond = OpConstant %%float 1000\n%%f_step = OpConstant %%float 0.0009765625\n"
          "%%f_quarter = OpConstant %%float 0.25\n"
          "%%origin = OpConstantComposite %%v3float %%f_quarter %%f_quarter %%f_minus\n"
          "%%along = OpConstantComposite %%v3float %%f_0 %%f_0 %%f_1\n%%id = OpVariable %%p_input Input\n"
          "%%state = OpVariable %%p_private Private\n%%thread = OpVariable %%p_private Private\n"
          "%%depth = OpVariable %%p_private Private\n%%reports = OpVariable %%p_private Private\n",
          stage == WS_STAGE_VERTEX     ? "%uint"
          : stage == WS_STAGE_FRAGMENT ? "%v4float"
                                       : "%v3uint");
    if (stage == WS_STAGE_VERTEX)
        write(text, "%%instance = OpVariable %%p_input Input\n");
    if (uses->payload || uses->queries || uses->objects) {
        write(text, "%%structure = OpTypeAccelerationStructureKHR\n"
                    "%%p_structure = OpTypePointer UniformConstant %%structure\n"
                    "%%scene = OpVariable %%p_structure UniformConstant\n");
    }
    if (uses->queries) {
        write(text, "%%query_type = OpTypeRayQueryKHR\n%%p_query = OpTypePointer Private %%query_type\n"
                    "%%query = OpVariable %%p_query Private\n");
    }
    if (uses->objects)
        write_objects(emitter, text);
    if (uses->payload) {
        write(text, "%%p_payload = OpTypePointer RayPayloadKHR %%v2uint\n"
                    "%%payload = OpVariable %%p_payload RayPayloadKHR\n");
    }
    if (uses->data) {
        write(text, "%%p_data = OpTypePointer CallableDataKHR %%v2uint\n"
                    "%%data = OpVariable %%p_data CallableDataKHR\n");
    }
    if (uses->incoming) {
        const char *class = stage == WS_STAGE_CALLABLE ? "IncomingCallableDataKHR" : "IncomingRayPayloadKHR";
        write(text, "%%p_incoming = OpTypePointer %s %%v2uint\n%%incoming = OpVariable %%p_incoming %s\n",
              class, class);
    }
    if (emitter->log) {
        write(text,
              "%%v4uint = OpTypeVector %%uint 4\n%%true = OpConstantTrue %%bool\n"
              "%%p_lane = OpTypePointer Input %%uint\n%%lane = OpVariable %%p_lane Input\n"
              "%%words = OpTypeRuntimeArray %%uint\n%%buffer = OpTypeStruct %%words\n"
              "%%p_log = OpTypePointer StorageBuffer %%buffer\n%%log = OpVariable %%p_log StorageBuffer\n"
              "%%p_buffer = OpTypePointer StorageBuffer %%uint\n");
    }
}

char *model_emit(const struct model_program *program, uint32_t shader, bool log,
                 uint32_t instructions[MODEL_BLOCKS][MODEL_PARTS])
{
    struct emitter emitter = {.program = program, .shader = &program->shaders[shader], .log = log};
    const struct uses uses = find_uses(emitter.shader);
    struct text text = {0};
    write_head(&emitter, &uses, &text);
    write_types(&emitter, &uses, &text);
    for (uint32_t i = 0; i < emitter.shader->function_count; i++) {
        const struct model_function *function = &emitter.shader->functions[i];
        write(&emitter.code, "%%f%u = OpFunction %%void None %%fn\n", i);
        for (uint32_t j = 0; j < function->count; j++)
            emit_block(&emitter, function->order[j], instructions[function->order[j]]);
        write(&emitter.code, "OpFunctionEnd\n");
    }
    write(&text, "%s%s", emitter.constants.data, emitter.code.data);
    free(emitter.constants.data);
    free(emitter.code.data);
    free(emitter.known);
    return text.data;
}
