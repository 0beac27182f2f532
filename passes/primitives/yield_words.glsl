// The address of the slot's yield words (yields.h): read once, where the entry point begins, as that of the rows is
// (rows.glsl).
uvec2 ws_yield_words = uvec2(0); // 0, 0 = it yields nothing; so it is in an entry point that does not read it
