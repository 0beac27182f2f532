#include "analysis/command/completion.h"

#include <string.h>

#include "analysis/command/command.h"

/* Prints a text for single quotes, with a backslash before each of `special`. */
static void print_quoted(const char *text, const char *special, FILE *stream)
{
    for (; *text != '\0'; ++text)
        if (*text == '\'')
            fputs("'\\''", stream);
        else
            fprintf(stream, "%s%c", strchr(special, *text) != NULL ? "\\" : "", *text);
}

static void print_choices(const struct ws_option *option, FILE *stream)
{
    const char *choice = NULL;
    for (size_t i = 0; (choice = option->choice(option, i)) != NULL; ++i)
        fprintf(stream, "%s%s", i > 0 ? " " : "", choice);
}

static void print_operand_choices(const struct ws_operand *operand, FILE *stream)
{
    const char *choice = NULL;
    for (size_t i = 0; (choice = operand->choice(i)) != NULL; ++i)
        fprintf(stream, "%s%s", i > 0 ? " " : "", choice);
}

static void print_commands(FILE *stream)
{
    for (size_t i = 0; ws_commands[i] != NULL; ++i)
        fprintf(stream, "%s%s", i > 0 ? " " : "", ws_commands[i]->name);
}

/* BASH */

static const char bash_functions[] =
    "# Completion of warpscope for bash.\n"
    "_warpscope_words() { mapfile -t COMPREPLY < <(compgen -W \"$1\" -- \"$cur\"); }\n"
    "\n"
    "# The last name of a list with commas, of those that are not in it yet.\n"
    "_warpscope_list()\n"
    "{\n"
    "    local before= name rest=()\n"
    "    [[ $cur == *,* ]] && before=${cur%,*},\n"
    "    for name in $1; do [[ ,$before != *,$name,* ]] && rest+=(\"$before$name\"); done\n"
    "    _warpscope_words \"${rest[*]}\"\n"
    "    compopt -o nospace 2>/dev/null\n"
    "}\n"
    "\n"
    "_warpscope_files()\n"
    "{\n"
    "    compopt -o filenames 2>/dev/null\n"
    "    mapfile -t COMPREPLY < <(compgen \"$@\" -- \"$cur\"; [[ $1 == -d ]] || compgen -d -- \"$cur\")\n"
    "}\n"
    "\n"
    "# Captures; where there is none, any file.\n"
    "_warpscope_captures()\n"
    "{\n"
    "    _warpscope_files -f -X '!*.wscope'\n"
    "    [ ${#COMPREPLY[@]} -gt 0 ] || _warpscope_files -f\n"
    "}\n"
    "\n"
    "# What a program gets that begins at word $1.\n"
    "_warpscope_program()\n"
    "{\n"
    "    if declare -F _command_offset >/dev/null; then\n"
    "        _command_offset \"$1\"\n"
    "    elif [ \"$COMP_CWORD\" -eq \"$1\" ]; then\n"
    "        _warpscope_files -c\n"
    "    else\n"
    "        _warpscope_files -f\n"
    "    fi\n"
    "}\n"
    "\n"
    "_warpscope()\n"
    "{\n"
    "    local cur=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]} "
    "command=${COMP_WORDS[1]}\n"
    "    local options= values= operand=0 i\n"
    "    COMPREPLY=()\n"
    "    # --rows=3 is three words.\n"
    "    [[ $cur == = ]] && cur= && previous=${COMP_WORDS[COMP_CWORD - 1]}\n"
    "    [[ $previous == = ]] && previous=${COMP_WORDS[COMP_CWORD - 2]}\n"
    "    if [ \"$COMP_CWORD\" -eq 1 ]; then\n";

static const char bash_operands[] =
    "    if [ \"$command\" = record ]; then\n"
    "        for ((i = 2; i < COMP_CWORD; ++i)); do\n"
    "            if [[ ${COMP_WORDS[i]} == -- ]]; then _warpscope_program $((i + 1)); return; fi\n"
    "            [[ $values == *\" ${COMP_WORDS[i]} \"* ]] && ((++i)) && continue\n"
    "            if [[ ${COMP_WORDS[i]} != -* ]]; then _warpscope_program \"$i\"; return; fi\n"
    "        done\n"
    "    fi\n";

