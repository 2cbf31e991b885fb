import { lex, type Token } from '../../src/compiler/syntax/lex.js';

/** The tables of a setup, which a query reads as CTEs. */
interface Tables {
  withCtes(query: string): string;
}

/** The placeholder of a table in a dataset: `${DATASET}.t`, with backticks around all of it or a part. */
const tableName = /`?\$\{DATASET\}`?\.`?(\w+)`?/g;

/** The tables that statements create and fill; undefined if they do anything else. */
export function createdTables(setup: string): Tables | undefined {
  const made: Made = { queries: new Map(), columns: new Map() };
  const text = setup.replaceAll(tableName, '$1');
  const statements = split(lex(text).slice(0, -1), ';').map((tokens) => ({ text, tokens }));
  if (!statements.every((one) => one.tokens.length === 0 || create(one, made) || fill(one, made)))
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
  const [first] = lex(query);
  return first?.key === 'WITH'
    ? `with ${ctes},\n${query.slice(first.end)}`
    : `with ${ctes}\n${query}`;
}

/** The tables so far, as queries, and the columns of those that were created with a list. */
interface Made {
  readonly queries: Map<string, string>;
  readonly columns: Map<string, readonly Column[]>;
}

/** Tokens, and the text that they are of. */
interface Part {
  readonly text: string;
  readonly tokens: readonly Token[];
}

/** The tokens after these words, which may be in brackets: `[IF NOT EXISTS]`; undefined if one is missing. */
function after(part: Part, ...words: readonly string[]): Part | undefined {
  let { tokens } = part;
  for (const word of words) {
    const optional = /^\[(.*)\]$/.exec(word)?.[1];
    const keys = (optional ?? word).split(' ');
    if (keys.every((key, at) => key.split('|').includes(tokens[at]?.key ?? ''))) {
      tokens = tokens.slice(keys.length);
    } else if (optional === undefined) return undefined;
  }
  return { ...part, tokens };
}

/** `CREATE TABLE t (…)`, `CREATE TABLE t AS …` or `CREATE VIEW t AS …`; false for any other statement. */
function create(statement: Part, { queries, columns }: Made): boolean {
  const rest = after(statement, 'CREATE', '[OR REPLACE]', 'TABLE|VIEW', '[IF NOT EXISTS]');
  const [name, ...more] = rest?.tokens ?? [];
  if (name === undefined) return false;
  const as = outside(more).find(({ key }) => key === 'AS');
  const list = inBrackets({ ...statement, tokens: more });
  const last = more.at(-1);
  if (as !== undefined && last !== undefined)
    queries.set(name.value, statement.text.slice(as.end, last.end));
  else if (list !== undefined) columns.set(name.value, list.map(parseColumn));
  return as !== undefined || list !== undefined;
}

/** `INSERT INTO t VALUES …` into a table that exists; false for any other statement. */
function fill(statement: Part, { queries, columns }: Made): boolean {
  const rest = after(statement, 'INSERT', '[INTO]');
  const [name, ...more] = rest?.tokens ?? [];
  const values = outside(more).find(({ key }) => key === 'VALUES');
  if (name === undefined || values === undefined) return false;
  const before = queries.get(name.value);
  const all = columns.get(name.value);
  if (all === undefined && before === undefined) return false;
  const at = more.indexOf(values);
  const given = inBrackets({ ...statement, tokens: more.slice(0, at) });
  const names = given?.map(({ tokens }) => tokens[0]?.value ?? '');
  const lists = split(more.slice(at + 1), ',').map((tokens) =>
    sourceText({ ...statement, tokens }),
  );
  const rows = all ? valuesQuery(all, names, lists) : `select * from unnest([${lists}])`;
  queries.set(name.value, before === undefined ? rows : `${before}\nunion all\n${rows}`);
  return true;
}

interface Column {
  readonly name: string;
  readonly type: string;
}

/** The words that may follow the type of a column. */
const afterType: ReadonlySet<string | undefined> = new Set(['NOT', 'DEFAULT', 'OPTIONS']);

function parseColumn({ text, tokens: [name, ...more] }: Part): Column {
  const end = more.findIndex(({ key }) => afterType.has(key));
  const tokens = end === -1 ? more : more.slice(0, end);
  return { name: name?.value ?? '', type: sourceText({ text, tokens }) };
}

function selectNulls(columns: readonly Column[]): string {
  return `select ${columns.map(({ name, type }) => `cast(null as ${type}) as ${name}`).join(', ')}`;
}

function valuesQuery(
  all: readonly Column[],
  names: readonly string[] | undefined,
  lists: readonly string[],
): string {
  const own =
    names === undefined ? all : names.flatMap((name) => all.find((one) => one.name === name) ?? []);
  const type = own.map(({ name, type: kind }) => `${name} ${kind}`).join(', ');
  const rows = lists.map((list) => `struct${list}`);
  const shown = all.map((one) =>
    own.includes(one) ? one.name : `cast(null as ${one.type}) as ${one.name}`,
  );
  return `select ${shown.join(', ')} from unnest(array<struct<${type}>>[${rows.join(', ')}])`;
}

function sourceText({ text, tokens }: Part): string {
  return text.slice(tokens[0]?.at ?? 0, tokens.at(-1)?.end ?? 0);
}

/** Each token with the number of brackets around it; `<>` and `>>` are brackets of types in a list of columns. */
function withDepths(tokens: readonly Token[]): readonly (readonly [Token, number])[] {
  let depth = 0;
  return tokens.map((token) => {
    if (token.kind !== 'symbol') return [token, depth];
    for (const character of token.text) {
      if ('([<'.includes(character)) depth += 1;
      if (')]>'.includes(character)) depth -= 1;
    }
    return [token, depth];
  });
}

/** The tokens outside of brackets. */
function outside(tokens: readonly Token[]): readonly Token[] {
  return withDepths(tokens).flatMap(([token, depth]) => (depth === 0 ? [token] : []));
}

/** The parts of tokens between separators; commas within brackets are none. */
function split(tokens: readonly Token[], separator: ',' | ';'): readonly (readonly Token[])[] {
  const parts: Token[][] = [[]];
  for (const [token, depth] of withDepths(tokens)) {
    if (token.text === separator && (depth === 0 || separator === ';')) parts.push([]);
    else parts.at(-1)?.push(token);
  }
  return parts;
}

/** The parts of a list with which the tokens begin; undefined if they begin otherwise. */
function inBrackets({ text, tokens }: Part): readonly Part[] | undefined {
  if (tokens[0]?.text !== '(') return undefined;
  const end = withDepths(tokens).findIndex(([, depth]) => depth === 0);
  return split(tokens.slice(1, end), ',').map((part) => ({ text, tokens: part }));
}
