#include "analysis/command/terminal.h"

#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "analysis/command/command.h"
#include "analysis/output/table.h"

size_t ws_terminal_width(void)
{
    struct winsize size = {.ws_col = 0};
    const char *columns = getenv("COLUMNS");
    struct ws_error unused;
    uint32_t width = 0;
    if (!isatty(STDOUT_FILENO))
        return 0;
    if (columns != NULL && ws_parse_number("COLUMNS", columns, &width, &unused) && width > 0)
        return width;
    return ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

void ws_fit_tables(bool wide)
{
    ws_table_set_width(wide ? 0 : ws_terminal_width());
}

#define PROSE_LEAST 40
#define PROSE_USUAL 80
#define PROSE_MOST  100

size_t ws_prose_width(void)
{
    const size_t width = ws_terminal_width();
    return width == 0            ? PROSE_USUAL
           : width < PROSE_LEAST ? PROSE_LEAST
           : width > PROSE_MOST  ? PROSE_MOST
                                 : width;
}
