/* Finding the structure again in a module's words. */
#include "analysis/model/compaction_plan.h"

#include "passes/base/arena.h"
#include "passes/instrument/registry.h"

struct ws_compaction_plan_module *ws_compaction_plan_module_create(const struct ws_module *module,
                                                                   const struct ws_block_info *blocks,
                                                                   uint32_t block_count,
                                                                   const struct ws_entry_info *entries,
                                                                   uint32_t entry_count)
{
    const struct ws_pass *pass = ws_pass_find("thread_compaction");
    struct ws_error error = {{0}};
    struct ws_sync sync = {0};
    struct ws_cfg *cfgs = ws_arena_allocate(module->arena, module->function_count, sizeof(*cfgs));
    if (cfgs == NULL)
        return NULL;
    for (uint32_t i = 0; i < module->function_count; ++i)
        if (!ws_cfg_build(&cfgs[i], module->arena, module, i, &error))
            cfgs[i] = (struct ws_cfg){.opaque = true};
    if (!ws_sync_find(&sync, module, cfgs, pass->opcodes, pass->opcode_count, &error))
        return NULL;
    return ws_compaction_plan_module_of(&sync, module, blocks, block_count, entries, entry_count);
}
