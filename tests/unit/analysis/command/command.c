/* The command from outside: exit status, and what it says when something is wrong.
 *
 *   command WARPSCOPE     the program to test */
#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "analysis/command/options.h"
#include "tests/fuzz/hostile.h"
#include "tests/unit/analysis/capture/capture_sample.h"
#include "tests/unit/analysis/capture/capture_test.h"

static const char *warpscope;

/* A folder for the files of a test. */
static char folder[] = "/tmp/warpscope-test-XXXXXX";

/* Runs a command line in a shell, with $W the program and $D the folder; what it printed on both streams,
 * valid until the next call. */
static const char *run(int expected_status, const char *line)
{
    static char output[1 << 18];
    char command[2048];
    snprintf(command, sizeof(command), "W='%s'; D='%s'; { %s; } 2>&1", warpscope, folder, line);
    FILE *pipe = popen(command, "r");
    assert_non_null(pipe);
    size_t size = fread(output, 1, sizeof(output) - 1, pipe);
    output[size] = '\0';
    int status = pclose(pipe);
    if (!WIFEXITED(status) || WEXITSTATUS(status) != expected_status)
        fail_msg("'%s' ended with %d, not %d, and said: %s", line,
                 WIFEXITED(status) ? WEXITSTATUS(status) : -1, expected_status, output);
    return output;
}

/* Runs a command line as run does, with stdout a terminal of `rows` lines (0 = it does not say); what it printed
 * there. */
static const char *run_on_screen(const char *line, unsigned short rows)
{
    const struct winsize screen = {.ws_row = rows};
    static char output[1 << 20];
    char command[1024];
    size_t size = 0;
    int status = 0;
    const int terminal = posix_openpt(O_RDWR | O_NOCTTY);
    assert_true(terminal >= 0 && grantpt(terminal) == 0 && unlockpt(terminal) == 0 &&
                ioctl(terminal, TIOCSWINSZ, &screen) == 0);
    snprintf(command, sizeof(command), "W='%s'; D='%s'; { %s; } >'%s' 2>/dev/null", warpscope, folder, line,
             ptsname(terminal));
    const int held = open(ptsname(terminal), O_RDWR | O_NOCTTY); /* so that reading waits for the child */
    const pid_t child = fork();
    assert_true(held >= 0 && child >= 0);
    if (child == 0) {
        const int result = system(command);
        _exit(write(held, "\f", 1) == 1 && result == 0 ? 0 : 1);
    }
    while (size + 1 < sizeof(output) && memchr(output, '\f', size) == NULL) {
        const ssize_t more = read(terminal, output + size, sizeof(output) - 1 - size);
        assert_true(more > 0);
        size += (size_t)more;
    }
    output[size] = '\0';
    assert_true(waitpid(child, &status, 0) == child && status == 0);
    close(held);
    close(terminal);
    return output;
}

static const char *run_on_terminal(const char *line)
{
    return run_on_screen(line, 0);
}

static void says(const char *output, const char *expected)
{
    if (strstr(output, expected) == NULL)
        fail_msg("'%s' is not in: %s", expected, output);
}

static int make_folder(void **state)
{
    (void)state;
    char path[128];
    struct ws_error error = {{0}};
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof(path), "%s/sample.wscope", folder);
    if (!write_sample(path, &error))
        fail_msg("%s", error.message);
    return 0;
}

static int remove_folder(void **state)
{
    (void)state;
    char command[128];
    snprintf(command, sizeof(command), "rm -r '%s'", folder);
    return system(command);
}

/* Columns of a line, with characters beyond ASCII as one, and without colours. */
static size_t columns_of(const char *line, size_t length)
{
    size_t columns = 0;
    for (size_t i = 0; i < length; ++i)
        if (line[i] == '\033')
            i += strcspn(line + i, "m");
        else
            columns += ((unsigned char)line[i] & 0xc0) != 0x80 && line[i] != '\r';
    return columns;
}

/* Whether a line may be broken: not a single word, and not a command that is an example, which must stay one. */
static bool can_break(const char *line, size_t length)
{
    if (strncmp(line, "  warpscope ", 12) == 0)
        return false;
    const size_t first = strspn(line, " ");
    const char *blank = memchr(line + first, ' ', length > first ? length - first : 0);
    return blank != NULL && blank[1] != ' ';
}

/* No line of any report is wider than the terminal. */
static void narrow_reports(void **state)
{
    (void)state;
    static const char *const reports[] = {"report $CAPTURES/raster.wscope all",
                                          "report $CAPTURES/f_query.wscope all",
                                          "report $D/sample.wscope all",
                                          "summary $D/sample.wscope",
                                          "list",
                                          "help ray_events",
                                          "report --help",
                                          "record --help"};
    static const size_t widths[] = {60, 80, 200};
    for (size_t i = 0; i < sizeof(reports) / sizeof(reports[0]); ++i)
        for (size_t j = 0; j < sizeof(widths) / sizeof(widths[0]); ++j) {
            char line[128];
            snprintf(line, sizeof(line), "TERM=xterm COLUMNS=%zu $W %s", widths[j], reports[i]);
            const char *text = run_on_terminal(line);
            assert_true(strlen(text) > 100);
            for (const char *end; (end = strchr(text, '\n')) != NULL; text = end + 1)
                if (columns_of(text, (size_t)(end - text)) > widths[j] &&
                    can_break(text, (size_t)(end - text)))
                    fail_msg("%s is wider: %.*s", line, (int)(end - text), text);
        }
}

/* Colours are for terminals, and for those who ask. Data never have any. */
static void colours(void **state)
{
    (void)state;
    static const char report_line[] = "$W report $D/sample.wscope simt_efficiency";
    static const struct {
        const char *before;
        const char *behind;
        bool on_terminal;
        bool coloured;
    } cases[] = {
        {"TERM=xterm", "", true, true},
        {"TERM=dumb", "", true, false},
        {"unset TERM;", "", true, false},
        {"TERM=xterm NO_COLOR=1", "", true, false},
        {"TERM=xterm NO_COLOR=0", "", true, false},
        {"TERM=xterm NO_COLOR=", "", true, true},
        {"TERM=xterm NO_COLOR=1", "--color always", true, true},
        {"TERM=xterm", "--color never", true, false},
        {"TERM=xterm", "--json", true, false},
        {"TERM=xterm", "--csv", true, false},
        {"TERM=xterm", "", false, false},
        {"TERM=xterm CLICOLOR_FORCE=1", "", false, true},
        {"TERM=xterm CLICOLOR_FORCE=0", "", false, false},
        {"TERM=xterm CLICOLOR_FORCE=1 NO_COLOR=1", "", false, false},
        {"", "--color always", false, true},
        {"", "--color always --json", false, false},
        {"", "--color always --csv", false, false},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); ++i) {
        char line[256];
        snprintf(line, sizeof(line), "%s %s %s 2>/dev/null", cases[i].before, report_line, cases[i].behind);
        const char *text = cases[i].on_terminal ? run_on_terminal(line) : run(0, line);
        if ((strchr(text, '\033') != NULL) != cases[i].coloured)
            fail_msg("'%s' has %scolours: %s", line, cases[i].coloured ? "no " : "", text);
    }
    /* What is coloured says the same. */
    says(run(0, "$W report $D/sample.wscope --color always | sed 's/\033\\[[0-9;]*m//g' >$D/coloured; "
                "$W report $D/sample.wscope >$D/plain; cmp $D/coloured $D/plain && echo same"),
         "same\n");
    says(run(2, "$W report $D/sample.wscope --color sometimes"), "--color takes auto, always or never");
}

/* What is longer than the terminal is shown by a pager, which may do what it likes. */
static void pagers(void **state)
{
    (void)state;
    run(0, "printf '#!/bin/sh\necho paged; cat >'$D/shown'\n' >$D/pager; chmod +x $D/pager");
    static const char report_line[] = "$W report $D/sample.wscope simt_efficiency --color never";
    char line[256];
    snprintf(line, sizeof(line), "WARPSCOPE_PAGER=$D/pager PAGER=false %s", report_line);
    assert_string_equal(run_on_screen(line, 5), "paged\r\n\f");
    says(run(0, "$W report $D/sample.wscope simt_efficiency >$D/plain; cmp $D/shown $D/plain && echo same"),
         "same\n");
    snprintf(line, sizeof(line), "PAGER=\"$D/pager\" %s", report_line);
    assert_string_equal(run_on_screen(line, 5), "paged\r\n\f");
    /* What is printed at once begins with the name of the capture. */
    static const struct {
        const char *before;
        const char *behind;
        unsigned short rows;
    } direct[] = {{"PAGER=$D/pager", "--no-pager", 5},
                  {"PAGER=cat", "", 5},
                  {"PAGER=", "", 5},
                  {"PAGER=$D/pager", "", 1000},
                  {"PAGER=$D/pager", "", 0},
                  {"PAGER=$D/none", "", 5},
                  {"PAGER=$D/plain", "", 5}};
    for (size_t i = 0; i < sizeof(direct) / sizeof(direct[0]); ++i) {
        snprintf(line, sizeof(line), "%s %s %s", direct[i].before, report_line, direct[i].behind);
        const char *text = run_on_screen(line, direct[i].rows);
        says(text, "sample.wscope\r\n");
        says(text, "executions");
        assert_null(strstr(text, "paged"));
    }
    /* One that is left at once changes nothing but what is seen; nor does it change the exit status. */
    snprintf(line, sizeof(line), "PAGER=true %s --rows 0; echo status $?", report_line);
    assert_string_equal(run_on_screen(line, 5), "status 0\r\n\f");
    assert_string_equal(
        run_on_screen("PAGER=true $W report $D/sample.wscope --by nonsense 2>&1 | grep -c nonsense; "
                      "PAGER=$D/pager $W report $D/none.wscope 2>/dev/null; echo status $?",
                      5),
        "1\r\nstatus 1\r\n\f");
    says(run(0, "PAGER=$D/pager $W report $D/sample.wscope simt_efficiency"), "sample.wscope\n");
}

