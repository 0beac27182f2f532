#include "analysis/output/csv.h"

#include <string.h>

#include "passes/base/text.h"

void ws_csv_text(FILE *stream, const char *text)
{
    if (strpbrk(text, ",\"") == NULL) {
        ws_text_print(stream, text);
        return;
    }
    fputc('"', stream);
    while (*text != '\0') {
        size_t length = strcspn(text, "\"");
        ws_text_print_part(stream, text, length);
        text += length;
        if (*text == '"') {
            fputs("\"\"", stream);
            ++text;
        }
    }
    fputc('"', stream);
}
