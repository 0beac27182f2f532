#include "tests/bench/synthetic.h"

#include "layer/capture/capture_writer.h"
#include "warpscope/instrument.h"

bool synthetic_write_shader(struct ws_capture_writer *writer, const struct synthetic_shader *shader)
{
    const struct ws_instrumented *made = shader->made;
    const struct ws_chunk_module module = {
        .id = shader->id, .hash = shader->hash, .words = shader->words, .word_count = shader->word_count};
    const struct ws_chunk_sites sites = {.module = shader->id,
                                         .row_count = made->row_count,
                                         .passes = shader->passes,
                                         .pass_count = shader->pass_count,
                                         .entries = made->entries,
                                         .entry_count = made->entry_count,
                                         .blocks = made->blocks,
                                         .block_count = made->block_count,
                                         .sites = made->sites,
                                         .site_count = made->site_count};
    const struct ws_chunk_shader chunk = {
        .id = shader->id, .module = shader->id, .stage = shader->stage, .name = "main"};
    return ws_capture_write_module(writer, &module, NULL) && ws_capture_write_sites(writer, &sites, NULL) &&
           ws_capture_write_shader(writer, &chunk, NULL);
}

uint32_t synthetic_entry(const struct ws_instrumented *made)
{
    uint32_t entry = 0;
    for (uint32_t i = 0; i < made->site_count; ++i)
        if (made->sites[i].kind == WS_SITE_ENTRY)
            entry = made->sites[i].row;
    return entry;
}
