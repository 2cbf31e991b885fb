import { describe, expect, test } from 'vitest';
import { nearest } from '../../src/errors/suggest.js';
import { messageOf } from '../support/refused-query.js';

describe('a long name from the query is shortened in messages', () => {
  const long = 'x'.repeat(250);
  test.each([
    [`select ${long} from web`],
    [`select w.${long} from web w`],
    [`select id.${long} from web`],
    [`select * except (${long}) from web`],
    [`select 1 from ${long}`],
    [`select 1 from web as ${long}, web as ${long}`],
    [`select 1 from web join web as b using (${long})`],
    [`with ${long} as (select 1), ${long} as (select 2) select 1`],
    [`select ${long}(1)`],
    [`select 1 from ${long}(1)`],
    [`select @${long}`],
    [`select cast(1 as ${long})`],
    [`select round(1, ${long} => 2)`],
    [`select count(*) over ${long} from web`],
    [`select struct(1 as ${long}, 2 as ${long})`],
    [`select count(*) as ${long} from web group by ${long}`],
    [`select 1 from web ${long} ${long}`],
    [`select 1 from web a \`${long}\``],
  ])('%.40s', (text) => {
    const message = messageOf(text);
    expect(message).toMatch(/x{97,99}…/);
    expect(message).not.toMatch(/x{100}/);
  });
});

test('a name that PIVOT makes of a value is checked like one that is written', () => {
  const pivot = (value: string) =>
    `select * from (select id, project from web) pivot (max(id) as _ for project in (${value}))`;
  expect(messageOf(pivot("'proto__'"))).toBe('The name __proto__ is not allowed at [1:52]');
  expect(messageOf(pivot("'a\\n'"))).toMatch(/^A name has at most 300 bytes and no control/);
});

test('no suggestion is made for a name of more than 100 characters', () => {
  const name = 'x'.repeat(100);
  expect(nearest(name, [`${name.slice(1)}y`])).toBe(`${name.slice(1)}y`);
  expect(nearest(`${name}x`, [name])).toBeUndefined();
  expect(nearest(name, [`${name}x`])).toBeUndefined();
});