/* On a terminal, a line that says what is being done is gone at the end; what it says when is reading_progress.c's. With
 * --quiet, and elsewhere, there is none. */
static void progress(void **state)
{
    (void)state;
    const char *text = run_on_terminal("$W report $D/sample.wscope all 2>&1 >/dev/null");
    assert_true(strcmp(text, "\f") == 0 || strstr(text, "\r\033[K\f") != NULL);
    assert_string_equal(run_on_terminal("$W report $D/sample.wscope all -q 2>&1 >/dev/null"), "\f");
    assert_string_equal(run(0, "$W report $D/sample.wscope all 2>&1 >/dev/null"), "");
}

/* Texts in tables are cut where the terminal is too narrow, and nowhere else. */
static void widths(void **state)
{
    static const char report_line[] = "$W report $CAPTURES/raster.wscope opcodes";
    char line[128];
    (void)state;
    snprintf(line, sizeof(line), "COLUMNS=74 %s", report_line);
    says(run_on_terminal(line), "…");
    assert_null(strstr(run(0, line), "…"));
    snprintf(line, sizeof(line), "COLUMNS=74 %s --wide", report_line);
    assert_null(strstr(run_on_terminal(line), "…"));
    snprintf(line, sizeof(line), "COLUMNS=300 %s", report_line);
    assert_null(strstr(run_on_terminal(line), "…"));
    /* Bars are scaled. Half a bar would be another figure. */
    says(run_on_terminal("COLUMNS=60 $W report $D/sample.wscope execution_trace"), "#");
    assert_null(strstr(run_on_terminal("COLUMNS=60 $W report $D/sample.wscope execution_trace"), "…"));
    /* Of a terminal that does not say its width, nothing is known. */
    snprintf(line, sizeof(line), "unset COLUMNS; %s", report_line);
    assert_null(strstr(run_on_terminal(line), "…"));
}

static void help_and_version(void **state)
{
    (void)state;
    static const char *const commands[] = {"record",     "report", "export", "annotate",
                                           "instrument", "list",   "help"};
    says(run(0, "$W --version"), "warpscope 0.");
    says(run(0, "$W --help"), "record");
    says(run(2, "$W"), "Usage");
    says(run(2, "$W recrod"), "there is no command 'recrod'");
    for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); ++i) {
        char line[64];
        snprintf(line, sizeof(line), "$W %s --help", commands[i]);
        says(run(0, line), "Examples:");
        snprintf(line, sizeof(line), "$W %s --nonsense", commands[i]);
        says(run(2, line), "--help");
    }
}

/* What reads a capture says what it returns of one that is cut short. */
static void statuses(void **state)
{
    (void)state;
    static const char *const commands[] = {"summary", "report", "export", "annotate", "diff", "html"};
    for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); ++i) {
        char line[128];
        snprintf(line, sizeof(line), "$W %s --help | tr '\n' ' ' | grep -o 'Exit status: .*; 4 .*cut short'",
                 commands[i]);
        run(0, line);
    }
}

/* Each name is explained wherever someone would look for it. */
/* A command line, its status, and what it says. */
struct said {
    int status;
    const char *line;
    const char *text;
};

static void say_all(const struct said *list, size_t count)
{
    for (size_t i = 0; i < count; ++i)
        says(run(list[i].status, list[i].line), list[i].text);
}

static void topics(void **state)
{
    static const struct said list[] = {
        {0, "$W help slot", "An instruction slot is one lane of one executed instruction"},
        {0, "$W help work", "500 more for each ray's way through the"},
        {0, "$W help all", "`record -p all` is these passes: simt_efficiency"},
        {0, "$W help control flow", "Column of reports: control_flow\n"},
        {0, "$W help 'efficiency weighted'", "Column of reports: efficiency_weighted\n"},
        {0, "$W help call site", "A place in a shader that traces rays"},
        {0, "$W help micromap", "let rays through"},
        {0, "$W help texel", "One element of an image"},
        {0, "$W help split", "A window of `report FILE reorder`"},
        {0, "$W help partial", "has a thread in some of its lanes only"},
        {0, "$W help sector", "A piece of 32 bytes"},
        {0, "$W help ticks", "What the device's shader clock counts"},
        {0, "$W help context", "One execution of one shader by one warp"},
        {0, "$W help submission", "What a program hands to a queue"},
        {0, "$W help words", "many lanes as the device's subgroup size"},
        {0, "$W help", "Usage: warpscope COMMAND"},
        {0, "$W help record", "Usage: warpscope record "},
        {0, "$W help report", "Usage: warpscope report "},
        {0, "$W record --help -- report --json", "Usage: warpscope record "},
        {0, "$W help cull_mask", "Rule of advice cull_mask\n"},
        {0, "$W help reorder", "needs a capture with pass divergence, and simt_efficiency or ray_events\n"},
        {0, "$W help max_sites", "variable: WARPSCOPE_MAX_SITES\n"},
        {0, "$W help --thread", "Option of export: --thread X"},
        {0, "$W help --color never --filter", "Option of report: --filter "},
        {0, "$W help max-sites", "Option of instrument: --max-sites N\n"},
        {0, "$W help settings", "VK_EXT_layer_settings"},
        {0, "$W help rays", "  chit, query_hit        the ray ended at a hit\n"},
        {0, "$W help trace", "the analysis 'trace' is called execution_trace now\n"},
        {0, "$W help compaction 2>/dev/null", "Analysis thread_compaction\n"},
        {0, "$W help hit-rates", "Files of export --hit-rates\n"},
        {0, "$W help hit-rates", "Option of export: --hit-rates OUT\n"},
        {0, "$W help gltf", "Instances of one structure share its meshes"},
        /* Columns, by what each analysis says of its own: also where something else has that name. */
        {0, "$W help element", "Column of reports: element\n    caches             "},
        {0, "$W help element", "\n    bvh_model          node, instance, triangle"},
        {0, "$W help depth", "    ray_events         how many rays led to the ray; --by depth\n"},
        {0, "$W help page", "Option of report: --page BYTES\n"},
        {0, "$W help page", "\n\nColumn of reports: page\n    caches "},
        {2, "$W help elemant", "did you mean 'element'?\n"},
        {2, "$W help divergense", "there is no help about 'divergense'; did you mean 'divergence'?\n"},
        {2, "$W report --help divergense", "did you mean 'divergence'?\n"},
        {2, "$W help zebra", "there is no help about 'zebra'\n"},
    };
    (void)state;
    say_all(list, sizeof(list) / sizeof(list[0]));
    /* It names those that `list` does not say otherwise of. */
    run(0, "$W help all >$D/all; $W list passes | grep '^  ' | grep -v 'not part of all' | "
           "while read -r pass summary; do grep -qw $pass $D/all || exit 1; done");
    static const char *const lines[] = {"$W help divergence", "$W help report divergence",
                                        "$W report --help divergence",
                                        "$W report run.wscope divergence --help", "$W report divergence -h"};
    for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); ++i) {
        const char *text = run(0, lines[i]);
        says(text, "Analysis divergence\n");
        says(text, "  early_return         slots of lanes whose thread has ended\n");
        says(text, "Pass divergence\n");
    }
}

/* Each word must be known, not only the last; one in front of --help may be a capture, or what an option takes. */
static void topics_by_several_words(void **state)
{
    static const struct said list[] = {
        {2, "$W report --help zebra", "there is no help about 'zebra'\n"},
        {2, "$W report x --help zebra --json", "there is no help about 'zebra'\n"},
        {0, "$W report zebra --help", "Usage: warpscope report"},
        {0, "$W report --help --sort zebra", "Usage: warpscope report"},
        {0, "$W report --help element", "Column of reports: element\n"},
        {0, "$W help report divergence", "Analysis divergence\n"},
        {2, "$W help reprot divergence", "there is no help about 'reprot'; did you mean 'report'?\n"},
        {2, "$W help zebra divergence", "there is no help about 'zebra'\n"},
        {0, "$W help call site", "call site"},
    };
    (void)state;
    say_all(list, sizeof(list) / sizeof(list[0]));
}

/* What was probably meant is said; where nothing is near, what there is. */
static void near_names(void **state)
{
    (void)state;
    says(run(2, "$W reprot"), "there is no command 'reprot'; did you mean 'report'?\n");
    says(run(2, "$W --verison"),
         "there is no option '--verison' in front of a command; did you mean '--version'?\n");
    says(run(2, "$W -p all"), "there is no option '-p' in front of a command");
    says(run(2, "$W --help reprot"), "there is no help about 'reprot'; did you mean 'report'?\n");
    says(run(0, "$W --help report"), "Usage: warpscope report");
    says(run(2, "$W --version now"), "'now' is one argument too many\n");
    /* Also where no analysis of the report takes them. */
    says(run(2, "$W report $D/sample.wscope --caches nonsense"), "no device of this name is built in");
    says(run(2, "$W report $D/sample.wscope --bvh nonsense=1"), "--bvh has no setting 'nonsense'");
    /* One file under two names, which is not there yet. */
    says(run(2, "$W export $D/sample.wscope --rays $D/./one.json --perfetto $D/one.json"),
         "--rays and --perfetto would both write '");
    /* Files without an end. */
    says(run(1, "$W instrument /dev/zero -o $D/none.spv"), "is no SPIR-V module: it has more than 64 MiB\n");
    says(run(1, "$W probe -e 'after OpFDiv { count(); }' --on /dev/zero"), "it has more than 64 MiB\n");
    says(run(2, "$W $D/sample.wscope"), "is a file, not a command: try warpscope summary '");
    says(run(2, "$W report divergence $D/sample.wscope"), "which is a file: the capture stands first");
    says(run(2, "$W report --rosw 3 x"), "there is no option '--rosw'; did you mean '--rows'?\n");
    says(run(2, "$W report --xyz x"), "there is no option '--xyz'\n");
    says(run(2, "$W report --max- 3 x"), "'--max-' can be several options: --max-memory, --max-seconds\n");
    says(run(2, "$W report --json=3 x"), "--json takes no value\n");
    says(run(2, "$W report x --rows"), "--rows takes a value: N\n");
    says(run(2, "$W record -p"), "-p takes a value: LIST\n");
    says(run(2, "$W report -z x"), "there is no option '-z'\n");
    says(run(2, "$W report x divergense"), "there is no analysis 'divergense'; did you mean 'divergence'?\n");
    says(run(2, "$W record -p divergense -- true"),
         "there is no pass 'divergense'; did you mean 'divergence'?\n");
    says(run(2, "$W record --stages raygun -- true"), "there is no stage 'raygun'; did you mean 'raygen'?\n");
    /* The older name of an option works, and is not offered. */
    says(run(2, "$W report --limi x"), "--limi");
    assert_null(strstr(run(0, "$W report --help"), "--limit"));
}

