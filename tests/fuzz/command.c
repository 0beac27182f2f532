/* Fuzz target: everything that the command reads captures for. The words of the input (capture_mutator.h) are
 * a command line, `report all --json`, whose capture and paths are put in here. An input without words is
 * given to one of some command lines.
 *
 * What is printed must be UTF-8 without control characters but line ends and tabs; JSON, CSV, glTF and OBJ
 * must be well-formed; the exit status must be one of those that --help tells, with a message where it is not
 * 0. SPIRV-Cross and SPIRV-Tools are left out: they are not ours. */
#include <dirent.h>
#include <getopt.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cjson/cJSON.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

#include "analysis/command/command.h"
#include "tests/fuzz/capture_mutator.h"
#include "warpscope/base/text.h"
#include "warpscope/capture/budget.h"
#include "warpscope/report/analysis.h"

#define WORDS_MAX 32
#define WORD_SIZE 256
/* So many steps for a small capture: a hundredth of the usual. */
#define STEPS (WS_STEPS_LEAST / 100)

struct line {
    char words[WORDS_MAX][WORD_SIZE];
    char *arguments[WORDS_MAX + 8];
    int count;
};

static char folder[] = "/tmp/warpscope-fuzz-XXXXXX";
static uint32_t line_count;
static uint32_t refused_count; /* of these: the command line is wrong, and no capture was read */
static FILE *real_stderr;

void fuzz_fail(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vfprintf(real_stderr != NULL ? real_stderr : stderr, format, arguments);
    va_end(arguments);
    fputc('\n', real_stderr != NULL ? real_stderr : stderr);
    abort();
}

/* The options that write, with what is given to them here. */
static const char *const paths[] = {"plots",    "rays",    "geometry",   "gltf",     "hit-rates", "image",
                                    "accesses", "records", "candidates", "perfetto", "csv-folder"};
static const char *const endings[] = {
    "plots",   "rays.csv",           "geometry",   "scene.glb", "rates.glb", "image.png", "accesses.parquet",
    "records", "candidates.parquet", "trace.json", "tables"};

/* Puts the own path into a word that is one of those options, or an abbreviation of it. */
static void guard_path(char word[WORD_SIZE])
{
    const size_t length = strcspn(word, "=");
    for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); ++i)
        if (length > 2 && strncmp(word, "--", 2) == 0 && length - 2 <= strlen(paths[i]) &&
            strncmp(word + 2, paths[i], length - 2) == 0) {
            /* Rays as text, CSV or JSON, scenes with a file beside them: by the word that was there. */
            const char *ending = strstr(word, "jsonl") != NULL  ? "rays.jsonl"
                                 : strstr(word, "text") != NULL ? "rays.txt"
                                 : strstr(word, "two") != NULL  ? "scene.gltf"
                                                                : endings[i];
            snprintf(word, WORD_SIZE, "--%s=%s/%s", paths[i], folder, ending);
            return;
        }
}

/* The command line of words with '\n' behind each. */
static void take_words(struct line *line, const char *words, size_t size, const char *capture)
{
    static char annotate_as[] = "--as=source", behind[] = "";
    line->count = 0;
    int count = 0;
    for (size_t at = 0; at < size && count < WORDS_MAX;) {
        const char *end = memchr(words + at, '\n', size - at);
        const size_t length = end != NULL ? (size_t)(end - words) - at : size - at;
        const size_t begin = at;
        at += length + 1;
        if (length == 0) /* behind the line end of a whole command line */
            continue;
        snprintf(line->words[count], WORD_SIZE, "%.*s", (int)(length < WORD_SIZE ? length : WORD_SIZE - 1),
                 words + begin);
        /* What the user types is no business of captures, and getopt repeats it as it is. */
        for (char *c = line->words[count]; *c != '\0'; ++c)
            *c = *c < 0x20 || *c == 0x7f ? '?' : *c;
        guard_path(line->words[count++]);
    }
    const bool annotate = count > 0 && strcmp(line->words[0], "annotate") == 0;
    line->arguments[line->count++] = count > 0 ? line->words[0] : behind;
    line->arguments[line->count++] = (char *)capture;
    for (int i = 1; i < count; ++i)
        if (!annotate || strncmp(line->words[i], "--a", 3) != 0)
            line->arguments[line->count++] = line->words[i];
    if (annotate)
        line->arguments[line->count++] = annotate_as;
    line->arguments[line->count] = NULL;
}

