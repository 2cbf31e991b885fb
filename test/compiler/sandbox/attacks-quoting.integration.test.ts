import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createCompiler } from '../../../src/compiler/compile.js';
import { bindStatement } from '../../../src/endpoint/bind-statement.js';
import type { ExplainingEngine } from '../../../src/engine/engine.js';
import { ServiceError } from '../../../src/errors/errors.js';
import { sample } from '../../support/nightly.js';
import { openWebEngine, webSource } from '../../support/web-source.js';

// A caller's text becomes part of the DuckDB SQL in many ways. Texts that try to escape from their
// quotes must come back unchanged, without running anything else.
const compiler = createCompiler([webSource('struct')]);
const stored = {
  name: 'web',
  sql: 'with web as (select * from `logs.web` where project = @p) select id from web',
  maxRows: 10,
  parameters: [{ name: 'p', type: 'string' }],
} as const;
let engine: ExplainingEngine;

beforeAll(async () => {
  engine = await openWebEngine('struct');
});
afterAll(() => engine.close());

async function answer(text: string, p = 'one'): Promise<unknown> {
  try {
    const query = compiler.compile(stored, { language: 'sql', text });
    const now = '2026-03-10T12:00:00.000000+00:00';
    const statement = bindStatement(query, { p }, { maxRows: 10, now });
    const { body: json } = await engine.run(statement, { signal: new AbortController().signal });
    return JSON.parse(Buffer.from(json).toString());
  } catch (error) {
    if (error instanceof ServiceError) return `${error.faults[0].reason}: ${error.message}`;
    throw error;
  }
}

const texts: readonly string[] = sample(
  [
    `'`,
    `''`,
    `"`,
    `""`,
    '\\',
    `\\'`,
    `\\\\'`,
    '`',
    `'; drop table x; --`,
    `" from logs.web as "x`,
    `") union all select id from logs.web --`,
    `' || (select id from logs.web) || '`,
    `$$`,
    `$$ || getenv('PATH') || $$`,
    '$1',
    '$p_p',
    '?',
    '{}',
    '%s',
    '%',
    '%%n',
    '/* x',
    '*/',
    '--',
    ';',
    'a.b',
    'logs.web',
    '$.a',
    `$."a'b"`,
    '[0]',
    '(',
    '\\Q',
    `E'\\''`,
    `U&'\\0027'`,
    `x'00'`,
    '\u2019',
    '\uff07',
    '\u02bc',
    '\u200b',
    '\u202e',
    '\ufeff',
    '\u{1f512}',
    'constructor',
    'select',
    'null',
    ' ',
    'lambda x: x',
  ],
  6,
);

/** A text as a literal and as an identifier of GoogleSQL. */
const literal = (text: string) => JSON.stringify(text).replaceAll(`'`, String.raw`\'`);
const name = (text: string) => `\`${text.replaceAll('\\', '\\\\').replaceAll('`', '\\`')}\``;