/* Of two values of an option none is dropped without a word. */
static void given_twice(void **state)
{
    (void)state;
    says(run(2, "$W diff $D/sample.wscope $D/sample.wscope $(printf ' --fail-if efficiency<%d' $(seq 99))"),
         "--fail-if can be given at most 32 times\n");
    says(run(2, "$W report $D/sample.wscope --rows 3 --sort a --rows 4"),
         "--rows '3' and --rows '4' are given, and it takes one value: leave one out\n");
    says(run(2, "$W report $D/sample.wscope --limit 3 --rows 4"), "--limit '3' and --rows '4' are given");
    says(run(2, "$W record -p divergence --passes ray_events -- true"),
         "--passes 'divergence' and --passes 'ray_events' are given");
    /* The same once more says nothing new, and some are made to be repeated. */
    run(0, "$W report $D/sample.wscope --rows 3 --rows 3");
    run(0, "$W report $CAPTURES/f_query.wscope ray_events --launch 0 --launch 0-0 --filter 'rays>0' --filter "
           "'depth>=0'");
    says(run(1,
             "$W diff $D/sample.wscope $D/none.wscope --fail-if 'efficiency<-2%' --fail-if 'efficiency>2%'"),
         "No such file");
}

/* No link is replaced by a file, and nothing is made where one leads. */
static void dangling_links(void **state)
{
    (void)state;
    static const char *const lines[] = {
        "export $CAPTURES/f_query.wscope --rays $D/link", "instrument $D/sample.wscope -o $D/link",
        "export $CAPTURES/f_query.wscope --perfetto $D/link", "html $CAPTURES/f_query.wscope -o $D/link"};
    run(0, "ln -s $D/nothing $D/link");
    for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]) - (HAS_VIEWER ? 0 : 1); ++i) {
        char line[256];
        snprintf(line, sizeof(line),
                 "$W %s && exit 1; test -L $D/link && test ! -e $D/nothing && echo untouched", lines[i]);
        const char *said = run(0, line);
        says(said, "link': it is a link to '/tmp/");
        says(said, "/nothing', which is not there: name that, or remove the link\n");
        says(said, "untouched\n");
    }
    /* A link that leads to a file stays one, and the file is replaced. */
    says(run(0,
             "ln -s $D/linked.csv $D/link.csv; : >$D/linked.csv; $W export $CAPTURES/f_query.wscope --rays "
             "$D/link.csv; test -L $D/link.csv && head -c 6 $D/linked.csv"),
         "launch");
}

/* A command's help is one screen of 80 columns, with the headings of its groups, whatever is asked of it. */
static void one_screen(void **state)
{
    (void)state;
    for (size_t i = 0; ws_commands[i] != NULL; ++i) {
        char line[64];
        size_t lines = 0;
        snprintf(line, sizeof(line), "$W %s --help", ws_commands[i]->name);
        const char *text = run(0, line);
        for (const char *end; (end = strchr(text, '\n')) != NULL; text = end + 1) {
            ++lines;
            if (end - text > 80)
                fail_msg("%s --help has a line that is too wide: %.*s", ws_commands[i]->name,
                         (int)(end - text), text);
        }
        if (lines > 48)
            fail_msg("%s --help has %zu lines", ws_commands[i]->name, lines);
    }
}

static void report(void **state)
{
    (void)state;
    says(run(0, "$W report $D/sample.wscope"), "\n  most work in shader:main. ");
    says(run(0, "$W report $D/sample.wscope simt_efficiency"), "SIMT efficiency");
    says(run(0, "$W report $D/sample.wscope simt_efficiency --limit 1"), "SIMT efficiency");
    says(run(0, "$W report --json $D/sample.wscope simt_efficiency"), "\"efficiency\"");
    says(run(0, "$W report $D/sample.wscope --sort efficiency"), "SIMT efficiency");
    says(run(2, "$W report $D/sample.wscope --by nonsense"), "nonsense");
    says(run(2, "$W report $D/sample.wscope --sort nonsense"), "nonsense");
    says(run(2, "$W report $D/sample.wscope --filter 'efficiency <'"), "efficiency <");
    says(run(0, "$W report --csv $D/sample.wscope simt_efficiency"), "level,launch,frame,submission,");
    says(run(0, "$W report --csv $D/sample.wscope simt_efficiency 2>/dev/null | cut -d, -f1 | sort -u | tr "
                "'\\n' ' '"),
         "blocks launches level pipelines shaders stages total");
    says(run(0, "$W report --csv $D/sample.wscope simt_efficiency --by shader,opcode --sort -instructions "
                "--fields opcode,instructions --filter 'opcode = Op[A-Z]*' 2>/dev/null | head -1"),
         "opcode,instructions\n");
    says(run(0, "$W report --json $D/sample.wscope --by shader,launch"),
         "\"simt_efficiency\": {\n  \"rows\": [");
    says(run(2, "$W report $D/sample.wscope simt_efficiency --by invocation"),
         "nothing can be grouped by 'invocation'; there are: launch, pipeline, stage, shader, block, opcode");
    says(run(2, "$W report $D/sample.wscope --fields efficency"),
         "there is no column 'efficency'; there are: ");
    says(run(2, "$W report $D/sample.wscope simt_efficiency --filter 'efficiency < much'"),
         "'much' is no number");
    says(run(2, "$W report $D/sample.wscope all --by shader"), "shape one analysis; name one of ");
    says(run(2, "$W report"), "the capture to report is missing");
    says(run(0, "$W report $D/sample.wscope simt_efficiency --rows 1"), "SIMT efficiency");
    says(run(0, "$W report $D/sample.wscope hotspots"), "Hotspots");
    says(run(0, "$W report $D/sample.wscope opcodes --json"), "\"opcodes\": {");
    says(run(0, "$W report $D/sample.wscope all"), "\n--- nothing to report\n\n");
    says(run(0, "$W report $D/sample.wscope all"), "\n  opcodes: ");
    /* One shape: whatever is asked for, an analysis stands under its name. */
    says(run(0, "$W report $D/sample.wscope all --json | grep -cE '^  \"(simt_efficiency|hotspots)\": '"),
         "2\n");
    says(run(0, "$W report $D/sample.wscope --json | grep -cE '^  \"(analyses|summary|losses)\": '"), "3\n");
    says(run(0, "$W report --help"), "divergence");
    says(run(2, "$W report --json --csv $D/sample.wscope"), "exclude each other");
    says(run(2, "$W report $D/sample.wscope all --csv"), "write those of all with --csv-folder FOLDER");
}

/* Each table in its own file. Other files stay. */
static void report_tables(void **state)
{
    (void)state;
    says(run(0, "mkdir $D/tables && echo mine > $D/tables/notes.csv && "
                "$W report $D/sample.wscope all --csv-folder $D/tables 2>&1"),
         "tables are in '");
    says(run(0, "cd $D/tables && cat notes.csv && head -1 opcodes-opcodes.csv && ls"),
         "mine\nopcode_number,opcode,instructions,instructions_error,share,share_error\n");
    says(run(0, "cd $D/tables && ls | tr '\n' ' '"),
         "simt_efficiency-shaders.csv simt_efficiency-stages.csv");
    says(run(1, "$W report $D/sample.wscope all --csv-folder $D/sample.wscope"), "it is no folder");
    says(run(2, "$W report $D/sample.wscope all --json --csv-folder $D/tables"), "exclude each other");
    /* A table replaces no link, and then none is written. */
    run(0, "mkdir $D/linked && ln -s ../tables/notes.csv $D/linked/opcodes-shaders.csv");
    says(run(1, "$W report $D/sample.wscope all --csv-folder $D/linked"), "it is there, and is no file");
    says(run(0, "ls -A $D/linked; cat $D/tables/notes.csv"), "opcodes-shaders.csv\nmine\n");
    says(run(2, "$W report $D/sample.wscope all --tree $D/nothing"), "--tree: cannot read '");
    /* Nor what the report is made with. */
    run(0, "mkdir $D/read && echo nodes >$D/read/opcodes-shaders.csv");
    says(run(1, "$W report $D/sample.wscope all --tree $D/read/opcodes-shaders.csv --csv-folder $D/read"),
         "which is read: name another folder\n");
}