static bool has_word(const struct line *line, const char *word)
{
    for (int i = 1; i < line->count; ++i)
        if (strcmp(line->arguments[i], word) == 0)
            return true;
    return false;
}

/* Text that may go to a terminal. */
static void check_text(const char *text, size_t size, const char *what)
{
    char *copy = malloc(size + 1);
    if (copy == NULL)
        return;
    memcpy(copy, text, size);
    copy[size] = '\0';
    fuzz_check(strlen(copy) == size, "NUL is printed");
    ws_text_repair(copy, size);
    if (memcmp(copy, text, size) != 0)
        for (size_t i = 0; i < size; ++i)
            if (copy[i] != text[i])
                fuzz_fail("%s: no UTF-8 is printed: %.*s", what, 80, text + (i > 60 ? i - 60 : 0));
    for (const char *at = copy; *at != '\0'; ++at)
        if (*at != '\n' && ws_text_control_length(at) > 0)
            fuzz_fail("%s: control character U+%04X is printed: %.60s", what, ws_text_control_code(at), at);
    free(copy);
}

static void check_json(const char *text, size_t size, const char *what)
{
    cJSON *json = size > 0 ? cJSON_ParseWithLength(text, size) : NULL;
    if (size > 0 && json == NULL)
        fuzz_fail("%s: no JSON: %.200s", what, cJSON_GetErrorPtr() != NULL ? cJSON_GetErrorPtr() : text);
    cJSON_Delete(json);
}

/* Every record has as many fields as the first; quotes are closed (RFC 4180). */
static void check_csv(const char *text, size_t size, const char *what)
{
    size_t fields = 1, first = 0;
    bool quoted = false;
    for (size_t i = 0; i < size; ++i) {
        quoted = quoted != (text[i] == '"');
        fields += !quoted && text[i] == ',';
        if (quoted || text[i] != '\n')
            continue;
        first = first > 0 ? first : fields;
        if (fields != first)
            fuzz_fail("%s: a row of CSV has %zu fields in place of %zu: %.*s", what, fields, first, (int)i,
                      text);
        fields = 1;
    }
    fuzz_check(!quoted, "a quote of CSV stays open");
}

static void check_lines_of_json(const char *text, size_t size, const char *what)
{
    for (size_t at = 0; at < size;) {
        const char *end = memchr(text + at, '\n', size - at);
        const size_t length = end != NULL ? (size_t)(end - text) - at : size - at;
        check_json(text + at, length, what);
        at += length + 1;
    }
}

/* Statements that OBJ files of ours have. */
static void check_obj(const char *text, size_t size, const char *what)
{
    static const char *const statements[] = {"# ", "#\n", "v ", "f ", "o ", "g ", "l ", "p ", "usemtl "};
    for (size_t at = 0; at < size;) {
        const char *end = memchr(text + at, '\n', size - at);
        bool known = end == text + at;
        for (size_t i = 0; i < sizeof(statements) / sizeof(statements[0]); ++i)
            known = known || strncmp(text + at, statements[i], 2) == 0;
        if (!known)
            fuzz_fail("%s: a line of OBJ begins with '%.10s'", what, text + at);
        at = end != NULL ? (size_t)(end - text) + 1 : size;
    }
}

