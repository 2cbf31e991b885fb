/** The tables of a setup, which a query reads as CTEs. */
interface Tables {
  withCtes(query: string): string;
}

/** A table in a dataset: `${DATASET}.t`, with backticks around all of it or a part. */
const tableName = /`?\$\{DATASET\}`?\.`?(\w+)`?/g;

/** The tables that statements create and fill; undefined if they do anything else. */
export function tablesOf(setup: string): Tables | undefined {
  const made: Made = { queries: new Map(), columns: new Map() };
  const text = setup.replaceAll(/--.*$/gm, '').replaceAll(tableName, '$1');
  const statements = splitAt(text, ';').map((one) => one.trim());
  if (!statements.every((one) => one === '' || create(one, made) || fill(one, made)))
    return undefined;
  const { queries, columns } = made;
  for (const [name, list] of columns) {
    if (!queries.has(name)) queries.set(name, `${selectNulls(list)} limit 0`);
  }
  const ctes = [...queries].map(([name, query]) => `${name} as (${query})`).join(',\n');
  return { withCtes: (query) => withCtes(query.replaceAll(tableName, '$1'), ctes) };
}

function withCtes(query: string, ctes: string): string {
  if (ctes === '') return query;
  const own = /^with\s([\s\S]*)$/i.exec(query)?.[1];
  return own === undefined ? `with ${ctes}\n${query}` : `with ${ctes},\n${own}`;
}

/** The tables so far, as queries, and the columns of those that were created with a list. */
interface Made {
  readonly queries: Map<string, string>;
  readonly columns: Map<string, readonly Column[]>;
}

/** `CREATE TABLE t (…)`, `CREATE TABLE t AS …` or `CREATE VIEW t AS …`; false for any other statement. */
function create(statement: string, { queries, columns }: Made): boolean {
  const [, name, rest = ''] =
    /^create\s+(?:or\s+replace\s+)?(?:table|view)\s+(?:if\s+not\s+exists\s+)?(\w+)\s*([\s\S]*)$/i.exec(
      statement,
    ) ?? [];
  if (name === undefined) return false;
  const query = /(?:^|\s)as\s+((?:\(?\s*select|\(?\s*with|from)\b[\s\S]*)$/i.exec(rest)?.[1];
  const list = /^\(([\s\S]*)\)/.exec(rest)?.[1];
  if (query !== undefined) queries.set(name, query);
  else if (list !== undefined) columns.set(name, splitAt(list, ',').map(columnOf));
  return query !== undefined || list !== undefined;
}

/** `INSERT INTO t VALUES …` into a table that exists; false for any other statement. */
function fill(statement: string, { queries, columns }: Made): boolean {
  const [, name = '', given, values] =
    /^insert\s+(?:into\s+)?(\w+)\s*(?:\(([^()]*)\))?\s*values\s*([\s\S]*)$/i.exec(statement) ?? [];
  const before = queries.get(name);
  const all = columns.get(name);
  if (values === undefined || (all === undefined && before === undefined)) return false;
  const rows = all ? valuesQuery(all, given, values) : `select * from unnest([${values}])`;
  queries.set(name, before === undefined ? rows : `${before}\nunion all\n${rows}`);
  return true;
}

interface Column {
  readonly name: string;
  readonly type: string;
}

function columnOf(text: string): Column {
  const [, name = '', type = ''] = /^\s*`?(\w+)`?\s+([\s\S]*)$/.exec(text) ?? [];
  return { name, type: type.replace(/\b(?:not\s+null|default|options)\b[\s\S]*$/i, '').trim() };
}

function selectNulls(columns: readonly Column[]): string {
  return `select ${columns.map(({ name, type }) => `cast(null as ${type}) as ${name}`).join(', ')}`;
}

function valuesQuery(all: readonly Column[], given: string | undefined, values: string): string {
  const names = given?.split(',').map((name) => name.trim().replaceAll('`', ''));
  const own =
    names === undefined ? all : names.flatMap((name) => all.find((one) => one.name === name) ?? []);
  const type = own.map(({ name, type: kind }) => `${name} ${kind}`).join(', ');
  const rows = splitAt(values, ',').map((row) => `struct${row.trim()}`);
  const shown = all.map((one) =>
    own.includes(one) ? one.name : `cast(null as ${one.type}) as ${one.name}`,
  );
  return `select ${shown.join(', ')} from unnest(array<struct<${type}>>[${rows.join(', ')}])`;
}

/** The parts of a text between separators outside of brackets and quotes. */
function splitAt(text: string, separator: ',' | ';'): readonly string[] {
  const parts: string[] = [];
  let [depth, from] = [0, 0];
  for (const { 0: token, index } of text.matchAll(
    /'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|[()[\]<>,;]/g,
  )) {
    if ('([<'.includes(token)) depth += 1;
    else if (')]>'.includes(token)) depth -= 1;
    else if (token === separator && depth === 0) {
      parts.push(text.slice(from, index));
      from = index + 1;
    }
  }
  return [...parts, text.slice(from)];
}
