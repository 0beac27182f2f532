/* Which blocks can run, of functions written by hand: each is told by the labels that must, and must not, run. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/passes/spirv/assembly.h"
#include "warpscope/base/arena.h"
#include "warpscope/spirv/fold.h"

/* Constants 0 to 4 of the pipelines: a boolean, an int, a uint, a float, a 64 bit int. */
static const char declarations[] =
    "OpCapability Shader\nOpCapability Int64\nOpMemoryModel Logical GLSL450\n"
    "OpEntryPoint GLCompute %main \"main\"\nOpExecutionMode %main LocalSize 1 1 1\n"
    "OpDecorate %kb SpecId 0\nOpDecorate %ki SpecId 1\nOpDecorate %ku SpecId 2\n"
    "OpDecorate %kf SpecId 3\nOpDecorate %kl SpecId 4\n"
    "%v = OpTypeVoid\n%fn = OpTypeFunction %v\n%b = OpTypeBool\n"
    "%i = OpTypeInt 32 1\n%u = OpTypeInt 32 0\n%f = OpTypeFloat 32\n"
    "%l = OpTypeInt 64 1\n%fnb = OpTypeFunction %v %b\n"
    "%kb = OpSpecConstantFalse %b\n%ki = OpSpecConstant %i -3\n"
    "%ku = OpSpecConstant %u 7\n%kf = OpSpecConstant %f 0.5\n"
    "%kl = OpSpecConstant %l -1\n"
    "%true = OpConstantTrue %b\n%i0 = OpConstant %i 0\n%u1 = OpConstant %u 1\n"
    "%u4 = OpConstant %u 4\n%f0 = OpConstant %f 0\n%l0 = OpConstant %l 0\n"
    "%bit = OpSpecConstantOp %u BitwiseAnd %ku %u4\n"
    "%has = OpSpecConstantOp %b INotEqual %bit %u1\n"
    "%pf = OpTypePointer Function %b\n%pu = OpTypePointer Function %u\n"
    "%ps = OpTypePointer StorageBuffer %b\n";

/* Ids by name: OpName is added for each label that is asked for. */
static uint32_t id_of(const struct ws_module *module, const char *name)
{
    for (uint32_t i = 0; i < module->instruction_count; ++i) {
        const struct ws_instruction *instruction = &module->instructions[i];
        if (instruction->opcode == 5 /* OpName */ &&
            strcmp((const char *)&module->words[instruction->offset + 2], name) == 0)
            return ws_operand(module, instruction, 0);
    }
    fail_msg("no %s", name);
    return 0;
}

/* `runs`: "yes no" names of labels, those that run; `not`: those that do not. */
static void expect(const char *body, const struct ws_fold_constant *constants, uint32_t count,
                   const char *runs, const char * not )
{
    char text[8192];
    char names[512] = "";
    size_t word_count = 0;
    struct ws_error error = {{0}};
    struct ws_module module;
    struct ws_fold fold;
    const char *const lists[2] = {runs, not };
    for (int list = 0; list < 2; ++list) {
        char copy[256];
        snprintf(copy, sizeof(copy), "%s", lists[list]);
        for (char *name = strtok(copy, " "); name != NULL; name = strtok(NULL, " "))
            snprintf(names + strlen(names), sizeof(names) - strlen(names), "OpName %%%s \"%s\"\n", name,
                     name);
    }
    const char *decorations = strstr(declarations, "OpDecorate");
    snprintf(text, sizeof(text), "%.*s%s%s%s", (int)(decorations - declarations), declarations, names,
             decorations, body);
    uint32_t *words = assembly_read(text, 0x00010300, &word_count);
    struct ws_arena *arena = ws_arena_create();
    assert_true(ws_module_parse(&module, arena, words, word_count, &error));
    assert_true(ws_fold_find(&fold, arena, &module, module.entry_points[0].function, constants, count));
    for (int list = 0; list < 2; ++list) {
        char copy[256];
        snprintf(copy, sizeof(copy), "%s", lists[list]);
        for (char *name = strtok(copy, " "); name != NULL; name = strtok(NULL, " ")) {
            uint32_t block = 0;
            while (module.blocks[block].label != id_of(&module, name))
                block++;
            if (fold.live[block] != (list == 0))
                fail_msg("%s %s:\n%s", name, list == 0 ? "does not run" : "runs", body);
        }
    }
    ws_arena_destroy(arena);
    free(words);
}