/* Magic, version, length; the chunk of JSON and that of bytes (glTF 2.0, 4.4). */
static void check_glb(const char *text, size_t size, const char *what)
{
    uint32_t words[5];
    fuzz_check(size >= sizeof(words), "a GLB is too short");
    memcpy(words, text, sizeof(words));
    fuzz_check(words[0] == 0x46546c67 && words[1] == 2 && words[2] == size && words[4] == 0x4e4f534a &&
                   words[3] <= size - sizeof(words),
               "the header of a GLB is wrong");
    check_json(text + sizeof(words), words[3], what);
}

static bool ends_with(const char *text, const char *end)
{
    const size_t length = strlen(text);
    return length >= strlen(end) && strcmp(text + length - strlen(end), end) == 0;
}

static void check_file(const char *path, bool whole)
{
    FILE *file = fopen(path, "rb");
    char *text = NULL;
    size_t size = 0, capacity = 0;
    while (file != NULL && !feof(file) && capacity < 64u << 20) {
        capacity = capacity > 0 ? 2 * capacity : 1u << 16;
        char *larger = realloc(text, capacity + 1);
        if (larger == NULL)
            break;
        text = larger;
        size += fread(text + size, 1, capacity - size, file);
    }
    if (file == NULL || text == NULL || !feof(file))
        whole = false;
    if (file != NULL)
        fclose(file);
    bool binary = false;
    static const char *const binaries[] = {".png", ".glb", ".bin", ".parquet"};
    for (size_t i = 0; i < sizeof(binaries) / sizeof(binaries[0]); ++i)
        binary = binary || ends_with(path, binaries[i]);
    if (whole && !binary)
        check_text(text, size, path);
    if (whole && ends_with(path, ".csv"))
        check_csv(text, size, path);
    else if (whole && ends_with(path, ".jsonl"))
        check_lines_of_json(text, size, path);
    else if (whole && (ends_with(path, ".gltf") || ends_with(path, ".json")))
        check_json(text, size, path);
    else if (whole && ends_with(path, ".glb"))
        check_glb(text, size, path);
    else if (whole && ends_with(path, ".obj"))
        check_obj(text, size, path);
    free(text);
}

/* Checks the files below a folder where all of them are there, and removes them. */
static void check_files(const char *path, bool whole)
{
    struct dirent **entries = NULL;
    const int count = scandir(path, &entries, NULL, NULL);
    for (int i = 0; i < count; ++i) {
        char inner[1024];
        snprintf(inner, sizeof(inner), "%s/%s", path, entries[i]->d_name);
        if (strcmp(entries[i]->d_name, ".") != 0 && strcmp(entries[i]->d_name, "..") != 0) {
            if (entries[i]->d_type == DT_DIR) {
                check_files(inner, whole);
                rmdir(inner);
            } else {
                check_file(inner, whole);
                unlink(inner);
            }
        }
        free(entries[i]);
    }
    free(entries);
}

struct printed {
    char *text;
    size_t size;
    FILE *stream;
    FILE *real;
};

static void begin_print(struct printed *printed, FILE **stream)
{
    *printed = (struct printed){.real = *stream};
    printed->stream = open_memstream(&printed->text, &printed->size);
    fuzz_check(printed->stream != NULL, "no memory");
    *stream = printed->stream;
}

static void end_print(struct printed *printed, FILE **stream)
{
    *stream = printed->real;
    fclose(printed->stream);
}

static int run(struct line *line)
{
    /* The others read no capture. */
    static const struct ws_command *const commands[] = {&ws_command_report, &ws_command_annotate,
                                                        &ws_command_export, &ws_command_list};
    optind = 0; /* glibc begins anew */
    for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); ++i)
        if (strcmp(line->arguments[0], commands[i]->name) == 0)
            return commands[i]->run(line->count, line->arguments);
    return WS_EXIT_GOOD;
}

/* --help, whatever else is asked for: that of the command, or of an analysis that is named. */
static bool is_help(const char *text, size_t size)
{
    static const char *const beginnings[] = {"Usage:", "Analysis "};
    for (size_t i = 0; i < sizeof(beginnings) / sizeof(beginnings[0]); ++i)
        if (size > strlen(beginnings[i]) && strncmp(text, beginnings[i], strlen(beginnings[i])) == 0)
            return true;
    return false;
}