describe.each([
  ['a string', (x: string) => `select ${literal(x)} as a`],
  ['a string in single quotes', (x: string) => `select '${literal(x).slice(1, -1)}' as a`],
  ['a string of bytes', (x: string) => `select cast(cast(${literal(x)} as bytes) as string) as a`],
  ['an element', (x: string) => `select [${literal(x)}][offset(0)] as a`],
  ['an argument', (x: string) => `select concat(${literal(x)}, '') as a`],
  [
    'a separator',
    (x: string) => `select string_agg(y, ${literal(x)}) as a from unnest(['', '']) y`,
  ],
  ['a replacement', (x: string) => `select replace('y', 'y', ${literal(x)}) as a`],
  ['an argument of FORMAT', (x: string) => `select format('%s', ${literal(x)}) as a`],
  ['a value of JSON', (x: string) => `select string(to_json(${literal(x)})) as a`],
  [
    'a field of a struct',
    (x: string) => `select struct(${literal(x)} as ${name(x)}).${name(x)} as a`,
  ],
  [
    'a field of an array',
    (x: string) => `select [struct(${literal(x)} as ${name(x)})][offset(0)].${name(x)} as a`,
  ],
  [
    'a column of a sub-select',
    (x: string) => `select y.${name(x)} as a from (select ${literal(x)} as ${name(x)}) as y`,
  ],
  [
    'a CTE',
    // A name with a dot never refers to a CTE.
    (x: string) => {
      const cte = name(x.replaceAll('.', ' '));
      return `with ${cte} as (select ${literal(x)} as a) select a from ${cte}`;
    },
  ],
  ['a table', (x: string) => `select ${name(x)}.a from (select ${literal(x)} as a) as ${name(x)}`],
  [
    'a window',
    (x: string) =>
      `select any_value(${literal(x)}) over ${name(x)} as a from (select 1) window ${name(x)} as (partition by 1)`,
  ],
  [
    'an unnested array',
    (x: string) => `select ${name(x)} as a from unnest([${literal(x)}]) as ${name(x)}`,
  ],
  [
    'a branch of CASE',
    (x: string) => `select case ${literal(x)} when ${literal(x)} then ${literal(x)} end as a`,
  ],
  [
    'a list of IN',
    (x: string) =>
      `select any_value(y) as a from unnest([${literal(x)}]) y where y in (${literal(x)}, 'z')`,
  ],
  [
    'a key of JSON',
    (x: string) => `select string(json_object(${literal(x)}, ${literal(x)})[${literal(x)}]) as a`,
  ],
  [
    'a pivoted value',
    (x: string) =>
      `select ${name(`n_${x}`)} as a from (select ${literal(x)} as k, ${literal(x)} as v) pivot(any_value(v) for k in (${literal(x)} as ${name(`n_${x}`)}))`,
  ],
])('%s keeps its text', (_title, sqlOf) => {
  test.each(texts)('%s', async (text) => {
    expect(await answer(sqlOf(text))).toEqual([{ a: text }]);
  });
});

describe('an alias is returned unchanged', () => {
  test.each(texts)('%s', async (text) => {
    expect(await answer(`select 1 as ${name(text)}`)).toEqual([{ [text]: 1 }]);
    expect(await answer(`select struct(1 as ${name(text)}) as s`)).toEqual([{ s: { [text]: 1 } }]);
    const grouped = `select id as ${name(text)} from web group by ${name(text)} order by ${name(text)} limit 1`;
    expect(await answer(grouped)).toEqual([{ [text]: 'a' }]);
  });
});

describe("a parameter's value is returned unchanged, and matches no other project", () => {
  const odd = [
    ...texts,
    'on%',
    '%',
    '*',
    '.*',
    'ONE',
    'one ',
    ' one',
    'null',
    'one\0',
    '\0',
    '["one"]',
  ];

  test.each(odd)('%s', async (text) => {
    expect(await answer('select @p as a', text)).toEqual([{ a: text }]);
    expect(await answer('select id from web', text)).toEqual([]);
  });
});

describe('a pattern or a format is refused or evaluated; nothing else runs', () => {
  test.each(texts)('%s', async (text) => {
    for (const sql of [
      `select id from web where regexp_contains(id, ${literal(text)})`,
      `select regexp_replace(id, 'a', ${literal(text)}) as a from web`,
      `select regexp_extract(id, ${literal(text)}) as a from web`,
      `select id from web where id like ${literal(text)}`,
      `select format_timestamp(${literal(text)}, timestamp, ${literal(text)}) as a from web`,
      `select parse_timestamp(${literal(text)}, id) as a from web`,
      `select timestamp_trunc(timestamp, day, ${literal(text)}) as a from web`,
      `select extract(day from timestamp at time zone ${literal(text)}) as a from web`,
      `select json_value('{}', ${literal(text)}) as a`,
      `select json_extract('{}', ${literal(text)}) as a`,
      `select format(${literal(text)}, id) as a from web`,
      `select cast(timestamp as string format ${literal(text)}) as a from web`,
      `select timestamp ${literal(text)} as a`,
      `select interval ${literal(text)} year to month as a`,
      `select json ${literal(text)} as a`,
      `select numeric ${literal(text)} as a`,
      `select timestamp_trunc(timestamp, ${name(text)}) as a from web`,
      `select cast(id as ${name(text)}) as a from web`,
      `select ${name(text)}(id) as a from web`,
      `select @${name(text)} as a`,
      `select ${name(text)} as a from web`,
      `select id from ${name(text)}`,
    ]) {
      const found = JSON.stringify(await answer(sql));
      expect(found, sql).not.toMatch(/"[de]"|internal/);
    }
  });
});
