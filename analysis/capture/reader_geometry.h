/* Decodes the chunks of geometry; see reader_payload.h. */
#ifndef WS_ANALYSIS_CAPTURE_READER_GEOMETRY_H
#define WS_ANALYSIS_CAPTURE_READER_GEOMETRY_H

#include "warpscope/chunks.h"

struct ws_reader_cursor;

void ws_take_blob(struct ws_reader_cursor *cursor, struct ws_chunk_blob *blob);
void ws_take_structure(struct ws_reader_cursor *cursor, struct ws_chunk_structure *structure);
void ws_take_build(struct ws_reader_cursor *cursor, struct ws_chunk_build *build);
void ws_take_copy(struct ws_reader_cursor *cursor, struct ws_chunk_copy *copy);
void ws_take_gone(struct ws_reader_cursor *cursor, struct ws_chunk_gone *gone);
void ws_take_groups(struct ws_reader_cursor *cursor, struct ws_chunk_groups *groups);
void ws_take_tables(struct ws_reader_cursor *cursor, struct ws_chunk_tables *tables);

#endif
