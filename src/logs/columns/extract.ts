import { duckType } from '../../compiler/duckdb-sql/duckdb-type.js';
import { quoteName, quoteText } from '../../process/quote.js';
import type { SourceSchema } from '../../types/schema.js';
import type { ScalarName } from '../../types/types.js';
import { type FieldPlan, mayBeBad, type Plan, type RecordPlan } from './columns.js';
import { recordText, withMadeIds } from './made-id.js';
import { plannedType, storedPath } from './stored-type.js';

/** An object of the file whose fields are being extracted. */
interface Element {
  /** SQL for the object as a DuckDB struct. */
  readonly row: string;
  /** SQL for its JSON, and for a list of its keys; used only for fields that have several spellings. */
  readonly json: string;
  readonly keys?: string;
  readonly path: string;
  /**
   * Whether each record gets a variable, because its column has many fields: resolving their paths would take
   * quadratic time.
   */
  readonly isLarge: boolean;
  /** SQL for the lists that {@link mapLists} has filtered. */
  readonly lists?: ReadonlyMap<FieldPlan, string>;
}

const root: Element = { row: 'r', json: 'json', keys: 'keys', path: '', isLarge: false };

/**
 * A query that returns the rows of a table from queries of `json` and `record`, the source text of a record that may
 * lack an id.
 */
export function columnsQuery(
  fields: readonly FieldPlan[],
  lines: readonly string[],
  source: Pick<SourceSchema, 'name' | 'projectPath'>,
): string {
  const stored = fields.filter((field) => field.stored);
  const values = stored.map((field) => {
    const type = duckType(plannedType(field.plan));
    return `(${extract(field, root)})::${type} as ${quoteName(field.name)}`;
  });
  const rows = rowsQuery(lines.join(' union all ') || noLines, stored);
  const columns = `select ${values.join(', ')}, record as ${recordText} from (${rows})`;
  return withMadeIds(columns, stored, source);
}

const noLines = 'select null::json as json, null::varchar as record where false';

/** A query that checks lines of `n` and `json` and returns `n` and `findings`: a message for each bad field. */
export function findingsQuery(fields: readonly FieldPlan[], lines: string): string {
  const checked = fields.filter(mayBeBad);
  const inner = rowsQuery(lines, checked, mayBeBad);
  return `select n, ${findings(checked, root)} as findings from (${inner})`;
}

/** A query that returns `n` and `timestamp` for lines of `n` and `json`. */
export function timesQuery(fields: readonly FieldPlan[], lines: string): string {
  const own = fields.filter((field) => field.name === 'timestamp');
  const [value = 'null'] = own.map((field) => extract(field, root));
  return `select n, ${value} as "timestamp" from (${rowsQuery(lines, own)})`;
}

/** A query that adds the column `r` to lines with a column `json`: its fields as a struct. */
export function rowsQuery(lines: string, fields: readonly FieldPlan[], keep = isStored): string {
  const keys = fields.some(hasSeveralKeys) ? 'json_keys(json) as keys, ' : '';
  return `select *, ${keys}${fromJson('json', fieldsSpec(fields, keep))} as r from (${lines})`;
}

/** The structure argument of DuckDB's `from_json`. */
type Spec = string | readonly Spec[] | { readonly [key: string]: Spec };

/** Selects the fields to read. */
type Keep = (field: FieldPlan) => boolean;

/** Selects the fields that are stored. */
const isStored: Keep = (field) => field.stored;

/** SQL that reads JSON as a value of a type. */
function fromJson(json: string, spec: Spec): string {
  return `from_json(${json}, ${quoteText(JSON.stringify(spec))})`;
}

/** The spec of a record's fields; fields with several spellings are left out. */
function fieldsSpec(fields: readonly FieldPlan[], keep: Keep): Spec {
  const single = fields.filter((field) => field.keys.length === 1 && keep(field));
  if (single.length === 0) return 'JSON';
  return Object.fromEntries(single.map(({ keys, plan }) => [keys[0] ?? '', fieldSpec(plan, keep)]));
}

/** The spec of a field. */
function fieldSpec(plan: Plan, keep: Keep): Spec {
  if (plan.is !== 'record')
    return plan.is === 'scalar' || plan.raw === 'JSON' ? plan.raw : [plan.raw];
  if (plan.form === 'mixed') return 'JSON';
  const fields = fieldsSpec(plan.fields, keep);
  return plan.form === 'array' ? [fields] : fields;
}

/** The value of a field as DuckDB reads it. If an object has several spellings of the name, the first one counts. */
function rawValue({ keys, plan }: FieldPlan, element: Element, keep: Keep): string {
  const [key] = keys;
  if (key === undefined) return 'null';
  if (keys.length === 1) return `${element.row}.${quoteName(key)}`;
  const first = `json_extract(${element.json}, log_pointer((${spellings(keys, element)})[1]))`;
  return fromJson(first, fieldSpec(plan, keep));
}

/**
 * The keys of an object that are spellings of one name, of which there may be thousands. DuckDB converts only the
 * letters of ASCII to lower case as the loader does.
 */
