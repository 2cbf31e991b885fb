import { quoteName, quoteText } from '../../common/quote.js';
import type { ScalarName } from '../../types/type.js';
import type { LinkedFile } from '../files/line-reader.js';
import { type FieldPlan, isDoubtful, type Plan, type RecordPlan } from './columns.js';
import { columnTypes, fieldsSpec, fromJson, isStored, type Keep, specOf } from './json-spec.js';
import { pathOf, typeSql } from './stored-type.js';

/** Paths of records that are stored as lists, as `metadata.request`. */
export type ListPaths = ReadonlySet<string>;

/** What is known of the arrays in the lines. */
export interface Arrays {
  readonly lists: ListPaths;
  /** Whether one of records may hold NULL, which is none. */
  readonly mayHoldNulls: boolean;
}

/** One object of the file while it is taken apart. */
interface Element {
  /** DuckDB's struct of it. */
  readonly row: string;
  /** Its JSON; only where a field may be spelled in several ways. */
  readonly json: string;
  readonly path: string;
}

const root: Element = { row: 'r', json: 'json', path: '' };

/** The lines of a source, by how they can be read. */
export interface Lines {
  /** Files in which every line is a record with its `id`: DuckDB reads them in one go. */
  readonly sound: readonly LinkedFile[];
  /** Queries of `file`, `n` and `json`. */
  readonly others: readonly string[];
}

/** The columns of a table, as a query. */
export function columnsQuery(
  fields: readonly FieldPlan[],
  { sound, others }: Lines,
  arrays: Arrays,
): string {
  const stored = fields.filter((field) => field.stored);
  const columns = (idOf: (id: string) => string) =>
    stored.map((field) => {
      const value = extractColumn(field, arrays);
      return `${field.name === 'id' ? idOf(value) : value} as ${quoteName(field.name)}`;
    });
  const made = columns((id) => `coalesce(${id}, md5(file || ':' || n))`);
  const lines = others.join(' union all ') || noLines;
  const rest = `select ${made.join(', ')} from (${readRows(lines, stored)})`;
  if (sound.length === 0) return rest;
  const files = `[${sound.map(({ link }) => quoteText(link)).join(', ')}]`;
  const maxLineBytes = Math.max(...sound.map((each) => each.maxLineBytes));
  const direct = `select ${columns((id) => id).join(', ')} from read_json(${files},
    format = 'newline_delimited', compression = 'uncompressed', ignore_errors = true,
    maximum_object_size = ${maxLineBytes}, columns = {${columnTypes(stored)}}) as r`;
  return others.length === 0 ? direct : `${direct} union all ${rest}`;
}

/** The value of a column, in rows as `readRows` gives them. */
export function extractColumn(field: FieldPlan, arrays: Arrays): string {
  const type = typeSql(field.plan, pathOf('', field.name), arrays.lists);
  return `(${extract(field, root, arrays)})::${type}`;
}

/** Whether DuckDB can read the fields in one go: no field stands in two spellings at the top. */
export function canReadDirectly(fields: readonly FieldPlan[]): boolean {
  const stored = fields.filter((field) => field.stored && field.keys.length > 0);
  return stored.length > 0 && stored.every((field) => field.keys.length === 1);
}

const noLines = `select ''::varchar as file, 0::bigint as n, null::json as json where false`;

/**
 * What is odd in lines of `n` and `json`, as a query of `n` and `findings`, a list of texts:
 * `L<path>` for a record of two elements or more, `B<path>: <message>` for a bad field.
 */
export function findingsQuery(fields: readonly FieldPlan[], lines: string): string {
  const doubtful = fields.filter(isDoubtful);
  const inner = readRows(lines, doubtful, isDoubtful);
  return `select n, ${findings(doubtful, root)} as findings from (${inner})`;
}

/** The timestamps of lines of `n` and `json`, as a query of `n` and `timestamp`. */
export function timesQuery(fields: readonly FieldPlan[], lines: string): string {
  const own = fields.filter((field) => field.name === 'timestamp');
  const arrays = { lists: new Set<string>(), mayHoldNulls: true };
  const [value = 'null'] = own.map((field) => extract(field, root, arrays));
  return `select n, ${value} as "timestamp" from (${readRows(lines, own)})`;
}

