import type { SourceSchema } from '../types/schema.js';
import { parse } from './syntax/syntax.js';
import type { Cte, Query } from './syntax/tree.js';

/** The options that decide which sources get a CTE in a stored query. */
export interface SourceCtes {
  /** Whether every source gets a CTE. */
  readonly allSources?: boolean;
  readonly parameters: readonly { readonly name: string }[];
}

/**
 * Adds a CTE for each source that has none in a stored query, with the records of `@project`, between
 * `@iso_timestamp_start` and `@iso_timestamp_end` if these are declared; and for each alias a copy of
 * the CTE of its source. A CTE of the query itself takes precedence.
 */
export function addSourceCtes(
  query: Query,
  sources: Iterable<SourceSchema>,
  { allSources = false, parameters }: SourceCtes,
): Query {
  if (!allSources) return query;
  const ctes = new Map(query.ctes.map((cte) => [cte.name.name.toLowerCase(), cte]));
  const add = (name: string, cte: () => Cte | undefined) => {
    const key = name.toLowerCase();
    const added = ctes.has(key) ? undefined : cte();
    if (added !== undefined) ctes.set(key, { ...added, name: { ...added.name, name } });
  };
  const all = [...sources];
  for (const source of all) add(source.name, () => sourceCte(source, parameters));
  for (const { name, aliases = [] } of all) {
    for (const alias of aliases) add(alias, () => ctes.get(name.toLowerCase()));
  }
  return { ...query, ctes: [...ctes.values()] };
}

/** The CTEs that {@link addSourceCtes} copied for aliases, each with the name of its original. */
export function aliasesIn({ ctes }: Pick<Query, 'ctes'>): ReadonlyMap<string, string> {
  const originals = new Map<Cte['query'], string>();
  const aliases = ctes.flatMap(({ name: { name }, query }) => {
    const original = originals.get(query);
    if (original === undefined) originals.set(query, name);
    return original === undefined ? [] : [[name, original] as const];
  });
  return new Map(aliases);
}

/** Creates the CTE of a source; undefined if its records belong to no project. */
function sourceCte(
  { name, projectPath, columns }: SourceSchema,
  parameters: SourceCtes['parameters'],
): Cte | undefined {
  if (projectPath === undefined) return undefined;
  const declared = new Set(parameters.map((parameter) => parameter.name.toLowerCase()));
  const bounds = [
    ['iso_timestamp_start', '>'],
    ['iso_timestamp_end', '<='],
  ].filter(([parameter = '']) => declared.has(parameter));
  const conditions = [
    projectCondition(projectPath),
    ...bounds.map(([at, operator]) => `(@${at} is null or t.timestamp ${operator} @${at})`),
  ];
  // The columns that not every source has, and `metadata`.
  const own = columns.map(({ name }) => name).filter((column) => !baseColumns.has(column));
  const shown = ['timestamp', 'id', 'event_message', ...own];
  // Names of sources and declared fields consist of letters, digits and _.
  const [cte] = parse(`with \`${name}\` as (
    select ${shown.map((column) => `t.\`${column}\``).join(', ')}
    from \`logs.${name}\` as t
    where ${conditions.join(' and ')}
    order by t.timestamp desc
  ) select 1`).ctes;
  return cte;
}

const baseColumns: ReadonlySet<string> = new Set(['id', 'timestamp', 'event_message', 'project']);

/**
 * The condition that a record `t` belongs to the project of the parameter: for the path `metadata.a.project`, an
 * element of `metadata` has an element of `a` with that `project`.
 */
export function projectCondition(path: readonly string[]): string {
  const { from, field } = readPath(path);
  const condition = `${field} = @project`;
  if (from.length === 0) return condition;
  return `exists (select 1 from ${from.join(' cross join ')} where ${condition})`;
}

/**
 * The SQL that reads a field of the records of a table `t`: the items of FROM besides `t`, in order, and the field.
 * `project` -> `t.project`; `metadata.a.project` -> `unnest(t.metadata) as m0`, `unnest(m0.a) as m1` and `m1.project`.
 * Names of fields consist of letters, digits and _.
 */
export function readPath(path: readonly string[]) {
  const records = path.slice(0, -1);
  const owner = (depth: number) => (depth === 0 ? 't' : `m${depth - 1}`);
  return {
    from: records.map((record, depth) => `unnest(${owner(depth)}.\`${record}\`) as m${depth}`),
    field: `${owner(records.length)}.\`${path.at(-1) ?? ''}\``,
  };
}