static void check_line(const char *words, size_t size, const char *capture)
{
    static struct line line;
    struct printed out, err;
    take_words(&line, words, size, capture);
    begin_print(&out, &stdout);
    begin_print(&err, &stderr);
    const int status = run(&line);
    end_print(&err, &stderr);
    end_print(&out, &stdout);
    const char *what = line.arguments[0];
    line_count++;
    refused_count += status == WS_EXIT_USAGE;
    fuzz_check(status == WS_EXIT_GOOD || status == WS_EXIT_FAILED || status == WS_EXIT_USAGE ||
                   status == WS_EXIT_CUT,
               "exit status");
    if (status != WS_EXIT_GOOD && err.size == 0)
        fuzz_fail("%s: exit status %d without a message", what, status);
    check_text(out.text, out.size, what);
    check_text(err.text, err.size, what);
    const bool help = is_help(out.text, out.size);
    const bool report = status != WS_EXIT_USAGE && strcmp(what, "report") == 0 && !help;
    const bool json = has_word(&line, "--json"), csv = has_word(&line, "--csv");
    if (report && json && !csv && out.size > 0 && out.text[0] == '{')
        check_json(out.text, out.size, what);
    if (report && csv && !json && status == WS_EXIT_GOOD)
        check_csv(out.text, out.size, what);
    free(out.text);
    free(err.text);
    /* With --rays-format a file is not what its name says. */
    bool named = true;
    for (int i = 1; i < line.count; ++i)
        named = named && strncmp(line.arguments[i], "--rays-", 7) != 0;
    check_files(folder, status == WS_EXIT_GOOD && named);
}

/* For inputs without words, one of these by their bytes. */
static const char *const lines[] = {
    "report\nall\n",
    "report\nall\n--json\n",
    "report\nsimt_efficiency\n--by\nshader,launch\n--csv\n",
    "report\nray_events\n--thread\n1,1\n--json\n",
    "report\nexecution_trace\n--thread\n1,1\n",
    "report\nadvice\n--csv\n--rows\n0\n",
    "report\nadvice\n--csv\n--help\n",
    "report\nprobe\n--csv\n",
    "report\nprobe\n--json\n",
    "annotate\n",
    "export\n--rays=jsonl\n--geometry=\n--gltf=\n",
    "report\nall\n--plots=\n",
    "report\nbvh_reconstruct\n--json\n",
    "report\nbvh_model\n--json\n",
    "report\nbvh_model\n--by\npart,depth\n--bvh\nleaf=1,bins=2\n",
    "report\ncaches\n--by\nthread,buffer\n--csv\n",
    "report\ncaches\n--by\nelement\n--json\n",
    "report\ncaches\n--compiled\n--plots=\n",
    "report\nall\n--csv-folder=\n",
    "export\n--accesses=\n--records=\n--candidates=\n--perfetto=\n",
    "export\n--hit-rates=\n",
    "report\ncaches\n--by\npage,time\n--page\n256\n--csv\n",
    "report\nbvh_model\n--by\nelement,launch\n--csv\n",
};

#define LINES (sizeof(lines) / sizeof(lines[0]))

/* Each input leaves the folder empty. A third of the changed command lines is wrong; were most of them, nothing would be
 * tested but that. */
