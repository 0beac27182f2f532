/* Annotated GLSL, made by SPIRV-Cross. It translates a copy of the module in which every block begins with an
 * OpLine. The line of that OpLine is the index of the block + 1. SPIRV-Cross writes it as a #line directive:
 *
 *     #line 7 "block"
 *     color = texture(image, uv);     // belongs to block 6
 *
 * SPIRV-Cross expects valid modules: others may crash it or keep it busy forever. Captures are not to be
 * trusted, so it runs in a process of its own, with limits on time and memory. */
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <spirv/unified1/spirv.h>
#include <spirv_cross/spirv_cross_c.h>

#include "analysis/annotate/annotate.h"
#include "passes/base/memory_limit.h"
#include "passes/spirv/builder.h"

#define TIME_LIMIT   30 /* seconds */
#define MEMORY_LIMIT (UINT64_C(4) << 30)
#define TEXT_MAX     (64u << 20)

/* The file that OpLine names. The directives repeat it. */
#define FILE_NAME       "block"
#define FILE_NAME_WORDS 2 /* "block", its NUL and padding */

/* The copy of the module as it is made. `words` has room for all of it. */
struct marked {
    uint32_t *words;
    size_t count;
};

static void put(struct marked *marked, uint32_t word)
{
    marked->words[marked->count++] = word;
}

static void put_instruction(struct marked *marked, const struct ws_module *module,
                            const struct ws_instruction *instruction)
{
    for (uint32_t i = 0; i < instruction->length; ++i)
        put(marked, module->words[instruction->offset + i]);
}

static void put_file(struct marked *marked, uint32_t id)
{
    uint32_t words[FILE_NAME_WORDS] = {0};
    const char name[] = FILE_NAME;
    for (size_t i = 0; i < sizeof(name) - 1; ++i)
        words[i / 4] |= (uint32_t)(unsigned char)name[i] << (8 * (i % 4));
    put(marked, (2 + FILE_NAME_WORDS) << SpvWordCountShift | SpvOpString);
    put(marked, id);
    for (size_t i = 0; i < FILE_NAME_WORDS; ++i)
        put(marked, words[i]);
}

/* Whether the OpLine of a block must stand after this instruction of it: the label, OpPhi, OpVariable. */
static bool is_head(uint16_t opcode)
{
    return opcode == SpvOpLabel || opcode == SpvOpPhi || opcode == SpvOpVariable || opcode == SpvOpLine ||
           opcode == SpvOpNoLine;
}

/* Whether this instruction belongs to section 7a of the logical layout of a module, or to a later one (SPIR-V
 * specification, 2.4). OpString stands in 7a, so the new OpString is put before the first such
 * instruction. */
static bool ends_strings(uint16_t opcode)
{
    switch (opcode) {
    case SpvOpCapability:
    case SpvOpExtension:
    case SpvOpExtInstImport:
    case SpvOpMemoryModel:
    case SpvOpEntryPoint:
    case SpvOpExecutionMode:
    case SpvOpExecutionModeId: return false;
    default: return true;
    }
}

/* The module with an OpLine at the start of every block's code, and no other lines. The words are freed by
 * the caller; NULL when there is no memory. */
static uint32_t *mark(const struct ws_annotation *annotation, size_t *word_count)
{
    const struct ws_module *module = &annotation->code->module;
    size_t most =
        (size_t)annotation->word_count + 2 + FILE_NAME_WORDS + 4 * (size_t)module->instruction_count;
    struct marked marked = {malloc(most * sizeof(uint32_t)), 0};
    bool has_file = false;
    uint32_t open = WS_NONE; /* block whose OpLine is still to come */
    if (marked.words == NULL)
        return NULL;
    for (uint32_t i = 0; i < 5; ++i)
        put(&marked, annotation->words[i]);
    marked.words[3] = module->bound + 1;
    for (uint32_t i = 0; i < module->instruction_count; ++i) {
        const struct ws_instruction *instruction = &module->instructions[i];
        if (!has_file && ends_strings(instruction->opcode)) {
            put_file(&marked, module->bound);
            has_file = true;
        }
        /* A block that was cut (warpscope/spirv/cuts.h) goes on as another one behind its last instruction. */
        if (instruction->opcode == SpvOpLabel ||
            (i > 0 && annotation->block_of[i] != annotation->block_of[i - 1]))
            open = annotation->block_of[i];
        if (open != WS_NONE && !is_head(instruction->opcode)) {
            put(&marked, 4u << SpvWordCountShift | SpvOpLine);
            put(&marked, module->bound);
            put(&marked, open + 1);
            put(&marked, 0);
            open = WS_NONE;
        }
        if (!ws_instruction_is_debug(module, instruction) || instruction->opcode == SpvOpString)
            put_instruction(&marked, module, instruction);
    }
    *word_count = marked.count;
    return marked.words;
}

