import type { ArrayType } from '../../src/types/types.js';

/** Two whose logs differ in nothing but their addresses. */
export type Person = 'jane' | 'bo';

/** Addresses of each person, of other lengths, in another order, and equal or not as the other's are not. */
const addresses: Readonly<Record<Person, readonly string[]>> = {
  jane: ['10.0.0.1', '9.9.9.9', '10.0.0.1', '2001:db8::8a2e:370:7348', 'jane.doe@mail.example.com'],
  bo: ['203.0.113.254', '::1', '198.51.100.7', 'fe80::1%eth0', 'b@o.ee'],
};

/** A text in SQL in which %0 … %4 are the person's addresses. */
function filled(sql: string, person: Person): string {
  return sql.replaceAll(/%(\d)/g, (_, place: string) => addresses[person][Number(place)] ?? '');
}

/** Records as they are stored where none has two elements; NULL is the empty array. */
const structRows = `
  ('a %0', ['%1', 'y %4', '%2'], {level: 'info %3', status: 200, request: {path: '/rest?ip=%0', method: '%4'}},
    [{name: '%4', price: 1}, {name: 'q', price: 3}, {name: '%1', price: 3}]),
  ('%1', [], {level: 'error', status: 500, request: {path: '%0', method: 'POST'}}, [{name: '%2', price: 3}]),
  ('%2', null, {level: '%4', status: null, request: null}, []),
  ('%3', ['%0'], null, null),
  ('[%4]', ['%0', '%2', '{"ip":"%3"}'], {level: '%0', status: 7, request: {path: '%2', method: null}}, null),
  ('b', null, {level: null, status: 3, request: {path: '{"a":{"b":"%1"}}', method: 'GET %2'}}, [{name: '%0', price: 0}]),
  ('%0', ['a'], {level: 'info', status: 200, request: {path: 'a\n%1', method: '"%4"'}}, [{name: null, price: 9}])`;

/** The same, some with two elements. */
const listRows = `
  ('a %0', ['%1', 'y %4', '%2'], [{level: 'info %3', status: 200, request: [{path: '/rest?ip=%0', method: '%4'}, {path: '%1', method: '%3'}]},
      {level: '%4', status: 1, request: [{path: '%2', method: 'GET'}]}],
    [{name: '%4', price: 1}, {name: 'q', price: 3}, {name: '%1', price: 3}]),
  ('%1', [], [{level: 'error', status: 500, request: [{path: '%0', method: 'POST'}]}], [{name: '%2', price: 3}]),
  ('%2', null, [{level: '%4', status: null, request: []}, {level: '%0', status: 2, request: null}], []),
  ('%3', ['%0'], null, null),
  ('[%4]', ['%0', '%2', '{"ip":"%3"}'], [{level: '%0', status: 7, request: [{path: '%2', method: null}]}], null),
  ('b', null, [{level: null, status: 3, request: [{path: '{"a":{"b":"%1"}}', method: 'GET %2'}]}], [{name: '%0', price: 0}]),
  ('%0', ['a'], [{level: 'info', status: 200, request: [{path: 'a\n%1', method: '"%4"'}]}], [{name: null, price: 9}])`;

/** A query for the rows of a person's logs, as `webSource` stores them. */
export function personRows(layout: ArrayType['layout'], person: Person): string {
  const rows = filled(layout === 'struct' ? structRows : listRows, person);
  return `select id, timestamptz '2026-03-01 00:00:00Z' + to_hours(place) as timestamp, 'one' as project,
    tags, metadata, items
  from (select *, row_number() over () as place from (values ${rows}) t(id, tags, metadata, items))`;
}