/* Analyses that are called otherwise, are not there, or are not in the capture. */
static void report_names(void **state)
{
    (void)state;
    says(run(0, "$W report $D/sample.wscope efficiency"), "SIMT efficiency");
    says(run(0, "$W report $D/sample.wscope efficiency 2>&1 >/dev/null"),
         "the analysis 'efficiency' is called simt_efficiency now\n");
    says(run(1, "$W report $D/sample.wscope warp_entry_exit"),
         "without pass warp_entry_exit, which warp_entry_exit needs");
    says(run(1, "$W report $D/sample.wscope warp_entry_exit"),
         "warpscope record -p warp_entry_exit -- ./app --size 64");
    says(run(0, "$W report $D/sample.wscope all"), "  no divergence: recorded without pass divergence\n");
    says(run(0, "$W report $D/sample.wscope all"), "  no probe: recorded without a probe\n");
    says(run(2, "$W report $D/sample.wscope heat"),
         "there is no analysis 'heat'; there are: simt_efficiency");
    says(run(2, "$W report $D/sample.wscope heat"),
         ", all, and those of plug-ins (warpscope --plugin FILE report)\n");
    says(run(1, "$W report $D/sample.wscope probe"),
         "recorded without a probe; record with one: warpscope record -e '");
}

/* Threads, warps, launches, frames and shaders that were chosen. */
static void report_of_some(void **state)
{
    (void)state;
    static const char *const threads[] = {"", "x", "1,", "1,2,3,4", "1,-2", "4294967296", "1;2", "1 2"};
    for (size_t i = 0; i < sizeof(threads) / sizeof(threads[0]); ++i) {
        char line[128];
        snprintf(line, sizeof(line), "$W report $D/sample.wscope --thread '%s'", threads[i]);
        says(run(2, line), "--thread takes X, X,Y or X,Y,Z, numbers from 0");
    }
    says(run(0, "$W report $D/sample.wscope --warp 0 --launch 0"), "Trace of warp 0");
    says(run(1, "$W report $D/sample.wscope --thread 1,2,3 --launch 0"),
         "no thread 1,2,3 was recorded: there is launch 0");
    says(run(1, "$W report $D/sample.wscope --warp 99999"), "no warp 99999 was recorded: there ");
    says(run(2, "$W report $D/sample.wscope --thread 1,2,3 --warp 0"), "exclude each other");
    says(run(2, "$W report $D/sample.wscope hotspots --thread 1,2,3"),
         "--thread and --warp are for execution_trace");
    says(run(1, "$W report $D/sample.wscope --launch 7000"), "there is no launch 7000: ");
    says(run(1, "$W report $D/sample.wscope --frame 7000"), "there is no frame 7000: ");
    says(run(1, "$W report $D/sample.wscope --shader nothing"), "there is no shader 'nothing'; there is: ");
    says(run(1, "$W report $D/sample.wscope --label nothing"), "label");
    says(run(2, "$W report $D/sample.wscope geometry --shader '*'"), "geometry cannot choose by --shader");
    says(run(2, "$W export $D/sample.wscope --geometry $D/none --stage raygen"), "cannot choose by --shader");
    says(run(2, "$W export $D/sample.wscope --geometry $D/none --thread 1,1"),
         "--geometry takes no --thread");
    says(run(2, "$W report $D/sample.wscope --warp many"), "--warp takes a number");
    says(run(2, "$W report $D/sample.wscope --launch -1"), "--launch takes N, N-M or N-");
}

/* Warps as they were not recorded, and numbers beyond their limits. */
static void report_lanes(void **state)
{
    (void)state;
    says(run(2, "$W report $D/sample.wscope --lanes 4/33"),
         "--lanes takes a number from 2 to 128, not '4/33'");
    says(run(0, "$W report $CAPTURES/memory.wscope caches --lanes 16"),
         "\n  warps of 16 lanes, put together from neighbours: simulated\n");
    says(run(0, "$W report $CAPTURES/memory.wscope caches --lanes 3"),
         "\n  warps as they were recorded: none are put together to 3 lanes\n");
    says(run(0, "$W report $CAPTURES/div_loop.wscope reorder | grep -A3 '^The same by bounce'"),
         "return:main");
    says(run(0, "$W report $CAPTURES/div_loop.wscope reorder | grep -A3 '^Executions of'"), "return:main");
    says(run(2, "$W report $D/sample.wscope --lanes 129"), "--lanes takes a number from 2 to 128, not '129'");
    says(run(2, "$W report $D/sample.wscope --worth 0"),
         "--worth takes a number from 1 to 4294967295, not '0'");
    says(run(2, "$W report $D/sample.wscope --limit many"), "--limit takes a number");
}

/* What is no capture, and an output that cannot be written. */
static void report_files(void **state)
{
    (void)state;
    says(run(2, "$W report a b c"), "'c' is one argument too many");
    says(run(1, "$W report $D/none.wscope"), "none.wscope': No such file");
    says(run(1, "$W report - < $D/sample.wscope"), "not from standard input: name its file");
    says(run(1, "$W report $D"), "is a directory");
    says(run(1, "$W report /dev/null"), "'/dev/null' is not a capture");
    says(run(1, "$W report $D/sample.wscope > /dev/full"), "cannot write the output");
}

/* A whole capture of a program that ran no instrumented shader. */
static bool write_empty(const char *path, struct ws_error *error)
{
    const char *passes[] = {"simt_efficiency", "ray_events"};
    const struct ws_chunk_info info = {
        .version = "0.1.0", .application = "empty", .passes = passes, .pass_count = 2};
    const struct ws_chunk_device device = {
        .id = 0, .name = "GPU", .subgroup_size = 8, .bins = 8, .subgroup_stages = WS_STAGES_ALL};
    const struct ws_chunk_done done = {0, 0, 0, 0};
    struct ws_capture_writer *writer = ws_capture_writer_create(path, error);
    if (writer == NULL)
        return false;
    const bool written = ws_capture_write_info(writer, &info, error) &&
                         ws_capture_write_device(writer, &device, error) &&
                         ws_capture_write_done(writer, &done, error);
    ws_capture_writer_destroy(writer);
    return written;
}

/* A summary of what is there, with commands that can be typed as they are. */
static void summary(void **state)
{
    (void)state;
    char text[16384];
    snprintf(text, sizeof(text), "%s", run(0, "$W report $D/sample.wscope"));
    assert_string_equal(run(0, "$W summary $D/sample.wscope"), text);
    says(text, "\n  holds        1 frame, 1 launch, 1 shader; GPU, subgroup size 8\n");
    says(text, "\nNothing that was looked at costs more than 2 % of the work.\n");
    says(text, "\n  left out     1 site in shader: site limit reached\n");
    says(text, "\n  not recorded warp_entry_exit, ");
    /* The passes that it names to record are passes. */
    assert_string_equal(run(0,
                            "for pass in $($W summary $D/sample.wscope | tr -s ' \n' '  ' | "
                            "sed 's/.*warpscope record -p //; s/ .*//; s/,/ /g'); do "
                            "$W list passes | grep -w \"$pass\" >/dev/null || echo \"no pass $pass\"; done"),
                        "");
    says(run(0, "$W summary $D/sample.wscope --csv 2>/dev/null"),
         "number,kind,size,of,time_share,title,place,text,certainty,analysis,command\n,spent,1,work,,most "
         "work "
         "in,shader:main,");
    says(run(0, "$W summary $D/sample.wscope --csv 2>&1 >/dev/null"), "left out");
    says(run(0, "$W summary --json $D/sample.wscope"),
         "\"analysis\":\"hotspots\",\"command\":\"warpscope report ");
    /* JSON says of the limits what the text says. */
    says(run(0, "$W summary --json $D/sample.wscope"),
         "{\"pass\":\"warp_entry_exit\",\"tells\":\"whether warps stay together\"}");
    says(run(0, "$W summary --json $D/sample.wscope"),
         "{\"label\":\"left out\",\"text\":\"1 site in shader: site limit reached\"}");
    says(run(0, "cp $D/sample.wscope \"$D/it's one.wscope\" && $W summary --csv \"$D/it's one.wscope\" "
                "2>/dev/null | "
                "grep -c \"it'.''s one.wscope' hotspots --shader shader:main\""),
         "1\n");
    /* Rays are a part of the work beside the slots of shaders: 215 ways of 500 slots, and 215 calls of 100. */
    says(run(0, "$W summary $CAPTURES/f_trapped.wscope"),
         "; 215 rays, taken for 42 % of the work (warpscope help work)\n");
    says(run(0, "$W summary --json $CAPTURES/f_trapped.wscope"), "\"rays\":215,\"rays_share\":0.422");
    says(run(0, "$W summary --json $CAPTURES/div_loop.wscope"), "\"rays\":0,\"rays_share\":null,");
    /* Where nothing ran, no report has more to say. */
    char path[128];
    struct ws_error error = {{0}};
    snprintf(path, sizeof(path), "%s/empty.wscope", folder);
    assert_true(write_empty(path, &error));
    says(run(0, "$W summary $D/empty.wscope"),
         "\nThe capture holds no launch: no figure can be told.\n\n  not recorded ");
    /* A compute shader without rays, recorded by all passes. */
    says(run(0, "$W summary $CAPTURES/div_loop.wscope"),
         "\n  more reports simt_efficiency, hotspots, opcodes, warp_entry_exit,\n               "
         "execution_trace, reorder\n");
    /* Nothing is called at its branch: what is called sorts no threads there. */
    says(run(0, "$W report $CAPTURES/div_loop.wscope reorder --by call_site --csv --fields "
                "call_site,by_shader,by_called,by_path 2>/dev/null"),
         "\nbranch at return.comp:12,,,0.94");
    says(run(0, "$W report $CAPTURES/div_loop.wscope reorder --by launch --csv --fields "
                "by_shader,by_called,by_path 2>/dev/null"),
         "\n,,0.94");
    /* Lines of code stand below each other, each behind its language. */
    says(run(0, "$W report $CAPTURES/f_trapped.wscope advice | grep -c '^ \\{17\\}\\(GLSL   \\|HLSL   "
                "\\|Slang  \\)[a-zA-Z]'"),
         "3\n");
}