static SpvExecutionModel model_of(uint32_t stage)
{
    switch (stage) {
    case WS_STAGE_VERTEX: return SpvExecutionModelVertex;
    case WS_STAGE_TESSELLATION_CONTROL: return SpvExecutionModelTessellationControl;
    case WS_STAGE_TESSELLATION_EVALUATION: return SpvExecutionModelTessellationEvaluation;
    case WS_STAGE_GEOMETRY: return SpvExecutionModelGeometry;
    case WS_STAGE_FRAGMENT: return SpvExecutionModelFragment;
    case WS_STAGE_COMPUTE: return SpvExecutionModelGLCompute;
    case WS_STAGE_TASK: return SpvExecutionModelTaskEXT;
    case WS_STAGE_MESH: return SpvExecutionModelMeshEXT;
    case WS_STAGE_RAYGEN: return SpvExecutionModelRayGenerationKHR;
    case WS_STAGE_ANY_HIT: return SpvExecutionModelAnyHitKHR;
    case WS_STAGE_CLOSEST_HIT: return SpvExecutionModelClosestHitKHR;
    case WS_STAGE_MISS: return SpvExecutionModelMissKHR;
    case WS_STAGE_INTERSECTION: return SpvExecutionModelIntersectionKHR;
    default: return SpvExecutionModelCallableKHR;
    }
}

/* The module as GLSL; the text belongs to `context`. NULL if SPIRV-Cross cannot translate it. */
static const char *compile(spvc_context context, const uint32_t *words, size_t word_count, const char *entry,
                           uint32_t stage)
{
    spvc_parsed_ir ir = NULL;
    spvc_compiler compiler = NULL;
    spvc_compiler_options options = NULL;
    const char *text = NULL;
    if (spvc_context_parse_spirv(context, (const SpvId *)words, word_count, &ir) != SPVC_SUCCESS ||
        spvc_context_create_compiler(context, SPVC_BACKEND_GLSL, ir, SPVC_CAPTURE_MODE_TAKE_OWNERSHIP,
                                     &compiler) != SPVC_SUCCESS ||
        spvc_compiler_set_entry_point(compiler, entry, model_of(stage)) != SPVC_SUCCESS ||
        spvc_compiler_create_compiler_options(compiler, &options) != SPVC_SUCCESS)
        return NULL;
    spvc_compiler_options_set_uint(options, SPVC_COMPILER_OPTION_GLSL_VERSION, 460);
    spvc_compiler_options_set_bool(options, SPVC_COMPILER_OPTION_GLSL_ES, SPVC_FALSE);
    spvc_compiler_options_set_bool(options, SPVC_COMPILER_OPTION_GLSL_VULKAN_SEMANTICS, SPVC_TRUE);
    spvc_compiler_options_set_bool(options, SPVC_COMPILER_OPTION_EMIT_LINE_DIRECTIVES, SPVC_TRUE);
    if (spvc_compiler_install_compiler_options(compiler, options) != SPVC_SUCCESS ||
        spvc_compiler_compile(compiler, &text) != SPVC_SUCCESS)
        return NULL;
    return text;
}

/* In the child: writes the GLSL to `out` and ends. */
static void compile_and_exit(const struct ws_annotation *annotation, const uint32_t *words, size_t word_count,
                             int out)
{
    const struct ws_shader_record *shader = &annotation->catalog->shaders[annotation->shader];
    const struct rlimit core = {0, 0};
    spvc_context context = NULL;
    alarm(TIME_LIMIT);
    signal(SIGALRM, SIG_DFL);
    setrlimit(RLIMIT_CORE, &core);
    ws_limit_memory(MEMORY_LIMIT);
    if (spvc_context_create(&context) != SPVC_SUCCESS)
        _exit(1);
    const char *text = compile(context, words, word_count, shader->name, shader->stage);
    if (text == NULL)
        _exit(1);
    for (size_t left = strlen(text); left > 0;) {
        ssize_t written = write(out, text, left);
        if (written <= 0)
            _exit(1);
        text += written;
        left -= (size_t)written;
    }
    _exit(0);
}

/* Reads `in` to its end: a text, freed by the caller. NULL if there is no memory, or more than TEXT_MAX. */
static char *read_all(int in)
{
    char *text = NULL;
    size_t size = 0;
    for (size_t capacity = 0;;) {
        if (size + 1 >= capacity) {
            capacity = capacity > 0 ? 2 * capacity : 1u << 16;
            char *larger = capacity <= TEXT_MAX ? realloc(text, capacity) : NULL;
            if (larger == NULL)
                break;
            text = larger;
        }
        ssize_t got = read(in, text + size, capacity - size - 1);
        if (got == 0) {
            text[size] = '\0';
            return text;
        }
        if (got < 0 && errno != EINTR)
            break;
        size += got > 0 ? (size_t)got : 0;
    }
    free(text);
    return NULL;
}

