// The address of the slot's counter rows, which every probe needs: read once, where the entry point begins. A load in
// each probe costs as much as all else in it, since a compiler cannot tell that nothing else writes the root block.
uvec2 ws_rows = uvec2(0); // 0, 0 = not counted; so it is in an entry point that does not read it

uint ws_group = 0; // of a sampled warp: below WS_SAMPLE_GROUPS