/* One by memory_trace alone: what takes long is listed too, caches are told of, and passes on rays are not proposed. */
static void summary_of_memory(void **state)
{
    (void)state;
    says(run(0, "$W summary $CAPTURES/memory.wscope"),
         "\n  more reports memory_check, bvh_reconstruct, time, warp_time\n");
    says(run(0, "$W summary $CAPTURES/memory.wscope"),
         "          What caches hit\n             In a model (");
    says(run(0, "$W summary $CAPTURES/memory.wscope | tr -d '\\n ' | grep -o 'record-p[a-z_,]*'"),
         "record-psimt_efficiency,warp_entry_exit,execution_trace,divergenceleftout");
    says(run(1, "$W report $CAPTURES/memory.wscope advice"),
         "without pass simt_efficiency or ray_events, which advice needs; record it with: warpscope record "
         "-p simt_efficiency -- ");
}

/* Captures that are cut or not there, and options that do not fit. */
static void summary_of_parts(void **state)
{
    (void)state;
    says(run(2, "$W summary"), "the capture is missing");
    says(run(2, "$W summary $D/sample.wscope --json --csv"), "exclude each other");
    says(run(2, "$W summary $D/sample.wscope --rows x"), "--rows takes a number");
    says(run(1, "$W summary $D/none.wscope"), "none.wscope': No such file");
    says(run(4, "head -c -10 $D/sample.wscope > $D/cut.wscope; $W summary $D/cut.wscope"),
         "\n  cut short    the file breaks off behind byte ");
    says(run(4, "$W summary --json $D/cut.wscope"), ". What came before is here: 1 launch. For all of it "
                                                    "copy the file once more, or record again where the "
                                                    "disk has room\"");
    says(run(4, "$W summary --json $D/cut.wscope"),
         "{\"label\":\"cut short\",\"text\":\"the file breaks off");
    says(run(4, "head -c 400 $D/sample.wscope > $D/cut.wscope; $W summary $D/cut.wscope"),
         "\nWhat costs most is not known: it was not recorded, or cannot be read.\n");
    says(run(0, "$W report $D/sample.wscope hotspots --filter 'shader = shader*'"),
         "  --filter chose rows of the tables that have what it compares; what is no such table is of all\n");
    says(run(1, "$W summary $D/sample.wscope > /dev/full"), "cannot write the output");
}

/* What reading may cost. The capture of 5 kB names one blob of 48 MiB in 1600 ways: the report has the rest, and
 * says so. */
static void limits(void **state)
{
    (void)state;
    static const char *const sizes[] = {"", "0", "-1", "x", "12X", "1GX", "1.5G", "99999999999G"};
    char path[128];
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); ++i) {
        char line[128];
        snprintf(line, sizeof(line), "$W report $D/sample.wscope --max-memory '%s'", sizes[i]);
        says(run(2, line), "--max-memory takes a size such as 800M or 4G");
    }
    says(run(2, "$W report $D/sample.wscope --max-seconds 0"),
         "--max-seconds takes a number from 1 to 4294967295, not '0'");
    says(run(2, "$W export $D/sample.wscope --max-seconds x"), "--max-seconds takes a number");
    says(run(0, "$W report $D/sample.wscope --max-memory 4G --max-seconds 100000"), "most work in");
    says(run(0, "$W report $D/sample.wscope --max-memory 4000000kB"), "most work in");
    says(run(2, "$W record --budget 40k -- x"), "--budget needs to know what is recorded");
    says(run(2, "$W record --budget 40kB -- x"), "--budget needs to know what is recorded");
    says(run(2, "$W record --budget 40t -- x"), "--budget takes a size such as");
    for (const struct hostile *hostile = hostiles; hostile->name != NULL; ++hostile)
        if (strcmp(hostile->name, "one_blob_strides") == 0) {
            snprintf(path, sizeof(path), "%s/strides.wscope", folder);
            assert_true(hostile_write(hostile, path, NULL));
        }
    says(run(1, "$W report $D/strides.wscope all 2>/dev/null"), "\n--- simt_efficiency");
    says(run(1, "$W report $D/strides.wscope all 2>/dev/null"),
         "no advice: the capture asks for more work than");
    says(run(0, "$W report $D/strides.wscope advice 2>&1 | sed 's/[0-9]* bytes/N bytes/'"),
         "warpscope: the capture asks for more work than N bytes can need; --max-seconds 600 works on it");
    says(run(1, "$W report $D/strides.wscope all --json 2>/dev/null"), "\"given_up\": [");
    says(run(1, "$W report $D/strides.wscope advice --max-memory 1M"),
         "; the limit was 1.0 MB, and --max-memory SIZE allows more");
}

/* Pictures are written where they are asked for, and what stands in their way is named. */
static void plots(void **state)
{
    (void)state;
    says(run(0, "$W report $D/sample.wscope hotspots --plots $D/pictures 2>&1 >/dev/null"),
         "there are no pictures of hotspots: it has nothing to show or to compare");
    says(run(0, "mkdir -p $D/there && $W report $D/sample.wscope simt_efficiency --plots $D/there 2>&1 "
                ">/dev/null"),
         "2 picture files are in '");
    says(run(0, "grep -m 1 'warpscope report' $D/there/index.html"), "<pre>warpscope report ");
    says(run(0, "$W report $D/sample.wscope --launch 0 --plots $D/there 2>&1 >/dev/null; cat "
                "$D/there/index.html"),
         " --launch 0</pre>");
    says(run(0, "grep -ho '>of 1 of [^<]*' $D/there/*.svg"), " (--launch 0)");
    says(run(1, "mkdir $D/site; echo mine >$D/site/index.html; $W report $D/sample.wscope simt_efficiency "
                "--plots $D/site >/dev/null || cat $D/site/*; false"),
         "index.html', which is there and is of another kind: name another folder, or remove it\nmine\n");
    says(run(1, "$W report $D/sample.wscope hotspots --plots $D/sample.wscope"),
         "sample.wscope': it is no folder");
    says(run(1, "$W report $D/sample.wscope hotspots --plots $D/no/where"), "cannot make the folder '");
}

static void damaged_captures(void **state)
{
    (void)state;
    says(run(4, "head -c -40 $D/sample.wscope >$D/short.wscope; $W report $D/short.wscope simt_efficiency"),
         "\nThis capture is cut short: what came later is missing, and the tables are of its first "
         "part.\n\nSIMT");
    says(run(4, "head -c -10 $D/sample.wscope > $D/cut.wscope; $W report $D/cut.wscope all"),
         "  cut short: the file breaks off behind byte ");
    /* Where that byte is the end, whole chunks are missing: DONE, the last one. */
    says(run(4, "N=$($W report $D/cut.wscope all | sed -n 's/.*behind byte \\([0-9]*\\).*/\\1/p'); "
                "head -c $N $D/sample.wscope > $D/end.wscope; $W report $D/end.wscope all"),
         "  cut short: the program ended before the capture was whole (");
    says(run(4, "$W report $D/cut.wscope --csv 2>&1 >/dev/null"), "cut short");
    /* What is missing is said once on stderr; what is there is printed, and compared, and shown. */
    says(run(4, "$W report $D/cut.wscope --json 2>&1 >/dev/null"),
         "cut.wscope' is not whole: it breaks off behind byte ");
    says(run(0, "$W report $D/cut.wscope 2>&1 >/dev/null | grep -c 'is not whole'"), "1\n");
    says(run(4, "$W report $D/end.wscope 2>&1 >/dev/null"),
         "is not whole: the program ended before it was; it has 1 launch, and what came later is "
         "missing\n");
    says(run(4, "head -c -10 $CAPTURES/raster.wscope >$D/raster.wscope; $W annotate $D/raster.wscope"),
         "' is not whole: it breaks off");
    says(run(4, "$W diff $D/sample.wscope $D/cut.wscope"), "' is not whole: it breaks off");
    says(run(1, "$W diff $D/sample.wscope $D/cut.wscope --fail-if 'efficiency<-2%'"), "cut");
    says(run(1, "printf 'WSCOPE\\r\\n\\377\\0\\0\\0\\0\\0\\0\\0' > $D/new.wscope; $W report $D/new.wscope"),
         "written by a later Warpscope");
    says(run(1, "$W annotate $D/new.wscope"), "written by a later Warpscope");
}

static void pages(void **state)
{
    (void)state;
    if (!HAS_VIEWER) {
        print_message("this build has no viewer\n");
        skip();
    }
    says(run(4,
             "head -c -10 $CAPTURES/raster.wscope >$D/raster.wscope; $W html $D/raster.wscope -o $D/cut.html "
             "&& false; S=$?; grep -c '<html' $D/cut.html && exit $S"),
         "1\n");
    says(run(1, "cp $D/sample.wscope $D/other.wscope; $W html $D/sample.wscope -o $D/other.wscope"),
         "the page would overwrite the capture '");
    run(0, "cmp $D/other.wscope $D/sample.wscope");
    /* The same under two names, which is not there yet. */
    says(run(1, "$W record -o $D/one.wscope --html $D/../${D##*/}/one.wscope -- true"),
         "the page would overwrite the capture");
    says(
        run(1, "echo old >$D/old.html; $W html $D/sample.wscope -q -o $D/old.html || cat $D/old.html; false"),
        "of another kind: name another file, or remove it\nold\n");
    says(run(0, "$W html $CAPTURES/f_query.wscope -o - | head -c 15; test ! -e ./-"), "<!doctype html>");
    run(0, ">$D/new.html; $W html $CAPTURES/f_query.wscope -q -o $D/new.html");
    run(0, "$W html $CAPTURES/f_query.wscope -q -o $D/new.html");
}

