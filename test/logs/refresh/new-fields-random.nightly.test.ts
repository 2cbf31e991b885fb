import { appendFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { tinyPartRecords } from '../../../src/logs/refresh/drop-parts.js';
import type { LoadedLogs } from '../../../src/start/logs.js';
import { nightly } from '../../support/nightly.js';
import { type Asked, answersOf, withoutOrder } from '../../support/query-logs.js';
import { type Dice, diceOf } from '../../support/random-scope.js';
import { createRefreshFixture, line, lines } from '../../support/refresh-fixture.js';

// Lines that bring new fields at any depth, second elements and other types, step by step and at once.

const edge = 'edge_logs/a.ndjson';

/** A value whose kind follows from the name of its field, most often. */
function fieldValue(dice: Dice, name: string, depth: number): unknown {
  if (dice.oneIn(40)) return dice.pick([1.5, 'odd', null, [], {}]);
  if (name.startsWith('r') && depth < 4) {
    const one = () => recordOf(dice, depth + 1);
    return dice.oneIn(6) ? [one(), one()] : one();
  }
  if (name.startsWith('l')) return [dice.below(5), dice.below(5)];
  return name.startsWith('n') ? dice.below(100) : `text ${dice.below(10)}`;
}

function recordOf(dice: Dice, depth: number): Readonly<Record<string, unknown>> {
  const count = dice.below(4);
  const names = Array.from({ length: count }, () => `${dice.pick([...'nsslrr'])}${dice.below(6)}`);
  return Object.fromEntries(names.map((name) => [name, fieldValue(dice, name, depth)]));
}

function moreOf(dice: Dice): object {
  const { id: _, ...top } = dice.oneIn(3) ? recordOf(dice, 1) : {};
  const metadata = dice.oneIn(8) ? [recordOf(dice, 1), recordOf(dice, 1)] : recordOf(dice, 1);
  const declared = dice.oneIn(4) ? { request: { path: '/a', ...recordOf(dice, 2) } } : {};
  const project = dice.pick(['p', 'q']);
  return {
    project,
    ...top,
    metadata: Array.isArray(metadata) ? metadata : { ...metadata, ...declared },
  };
}

function queryOf(dice: Dice): Asked {
  const table = '`logs.edge_logs` as t';
  const rows = { maxRows: 10_000 };
  const order = 'order by t.event_message desc limit 400';
  const field = (of: string) => `${of}.${dice.pick([...'nslr'])}${dice.below(6)}`;
  const record = `r${dice.below(6)}`;
  const unnested = `left join unnest(t.metadata) as m left join unnest(m.${record}) as r`;
  const sql = dice.pick([
    `select t.* from ${table} ${order}`,
    `select t.id, t.metadata from ${table} order by t.timestamp desc limit 7`,
    `select t.id, ${field('m')} as v from ${table}, unnest(t.metadata) as m order by t.id, v limit 200`,
    `select t.id, ${field('m')} as v, ${field('r')} as w from ${table} ${unnested} order by t.id, v, w limit 200`,
    `select ${field('r')} as v, count(*) as n from ${table} ${unnested} group by v order by v`,
    `select t.id, r from ${table} ${unnested} where r is not null order by t.id, r.n1, r.n2, r.s1`,
    `select t.id, m is null as x, r is null as y from ${table} ${unnested} order by t.event_message desc, x, y limit 400`,
    `select count(*) as n from ${table} where exists (select 1 from unnest(t.metadata) as m, unnest(m.${record}) as r where ${field('r')} is not null)`,
    `select ${field('t')} as v from ${table} ${order}`,
  ]);
  if (dice.oneIn(3)) return [sql, { ...rows, redact: dice.oneIn(2) }];
  const stored = `with edge_logs as (select t.* from ${table} where t.project = 'p') select id from edge_logs`;
  return [
    stored,
    { ...rows, caller: sql.replace('`logs.edge_logs`', 'edge_logs'), redact: dice.oneIn(3) },
  ];
}

test.each(Array.from({ length: nightly(8, 1) }, (_, seed) => seed))(
  'lines that are loaded in steps are read as after a full load (%i)',
  async (seed) => {
    const dice = diceOf(seed + 1);
    const fixture = createRefreshFixture({ [edge]: lines(0, tinyPartRecords) });
    await fixture.refresh();
    let id = 100_000;
    let alone = 0;
    const rounds = 8;
    for (let round = 0; round < rounds; round += 1) {
      const large = dice.oneIn(3) ? lines(id, id + tinyPartRecords) : '';
      id += tinyPartRecords;
      const text = Array.from({ length: 1 + dice.below(4) }, () => line(id++, moreOf(dice)));
      appendFileSync(fixture.path(edge), large + text.join(''));
      const { loads } = await fixture.refresh();
      if (loads.length === 1) alone += 1;
      await fixture.merge();
      const queries = Array.from({ length: 12 }, () => queryOf(dice));
      const told = async (logs: LoadedLogs) =>
        // A full load finds the fields of lists after all others.
        (await answersOf(logs, queries)).map(([asked, answer]) => [asked, withoutOrder(answer)]);
      const fresh = fixture.logs(await fixture.reload());
      expect(await told(fixture.logs())).toEqual(await told(fresh));
    }
    expect(alone).toBeGreaterThan(rounds / 3);
    fixture.remove();
  },
);
