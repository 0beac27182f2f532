-- How many threads traced how many rays? As `report ray_events` has it in rays_per_thread.
-- Table: rays. The inner query alone has the rays of each pixel; a shadow ray is one with bit 8 in its flags
-- (SkipClosestHitShader).
select rays as rays_per_thread, count(*) as threads
from (
    select launch, thread_x, thread_y, thread_z, count(*) as rays, sum(any_hits) as any_hits
    from rays group by launch, thread_x, thread_y, thread_z
) as pixels
group by rays
order by rays;