static void export(void **state)
{
    (void)state;
    says(run(2, "$W export"), "the capture to export is missing");
    says(run(2, "$W export $D/sample.wscope"), "what to export is missing: --rays OUT");
    says(run(1, "$W export $D/none.wscope --rays -"), "none.wscope': No such file");
    says(run(1, "$W export $D/sample.wscope --rays -"), "without pass ray_events, which --rays needs");
    says(run(2, "$W export $D/sample.wscope --rays $D/sample.wscope"), "--rays would overwrite the capture");
    /* Nor is another one overwritten, which was not read. */
    says(run(2, "cp $D/sample.wscope $D/other.wscope; $W export $D/sample.wscope --geometry $D/other.wscope"),
         "--geometry would overwrite the capture '");
    run(0, "cmp $D/other.wscope $D/sample.wscope");
    /* A file of another kind is left alone; one of the same kind is replaced. */
    says(run(2, "echo old >$D/old.csv; $W export $CAPTURES/f_query.wscope --rays $D/old.csv"),
         "--rays would overwrite '");
    run(0, "$W export $CAPTURES/f_query.wscope --rays $D/rays.csv && $W export $CAPTURES/f_query.wscope "
           "--rays $D/rays.csv");
    /* It may be read by whom it might be read before. */
    says(run(0, "chmod 600 $D/rays.csv; $W export $CAPTURES/f_query.wscope --rays $D/rays.csv; stat -c %a "
                "$D/rays.csv"),
         "600\n");
    says(run(2, "$W export $CAPTURES/f_query.wscope --gltf $D/twice.glb --hit-rates $D/twice.glb"),
         "--gltf and --hit-rates would both write '");
    /* glTF is one file, also as text: what is beside it is not touched. */
    static const char *const ends[] = {"gltf", "glb"};
    for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); ++i) {
        char line[512];
        snprintf(line, sizeof(line),
                 "echo mine >$D/s.bin; for i in 1 2; do $W export $CAPTURES/f_query.wscope --gltf $D/s.%s || "
                 "exit; done; "
                 "cat $D/s.bin",
                 ends[i]);
        says(run(0, line), "mine\n");
        snprintf(line, sizeof(line), "sed 's/\"Warpscope /\"Another /' $D/s.%s >$D/t.%s", ends[i], ends[i]);
        run(0, line);
        snprintf(line, sizeof(line), "$W export $CAPTURES/f_query.wscope --gltf $D/t.%s", ends[i]);
        says(run(2, line), "is of another kind");
    }
    /* The same of a table that another program has written. */
    run(0, "$W export $CAPTURES/f_query.wscope --rays $D/rays.parquet && $W export $CAPTURES/f_query.wscope "
           "--rays "
           "$D/rays.parquet && sed 's/warpscope version/another version/' $D/rays.parquet >$D/table.parquet");
    says(run(2, "$W export $CAPTURES/f_query.wscope --rays $D/table.parquet"), "is of another kind");
    /* A whole file is not replaced by what a cut capture has left, and nothing is left beside it. */
    run(0, "cp $D/rays.csv $D/whole.csv; head -c 3000 $CAPTURES/f_query.wscope >$D/part.wscope");
    says(run(1, "$W export $D/part.wscope --rays $D/rays.csv"), "rays.csv' stays as it was");
    run(0, "cmp $D/rays.csv $D/whole.csv");
    run(4, "$W export $D/part.wscope --rays $D/part.csv");
    run(0, "ls -d $D/.warpscope-* && exit 1; exit 0");
    says(run(1, "$W export $CAPTURES/f_query.wscope --rays $D/no/where.csv"), "where.csv': folder '");
    static const char *const names[] = {"a.obj", "gltf", "-", "a.gltf.gz"};
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); ++i) {
        char line[128];
        snprintf(line, sizeof(line), "$W export $D/sample.wscope --gltf %s", names[i]);
        says(run(2, line), "--gltf takes a name that ends in .gltf or .glb, not '");
    }
    says(run(2, "$W export $D/sample.wscope --rays - --rays-max 5"), "--rays-max needs --gltf OUT");
    says(run(2, "$W export $D/sample.wscope --geometry -"), "--geometry takes a folder");
    says(run(2, "$W export $D/sample.wscope --rays - --image -"), "only one file can go to standard output");
}

/* What cannot be written whole leaves what was there, and nothing beside it, whichever command writes it. */
static void full_disks(void **state)
{
    (void)state;
    static const struct {
        const char *line;
        int blocks; /* of 512 bytes: temporary files find room, and what is written does not */
    } cases[] = {
        {"report $CAPTURES/f_query.wscope ray_events --csv-folder $D/full", 0},
        {"report $CAPTURES/f_query.wscope ray_events --plots $D/full", 0},
        {"export $CAPTURES/f_query.wscope --rays $D/full/a.parquet", 0},
        {"export $CAPTURES/f_query.wscope --geometry $D/full", 40},
        {"export $CAPTURES/f_query.wscope --gltf $D/full/a.glb", 40},
        {"export $CAPTURES/f_query.wscope --gltf $D/full/a.gltf", 40},
        {"instrument $D/empty.spv -o $D/full/a.spv", 0},
        {"html $CAPTURES/f_query.wscope -o $D/full/a.html", 40}, /* last: a build may have no viewer */
    };
    run(0, "printf '\\003\\002\\043\\007\\000\\000\\001\\000\\000\\000\\000\\000"
           "\\001\\000\\000\\000\\000\\000\\000\\000\\016\\000\\003\\000"
           "\\000\\000\\000\\000\\001\\000\\000\\000' >$D/empty.spv");
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]) - (HAS_VIEWER ? 0 : 1); ++i) {
        char line[512];
        snprintf(line, sizeof(line),
                 "rm -rf $D/full $D/whole; mkdir $D/full; $W %s 2>&1 && cp -r $D/full $D/whole",
                 cases[i].line);
        run(0, line);
        snprintf(line, sizeof(line), "(trap '' XFSZ; ulimit -f %d; exec $W %s 2>&1)", cases[i].blocks,
                 cases[i].line);
        const char *said = run(1, line);
        says(said, "cannot write '");
        assert_null(strstr(said, ".warpscope-"));
        run(0, "diff -r $D/full $D/whole && test -z \"$(find $D/full -name '.warpscope-*')\"");
    }
    /* What SIGKILL left of a data set is taken away, and what of it was moved already is told. */
    static const char killed[] = "mkdir -p $D/killed/frame=0 && cd $D/killed && "
                                 "mkdir -m 700 .warpscope-unfinished-abcdef && touch -d '2 minutes ago' .w*";
    run(0, killed);
    says(run(1, "$W export $CAPTURES/f_query.wscope --rays $D/killed/"),
         "an export into it was killed, and ");
    run(0, killed);
    run(0, "rmdir $D/killed/frame=0 && $W export $CAPTURES/f_query.wscope --rays $D/killed/ && "
           "test -z \"$(find $D/killed -name '.warpscope-*')\"");
    /* A data set in a folder is there as a whole, or not at all. */
    static const char *const tables[] = {"rays", "records"};
    for (size_t i = 0; i < sizeof(tables) / sizeof(tables[0]); ++i) {
        char line[256];
        snprintf(
            line, sizeof(line),
            "rm -rf $D/set; trap '' XFSZ; ulimit -f 0; $W export $CAPTURES/f_query.wscope --%s $D/set/ 2>&1",
            tables[i]);
        const char *said = run(1, line);
        says(said, "/set/frame=0/pipeline=0/part-0.parquet'");
        assert_null(strstr(said, ".warpscope-"));
        run(0, "test ! -e $D/set && mkdir $D/set");
        snprintf(line, sizeof(line), "$W export $CAPTURES/f_query.wscope --%s $D/set", tables[i]);
        run(0, line);
        says(run(0, "cd $D/set && find . -type f"), "./frame=0/pipeline=0/part-0.parquet\n");
    }
}

/* A program that rasterizes has no scene, and no calls whose threads could be compacted. */
static void nothing_of_rays(void **state)
{
    (void)state;
    says(run(0, "$W report $CAPTURES/raster.wscope advice"), "are idle: see hotspots and divergence.\n");
    const char *text = run(0, "$W export $CAPTURES/raster.wscope --gltf $D/empty.glb");
    says(text, "the scene is empty: '");
    assert_null(strstr(text, "it opens with"));
}

static void annotate(void **state)
{
    (void)state;
    says(run(2, "$W annotate"), "the capture to annotate is missing");
    says(run(2, "$W annotate $D/sample.wscope --as basic"), "--as takes source, glsl or spirv, not 'basic'");
    says(run(1, "$W annotate $D/sample.wscope --shader nothing"), "there is no shader 'nothing'");
    says(run(1, "$W annotate $D/none.wscope"), "No such file");
    /* GLSL that was made is not taken for the source. */
    says(run(0, "$W annotate $CAPTURES/raster.wscope --as glsl"),
         "\nGLSL that SPIRV-Cross, a decompiler, made of the module's SPIR-V: ");
    assert_null(strstr(run(0, "$W annotate $CAPTURES/raster.wscope --as source"), "decompiler"));
    says(run(1, "$W annotate $D/sample.wscope --shader '*' --as source"), "cannot be shown so: ");
}

