import { shortName } from '../../errors/errors.js';
import { QueryFault } from '../../errors/query-fault.js';
import { findField, isRecords, type Records, shortTypeName } from '../../types/types.js';
import type { Identifier } from '../syntax/names.js';
import { pathText } from '../syntax/print-literal.js';
import type { Scope } from './scope.js';

/** Returns the error for `metadata.request.path`, a field of repeated records; its message shows the missing joins. */
export function repeatedFault(
  parts: readonly Identifier[],
  index: number,
  type: Records,
  scope: Scope,
): QueryFault {
  const name = parts[index];
  const names = parts.slice(index).map((part) => part.name);
  const hint = joinsTo(pathText(parts.slice(0, index)), type, { names, scope });
  const message = `Cannot access field ${shortName(name?.name ?? '')} on a value with type ${shortTypeName(type, 60)}`;
  return new QueryFault(`${message}${hint === undefined ? '' : `; ${hint}`}`, name?.at ?? 0);
}

interface Wanted {
  /** The names of the records and of the field. */
  readonly names: readonly string[];
  readonly scope: Scope;
}

/** `write r.path after cross join unnest(metadata) as m …`; undefined if there is no such field. */
function joinsTo(of: string, type: Records, { names, scope }: Wanted): string | undefined {
  const aliases: string[] = [];
  const joins: string[] = [];
  let [path, records] = [of, type];
  for (const [index, name] of names.entries()) {
    const alias = aliasFor(path, scope, aliases);
    aliases.push(alias);
    joins.push(`cross join unnest(${path}) as ${alias}`);
    const field = findField(records.element, name);
    if (field === undefined) return undefined;
    const isLast = index === names.length - 1;
    if (isLast || !isRecords(field.type)) {
      return `write ${[alias, ...names.slice(index)].join('.')} after ${joins.join(' ')}`;
    }
    [path, records] = [`${alias}.${field.name}`, field.type];
  }
  return undefined;
}

/** An unused short alias for the records of a path: its first letters, or its name. */
function aliasFor(path: string, { ranges }: Scope, taken: readonly string[]): string {
  const name = path
    .slice(path.lastIndexOf('.') + 1)
    .replaceAll('`', '')
    .toLowerCase();
  const used = new Set([...taken, ...ranges.map((range) => range.name?.toLowerCase())]);
  const lengths = Array.from({ length: name.length }, (_, index) => index + 1);
  const free = lengths.map((length) => name.slice(0, length)).find((each) => !used.has(each));
  return free ?? `${name}_${used.size}`;
}

/**
 * `; write r.path after …` if the repeated records in scope have a field of this name, at any depth; the
 * least nested one. Otherwise empty.
 */
export function fieldHint({ name }: Identifier, scope: Scope): string {
  const wanted = name.toLowerCase();
  const none: readonly string[] = [];
  let level = recordsIn(scope).map((records) => ({ ...records, names: none }));
  while (level.length > 0) {
    const found = level.find(({ type }) => findField(type.element, wanted) !== undefined);
    if (found !== undefined) {
      const hint = joinsTo(found.path, found.root, { names: [...found.names, wanted], scope });
      return hint === undefined ? '' : `; ${hint}`;
    }
    level = level.flatMap(({ type, names, ...rest }) =>
      type.element.fields.flatMap((field) =>
        isRecords(field.type) ? [{ ...rest, type: field.type, names: [...names, field.name] }] : [],
      ),
    );
  }
  return '';
}

/** The repeated records that can be named in a scope, each with its path. */
function recordsIn({ ranges }: Scope) {
  return ranges.flatMap((range) => {
    const isOnly = ranges.length === 1 || range.name === undefined;
    const columns = range.columns.map(({ name, type }) => ({
      path: isOnly ? name : `${range.name}.${name}`,
      type,
    }));
    const element = range.element?.type;
    const fields = element?.kind === 'STRUCT' ? element.fields : [];
    const own = fields.map(({ name, type }) => ({ path: `${range.name}.${name}`, type }));
    return [...columns, ...own].flatMap(({ path, type }) =>
      isRecords(type) ? [{ path, type, root: type }] : [],
    );
  });
}
