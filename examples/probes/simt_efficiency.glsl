// How full warps are, as the pass simt_efficiency counts it: executions of each block by active lanes.
// Found: The path tracer: in 268,761 of 850,517 executions of blocks one lane alone works.
//! output full: histogram linear 1 129 128 uint
//! block begin
void block()
{
    uint active_lanes = lanes(); // before the branch, in which one lane is active
    if (is_first())
        value(full, active_lanes);
}