#define BEGIN "%main = OpFunction %v None %fn\n%first = OpLabel\n"
#define END   "OpReturn\nOpFunctionEnd\n"
/* A branch on %c, to %yes and over it. */
#define IF                                                                                                   \
    "OpSelectionMerge %end None\nOpBranchConditional %c %yes %end\n%yes = OpLabel\nOpBranch %end\n"          \
    "%end = OpLabel\n" END

static void values(void **state)
{
    (void)state;
    const struct ws_fold_constant on[] = {{0, 1}, {1, 5}, {2, 3}, {3, 0}, {4, 1}};
    /* Each condition is false by default, and true by the values above. */
    static const char *const conditions[] = {
        "%c = OpCopyObject %b %kb\n",
        "%c = OpLogicalAnd %b %kb %true\n",
        "%n = OpLogicalNot %b %kb\n%c = OpLogicalNotEqual %b %n %true\n",
        "%c = OpSGreaterThan %b %ki %i0\n",                               /* -3, 5 */
        "%c = OpULessThan %b %ki %ku\n",                                  /* 4294967293 < 7, 5 < 3: no */
        "%x = OpIAdd %u %ku %u1\n%c = OpIEqual %b %x %u4\n",              /* 8, 4 */
        "%x = OpShiftRightLogical %u %ku %u1\n%c = OpIEqual %b %x %u1\n", /* 3, 1 */
        "%c = OpFOrdLessThanEqual %b %kf %f0\n",                          /* 0.5, 0 */
        "%c = OpSGreaterThan %b %kl %l0\n",                               /* -1, 1 */
        "%x = OpSelect %u %kb %u4 %u1\n%c = OpIEqual %b %x %u4\n",
        "%w = OpSConvert %l %ki\n%c = OpSGreaterThan %b %w %l0\n",
    };
    for (size_t i = 0; i < sizeof(conditions) / sizeof(conditions[0]); ++i) {
        char body[1024];
        snprintf(body, sizeof(body), "%s%s%s", BEGIN, conditions[i], IF);
        expect(body, NULL, 0, "first end", "yes");
        expect(body, on, 5, i == 4 ? "first end" : "first end yes", i == 4 ? "yes" : "");
    }
    /* An OpSpecConstantOp: 7 & 4 is not 1; 1 & 4 is not 1, either: it runs always. */
    expect(BEGIN "%c = OpCopyObject %b %has\n" IF, NULL, 0, "yes", "");
    /* What a buffer holds is not known; nor is a division by zero. */
    expect("%buffer = OpVariable %ps StorageBuffer\n" BEGIN "%c = OpLoad %b %buffer\n" IF, NULL, 0, "yes end",
           "");
    expect(BEGIN "%x = OpUDiv %u %u4 %ku\n%c = OpIEqual %b %x %u1\n" IF, (struct ws_fold_constant[]){{2, 0}},
           1, "yes end", "");
}

/* `if (K && what varies)`, as compilers write it. */
#define SHORT_CIRCUIT                                                                                        \
    "%buffer = OpVariable %ps StorageBuffer\n" BEGIN                                                         \
    "OpSelectionMerge %join None\nOpBranchConditional %kb %more %join\n%more = OpLabel\n"                    \
    "%x = OpLoad %b %buffer\nOpBranch %join\n%join = OpLabel\n%c = OpPhi %b %kb %first %x %more\n" IF

