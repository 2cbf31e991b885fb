const failures = Array.from(
  { length: 112 },
  (_, place) =>
    `countif(r.status_code = ${400 + place} and lower(q.path) like '/rest/v${place}/%') as failures_of_v${place},\n`,
);

/** A caller's query of some 10 KB: many counts, as a dashboard's generator writes them. */
export const longQuery = `select q.method, ${failures.join('  ')}  count(*) as requests
from edge_logs as t
cross join unnest(t.metadata) as m
cross join unnest(m.request) as q
cross join unnest(m.response) as r
group by q.method`;
