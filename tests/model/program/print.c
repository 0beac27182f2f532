#include <stdio.h>

#include "tests/model/program/program.h"

static const char *const ends[] = {
    "branch",     "if state",   "if thread", "if depth", "if loop",   "if proceeded", "if triangle",
    "if object",  "switch",     "return",    "ignore",   "terminate", "kill",         "terminate invocation",
    "mesh tasks", "unreachable"};

static const char *const helds[] = {"empty", "a hit", "a miss"};

static void print_action(const struct model_action *action)
{
    switch (action->kind) {
    case MODEL_CALL: printf(" call f%u;", action->target); break;
    case MODEL_TRACE:
        printf(" trace flags %u miss %u reach %u;", action->flags, action->miss, action->reach);
        break;
    case MODEL_EXECUTE: printf(" execute;"); break;
    case MODEL_REPORT: printf(" report%s;", action->target == 1 ? " beyond" : ""); break;
    case MODEL_INITIALIZE: printf(" query flags %u reach %u;", action->flags, action->reach); break;
    case MODEL_PROCEED: printf(" proceed;"); break;
    case MODEL_CONFIRM: printf(" confirm;"); break;
    case MODEL_GENERATE: printf(" generate;"); break;
    case MODEL_DEMOTE: printf(" demote;"); break;
    case MODEL_REORDER:
        if (action->target == MODEL_BY_HINT)
            printf(" reorder;");
        else
            printf(" reorder by object %u%s;", action->object,
                   action->target == MODEL_BY_BOTH ? " and hint" : "");
        break;
    case MODEL_OBJECT_TRACE:
    case MODEL_OBJECT_RUN:
        printf(" object %u = trace flags %u miss %u reach %u%s;", action->object, action->flags, action->miss,
               action->reach, action->kind == MODEL_OBJECT_RUN ? ", reorder, execute" : "");
        break;
    case MODEL_OBJECT_EXECUTE: printf(" execute object %u;", action->object); break;
    case MODEL_OBJECT_REORDER_EXECUTE: printf(" reorder and execute object %u;", action->object); break;
    case MODEL_OBJECT_EMPTY: printf(" object %u = empty;", action->object); break;
    case MODEL_OBJECT_MISS: printf(" object %u = miss %u;", action->object, action->miss); break;
    case MODEL_OBJECT_HIT: printf(" object %u = hit of instance %u;", action->object, action->target); break;
    case MODEL_LOOP_ZERO: printf(" loop %u = 0;", action->target); break;
    case MODEL_LOOP_NEXT: printf(" loop %u + 1;", action->target); break;
    }
}

static void print_shader(const struct model_shader *shader)
{
    for (uint32_t f = 0; f < shader->function_count; f++) {
        printf("  f%u\n", f);
        for (uint32_t i = 0; i < shader->functions[f].count; i++) {
            const uint32_t index = shader->functions[f].order[i];
            const struct model_block *block = &shader->blocks[index];
            printf("    %u:", index);
            for (uint32_t j = 0; j < block->action_count; j++)
                print_action(&block->actions[j]);
            if (block->merge != MODEL_NONE)
                printf(" merge %u", block->merge);
            if (block->continue_target != MODEL_NONE)
                printf(" continue %u", block->continue_target);
            printf(" %s", ends[block->end]);
            if (block->end == MODEL_IF_OBJECT)
                printf(" %u is %s:", block->object, helds[block->asked]);
            for (uint32_t j = 0; j < block->target_count; j++)
                printf(" %u", block->targets[j]);
            printf("\n");
        }
    }
}

void model_program_print(const struct model_program *program)
{
    printf("seed %llu, %s, %ux%ux%u threads, groups of %ux%ux%u\n", (unsigned long long)program->seed,
           ws_stage_name(program->shaders[0].stage), program->size[0], program->size[1], program->size[2],
           program->group[0], program->group[1], program->group[2]);
    for (uint32_t i = 1; program->rays && i < MODEL_INSTANCES; i++) {
        const struct model_instance *instance = &program->instances[i];
        printf("instance %u: %s%s, closest hit %d, any hit %d, intersection %d\n", i,
               instance->box ? "box" : "triangle", instance->opaque ? ", opaque" : "",
               (int)instance->closest_hit, (int)instance->any_hit, (int)instance->intersection);
    }
    for (uint32_t i = 0; i < program->shader_count; i++) {
        printf("shader %u, %s\n", i, ws_stage_name(program->shaders[i].stage));
        print_shader(&program->shaders[i]);
    }
}
