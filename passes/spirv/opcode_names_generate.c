/* Runs while building: reads the SPIR-V grammar of the SPIRV-Headers package and writes the C table of
 * opcode names that code.h declares.   opcode_names_generate spirv.core.grammar.json OUT.c */
#include <stdio.h>
#include <stdlib.h>

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

/* Aliases come after the name they stand for, with its number: the first name is the one shown. */
static void write_cases(FILE *out, const cJSON *instructions)
{
    static unsigned char seen[65536];
    const cJSON *instruction = NULL;
    cJSON_ArrayForEach(instruction, instructions)
    {
        const cJSON *name = cJSON_GetObjectItem(instruction, "opname");
        const cJSON *opcode = cJSON_GetObjectItem(instruction, "opcode");
        if (!cJSON_IsString(name) || !cJSON_IsNumber(opcode) || opcode->valueint < 0 ||
            opcode->valueint > 65535 || seen[opcode->valueint])
            continue;
        seen[opcode->valueint] = 1;
        fprintf(out, "    case %d: return \"%s\";\n", opcode->valueint, name->valuestring);
    }
}

int main(int argument_count, char **arguments)
{
    if (argument_count != 3) {
        fprintf(stderr, "usage: %s GRAMMAR.json OUT.c\n", arguments[0]);
        return 2;
    }
    int status = 1;
    cJSON *grammar = NULL;
    FILE *out = NULL;
    char *text = read_file(arguments[1]);
    if (text != NULL)
        grammar = cJSON_Parse(text);
    const cJSON *instructions = cJSON_GetObjectItem(grammar, "instructions");
    if (!cJSON_IsArray(instructions)) {
        fprintf(stderr, "%s: cannot read the SPIR-V grammar\n", arguments[1]);
        goto error;
    }
    out = fopen(arguments[2], "wb");
    if (out == NULL) {
        fprintf(stderr, "%s: cannot write\n", arguments[2]);
        goto error;
    }
    fputs("#include \"passes/spirv/code.h\"\n\nconst char *ws_opcode_name(uint32_t opcode)\n{\n    switch "
          "(opcode) {\n",
          out);
    write_cases(out, instructions);
    fputs("    default: return NULL;\n    }\n}\n", out);
    status = 0;
error:
    if (out != NULL && fclose(out) != 0)
        status = 1;
    cJSON_Delete(grammar);
    free(text);
    return status;
}
