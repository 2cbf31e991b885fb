import {
  countStored,
  type Field,
  hasOwnNames,
  type StructType,
  type Type,
} from '../../types/types.js';
import { fewFields, maxFields } from '../../types/wide.js';
import type { FormName, Kind, Kinds, MemberOptions } from '../../values/member-options.js';
import { words } from '../../values/words.js';
import * as d from './duckdb-sql.js';
import { duckType } from './duckdb-type.js';
import { joinPresent } from './json-object.js';
import { letOnce } from './let.js';
import { isWide, readFields, type StoredField } from './plain.js';
import { letBe } from './variable.js';

/** Some consecutive stored fields of a record, and whether calls print them. */
interface Run {
  readonly type: StructType;
  readonly isCalled: boolean;
}

/** Whether a record has too many fields to print them one by one. */
export function isLarge(type: StructType): boolean {
  return isWide(type) || runsIn(type).some(({ isCalled }) => isCalled);
}

/**
 * Prints the members of a record, without braces. A call prints up to 64 neighbouring undeclared fields, if the record
 * has many; `read` prints the others.
 */
export function printRuns(
  value: d.DuckExpression,
  type: StructType,
  form: FormName,
  read: (fields: readonly StoredField[]) => d.DuckExpression,
): d.DuckExpression {
  return letOnce([value], ([one = value]) =>
    joinPresent(
      runsIn(type).flatMap((run) =>
        run.isCalled
          ? fewFields(run.type).map((part) => printPart(one, part, form))
          : [readFields(one, run.type, read, joinPresent)],
      ),
    ),
  );
}

/** A record in two parts: the members that calls print, and the records of the other fields. */
export function splitCalled(
  value: d.DuckExpression,
  type: StructType,
  form: FormName,
): { readonly members?: d.DuckExpression; readonly others: readonly StructType[] } {
  const runs = runsIn(type);
  const called = runs.filter(({ isCalled }) => isCalled).flatMap((run) => fewFields(run.type));
  const members = called.map((part) => printPart(value, part, form));
  const others = runs.filter(({ isCalled }) => !isCalled).map((run) => run.type);
  return { others, ...(members.length > 0 && { members: joinPresent(members) }) };
}

/**
 * Prints a few of the fields. A row that has none of them, as most do, costs one comparison: printing a NULL takes the
 * engine ten times as long as comparing it.
 */
function printPart(value: d.DuckExpression, type: StructType, form: FormName) {
  const part = d.variable('part');
  const none = type.fields.slice(0, 1).map(({ name }) => ({ name, value: d.nullValue }));
  const empty = d.castTo({ kind: 'struct', fields: none }, duckType(type));
  const options: MemberOptions = { form, kinds: kindsIn(type.fields) };
  const json = d.castTo(d.call('to_json', part), 'VARCHAR');
  const members = d.call('js_undeclared_members', json, d.text(JSON.stringify(options)));
  const shown = d.choose(d.infix('IS DISTINCT FROM', part, empty), members, d.text(''));
  return letBe(d.castTo(value, duckType(type)), 'part', shown);
}

/** Splits a record if it has many printable fields in a row. */
function runsIn(type: StructType): readonly Run[] {
  const runs: { readonly isPrintable: boolean; readonly fields: Field[] }[] = [];
  for (const field of hasOwnNames(type) ? type.fields.filter(({ stored }) => stored) : []) {
    const isNext = isPrintable(field);
    const last = runs.at(-1);
    if (last?.isPrintable === isNext) last.fields.push(field);
    else runs.push({ isPrintable: isNext, fields: [field] });
  }
  const split = runs.map(({ isPrintable, fields }): Run => {
    const run: StructType = { kind: 'STRUCT', fields };
    return { type: run, isCalled: isPrintable && countStored(fields) > maxFields };
  });
  return split.some(({ isCalled }) => isCalled) ? split : [{ type, isCalled: false }];
}

const scalars = words('BOOL FLOAT64 INT64 NUMERIC STRING');

/** Whether a call can print a field. It can print every field of a log in JSON. */
function isPrintable({ type, undeclared }: Field): boolean {
  if (!undeclared) return false;
  const element = type.kind === 'ARRAY' ? type.element : type;
  if (element.kind !== 'STRUCT') return scalars.has(element.kind);
  return type.kind === 'ARRAY' && hasOwnNames(element) && element.fields.every(isPrintable);
}

/** The kinds of fields that their JSON does not show, by name. */
function kindsIn(fields: readonly Field[]): Kinds {
  return Object.fromEntries(fields.map(({ name, type }) => [name, fieldKind(type)]));
}

function fieldKind(type: Type): Kind | undefined {
  const element = type.kind === 'ARRAY' ? type.element : type;
  if (element.kind !== 'STRUCT') return element.kind === 'NUMERIC' ? 'NUMERIC' : undefined;
  if (!element.fields.some(({ stored }) => stored)) return 'empty';
  const kinds = kindsIn(element.fields);
  return Object.values(kinds).some((kind) => kind !== undefined) ? kinds : undefined;
}
