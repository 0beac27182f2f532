-- How full were the warps of each shader? active / slots, by the records of the pass divergence; as `report divergence` has it in
-- shaders. executions are those of blocks by warps; efficiency is the mean share of lanes, whatever the size of the block.
-- Table: records. A row of the kind `block` is one execution of that block; a slot is one lane's share of one instruction.
select shader, shader_name, stage, count(*) as executions,
    sum(subgroup_size * instructions) as slots,
    sum(lanes * instructions) as active,
    sum(lanes) * 1.0 / sum(subgroup_size) as efficiency
from records
where pass = 'divergence' and site = 'block'
group by shader, shader_name, stage
order by slots - active desc, shader;
