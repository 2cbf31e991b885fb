import { expect, test } from 'vitest';
import { createCompiler } from '../../src/compiler/compile.js';
import { storedNames, structType } from '../../src/types/types.js';
import { cpuMsOf } from '../support/cpu-time.js';
import { webSource } from '../support/web-source.js';

const compiler = createCompiler([webSource('struct')]);

function list(length: number, part: (place: number) => string): string {
  return Array.from({ length }, (_, place) => part(place)).join(', ');
}

function joined(operator: string, length: number, part: (place: number) => string): string {
  return Array.from({ length }, (_, place) => part(place)).join(` ${operator} `);
}

const exists = (i: number) => `exists (select 1 from \`logs.web\` u where 1 / length(u.id) > ${i})`;
const columns = (length: number) => list(length, (i) => `1 as c${i}`);
const names = (length: number) => list(length, (i) => `c${i}`);

// With quadratic cost, each of these took 8 s or more; now each takes less than 1 s.
test.each([
  [
    'fields of one record',
    `select ${list(40, () => 's.*')} from (select struct(${columns(1_200)}) as s)`,
  ],
  ['keys of ORDER BY', `select ${columns(8_000)} from \`logs.web\` order by ${names(8_000)}`],
  [
    'names in EXCEPT',
    `select * except (${names(12_000)}) from (select 1 as a, ${columns(12_000)})`,
  ],
  [
    'elements of a format',
    `select parse_timestamp('${'%Y '.repeat(60_000)}', id) as t from \`logs.web\``,
  ],
  [
    'keys of |> AGGREGATE',
    `from (select ${columns(3_000)}) |> aggregate count(*) group by ${names(3_000)}`,
  ],
  ['|> WHERE', `from \`logs.web\` ${'|> where id is null '.repeat(2_500)}`],
  ['guards of sub-selects', `select ${joined('or', 200, exists)} from \`logs.web\` as t`],
  [
    'guards of a join',
    `select 1 from \`logs.web\` t join \`logs.web\` u on ${joined('and', 400, (i) => `t.id <> '${i}'`)}
      and ${joined('and', 300, (i) => `1 / length(t.id) = ${i}`)}`,
  ],
])('the cost of %s is linear', (_what, sql) => {
  const compile = () => {
    try {
      compiler.compile({ name: 'web', sql, maxRows: 1, parameters: [] });
    } catch (error) {
      // Too many columns may be refused, but quickly.
      expect(error).toMatchObject({ faults: [{ reason: 'resourcesExceeded' }] });
    }
  };
  expect(cpuMsOf(compile)).toBeLessThan(4_000);
});

test('the stored names of a record are computed once', () => {
  const type = structType([{ name: 'a', type: { kind: 'INT64' } }]);
  expect(storedNames(type)).toBe(storedNames(type));
});

test('the columns that each UNNEST repeats count towards the size of the statement', () => {
  const sql = 'with t as (select id from `logs.web`) select id from t';
  const unnested = (length: number) =>
    compiler.compile(
      { name: 'web', sql, maxRows: 1, parameters: [] },
      { language: 'sql', text: `select 1 from ${list(length, (i) => `unnest([1]) as u${i}`)}` },
    );
  expect(unnested(40).sql).toContain('"u38_39"');
  expect(() => unnested(400)).toThrow('too many expressions');
});