function spellings(keys: readonly string[], element: Element): string {
  const { keys: all = `json_keys(${element.json})` } = element;
  const isOne = keys.every((key) => ascii.test(key))
    ? `strlen(k) = len(k) and lower(k) = ${quoteText(keys[0]?.toLowerCase() ?? '')}`
    : `k in (${keys.map(quoteText).join(', ')})`;
  return `list_filter(${all}, lambda k: ${isOne})`;
}

const ascii = /^[ -~]*$/;

/** Each checked type has a macro: `log_int64`. */
function convert(type: ScalarName, json: string): string {
  return `log_${type.toLowerCase()}(${json})`;
}

function extract(field: FieldPlan, parent: Element): string {
  const { plan } = field;
  const list = parent.lists?.get(field);
  if (list !== undefined) return list;
  const raw = rawValue(field, parent, isStored);
  if (field.keys.length === 0) return 'null';
  if (plan.is === 'record') return extractRecord(plan, childElement(parent, field, raw));
  if (plan.is === 'scalars') {
    const items =
      plan.raw === 'JSON'
        ? `case json_type(${raw}) when 'ARRAY' then list_transform(json_extract(${raw}, '$[*]'),
            lambda x: ${convert(plan.type, 'x')}) end`
        : raw;
    return withoutNulls(items);
  }
  if (plan.raw === 'JSON') return convert(plan.type, raw);
  if (plan.type !== 'TIMESTAMP') return raw;
  return plan.raw === 'VARCHAR' ? `log_timestamp(${raw})` : `log_whole_timestamp(${raw})`;
}

function childElement(parent: Element, field: FieldPlan, raw: string): Element {
  const isLarge = parent.path === '' ? countFields(field.plan) > maxUnnamed : parent.isLarge;
  return { row: raw, json: raw, path: storedPath(parent.path, field.name), isLarge };
}

/** With at most this many fields or lists, naming them costs each row more than it saves the statement. */
const maxUnnamed = 200;

function countFields(plan: Plan): number {
  if (plan.is !== 'record') return 1;
  return plan.fields.reduce((sum, field) => sum + countFields(field.plan), 1);
}

/**
 * Gives a struct a name. DuckDB resolves a path in time that grows with the fields of each record on it: without
 * names, the time for all fields would be quadratic.
 */
function withName(value: Element, body: (named: Element) => string): string {
  return value.isLarge ? `${mapElements(`[${value.row}]`, value, body)}[1]` : body(value);
}

/** SQL that applies `body` to each element of a list; the elements are JSON or structs. */
function mapElements(list: string, value: Element, body: (element: Element) => string): string {
  // A different name at each depth.
  const variable = `e${value.path.split('.').length}`;
  const { keys: _, ...own } = value;
  // Without parentheses, DuckDB would prefer a column named like the variable, such as a field `e1`.
  const element = { ...own, row: `(${variable})`, json: variable };
  return `list_transform(${list}, lambda ${variable}: ${body(element)})`;
}

function extractRecord(plan: RecordPlan, value: Element): string {
  if (plan.form === 'object') {
    if (isAsRead(plan)) return value.row;
    const body = (named: Element) =>
      `case when ${named.row} is not null then ${pack(plan, named)} end`;
    const map = mapFor(plan);
    return map === mapElements ? withName(value, body) : `${map(`[${value.row}]`, value, body)}[1]`;
  }
  const elements = readElements(plan, value);
  const map = mapFor(plan);
  const stored = areAsRead(plan.fields)
    ? elements
    : map(elements, value, (element) => pack(plan, element));
  return plan.isList ? unlessEmpty(stored) : `${stored}[1]`;
}

function withoutNulls(list: string): string {
  return unlessEmpty(`list_filter(${list}, lambda x: x is not null)`);
}

/** An empty list is stored as NULL, as an absent one is: a query groups by lists, and sorts by them. */
function unlessEmpty(list: string): string {
  return `list_filter([${list}], lambda l: len(l) > 0)[1]`;
}

/** Whether the value that DuckDB reads needs no more than a cast to be stored. */
function isAsRead(plan: Plan): boolean {
  if (plan.is === 'record') return plan.form === 'object' && areAsRead(plan.fields);
  if (plan.raw === 'JSON') return false;
  return plan.is === 'scalar' && plan.type !== 'TIMESTAMP';
}

function areAsRead(fields: readonly FieldPlan[]): boolean {
  return fields.filter(isStored).every(({ keys, plan }) => keys.length === 1 && isAsRead(plan));
}

function hasSeveralKeys({ keys }: FieldPlan): boolean {
  return keys.length > 1;
}

/** A list of the elements: structs, or JSON if a field has several spellings. */
function readElements(plan: RecordPlan, value: Element): string {
  const isRead = plan.form === 'array' || plan.fields.some(hasSeveralKeys);
  const elements = isRead ? recordElements(plan, value) : fromMixed(plan, value);
  return plan.isList ? elements : `${elements}[1:1]`;
}

