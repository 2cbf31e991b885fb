const failures = Array.from(
  { length: 112 },
  (_, index) =>
    `countif(r.status_code = ${400 + index} and lower(q.path) like '/rest/v${index}/%') as failures_of_v${index},\n`,
);

/** A sandbox query of about 10 KB with many counts, like one that a dashboard generates. */
export const longQuery = `select q.method, ${failures.join('  ')}  count(*) as requests
from edge_logs as t
cross join unnest(t.metadata) as m
cross join unnest(m.request) as q
cross join unnest(m.response) as r
group by q.method`;
