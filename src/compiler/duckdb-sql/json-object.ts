import { quoteKey } from '../../process/quote.js';
import { call, castTo, type DuckExpression, infix, integer, text } from './duckdb-sql.js';
import { filterAs, listOf } from './variable.js';

/** A value that the engine converts to JSON, or its JSON text, which is NULL instead of `null`. */
export interface Shown {
  readonly value: DuckExpression;
  readonly isText?: true;
}

/** A member of a JSON object. */
export interface Member extends Shown {
  readonly name: string;
  /** Set if the object has it only if its value is not NULL. */
  readonly undeclared?: true;
}

/** Whether an object with the member must be printed by {@link printObject}. */
export function isPrinted({ isText, undeclared }: Member): boolean {
  return isText ?? undeclared ?? false;
}

/** The object as a struct; as JSON if the engine considers two names equal, because a struct cannot have both. */
export function packObject(members: readonly Member[]): DuckExpression {
  const names = new Set(members.map(({ name }) => name.toLowerCase()));
  if (names.size < members.length) return jsonObject(members);
  return { kind: 'struct', fields: members.map(({ name, value }) => ({ name, value })) };
}

/** The object as JSON. */
export function jsonObject(members: readonly Member[]): DuckExpression {
  return call('json_object', ...members.flatMap(({ name, value }) => [text(name), value]));
}

/** The text of JSON. */
export function textOf(json: DuckExpression): DuckExpression {
  return castTo(json, 'VARCHAR');
}

/**
 * The text of an object. Neighbours that every row shows become JSON together, which is faster than one by one:
 * `'{' || concat_ws(',', list_slice(to_json({a: …, b: …})::varchar, 2, -2), '"c":' || to_json(…)::varchar) || '}'`
 */
export function printObject(members: readonly Member[]): DuckExpression {
  return inBraces(printMembers(members));
}

/** The text of members in braces. */
export function inBraces(members: DuckExpression): DuckExpression {
  return infix('||', text('{'), members, text('}'));
}

/** The text of an object without the braces, which is empty if it has no members. */
export function printMembers(members: readonly Member[]): DuckExpression {
  const pieces: DuckExpression[] = [];
  let always: Member[] = [];
  const closeRun = () => {
    if (always.length > 0) pieces.push(printRun(always));
    always = [];
  };
  for (const member of members) {
    if (!isPrinted(member)) {
      always.push(member);
      continue;
    }
    closeRun();
    pieces.push(printMember(member));
  }
  closeRun();
  return call('concat_ws', text(','), ...pieces);
}

/** Joins members that are not NULL; empty texts are left out. */
export function joinPresent(texts: readonly DuckExpression[]): DuckExpression {
  const [only] = texts;
  if (only !== undefined && texts.length === 1) return only;
  const element: DuckExpression = { kind: 'name', name: 'element' };
  const present = filterAs(listOf(...texts), 'element', infix('<>', element, text('')));
  return call('array_to_string', present, text(','));
}

/** The text of members without the braces. */
function printRun(members: readonly Member[]): DuckExpression {
  const object = textOf(call('to_json', packObject(members)));
  return call('list_slice', object, integer(2), integer(-2));
}

/** The JSON text of a value, which is NULL instead of `null`. */
export function shownText({ value, isText }: Shown): DuckExpression {
  return isText ? value : textOf(call('to_json', value));
}

/** NULL if the object does not have it. */
function printMember({ name, undeclared, ...member }: Member): DuckExpression {
  const json = shownText(member);
  const shown = undeclared ? json : call('coalesce', json, text('null'));
  return infix('||', text(quoteKey(name)), shown);
}