static void flow(void **state)
{
    (void)state;
    const struct ws_fold_constant on = {0, 1};
    expect(SHORT_CIRCUIT, NULL, 0, "join end", "more yes");
    expect(SHORT_CIRCUIT, &on, 1, "join end more yes", "");
    /* A switch: 7 is the third literal; 9 none of them. */
    static const char chosen[] = BEGIN
        "OpSelectionMerge %end None\nOpSwitch %ku %other 1 %one 7 %seven\n%one = OpLabel\nOpBranch %end\n"
        "%seven = OpLabel\nOpBranch %end\n%other = OpLabel\nOpBranch %end\n%end = OpLabel\n" END;
    expect(chosen, NULL, 0, "seven end", "one other");
    expect(chosen, (struct ws_fold_constant[]){{2, 9}}, 1, "other end", "one seven");
    /* A loop whose counter varies runs on; one that a constant forbids does not. */
    static const char loop[] =
        BEGIN "OpBranch %head\n%head = OpLabel\n%n = OpPhi %u %ku %first %m %next\n"
              "OpLoopMerge %end %next None\nOpBranch %test\n%test = OpLabel\n%c = OpUGreaterThan %b %n %u4\n"
              "OpBranchConditional %c %next %end\n%next = OpLabel\n%m = OpISub %u %n %u1\nOpBranch %head\n"
              "%end = OpLabel\n" END;
    expect(loop, NULL, 0, "head test next end", "");
    expect(loop, (struct ws_fold_constant[]){{2, 2}}, 1, "head test end", "next");
}

/* A variable that holds a constant, one that holds two, one that a function may change, one that nobody sets. */
static void variables(void **state)
{
    (void)state;
#define LOAD "%c = OpLoad %b %x\n" IF
    expect(BEGIN "%x = OpVariable %pf Function\nOpStore %x %kb\n" LOAD, NULL, 0, "end", "yes");
    expect(BEGIN "%x = OpVariable %pf Function\nOpStore %x %kb\nOpStore %x %true\n" LOAD, NULL, 0, "end yes",
           "");
    expect(BEGIN "%x = OpVariable %pf Function %kb\n" LOAD, NULL, 0, "end", "yes");
    expect(BEGIN "%x = OpVariable %pf Function %kb\nOpCopyMemory %x %x\n" LOAD, NULL, 0, "end yes", "");
    expect(BEGIN "%x = OpVariable %pf Function\n" LOAD, NULL, 0, "end yes", "");
}

/* Functions run where they are called by what runs; their parameters vary. */
static void functions(void **state)
{
    (void)state;
#define CALLED                                                                                               \
    "%g = OpFunction %v None %fnb\n%p = OpFunctionParameter %b\n%in = OpLabel\nOpSelectionMerge %out None\n" \
    "OpBranchConditional %p %deep %out\n%deep = OpLabel\nOpBranch %out\n%out = OpLabel\n" END
    static const char text[] =
        BEGIN "OpSelectionMerge %end None\nOpBranchConditional %kb %yes %end\n%yes = OpLabel\n"
              "%r = OpFunctionCall %v %g %kb\nOpBranch %end\n%end = OpLabel\n" END CALLED;
    expect(text, NULL, 0, "end", "yes in deep out");
    expect(text, (struct ws_fold_constant[]){{0, 1}}, 1, "end yes in deep out", "");
}

/* What is not computed varies, whatever its operands are: by itself, and where it meets a constant. */
static void other_operations(void **state)
{
    (void)state;
    static const char *const operations[] = {
        "%x = OpBitReverse %u %ku\n",
        "%z = OpConvertUToF %f %ku\n%x = OpBitcast %u %z\n",
        "%x = OpBitCount %u %ku\n",
        "%x = OpGroupNonUniformIAdd %u %u4 Reduce %ku\n",        /* its literal is 0 */
        "%x = OpGroupNonUniformIAdd %u %u4 ExclusiveScan %ku\n", /* 2, the id of something else */
    };
    for (size_t i = 0; i < sizeof(operations) / sizeof(operations[0]); ++i) {
        char body[1024];
        snprintf(body, sizeof(body), "%s%s%s%s%s", BEGIN "%q = OpVariable %pf Function\n%w = OpLoad %b %q\n",
                 operations[i],
                 "OpSelectionMerge %join None\nOpBranchConditional %w %left %join\n"
                 "%left = OpLabel\nOpBranch %join\n%join = OpLabel\n%y = OpPhi %u %u1 %first %x %left\n",
                 "%c = OpINotEqual %b %y %u1\n", IF);
        expect(body, NULL, 0, "left join yes end", "");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values),           cmocka_unit_test(flow),
        cmocka_unit_test(variables),        cmocka_unit_test(functions),
        cmocka_unit_test(other_operations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