/** Lines with a column `json`, and `r`: the fields of it as a struct. */
export function readRows(lines: string, fields: readonly FieldPlan[], keep = isStored): string {
  return `select *, ${fromJson('json', fieldsSpec(fields, keep))} as r from (${lines})`;
}

/** The field's value as DuckDB reads it; of several spellings, the one that comes first. */
function rawOf({ keys, plan }: FieldPlan, element: Element, keep: Keep): string {
  const [key] = keys;
  if (key === undefined) return 'null';
  if (keys.length === 1) return `${element.row}.${quoteName(key)}`;
  const cases = keys.map((each) => {
    const spec = { [each]: specOf(plan, keep) };
    return `when ${quoteText(each)} then ${fromJson(element.json, spec)}.${quoteName(each)}`;
  });
  return `case (${spellings(keys, element)})[1] ${cases.join(' ')} end`;
}

function spellings(keys: readonly string[], { json }: Element): string {
  const names = keys.map(quoteText).join(', ');
  return `list_filter(json_keys(${json}), lambda k: k in (${names}))`;
}

const converters = {
  STRING: (json) => `log_string(${json})`,
  INT64: (json) => `log_int64(${json})`,
  FLOAT64: (json) => `log_float64(${json})`,
  BOOL: (json) => `log_bool(${json})`,
} as const satisfies Partial<Record<ScalarName, (json: string) => string>>;

function convert(type: ScalarName, json: string): string {
  return converters[type as keyof typeof converters](json);
}

function extract(field: FieldPlan, parent: Element, arrays: Arrays): string {
  const { plan } = field;
  const raw = rawOf(field, parent, isStored);
  if (field.keys.length === 0) return 'null';
  if (plan.is === 'record') return extractRecord(plan, childOf(parent, field, raw), arrays);
  if (plan.is === 'scalars') {
    const items =
      plan.raw === 'JSON'
        ? `case json_type(${raw}) when 'ARRAY' then list_transform(json_extract(${raw}, '$[*]'),
            lambda x: ${convert(plan.type, 'x')}) end`
        : raw;
    return `list_filter(${items}, lambda x: x is not null)`;
  }
  if (plan.raw === 'JSON') return convert(plan.type, raw);
  return plan.type === 'TIMESTAMP' ? `log_timestamp(${raw})` : raw;
}

function childOf(parent: Element, field: FieldPlan, raw: string): Element {
  return { row: raw, json: raw, path: pathOf(parent.path, field.name) };
}

function extractRecord(plan: RecordPlan, value: Element, arrays: Arrays): string {
  if (plan.form === 'object') {
    if (isAsRead(plan)) return value.row;
    return `case when ${value.row} is not null then ${pack(plan, value, arrays)} end`;
  }
  const elements = readElements(plan, value, arrays);
  const first = arrays.lists.has(value.path) ? '' : '[1]';
  if (plan.fields.filter(isStored).every(isFieldAsRead)) return `${elements}${first}`;
  const variable = variableOf(value);
  const body = hasSpellings(plan)
    ? bind(plan, { ...value, json: variable }, (element) => pack(plan, element, arrays))
    : pack(plan, { ...value, row: inBrackets(variable) }, arrays);
  return `list_transform(${elements}, lambda ${variable}: ${body})${first}`;
}

/** Whether DuckDB's reading is already what is stored, but for a cast. */
function isAsRead(plan: Plan): boolean {
  if (plan.is === 'scalars') return false;
  if (plan.is === 'scalar') return plan.raw !== 'JSON' && plan.type !== 'TIMESTAMP';
  return plan.form === 'object' && plan.fields.filter(isStored).every(isFieldAsRead);
}

function isFieldAsRead({ keys, plan }: FieldPlan): boolean {
  return keys.length === 1 && isAsRead(plan);
}

function hasSpellings({ fields }: RecordPlan): boolean {
  return fields.some(({ keys }) => keys.length > 1);
}

/** A list of the elements: structs, or JSON where a field may be spelled in several ways. */
function readElements(plan: RecordPlan, value: Element, arrays: Arrays): string {
  // What stands there is what is stored: one at most, where it is not stored as a list.
  if (plan.form === 'array' && !arrays.mayHoldNulls) return value.row;
  const isList = arrays.lists.has(value.path);
  const isRead = plan.form === 'array' || hasSpellings(plan);
  const elements = isRead ? elementsOf(plan, value) : fromMixed(plan, value, isList);
  return isList ? elements : `${elements}[1:1]`;
}

