import { quoteKey } from '../../process/quote.js';
import { call, castTo, type DuckExpression, infix, text, variable } from './duckdb-sql.js';
import { duckList, filterAs } from './variable.js';

/** A value that the engine converts to JSON, or its JSON text, with NULL instead of `null`. */
export interface ShownMember {
  readonly value: DuckExpression;
  readonly isText?: true;
}

/** A member of a JSON object. */
export interface JsonMember extends ShownMember {
  readonly name: string;
  /** Set if the object omits the member when its value is NULL. */
  readonly undeclared?: true;
}

/** Whether an object with the member must be printed by {@link printMembers}. */
export function isPrinted({ isText, undeclared }: JsonMember): boolean {
  return isText ?? undeclared ?? false;
}

/**
 * Packs an object into a struct, or into JSON if it has names that a struct cannot have: two that the engine considers
 * equal, or an empty one.
 */
export function packObject(members: readonly JsonMember[]): DuckExpression {
  const names = new Set(members.map(({ name }) => name.toLowerCase()));
  if (names.size < members.length || names.has('')) return jsonObject(members);
  return { kind: 'struct', fields: members.map(({ name, value }) => ({ name, value })) };
}

/** The object as JSON. */
export function jsonObject(members: readonly JsonMember[]): DuckExpression {
  return call('json_object', ...members.flatMap(({ name, value }) => [text(name), value]));
}

/** Converts JSON to a string. */
export function jsonAsText(json: DuckExpression): DuckExpression {
  return castTo(json, 'VARCHAR');
}

/** Encloses printed members in braces. */
export function inBraces(members: DuckExpression): DuckExpression {
  return infix('||', text('{'), members, text('}'));
}

/** Prints an object without the braces; empty if it has no members. */
export function printMembers(members: readonly JsonMember[]): DuckExpression {
  return call('concat_ws', text(','), ...members.map(printMember));
}

/** Joins members, omitting NULLs and empty strings. */
export function joinPresent(texts: readonly DuckExpression[]): DuckExpression {
  const [only] = texts;
  if (only !== undefined && texts.length === 1) return only;
  const isPresent = infix('<>', variable('element'), text(''));
  const present = filterAs(duckList(...texts), 'element', isPresent);
  return call('array_to_string', present, text(','));
}

/** The JSON text of a value; NULL instead of `null`. */
export function shownText({ value, isText }: ShownMember): DuckExpression {
  return isText ? value : jsonAsText(call('to_json', value));
}

/** Prints a member; NULL if the object omits it. */
function printMember({ name, undeclared, ...member }: JsonMember): DuckExpression {
  const json = shownText(member);
  const shown = undeclared ? json : call('coalesce', json, text('null'));
  return infix('||', text(quoteKey(name)), shown);
}
