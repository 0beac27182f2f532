/* Every subcommand. */
#include "analysis/command/command.h"
#include "analysis/command/options.h"

const struct ws_command *const ws_commands[] = {
    &ws_command_record,
    &ws_command_summary,
    &ws_command_report,
    &ws_command_view,
    &ws_command_html,
    &ws_command_diff,
    &ws_command_export,
    &ws_command_annotate,
    &ws_command_instrument,
    &ws_command_probe,
    &ws_command_list,
    &ws_command_help,
    NULL,
};