static const char bash_count[] = "    if [[ $cur == -* ]]; then _warpscope_words \"$options\"; return; fi\n"
                                 "    for ((i = 2; i < COMP_CWORD; ++i)); do\n"
                                 "        if [[ $values == *\" ${COMP_WORDS[i]} \"* ]]; then\n"
                                 "            ((++i))\n"
                                 "            [[ ${COMP_WORDS[i]} == = ]] && ((++i))\n"
                                 "        elif [[ ${COMP_WORDS[i]} != -* ]]; then\n"
                                 "            ((++operand))\n"
                                 "        fi\n"
                                 "    done\n"
                                 "    case $command-$operand in\n";

/* What completes a value or operand of that kind; choices and a quote follow. */
static void bash_begin(enum ws_argument_kind kind, FILE *stream)
{
    static const char *const calls[] = {
        [WS_ARGUMENT_ANY] = "",
        [WS_ARGUMENT_CAPTURE] = "_warpscope_captures",
        [WS_ARGUMENT_FILE] = "_warpscope_files -f",
        [WS_ARGUMENT_FOLDER] = "_warpscope_files -d",
        [WS_ARGUMENT_CHOICE] = "_warpscope_words '",
        [WS_ARGUMENT_CHOICES] = "_warpscope_list '",
        [WS_ARGUMENT_PROGRAM] = "_warpscope_program \"$COMP_CWORD\"",
    };
    fputs(calls[kind], stream);
}

static bool has_choices(enum ws_argument_kind kind)
{
    return kind == WS_ARGUMENT_CHOICE || kind == WS_ARGUMENT_CHOICES;
}

static void bash_options(const struct ws_command *command, FILE *stream)
{
    const struct ws_option *option = NULL;
    fprintf(stream, "    %s)\n        options='", command->name);
    for (size_t i = 0; (option = ws_command_option(command, i, NULL)) != NULL; ++i)
        if (option->help != NULL)
            fprintf(stream, "--%s ", option->name);
    fputs("'\n        values=' ", stream);
    for (size_t i = 0; (option = ws_command_option(command, i, NULL)) != NULL; ++i) {
        if (option->argument != NULL)
            fprintf(stream, "--%s ", option->name);
        if (option->argument != NULL && option->letter != 0)
            fprintf(stream, "-%c ", option->letter);
    }
    fputs("' ;;\n", stream);
}

static void bash_values(const struct ws_command *command, FILE *stream)
{
    const struct ws_option *option = NULL;
    for (size_t i = 0; (option = ws_command_option(command, i, NULL)) != NULL; ++i) {
        if (option->argument == NULL)
            continue;
        fprintf(stream, "    %s--%s", command->name, option->name);
        if (option->letter != 0)
            fprintf(stream, " | %s-%c", command->name, option->letter);
        fputs(") ", stream);
        bash_begin(option->kind, stream);
        if (has_choices(option->kind))
            print_choices(option, stream);
        fprintf(stream, "%sreturn ;;\n",
                has_choices(option->kind)         ? "'; "
                : option->kind != WS_ARGUMENT_ANY ? "; "
                                                  : "");
    }
}

void ws_completion_write_bash(FILE *stream)
{
    fprintf(stream, "%s        _warpscope_words '", bash_functions);
    print_commands(stream);
    fputs(" --help --version'\n        return\n    fi\n    case $command in\n", stream);
    for (size_t i = 0; ws_commands[i] != NULL; ++i)
        bash_options(ws_commands[i], stream);
    fprintf(stream, "    esac\n%s    case $command$previous in\n", bash_operands);
    for (size_t i = 0; ws_commands[i] != NULL; ++i)
        bash_values(ws_commands[i], stream);
    fprintf(stream, "    esac\n%s", bash_count);
    for (size_t i = 0; ws_commands[i] != NULL; ++i)
        for (const struct ws_operand *operand = ws_commands[i]->operands; operand->name != NULL; ++operand) {
            fprintf(stream, "    %s-", ws_commands[i]->name);
            if (operand->repeats)
                fputc('*', stream);
            else
                fprintf(stream, "%d", (int)(operand - ws_commands[i]->operands));
            fputs(") ", stream);
            bash_begin(operand->kind, stream);
            if (has_choices(operand->kind))
                print_operand_choices(operand, stream);
            fprintf(stream, "%s;;\n", has_choices(operand->kind) ? "' " : " ");
        }
    fputs("    esac\n}\ncomplete -F _warpscope warpscope\n", stream);
}