static void instrument(void **state)
{
    (void)state;
    says(run(2, "$W instrument"), "the module to instrument is missing");
    says(run(2, "$W instrument a.spv"), "say with -o where to write");
    says(run(2, "$W instrument -p nothing a.spv -o b.spv"),
         "there is no pass 'nothing'; there are: simt_efficiency");
    says(run(2, "$W instrument -p nothing a.spv -o b.spv"),
         ", all, and those of plug-ins (--plugin FILE, WARPSCOPE_PLUGINS)");
    says(run(2, "$W instrument --stages pixel a.spv -o b.spv"), "there is no stage 'pixel'; there are: all");
    says(run(1, "$W instrument $D/none.spv -o $D/out.spv"), "none.spv': No such file");
    /* Only modules are replaced, and only compiled probes. */
    says(run(2, "echo notes >$D/notes.txt; $W instrument a.spv -o $D/notes.txt"), "-o would overwrite '");
    says(run(2, "$W instrument a.spv -o $D/sample.wscope"), "-o would overwrite the capture '");
    says(run(2, "$W probe -e 'after OpFDiv { count(); }' --compile $D/notes.txt"),
         "--compile would overwrite '");
    says(run(0,
             "for i in 1 2; do $W probe -e 'after OpFDiv { count(); }' --compile $D/a.wsprobe || exit; done; "
             "cat $D/notes.txt"),
         "notes\n");
    /* The module that is read is not replaced, by whatever name. */
    says(run(2, "printf '\\003\\002\\043\\007' >$D/in.spv; $W instrument $D/in.spv -o $D/in.spv"),
         "in.spv' would overwrite '");
    says(run(2, "ln -sf in.spv $D/link.spv; $W instrument $D/in.spv -o $D/link.spv"), "', which is read");
    says(run(2, ">$D/empty.probe; $W probe $D/empty.probe --compile $D/empty.probe"), "--compile '");
    says(run(1, "printf 12345 > $D/odd.spv; $W instrument $D/odd.spv -o $D/out.spv"), "not whole words");
    says(run(1, "$W instrument $D/sample.wscope -o $D/out.spv || test ! -e $D/out.spv && exit 1"),
         "warpscope: ");
    /* The file is named once, whoever found out what is wrong. */
    says(run(0, "printf 12345 > $D/twice.spv; $W instrument $D/twice.spv -o $D/out.spv 2>&1 | grep -o twice "
                "| wc -l"),
         "1\n");
    says(run(0, "printf 12345678 > $D/twice.spv; $W instrument $D/twice.spv -o $D/out.spv 2>&1 | grep -o "
                "twice | wc -l"),
         "1\n");
}

/* Whoever judges the result is named: the SPIRV-Tools that are linked, or a program. */
static void validators(void **state)
{
    (void)state;
    /* A compute shader that does nothing. */
    static const uint32_t module[] = {
        0x7230203, 0x10000, 0x0,     0x5, 0x0,  0x20011, 0x1,     0x3000e, 0x0,     0x1,    0x4000f, 0x5,
        0x1,       0x6d,    0x60010, 0x1, 0x11, 0x1,     0x1,     0x1,     0x20013, 0x2,    0x30021, 0x3,
        0x2,       0x50036, 0x2,     0x1, 0x0,  0x3,     0x200f8, 0x4,     0x100fd, 0x10038};
    char path[128];
    snprintf(path, sizeof(path), "%s/small.spv", folder);
    FILE *file = fopen(path, "wbe");
    assert_non_null(file);
    assert_int_equal(fwrite(module, sizeof(module), 1, file), 1);
    assert_int_equal(fclose(file), 0);
    run(0,
        "printf \"#!/bin/sh\necho SPIRV-Tools v2099.1; cat >$D/seen.spv\n\" > $D/newer; chmod +x $D/newer");
    run(0, "printf '#!/bin/sh\necho SPIRV-Tools v2099.2; test $1 = --version\n' > $D/strict; chmod +x "
           "$D/strict");
    says(run(0, "$W instrument $D/small.spv -o $D/out.spv --validate"), "Vulkan 1.3, by SPIRV-Tools v");
    says(run(0, "$W instrument $D/small.spv -o $D/out.spv --validator $D/newer; cmp $D/out.spv $D/seen.spv"),
         "Vulkan 1.3, by SPIRV-Tools v2099.1\n");
    says(run(1, "$W instrument $D/small.spv -o $D/out.spv --validator $D/strict"),
         "the original is invalid already, by SPIRV-Tools v2099.2: ");
    says(run(1, "$W instrument $D/small.spv -o $D/out.spv --validator $D/none"), "name a spirv-val");
    says(run(1, "$W instrument $D/small.spv -o $D/out.spv --validator false"), "does not tell its version");
}

/* What is in the name of a file does not reach the terminal as it is. */
static void control_characters(void **state)
{
    (void)state;
    says(run(1, "$W report \"$(printf 'red\\033[31m\\200')\""), "'red\\x1b[31m?'");
    says(run(2, "$W \"$(printf 'red\\033[31m')\""), "'red\\x1b[31m'");
    says(run(2, "$W report --nonsense"), "warpscope: there is no option '--nonsense'");
}

/* Where the shell closed a stream, nothing that was meant for it goes into a file. */
static void closed_streams(void **state)
{
    (void)state;
    says(run(1, "$W report $D/sample.wscope >&-"), "cannot write the output");
    run(0,
        "$W record -o $D/a.wscope -- cp $D/sample.wscope $D/a.wscope 2>&-; cmp $D/a.wscope $D/sample.wscope");
    /* A module without entry points comes out as it was, with a message. */
    says(run(0,
             "printf '\\003\\002\\043\\007\\000\\000\\001\\000\\000\\000\\000\\000"
             "\\001\\000\\000\\000\\000\\000\\000\\000\\016\\000\\003\\000"
             "\\000\\000\\000\\000\\001\\000\\000\\000' > $D/empty.spv; "
             "$W instrument $D/empty.spv -o $D/out.spv 2>&- >&-; cmp $D/empty.spv $D/out.spv && echo same"),
         "same");
}

static void lists(void **state)
{
    (void)state;
    says(run(0, "$W list"), "simt_efficiency");
    says(run(0, "$W list analyses"), "of pass: warp_entry_exit");
    says(run(0, "$W list advice"), "\n  cull_mask  ");
    says(run(0, "$W list stages"), "closest_hit");
    says(run(0, "$W list settings"), "VK_WARPSCOPE_CAPTURE_PASSES");
    says(run(0, "$W list settings"), "VK_EXT_layer_settings");
    says(run(2, "$W list colours"), "there is no list of 'colours'");
}

/* What is wrong with the arguments is said before anything runs. */
static void record_arguments(void **state)
{
    (void)state;
    says(run(2, "$W record"), "the program to run is missing");
    says(run(2, "$W record -p nothing -- touch $D/ran; test ! -e $D/ran && exit 2"),
         "there is no pass 'nothing'");
    says(run(2, "$W record --frames 9-3 -- true"), "--frames takes A-B, A- or A");
    says(run(2, "$W record --launches x -- true"), "--launches takes A-B, A- or A");
    says(run(2, "$W record --invocations x -- true"), "--invocations takes A-B, A- or A");
    says(run(2, "$W record --max-sites -1 -- true"), "--max-sites takes a number");
    says(run(2, "$W record --stages pixel -- true"), "there is no stage 'pixel'");
    static const char *const wrong[][2] = {
        {"--buffer", "0"},     {"--buffer", "1023"},    {"--buffer", "15G"},
        {"--buffer", "1T"},    {"--buffer", "-1K"},     {"--buffer-limit", "many"},
        {"--threads", "9-3"},  {"--threads", "1/0"},    {"--threads", "/"},
        {"--threads", "a"},    {"--threads", "1-2-3"},  {"--threads", "4294967296"},
        {"--pixels", "1"},     {"--pixels", "4,4-3,5"}, {"--pixels", "4,4-5,3"},
        {"--pixels", "1,2,3"}, {"--pixels", "1,2-"},    {"--tile", "8x8"},
        {"--tile", "0x8/2"},   {"--tile", "8x8/0"},     {"--tile", "8*8/2"},
    };
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); ++i) {
        char line[128];
        char expected[64];
        snprintf(line, sizeof(line), "$W record %s %s -- touch $D/ran; test ! -e $D/ran && exit 2",
                 wrong[i][0], wrong[i][1]);
        snprintf(expected, sizeof(expected), "%s takes ", wrong[i][0]);
        says(run(2, line), expected);
    }
    says(run(1, "$W record -o $D -- touch $D/ran; test ! -e $D/ran && exit 1"), "it is a folder");
    says(run(1, "$W record -o /dev/full -- touch $D/ran; test ! -e $D/ran && exit 1"), "no regular file");
    says(run(1, "$W record -o $D/no/where -- touch $D/ran; test ! -e $D/ran && exit 1"), "folder '");
    says(run(1, "$W record -o $D/a.wscope -- $D/none"), "cannot start");
}