function fromMixed(plan: RecordPlan, { row }: Element): string {
  const spec = fieldsSpec(plan.fields, isStored);
  // DuckDB would read a value that is not an object as a struct of NULL.
  const array = plan.hasStrays ? `to_json(log_elements(${row}))` : `log_array(${row})`;
  const read = plan.isList ? fromJson(array, [spec]) : `[${fromJson(`log_first(${row})`, spec)}]`;
  return `list_filter(${read}, lambda x: x is not null)`;
}

function mapFor(plan: RecordPlan): typeof mapElements {
  if (plan.fields.some(hasSeveralKeys)) return mapRead(plan, isStored);
  const isReadList = ({ plan: own }: FieldPlan) => own.is === 'scalars' && own.raw !== 'JSON';
  const lists = plan.fields.filter(isStored).filter(isReadList);
  return lists.length > maxUnnamed ? mapLists(lists) : mapElements;
}

/**
 * Like {@link mapElements}, but first filters these lists of each element. They are read as lists of strings so that all
 * of them share a lambda: DuckDB takes half a millisecond to prepare each.
 */
function mapLists(lists: readonly FieldPlan[]): typeof mapElements {
  return (list, value, body) => {
    const filter = (element: Element) => {
      const raw = lists.map((field) => `${rawValue(field, element, isStored)}::varchar[]`);
      return `{'row': ${element.row}, 'lists': list_transform([${raw.join(', ')}], lambda l: ${withoutNulls('l')})}`;
    };
    return mapElements(mapElements(list, value, filter), value, (both) => {
      const places = lists.map((one, at) => [one, `${both.row}.lists[${at + 1}]`] as const);
      return body({ ...both, row: `${both.row}.row`, lists: new Map(places) });
    });
  };
}

/** Packs values whose types are not yet those of the fields: the column is cast as a whole. */
function pack(plan: RecordPlan, element: Element): string {
  const fields = plan.fields
    .filter(isStored)
    .map((field) => `${quoteText(field.name)}: ${extract(field, element)}`);
  return `{${fields.join(', ')}}`;
}

function recordElements(plan: RecordPlan, { row }: Element): string {
  if (plan.form === 'mixed') return `log_elements(${row})`;
  return `list_filter(${row}, lambda x: x is not null)`;
}

/**
 * Like {@link mapElements} for elements that are JSON: reads each as a struct once. Reads all of them before `body` is
 * applied, because DuckDB's work doubles with each lambda inside another one.
 */
function mapRead(plan: RecordPlan, keep: Keep): typeof mapElements {
  return (list, value, body) => {
    const read = ({ json }: Element) =>
      `{'row': ${fromJson(json, fieldsSpec(plan.fields, keep))}, 'json': ${json}, 'keys': json_keys(${json})}`;
    return mapElements(mapElements(list, value, read), value, (both) =>
      body({ ...both, row: `${both.row}.row`, json: `${both.row}.json`, keys: `${both.row}.keys` }),
    );
  };
}

function findings(fields: readonly FieldPlan[], parent: Element): string {
  const lists = fields.filter(mayBeBad).flatMap((field) => fieldFindings(field, parent));
  return lists.length === 0 ? '[]::varchar[]' : `flatten([${lists.join(', ')}])`;
}

function fieldFindings(field: FieldPlan, parent: Element): readonly string[] {
  const { plan, keys } = field;
  const value = childElement(parent, field, rawValue(field, parent, mayBeBad));
  const again = `${value.path}: the same field again in different letter case`;
  const twice = keys.length < 2 ? [] : [badFindings(`(${spellings(keys, parent)})[2:]`, again)];
  if (plan.is === 'record') return [...twice, ...recordFindings(plan, value)];
  if (plan.raw !== 'JSON') return twice;
  const { row, path } = value;
  const isBad = `(not log_none(x) and ${convert(plan.type, 'x')} is null)`;
  const bad = (list: string, condition: string, wanted: string) =>
    badFindings(`list_filter(${list}, lambda x: ${condition})`, `${path}: not ${wanted}`);
  if (plan.is === 'scalar') return [...twice, bad(`[${row}]`, isBad, plan.type)];
  const values = `case json_type(${row}) when 'ARRAY' then json_extract(${row}, '$[*]') else [${row}] end`;
  const isWrong = `(${isBad} or (json_type(${row}) <> 'ARRAY' and not log_none(x)))`;
  return [...twice, bad(values, isWrong, `an ARRAY of ${plan.type}`)];
}

function badFindings(list: string, message: string): string {
  return `coalesce(list_transform(${list}, lambda b: ${quoteText(message)}), [])`;
}

function recordFindings(plan: RecordPlan, value: Element): readonly string[] {
  const inner = (element: Element) => findings(plan.fields, element);
  if (plan.form === 'object') return [withName(value, inner)];
  const map = plan.form === 'array' ? mapElements : mapRead(plan, mayBeBad);
  const nested = `coalesce(flatten(${map(recordElements(plan, value), value, inner)}), [])`;
  const strays = badFindings(`range(log_strays(${value.row}))`, `${value.path}: not a record`);
  const checks = plan.fields.some(mayBeBad) ? [nested] : [];
  return plan.form === 'mixed' ? [strays, ...checks] : checks;
}
