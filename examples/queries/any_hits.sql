-- Which geometry keeps any-hit shaders busy for nothing? As `report ray_events` has it in geometries.
-- Table: candidates: what rays met.
select instance, custom_index, geometry,
    count(*) filter (where kind = 'any_hit') as any_hits,
    count(*) filter (where kind = 'any_hit' and result = 'ignored') as ignored,
    count(*) filter (where kind = 'intersection') as intersections,
    count(*) filter (where kind = 'report') as reports
from candidates
group by instance, custom_index, geometry
order by any_hits desc, intersections desc, instance, geometry;