/* The GLSL, freed by the caller; NULL if SPIRV-Cross cannot make it within its limits. */
static char *run(const struct ws_annotation *annotation, const uint32_t *words, size_t word_count)
{
    int ends[2];
    int status = 0;
    if (pipe(ends) != 0)
        return NULL;
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        close(ends[0]);
        compile_and_exit(annotation, words, word_count, ends[1]);
    }
    close(ends[1]);
    char *text = child > 0 ? read_all(ends[0]) : NULL;
    close(ends[0]);
    if (child > 0)
        while (waitpid(child, &status, 0) < 0 && errno == EINTR)
            continue;
    if (text != NULL && WIFEXITED(status) && WEXITSTATUS(status) == 0)
        return text;
    free(text);
    return NULL;
}

/* `#line N "block"`: the index of the block, N - 1. WS_NONE for any other line. */
static uint32_t directive_block(const struct ws_annotation *annotation, const char *line)
{
    const struct ws_catalog *catalog = annotation->catalog;
    uint32_t count = catalog->modules[catalog->shaders[annotation->shader].module].block_count;
    const char *at = line + strspn(line, " \t");
    if (strncmp(at, "#line ", 6) != 0)
        return WS_NONE;
    unsigned long number = strtoul(at + 6, NULL, 10);
    return number >= 1 && number <= count ? (uint32_t)number - 1 : WS_NONE;
}

/* The kinds of lines that SPIRV-Cross writes. */
enum line_kind {
    LINE_CODE,
    LINE_EMPTY,
    LINE_SCOPE, /* opens or closes a scope, or "else": what follows belongs to another block */
};

static enum line_kind kind_of(const char *line, size_t length)
{
    size_t indent = strspn(line, " \t");
    if (indent >= length)
        return LINE_EMPTY;
    bool opens_function = indent == 0 && line[0] == '{';
    if (opens_function)
        return LINE_EMPTY;
    return line[indent] == '{' || line[indent] == '}' || strncmp(line + indent, "else", 4) == 0 ? LINE_SCOPE
                                                                                                : LINE_CODE;
}

/* `seen`: by block, all false. A line belongs to the block of the directive before it, up to the end of the scope. What
 * SPIRV-Cross adds behind that ("else { break; }") has no block: such lines have no figures, rather than wrong ones. */
static void take_text(const struct ws_annotation *annotation, const char *text, bool *seen,
                      const struct ws_annotate_sink *sink, void *user)
{
    uint32_t block = WS_NONE; /* of the lines from here on */
    uint32_t shown = WS_NONE; /* that began last */
    sink->head(user, annotation);
    sink->file(user, annotation, WS_NONE);
    for (const char *at = text; *at != '\0';) {
        size_t length = strcspn(at, "\n");
        uint32_t directive = directive_block(annotation, at);
        enum line_kind kind = kind_of(at, length);
        if (directive != WS_NONE) {
            block = directive;
        } else if (strncmp(at, "#extension GL_GOOGLE_cpp_style_line_directive", 45) != 0) {
            if (kind == LINE_SCOPE)
                block = WS_NONE;
            const bool code = block != WS_NONE && kind == LINE_CODE;
            const bool begins = code && (shown == WS_NONE || !ws_annotate_same(annotation, block, shown));
            const struct ws_annotate_line line = {.text = at,
                                                  .length = length,
                                                  .figures =
                                                      ws_annotate_block(annotation, code ? block : WS_NONE),
                                                  .blocks = &block,
                                                  .block_count = code,
                                                  .counted = &block,
                                                  .counted_count = code,
                                                  .begins = &block,
                                                  .begin_count = begins,
                                                  .instruction = WS_NONE,
                                                  .first_of_block = code && !seen[block]};
            sink->line(user, annotation, &line);
            if (code)
                seen[block] = true;
            shown = code ? block : shown;
            if (at[0] == '}')
                shown = WS_NONE;
        }
        at += length + (at[length] == '\n');
    }
}

bool ws_annotate_glsl(const struct ws_annotation *annotation, const struct ws_annotate_sink *sink, void *user,
                      struct ws_error *error)
{
    size_t word_count = 0;
    if (annotation->word_count < 5)
        return ws_error_set(error, "the module has no header");
    uint32_t *words = mark(annotation, &word_count);
    if (words == NULL)
        return ws_error_set(error, "no memory");
    char *text = run(annotation, words, word_count);
    free(words);
    if (text == NULL)
        return ws_error_set(error, "SPIRV-Cross cannot make GLSL of the shader");
    const struct ws_catalog *catalog = annotation->catalog;
    bool *seen = calloc((size_t)catalog->modules[catalog->shaders[annotation->shader].module].block_count + 1,
                        sizeof(*seen));
    if (seen != NULL)
        take_text(annotation, text, seen, sink, user);
    const bool taken = seen != NULL || ws_error_set(error, "no memory");
    free(seen);
    free(text);
    return taken;
}