static void end(void)
{
    rmdir(folder);
    fuzz_check(line_count < 200 || refused_count < line_count / 4 * 3, "most command lines are refused");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char path[64];
    size_t word_size = 0;
    if (real_stderr == NULL) {
        real_stderr = stderr;
        fuzz_check(mkdtemp(folder) != NULL, "no folder in /tmp");
        atexit(end);
        ws_budget_set_least(STEPS);
    }
    uint8_t *copy = malloc(size + 1);
    const int file = memfd_create("capture", MFD_CLOEXEC);
    if (copy == NULL || file < 0) {
        free(copy);
        return 0;
    }
    memcpy(copy, data, size);
    capture_seal(copy, size);
    fuzz_check(write(file, copy, size) == (ssize_t)size, "no memory");
    snprintf(path, sizeof(path), "/proc/self/fd/%d", file);
    const char *words = capture_words(copy, size, &word_size);
    if (words == NULL) {
        words = lines[XXH3_64bits(copy, size) % LINES];
        word_size = strlen(words);
    }
    check_line(words, word_size, path);
    free(copy);
    close(file);
    return 0;
}

/* The name of a field of some analysis, an analysis, an option, or a value. */
static const char *word(uint64_t *state, bool first)
{
    static const char *const words[] = {"report",
                                        "report",
                                        "report",
                                        "report",
                                        "annotate",
                                        "export",
                                        "all",
                                        "--json",
                                        "--csv",
                                        "--plots=",
                                        "--rows",
                                        "--rows=0",
                                        "--by",
                                        "--sort",
                                        "--fields",
                                        "--filter",
                                        "--thread",
                                        "--thread=0",
                                        "--thread=1,1",
                                        "--warp",
                                        "--warp=0",
                                        "--launch=0",
                                        "--shader",
                                        "--shader=*",
                                        "--rays=",
                                        "--rays=jsonl",
                                        "--rays=text",
                                        "--geometry=",
                                        "--gltf=",
                                        "--gltf=two",
                                        "--hit-rates=",
                                        "--hit-rates=two",
                                        "--accesses=",
                                        "--records=",
                                        "--candidates=",
                                        "--perfetto=",
                                        "--csv-folder=",
                                        "--compiled",
                                        "--worth=1",
                                        "--page=64K",
                                        "--bvh=split=median,leaf=16",
                                        "--shards=1/3",
                                        "--lanes=32",
                                        "--rays-max=5",
                                        "--rays-format=csv",
                                        "--help",
                                        "0",
                                        "1",
                                        "3,2,1",
                                        "4294967295",
                                        "18446744073709551616",
                                        "-1",
                                        "shader,launch",
                                        "launch,block",
                                        "--max-seconds=1000"};
    static char made[128];
    if (first)
        return lines[fuzz_below(state, LINES)];
    const struct ws_analysis *const *analyses = ws_analysis_list();
    size_t count = 0;
    while (analyses[count] != NULL)
        ++count;
    const struct ws_analysis *analysis = analyses[fuzz_below(state, count)];
    if (fuzz_below(state, 2) == 0)
        return words[fuzz_below(state, sizeof(words) / sizeof(words[0]))];
    if (analysis->columns == NULL || fuzz_below(state, 3) == 0)
        return analysis->name;
    static const char *const forms[] = {
        "--by=%s",         "--sort=-%s",        "--sort=%s,executions", "--fields=%s",    "%s",
        "--filter=%s > 0", "--filter=%s = *a*", "--filter=%s < 50 %%",  "--by=launch,%s", "--filter=%s != 0"};
    const struct ws_columns *columns = analysis->columns;
    const char *name = NULL;
    size_t dimensions = 0, measures = 0;
    while (columns->dimensions[dimensions].name != NULL)
        ++dimensions;
    while (columns->measures[measures].name != NULL)
        ++measures;
    const size_t chosen = (size_t)fuzz_below(state, dimensions + measures);
    name =
        chosen < dimensions ? columns->dimensions[chosen].name : columns->measures[chosen - dimensions].name;
    const size_t form = (size_t)fuzz_below(state, sizeof(forms) / sizeof(forms[0]));
    const char *at = strstr(forms[form], "%s");
    snprintf(made, sizeof(made), "%.*s%s%s", (int)(at - forms[form]), forms[form], name,
             strstr(at, "50") != NULL ? " < 50 %" : at + 2);
    return made;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t capacity, unsigned seed)
{
    return capture_mutate(data, size, capacity, seed, word);
}
