/* Prints the shaders of a capture, and what the counters of each launch sum to. It needs the installed package alone:
 *
 *     cc shaders.c -o shaders $(pkg-config --cflags --libs warpscope)
 *     ./shaders run.wscope */
#include <inttypes.h>
#include <stdio.h>

#include <warpscope/reader.h>

/* Counters stand in rows, one for each block or place that is counted: word n - 1 says how often n lanes were active. */
static uint64_t executions_of(const struct ws_shader_counters *counters)
{
    uint64_t sum = 0;
    for (uint64_t i = 0; i < (uint64_t)counters->row_count * counters->bins; ++i)
        sum += counters->words[i];
    return sum;
}

static void print_launch(const struct ws_launch *launch)
{
    for (uint32_t i = 0; i < launch->shader_count; ++i)
        printf("launch %" PRIu64 "  shader %" PRIu32 "  %" PRIu64 " counted\n", launch->index,
               launch->shaders[i].shader, executions_of(&launch->shaders[i]));
}

int main(int argc, char **argv)
{
    struct ws_error error = {{0}};
    struct ws_chunk chunk;
    if (argc != 2) {
        fprintf(stderr, "usage: %s FILE\n", argv[0]);
        return 2;
    }
    struct ws_reader *reader = ws_reader_open(argv[1], &error);
    while (reader != NULL && ws_reader_next(reader, &chunk, &error) == WS_READ_CHUNK) {
        if (chunk.type == WS_CHUNK_SHADER)
            printf("shader %" PRIu32 "  %s  stage 0x%" PRIx32 "\n", chunk.shader.id, chunk.shader.name,
                   chunk.shader.stage);
        else if (chunk.type == WS_CHUNK_SUBMISSION)
            for (uint32_t i = 0; i < chunk.submission.launch_count; ++i)
                print_launch(&chunk.submission.launches[i]);
    }
    ws_reader_destroy(reader);
    if (error.message[0] == '\0')
        return 0;
    fprintf(stderr, "%s\n", error.message);
    return 1;
}