function fromMixed(plan: RecordPlan, { row }: Element, isList: boolean): string {
  const spec = fieldsSpec(plan.fields, isStored);
  // Of what is no object, DuckDB would make one of NULL.
  const array = plan.hasStrays ? `to_json(log_elements(${row}))` : `log_array(${row})`;
  const read = isList ? fromJson(array, [spec]) : `[${fromJson(`log_first(${row})`, spec)}]`;
  return `list_filter(${read}, lambda x: x is not null)`;
}

function pack(plan: RecordPlan, element: Element, arrays: Arrays): string {
  const fields = plan.fields.filter(isStored).map((field) => {
    const type = typeSql(field.plan, childOf(element, field, '').path, arrays.lists);
    return `${quoteText(field.name)}: (${extract(field, element, arrays)})::${type}`;
  });
  return `{${fields.join(', ')}}`;
}

/** Path parts make the names of lambda variables differ at every depth. */
function variableOf({ path }: Element): string {
  return `e${path.split('.').length}`;
}

function elementsOf(plan: RecordPlan, { row }: Element): string {
  if (plan.form === 'mixed') return `log_elements(${row})`;
  return `list_filter(${row}, lambda x: x is not null)`;
}

/** Reads an element's JSON as a struct once, under a name of its own. */
function bind(
  plan: RecordPlan,
  element: Element,
  body: (element: Element) => string,
  keep = isStored,
): string {
  const row = `${element.json}r`;
  const struct = fromJson(element.json, fieldsSpec(plan.fields, keep));
  return `list_transform([${struct}], lambda ${row}: ${body({ ...element, row: inBrackets(row) })})[1]`;
}

/** Without brackets a column of a variable's name would come before it: `e1` is a field like any other. */
function inBrackets(variable: string): string {
  return `(${variable})`;
}

function findings(fields: readonly FieldPlan[], parent: Element): string {
  const lists = fields.filter(isDoubtful).flatMap((field) => findingsOf(field, parent));
  return lists.length === 0 ? '[]::varchar[]' : `flatten([${lists.join(', ')}])`;
}

function findingsOf(field: FieldPlan, parent: Element): readonly string[] {
  const { plan, keys } = field;
  const value = childOf(parent, field, rawOf(field, parent, isDoubtful));
  const again = `${value.path}: the same field again in other letter case`;
  const twice = keys.length < 2 ? [] : [bads(`(${spellings(keys, parent)})[2:]`, again)];
  if (plan.is === 'record') return [...twice, ...recordFindings(plan, value)];
  if (plan.raw !== 'JSON') return twice;
  const { row, path } = value;
  const message = `${path}: not ${plan.is === 'scalars' ? 'an ARRAY of ' : ''}${plan.type}`;
  const bad = `(json_type(x) <> 'NULL' and ${convert(plan.type, 'x')} is null)`;
  const values =
    plan.is === 'scalars'
      ? `case json_type(${row}) when 'ARRAY' then json_extract(${row}, '$[*]') else [${row}] end`
      : `[${row}]`;
  const wrong = plan.is === 'scalars' ? `(${bad} or json_type(${row}) <> 'ARRAY')` : bad;
  return [...twice, bads(`list_filter(${values}, lambda x: ${wrong})`, message)];
}

function bads(list: string, message: string): string {
  return `coalesce(list_transform(${list}, lambda b: ${quoteText(`B${message}`)}), [])`;
}

function recordFindings(plan: RecordPlan, value: Element): readonly string[] {
  if (plan.form === 'object') return [findings(plan.fields, value)];
  const elements = elementsOf(plan, value);
  const variable = variableOf(value);
  const inner = (element: Element) => findings(plan.fields, element);
  const body =
    plan.form === 'array'
      ? inner({ ...value, row: variable })
      : bind(plan, { ...value, json: variable }, inner, isDoubtful);
  const several = `case when len(${elements}) > 1 then [${quoteText(`L${value.path}`)}] else [] end`;
  const nested = `coalesce(flatten(list_transform(${elements}, lambda ${variable}: ${body})), [])`;
  const strays = bads(`range(log_strays(${value.row}))`, `${value.path}: not a record`);
  const checks = plan.fields.some(isDoubtful) ? [several, nested] : [several];
  return plan.form === 'mixed' ? [strays, ...checks] : checks;
}
