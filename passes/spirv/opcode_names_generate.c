/* Runs while building: reads the SPIR-V grammars of the SPIRV-Headers package and writes the C tables of names that
 * code.h and operand_names.h declare.
 *   opcode_names_generate CORE.json EXTENDED.json OUT.c */
#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>

static char *read_file(const char *path)
{
    FILE *file = fopen(path, "rb");
    if (file == NULL)
        return NULL;
    char *text = NULL;
    if (fseek(file, 0, SEEK_END) == 0) {
        long size = ftell(file);
        rewind(file);
        text = size >= 0 ? calloc(1, (size_t)size + 1) : NULL;
        if (text != NULL && fread(text, 1, (size_t)size, file) != (size_t)size) {
            free(text);
            text = NULL;
        }
    }
    fclose(file);
    return text;
}

/* A name as code has it: "'Ray Tmin'" is ray_tmin. Of a list of names, the first. */
static void write_name(FILE *out, const char *name)
{
    bool gap = false;
    bool any = false;
    for (const char *c = name; *c != '\0' && strncmp(c, ", +", 3) != 0; c++) {
        if (!isalnum((unsigned char)*c)) {
            gap = any;
            continue;
        }
        fprintf(out, "%s%c", gap ? "_" : "", tolower((unsigned char)*c));
        gap = false;
        any = true;
    }
}

static bool is_id(const char *kind)
{
    return strcmp(kind, "IdRef") == 0 || strcmp(kind, "IdScope") == 0 ||
           strcmp(kind, "IdMemorySemantics") == 0;
}

static const char *text_of(const cJSON *object, const char *member)
{
    const cJSON *item = cJSON_GetObjectItem(object, member);
    return cJSON_IsString(item) ? item->valuestring : "";
}

/* The layout of an instruction (operand_names.h), as far as each operand is one word. */
static void write_layout(FILE *out, const cJSON *instruction)
{
    const cJSON *operand = NULL;
    const char *comma = "";
    cJSON_ArrayForEach(operand, cJSON_GetObjectItem(instruction, "operands"))
    {
        const char *kind = text_of(operand, "kind");
        const char *name = text_of(operand, "name");
        const char *quantifier = text_of(operand, "quantifier");
        if (strncmp(kind, "IdResult", 8) == 0)
            continue;
        if (strncmp(kind, "Pair", 4) == 0 || strcmp(kind, "LiteralString") == 0 ||
            strcmp(kind, "LiteralContextDependentNumber") == 0 || strcmp(kind, "MemoryAccess") == 0)
            break;
        if (strcmp(kind, "ImageOperands") == 0) {
            fprintf(out, "%s@", comma);
            break;
        }
        fprintf(out, "%s%s%s", comma, strcmp(quantifier, "*") == 0 ? "*" : "", is_id(kind) ? "" : "=");
        write_name(out, name[0] != '\0' ? name : kind);
        comma = ",";
        if (strcmp(quantifier, "*") == 0)
            break;
    }
}

/* Aliases come after the name they stand for, with its number: the first name is the one shown. */
static void write_cases(FILE *out, const cJSON *instructions, bool layouts)
{
    unsigned char *seen = calloc(65536, 1);
    const cJSON *instruction = NULL;
    cJSON_ArrayForEach(instruction, instructions)
    {
        const cJSON *opcode = cJSON_GetObjectItem(instruction, "opcode");
        if (seen == NULL || !cJSON_IsNumber(opcode) || opcode->valueint < 0 || opcode->valueint > 65535 ||
            seen[opcode->valueint])
            continue;
        seen[opcode->valueint] = 1;
        fprintf(out, "    case %d: return \"", opcode->valueint);
        if (layouts)
            write_layout(out, instruction);
        else
            fputs(text_of(instruction, "opname"), out);
        fputs("\";\n", out);
    }
    free(seen);
}

static void write_function(FILE *out, const char *name, const cJSON *instructions, bool layouts)
{
    fprintf(out, "\nconst char *%s(uint32_t opcode)\n{\n    switch (opcode) {\n", name);
    write_cases(out, instructions, layouts);
    fputs("    default: return NULL;\n    }\n}\n", out);
}

static cJSON *read_grammar(const char *path)
{
    char *text = read_file(path);
    cJSON *grammar = text != NULL ? cJSON_Parse(text) : NULL;
    free(text);
    if (!cJSON_IsArray(cJSON_GetObjectItem(grammar, "instructions"))) {
        fprintf(stderr, "%s: cannot read the SPIR-V grammar\n", path);
        cJSON_Delete(grammar);
        return NULL;
    }
    return grammar;
}

int main(int argument_count, char **arguments)
{
    if (argument_count != 4) {
        fprintf(stderr, "usage: %s GRAMMAR.json EXTENDED.json OUT.c\n", arguments[0]);
        return 2;
    }
    int status = 1;
    FILE *out = NULL;
    cJSON *grammar = read_grammar(arguments[1]);
    cJSON *extended = read_grammar(arguments[2]);
    if (grammar == NULL || extended == NULL)
        goto error;
    out = fopen(arguments[3], "wb");
    if (out == NULL) {
        fprintf(stderr, "%s: cannot write\n", arguments[3]);
        goto error;
    }
    fputs("#include \"warpscope/spirv/code.h\"\n#include \"passes/spirv/operand_names.h\"\n", out);
    write_function(out, "ws_opcode_name", cJSON_GetObjectItem(grammar, "instructions"), false);
    write_function(out, "ws_opcode_layout", cJSON_GetObjectItem(grammar, "instructions"), true);
    write_function(out, "ws_extended_name", cJSON_GetObjectItem(extended, "instructions"), false);
    write_function(out, "ws_extended_layout", cJSON_GetObjectItem(extended, "instructions"), true);
    status = 0;
error:
    if (out != NULL && fclose(out) != 0)
        status = 1;
    cJSON_Delete(grammar);
    cJSON_Delete(extended);
    return status;
}