/* ZSH */

/* Special in the specifications of _arguments. */
#define ZSH_SPECIAL "[]:\\"

/* What completes a value, behind its name. */
static void zsh_action(enum ws_argument_kind kind, FILE *stream)
{
    static const char *const actions[] = {
        [WS_ARGUMENT_ANY] = " ",
        [WS_ARGUMENT_CAPTURE] = "_files -g \"*.wscope(-.)\"",
        [WS_ARGUMENT_FILE] = "_files",
        [WS_ARGUMENT_FOLDER] = "_files -/",
        [WS_ARGUMENT_CHOICE] = "(",
        [WS_ARGUMENT_CHOICES] = "_sequence compadd - ",
        [WS_ARGUMENT_PROGRAM] = " _command_names -e",
    };
    fputs(actions[kind], stream);
}

static void zsh_option(const struct ws_option *option, FILE *stream)
{
    const char *value = option->argument != NULL ? "=" : "";
    if (option->letter != 0)
        fprintf(stream, "            '(-%c --%s)'{-%c%s,--%s%s}'[", option->letter, option->name,
                option->letter, option->argument != NULL ? "+" : "", option->name, value);
    else
        fprintf(stream, "            '--%s%s[", option->name, value);
    print_quoted(option->help, ZSH_SPECIAL, stream);
    fputc(']', stream);
    if (option->argument != NULL) {
        fputc(':', stream);
        print_quoted(option->argument, ZSH_SPECIAL, stream);
        fputc(':', stream);
        zsh_action(option->kind, stream);
        if (has_choices(option->kind))
            print_choices(option, stream);
        fputs(option->kind == WS_ARGUMENT_CHOICE ? ")" : "", stream);
    }
    fputs("' \\\n", stream);
}

static void zsh_operand(const struct ws_operand *operand, size_t number, FILE *stream)
{
    if (operand->kind == WS_ARGUMENT_PROGRAM)
        fputs("            '(-)1:", stream);
    else if (operand->repeats)
        fputs("            '*:", stream);
    else
        fprintf(stream, "            '%zu:%s", number, operand->missing == NULL ? ":" : "");
    print_quoted(operand->name, ZSH_SPECIAL, stream);
    fputc(':', stream);
    zsh_action(operand->kind, stream);
    if (has_choices(operand->kind))
        print_operand_choices(operand, stream);
    fprintf(stream, "%s' \\\n", operand->kind == WS_ARGUMENT_CHOICE ? ")" : "");
    if (operand->kind == WS_ARGUMENT_PROGRAM)
        fputs("            '*::arguments: _normal' \\\n", stream);
}

void ws_completion_write_zsh(FILE *stream)
{
    fputs("#compdef warpscope\n"
          "# Completion of warpscope for zsh.\n"
          "_warpscope()\n{\n"
          "    local curcontext=$curcontext state line\n"
          "    typeset -A opt_args\n"
          "    local -a subcommands\n"
          "    subcommands=(\n",
          stream);
    for (size_t i = 0; ws_commands[i] != NULL; ++i) {
        fprintf(stream, "        '%s:", ws_commands[i]->name);
        print_quoted(ws_commands[i]->summary, ZSH_SPECIAL, stream);
        fputs("'\n", stream);
    }
    fputs("    )\n"
          "    _arguments -C '(- *)'{-h,--help}'[print this]' '(- *)--version[print the version]' \\\n"
          "        '1:command:->command' '*::arguments:->arguments' && return\n"
          "    if [[ $state = command ]]; then\n"
          "        _describe command subcommands\n"
          "        return\n"
          "    fi\n"
          "    curcontext=${curcontext%:*:*}:warpscope-$words[1]:\n"
          "    case $words[1] in\n",
          stream);
    for (size_t i = 0; ws_commands[i] != NULL; ++i) {
        const struct ws_option *option = NULL;
        fprintf(stream, "    %s)\n        _arguments -S \\\n", ws_commands[i]->name);
        for (size_t j = 0; (option = ws_command_option(ws_commands[i], j, NULL)) != NULL; ++j)
            if (option->help != NULL)
                zsh_option(option, stream);
        for (size_t j = 0; ws_commands[i]->operands[j].name != NULL; ++j)
            zsh_operand(&ws_commands[i]->operands[j], j + 1, stream);
        fputs("            && return\n        ;;\n", stream);
    }
    fputs("    esac\n}\n_warpscope \"$@\"\n", stream);
}

