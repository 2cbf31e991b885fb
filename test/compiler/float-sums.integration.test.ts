import { afterAll, beforeAll, expect, test } from 'vitest';
import { nightly } from '../support/nightly.js';
import { requestOf } from '../support/request-of.js';
import { openTiedWorld, ownRecords, type TiedWorld } from '../support/tied-worlds.js';

// Sums of FLOAT64 are rounded, and lists have an order: neither may depend on which thread reads a row first, or where it is stored.
const own = ownRecords(nightly(20_000, 4_000), nightly(5_000, 1_000));
let worlds: readonly TiedWorld[];

beforeAll(async () => {
  const shapes = [1, 2, 4].flatMap((threads) => [1, 3].map((parts) => ({ threads, parts })));
  worlds = await Promise.all(
    shapes.map(({ threads, parts }, seed) =>
      openTiedWorld(own, {
        ...{ name: `${parts} parts, ${threads} threads`, others: 0, seed, parts },
        flags: ['--newest-rows', '0', '--threads', String(threads)],
      }),
    ),
  );
}, 600_000);
afterAll(() => Promise.all(worlds.map((world) => world.close())));

const numbers = ['took', 'took / 1e30', 'took * 1e30', '1 / (took + 1e-9)', 'round(took)', '-took'];
const sums = ['sum', 'avg', 'stddev', 'var_pop', 'sum(distinct '].flatMap((name) =>
  numbers.map((number) => `${name.endsWith(' ') ? name : `${name}(`}${number})`),
);
const statistics = ['corr', 'covar_samp'].map((name) => `${name}(took, length(id) / 3)`);
const lists = ['event_message', 'took', 'id'].map(
  (value) => `to_hex(md5(array_to_string(array_agg(cast(${value} as string)), ',')))`,
);
const from = 'from edge_logs, unnest(metadata) as m, unnest(m.request) as r';
const named = (values: readonly string[]) =>
  values.map((value, index) => `${value} as c${index}`).join(', ');
const queries = {
  'sums of all rows': `select ${named(sums)} ${from}`,
  'sums of groups': `select r.path, ${named(sums)} ${from} group by 1 order by 1`,
  'statistics and lists': `select ${named([...statistics, ...lists])} ${from}`,
  'lists of groups': `select r.method, array_agg(id limit 5) as ids, sum(took) as s ${from} group by 1 order by 1`,
  'sums of windows': `select sum(s) as t from (select sum(took) over (partition by r.path order by timestamp rows 9 preceding) as s ${from})`,
};

test.each(Object.entries(queries))(
  '%s have the same bytes each time',
  async (_, sql) => {
    const request = requestOf({ project: 'bluefin', sql });
    const [world] = worlds;
    const expected = await world?.ask(request);
    expect(expected).not.toContain('Error');
    for (let run = 0; run < nightly(3, 2); run += 1) {
      for (const { name, ask } of worlds) expect(await ask(request), name).toBe(expected);
    }
  },
  1_200_000,
);
