//! output runs: count
//! output least: min uint
//! output total: sum float per shader
//! output size: histogram log2 uint
//! output parts: values 4 uint
//! output first: sample 2 { uint work; float value; }
//! output full: lanes per shader
//! output all: record { uint work; float half_work; }
//! entry begin
void begin()
{
    uint id = work();
    count(runs);
    count_warp(full);
    value(least, id);
    add(total, float(id));
    value(size, id);
    value(parts, id / 32);
    sample(first, id, float(id));
    record(all, id, float(id) * 0.5);
}
