import { type Dice, isArray, type Kind, type Name, type Scope } from './random-scope.js';

/** A relation after FROM, and the names that it brings. */
export interface Relation {
  readonly sql: string;
  readonly scope: Scope;
}

const literals = {
  text: ["'info'", "'error'", "'GET'", "'/rest'", "'a'", "'one'", "'x'", "'p'"],
  number: ['0', '1', '3', '200', '500'],
} as const;

/** A value of any kind; records and arrays as they are. */
export function anything(dice: Dice, scope: Scope, kind: Kind): string {
  if (kind === 'text' || kind === 'number') return expression(dice, scope, kind);
  const names = namesOf(scope, kind);
  if (names.length > 0) return dice.pick(names).sql;
  return `null`;
}

/** A text or a number. */
export function expression(dice: Dice, scope: Scope, kind: 'text' | 'number', depth = 2): string {
  const names = namesOf(scope, kind);
  if (names.length > 0 && (depth === 0 || !dice.oneIn(3))) return dice.pick(names).sql;
  if (depth === 0) return dice.pick(literals[kind]);
  const inner = (): string => expression(dice, scope, kind, depth - 1);
  const common = [
    () => dice.pick(literals[kind]),
    () => `coalesce(${inner()}, ${inner()})`,
    () => `if(${condition(dice, scope, depth - 1)}, ${inner()}, ${inner()})`,
  ];
  const arrays = scope.filter(isArray);
  if (arrays.length === 0) return dice.pick(common)();
  const array = dice.pick(arrays);
  const own = kind === 'text' ? texts(dice, scope, array) : numbers(dice, scope, array);
  return dice.pick([...common, ...own, ...own])();
}

function texts(dice: Dice, scope: Scope, array: Name): readonly (() => string)[] {
  const firsts = {
    metadata: `[safe_offset(0)].${dice.pick(['level', 'request[safe_offset(0)].path'])}`,
    request: '[safe_offset(0)].method',
    items: '[safe_offset(0)].name',
    tags: '[safe_ordinal(1)]',
  };
  const first = firsts[array.kind as keyof typeof firsts];
  const text = (of: Relation) => expression(dice, of.scope, 'text', 0);
  return [
    () => `${array.sql}${first}`,
    () => of(dice, scope, (inner) => `(select max(${text(inner)}) from ${inner.sql})`),
    () => `to_json_string(${array.sql})`,
    () =>
      of(
        dice,
        scope,
        (inner) =>
          `array_to_string(array(select ${text(inner)} as v from ${inner.sql} order by v), '-', '?')`,
      ),
    () => of(dice, scope, (inner) => `(select string_agg('x') from ${inner.sql})`),
    () =>
      `(select any_value(w.project) from \`logs.web\` as w where w.id = ${expression(dice, scope, 'text', 0)})`,
  ];
}

function numbers(dice: Dice, scope: Scope, array: Name): readonly (() => string)[] {
  return [
    () => `array_length(${array.sql})`,
    () => of(dice, scope, ({ sql }) => `(select count(*) from ${sql})`),
    () =>
      of(
        dice,
        scope,
        (inner) => `(select countif(${condition(dice, inner.scope, 0)}) from ${inner.sql})`,
      ),
    () =>
      of(
        dice,
        scope,
        (inner) => `(select sum(${expression(dice, inner.scope, 'number', 0)}) from ${inner.sql})`,
      ),
  ];
}

/** Something over a FROM of arrays of the row at hand. */
function of(dice: Dice, scope: Scope, write: (inner: Relation) => string): string {
  const inner = overArrays(dice, scope);
  const filter = dice.oneIn(2) ? ` where ${condition(dice, inner.scope, 0)}` : '';
  return write({ ...inner, sql: `${inner.sql}${filter}` });
}

function overArrays(dice: Dice, scope: Scope): Relation {
  const arrays = scope.filter(isArray);
  if (arrays.length === 0) return { sql: 'unnest([1, 2]) as one', scope };
  const first = dice.unnest(dice.pick(arrays));
  const further = first.scope.filter(isArray);
  if (further.length === 0 || dice.oneIn(2))
    return { ...first, scope: mixed(dice, first.scope, scope) };
  const second = dice.unnest(dice.pick(further));
  const word = dice.pick([', ', ' cross join ', ' left join ']);
  const names = [...first.scope, ...second.scope];
  return { sql: `${first.sql}${word}${second.sql}`, scope: mixed(dice, names, scope) };
}

/** The names of the sub-select, sometimes with those around it. */
function mixed(dice: Dice, inner: Scope, outer: Scope): Scope {
  return dice.oneIn(3) ? [...inner, ...inner, ...outer] : inner;
}

/** A condition. */
export function condition(dice: Dice, scope: Scope, depth = 2): string {
  const text = () => expression(dice, scope, 'text', 0);
  const simple = [
    () => `${text()} = ${dice.pick(literals.text)}`,
    () => `${text()} <> ${text()}`,
    () => `${expression(dice, scope, 'number', 0)} >= ${dice.pick(literals.number)}`,
    () => `${scope.length > 0 ? dice.pick(scope).sql : 'null'} is ${dice.pick(['', 'not '])}null`,
    () => `${text()} in ('info', 'a', '/auth')`,
    () => 'true',
  ];
  if (depth === 0) return dice.pick(simple)();
  const inner = () => condition(dice, scope, depth - 1);
  const not = dice.pick(['', '', 'not ']);
  const nested = [
    () => `(${inner()} and ${inner()})`,
    () => `(${inner()} or ${inner()})`,
    () => `not (${inner()})`,
    () => of(dice, scope, ({ sql }) => `${not}exists (select 1 from ${sql})`),
    () =>
      of(
        dice,
        scope,
        (at) =>
          `${text()} ${not}in (select ${expression(dice, at.scope, 'text', 0)} from ${at.sql})`,
      ),
    () =>
      `${text()} ${not}in (select w.id from \`logs.web\` as w, unnest(w.metadata) as wm where wm.level = ${text()})`,
    () => `${not}exists (select 1 from \`logs.web\` as w where w.id = ${text()})`,
    () =>
      `${expression(dice, scope, 'number', depth - 1)} = ${expression(dice, scope, 'number', 0)}`,
  ];
  return dice.pick([...simple, ...nested])();
}

function namesOf(scope: Scope, kind: Kind): Scope {
  return scope.filter((name) => name.kind === kind);
}