/* Programs that make no Vulkan device. */
static void record_programs(void **state)
{
    (void)state;
    says(run(1, "$W record -o $D/a.wscope -- true"), "no capture was made: there is no Vulkan ");
    says(run(7, "$W record -o $D/a.wscope -- sh -c 'exit 7'"),
         "no capture was made: the program ended with status 7 before it used Vulkan");
    says(run(128 + 15, "$W record -o $D/a.wscope -- sh -c 'kill -TERM $$'"), "ended by signal 15");
    says(run(1, "$W record -o $D/a.wscope -- sh -c 'echo output; echo \"$@\"' - --frames 'two words'"),
         "output\n--frames two words\n");
    /* What the user set stays, behind what we add. */
    const char *environment =
        run(1, "VK_INSTANCE_LAYERS=VK_LAYER_A:VK_LAYER_B VK_LAYER_PATH=/x:/y WARPSCOPE_LOG_LEVEL=none "
               "$W record --frames 1-2 -o \"$D/100%.wscope\" -- env");
    says(environment, "VK_INSTANCE_LAYERS=VK_LAYER_WARPSCOPE_capture:VK_LAYER_A:VK_LAYER_B\n");
    says(environment, "/manifests/explicit:/x:/y\n");
    says(environment, "WARPSCOPE_LOG_LEVEL=none\n");
    says(environment, "VK_WARPSCOPE_CAPTURE_FRAMES=1-2\n");
    says(environment, "VK_WARPSCOPE_CAPTURE_PASSES=simt_efficiency\n");
    says(environment, "/100%%.wscope\n");
    environment = run(
        1, "VK_ADD_LAYER_PATH=/added HOME=/home/me XDG_DATA_DIRS=/d1:/d2 $W record -o $D/a.wscope -- env");
    says(environment, "/manifests/explicit:/added:/home/me/.config/vulkan/explicit_layer.d:");
    says(environment, ":/d1/vulkan/explicit_layer.d:/d2/vulkan/explicit_layer.d\n");
    static const char *const samples[][3] = {
        {"--buffer", "1K", "BUFFER_SIZE"},
        {"--buffer", "8G", "BUFFER_SIZE"},
        {"--buffer-limit", "64m", "BUFFER_LIMIT"},
        {"--threads", "5", "THREADS"},
        {"--threads", "5-", "THREADS"},
        {"--threads", "5-5", "THREADS"},
        {"--threads", "/8", "THREADS"},
        {"--threads", "1/8", "THREADS"},
        {"--threads", "1-/8", "THREADS"},
        {"--threads", "1-9/8", "THREADS"},
        {"--pixels", "3,4", "PIXELS"},
        {"--pixels", "3,4-3,4", "PIXELS"},
        {"--tile", "16x8/4", "TILE"},
        {"-p", "all", "PASSES"},
        {"-p", "divergence,warp_entry_exit", "PASSES"},
    };
    for (size_t i = 0; i < sizeof(samples) / sizeof(samples[0]); ++i) {
        char line[128];
        char expected[96];
        snprintf(line, sizeof(line), "$W record -o $D/a.wscope %s %s -- env", samples[i][0], samples[i][1]);
        snprintf(expected, sizeof(expected), "VK_WARPSCOPE_CAPTURE_%s=%s\n", samples[i][2], samples[i][1]);
        says(run(1, line), expected);
    }
    says(run(1, "$W record -o $D/a.wscope --geometry -- env"), "VK_WARPSCOPE_CAPTURE_GEOMETRY=on\n");
    says(run(1, "$W record -o $D/a.wscope --no-geometry -- env"), "VK_WARPSCOPE_CAPTURE_GEOMETRY=off\n");
    environment = run(1, "WARPSCOPE_PASSES=mine $W record -o $D/a.wscope -- env");
    assert_null(strstr(environment, "VK_WARPSCOPE_CAPTURE_PASSES"));
}

/* An old capture is not taken for a new one, a new one is found, and so are those of further processes. */
static void record_results(void **state)
{
    (void)state;
    says(run(1, "cp $D/sample.wscope $D/old.wscope; touch -d '1 hour ago' $D/old.wscope; "
                "$W record -o $D/old.wscope -- true"),
         "no capture was made");
    const char *found = run(0, "$W record -o $D/new.wscope -- cp $D/sample.wscope $D/new.wscope");
    says(found, "captured to '");
    says(found, "next: warpscope summary '");
    says(found, "new.wscope': 1 frame, 1 launch, 128 bytes of records, in a file of 3.");
    assert_string_equal(run(0, "$W record -q -o $D/new.wscope -- cp $D/sample.wscope $D/new.wscope"), "");
    /* The parts .. of a path are none of those that messages show; a link is followed before its .. is. */
    found = run(0, "W=$(readlink -f $W); mkdir -p $D/far/x; ln -sfn $D/far/x $D/link; "
                   "cd $D/far/x && $W record -o ../../new.wscope -- cp $D/sample.wscope $D/new.wscope");
    says(found, "/new.wscope': 1 frame");
    assert_null(strstr(found, "/../"));
    found = run(0, "$W record -o $D/link/../y.wscope -- cp $D/sample.wscope $D/far/y.wscope");
    says(found, "/far/y.wscope': 1 frame");
    assert_null(strstr(found, "/../"));
    found = run(3, "$W record -o $D/m.wscope -- sh -c \"cp $D/sample.wscope $D/m.wscope; "
                   "cp $D/sample.wscope $D/m.123.wscope; exit 3\"");
    says(found, "captured to '");
    says(found, "/m.wscope': ");
    says(found, "/m.123.wscope': 1 frame, 1 launch, 128 bytes of records, in a file of ");
    /* Only captures are replaced, and that is found out before the program runs. */
    says(run(1, "echo mine >$D/mine.txt; $W record -o $D/mine.txt -- touch $D/ran"),
         "mine.txt': that file is there and is no capture; name another with -o, or remove it");
    says(run(1, "cat $D/mine.txt; test -e $D/ran"), "mine\n");
    /* A file of the very time of the start, or of a later one, is none of this run's if nothing wrote it. */
    says(run(1, "true >$D/empty; touch -d '1 hour' $D/empty; $W record -o $D/empty -- true"),
         "no capture was made");
    says(run(1, "$W record -o $D/e.wscope -- sh -c \"head -c 100 $D/sample.wscope > $D/e.wscope\""),
         "holds nothing: it was cut short before the first counts came");
}

/* Two captures compared: the exit status tells a condition that holds (3) from what failed (1) and wrong arguments (2). */
static void diff(void **state)
{
    (void)state;
    const char *text = run(0, "$W diff $D/sample.wscope $D/sample.wscope");
    says(text, "settings  the same passes, settings, device, frames and launches\n");
    says(text, "Nothing changed: all of ");
    says(run(0, "$W diff $D/sample.wscope $CAPTURES/memory.wscope"), "\nNothing can be compared: ");
    assert_null(
        strstr(run(0, "$W diff $D/sample.wscope $D/sample.wscope --fail-if 'instructions<0' 2>&1"), "holds"));
    says(run(3, "$W diff $D/sample.wscope $D/sample.wscope --fail-if 'instructions<0' --fail-if "
                "'instructions>=0%'"),
         "--fail-if 'instructions>=0%' holds: instructions of simt_efficiency went from ");
    says(run(2, "$W diff $D/sample.wscope"), "the capture after the change");
    says(run(2, "$W diff a b --fail-if 'effciency<-2%'"),
         "there is no figure 'effciency'; did you mean 'efficiency'?");
    says(run(2, "$W diff a b --fail-if 'divergense.active<1'"), "did you mean 'divergence'?");
    says(run(2, "$W diff a b --fail-if efficiency"), "a condition is FIGURE[@ROW] COMPARISON NUMBER[%]");
    says(run(2, "$W diff a b --fail-if 'efficiency<much'"),
         "a condition is FIGURE[@ROW] COMPARISON NUMBER[%]");
    says(run(2, "$W diff a b --fail-if 'executions<1'"), "say which");
    says(run(2, "$W diff a b --least x"), "--least takes a change in percent");
    says(run(1, "$W diff $D/sample.wscope $D/none"), "none");
    /* Figures of a part are not taken for those of the whole. */
    says(run(4, "head -c -10 $D/sample.wscope >$D/part.wscope; $W diff $D/sample.wscope $D/part.wscope"),
         "\n  settings  file whole -> cut short (the file breaks off behind byte ");
    says(run(4, "$W diff $D/part.wscope $D/part.wscope"),
         "\n  settings  file cut short (the file breaks off behind byte ");
    says(run(1, "$W diff $D/sample.wscope $D/part.wscope --fail-if 'efficiency<-2%'"),
         "part.wscope' is cut short: the file breaks off behind byte ");
    says(run(1, "$W diff $D/sample.wscope $D/sample.wscope --fail-if 'rays>0'"), "ray_events");
    says(run(1, "$W diff $D/sample.wscope $D/sample.wscope --fail-if 'instructions@nosuch*>0'"),
         "no row of both captures");
    says(run(0, "$W diff $D/sample.wscope $D/sample.wscope --json"), "\"format\": \"warpscope-diff\"");
    says(run(0, "$W diff $D/sample.wscope $D/sample.wscope --csv"), "analysis,table,row,figure,a,b,change,");
    says(run(0, "$W list figures"), "  efficiency ");
}

int main(int argument_count, char **arguments)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(help_and_version),
        cmocka_unit_test(full_disks),
        cmocka_unit_test(statuses),
        cmocka_unit_test(topics),
        cmocka_unit_test(topics_by_several_words),
        cmocka_unit_test(near_names),
        cmocka_unit_test(one_screen),
        cmocka_unit_test(given_twice),
        cmocka_unit_test(dangling_links),
        cmocka_unit_test(report),
        cmocka_unit_test(report_tables),
        cmocka_unit_test(report_names),
        cmocka_unit_test(report_of_some),
        cmocka_unit_test(report_lanes),
        cmocka_unit_test(report_files),
        cmocka_unit_test(widths),
        cmocka_unit_test(summary),
        cmocka_unit_test(summary_of_memory),
        cmocka_unit_test(summary_of_parts),
        cmocka_unit_test(diff),
        cmocka_unit_test(narrow_reports),
        cmocka_unit_test(colours),
        cmocka_unit_test(pagers),
        cmocka_unit_test(progress),
        cmocka_unit_test(limits),
        cmocka_unit_test(plots),
        cmocka_unit_test(damaged_captures),
        cmocka_unit_test(pages),
        cmocka_unit_test(export),
        cmocka_unit_test(annotate),
        cmocka_unit_test(nothing_of_rays),
        cmocka_unit_test(instrument),
        cmocka_unit_test(validators),
        cmocka_unit_test(lists),
        cmocka_unit_test(control_characters),
        cmocka_unit_test(closed_streams),
        cmocka_unit_test(record_arguments),
        cmocka_unit_test(record_programs),
        cmocka_unit_test(record_results),
    };
    setenv("VK_DRIVER_FILES", "/none", 1); /* what is said of Vulkan here does not depend on the machine */
    setenv("VK_ICD_FILENAMES", "/none", 1);
    if (argument_count != 3 || setenv("CAPTURES", arguments[2], 1) != 0)
        return 2;
    warpscope = arguments[1];
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