/* FISH */

static const char fish_functions[] =
    "# Completion of warpscope for fish.\n"
    "# Whether command $argv[1] is typed, before the program of record.\n"
    "function __warpscope_is\n"
    "    set -l words (commandline -opc)\n"
    "    test (count $words) -ge 2; and test $words[2] = $argv[1]; and not contains -- -- $words\n"
    "end\n"
    "\n"
    "# What the program behind \"record --\" completes.\n"
    "function __warpscope_program\n"
    "    set -l words (commandline -opc)\n"
    "    set -l at (contains -i -- -- $words); or return\n"
    "    complete -C (string join ' ' -- (string escape -- $words[(math $at + 1)..-1]) (commandline -ct))\n"
    "end\n"
    "\n"
    "complete -c warpscope -f\n"
    "complete -c warpscope -n 'contains -- -- (commandline -opc)' -a '(__warpscope_program)'\n";

/* What completes a value: "-xa ..." or "-rF". */
static void fish_begin(enum ws_argument_kind kind, FILE *stream)
{
    static const char *const actions[] = {
        [WS_ARGUMENT_ANY] = " -x",
        [WS_ARGUMENT_CAPTURE] = " -xka '(__fish_complete_suffix .wscope)'",
        [WS_ARGUMENT_FILE] = " -rF",
        [WS_ARGUMENT_FOLDER] = " -xa '(__fish_complete_directories)'",
        [WS_ARGUMENT_CHOICE] = " -xa '",
        [WS_ARGUMENT_CHOICES] = " -xa '(__fish_append , ",
        [WS_ARGUMENT_PROGRAM] = " -xa '(__fish_complete_command)'",
    };
    fputs(actions[kind], stream);
}

static const char *fish_end(enum ws_argument_kind kind)
{
    return kind == WS_ARGUMENT_CHOICE ? "'" : kind == WS_ARGUMENT_CHOICES ? ")'" : "";
}

static void fish_command(const struct ws_command *command, FILE *stream)
{
    const struct ws_option *option = NULL;
    fprintf(stream, "\ncomplete -c warpscope -n __fish_use_subcommand -a %s -d '", command->name);
    print_quoted(command->summary, "\\", stream);
    fputs("'\n", stream);
    for (size_t i = 0; (option = ws_command_option(command, i, NULL)) != NULL; ++i) {
        if (option->help == NULL)
            continue;
        fprintf(stream, "complete -c warpscope -n '__warpscope_is %s' -l %s", command->name, option->name);
        if (option->letter != 0)
            fprintf(stream, " -s %c", option->letter);
        if (option->argument != NULL) {
            fish_begin(option->kind, stream);
            if (has_choices(option->kind))
                print_choices(option, stream);
            fputs(fish_end(option->kind), stream);
        }
        fputs(" -d '", stream);
        print_quoted(option->help, "\\", stream);
        fputs("'\n", stream);
    }
    for (const struct ws_operand *operand = command->operands; operand->name != NULL; ++operand) {
        fprintf(stream, "complete -c warpscope -n '__warpscope_is %s'", command->name);
        fish_begin(operand->kind, stream);
        if (has_choices(operand->kind))
            print_operand_choices(operand, stream);
        fprintf(stream, "%s\n", fish_end(operand->kind));
    }
}

void ws_completion_write_fish(FILE *stream)
{
    fputs(fish_functions, stream);
    for (size_t i = 0; ws_commands[i] != NULL; ++i)
        fish_command(ws_commands[i], stream);
}
