import { DuckDBInstance } from '@duckdb/node-api';

// Functions of DuckDB that come closest to functions of GoogleSQL, measured over a column like theirs.

const texts = ["'abc'", "'x y, z'", "'é€😀ß'", "'https://user@www.example.co.uk:80/a?b=c'"];
const integers = ['1', '-5', '64', '1773100000'];
const floats = ['1.5::double', '-2.25::double', '0.5::double', '1e30::double'];
const dates = ["date '2026-03-10'", "date '1969-12-31'", "date '2024-02-29'"];
const instants = ["timestamp '2026-03-29 00:30:00.123456'", "timestamp '1969-12-31 23:59:59.5'"];
const blobs = ["'abc'::blob", "'0123456789abcdef'::blob"];
const documents = ['\'{"a":[1,{"b":"c"}]}\'', "'[1,2]'", "'1'"];
const numbers = ["'42'", "'-7'", "'2026'"];
const times = ["'2026-03-10 12:00:00'", "'2026-03-11 00:00:01'"];

/** Label of a price, DuckDB's expression of `a`, values of `a`. @type {readonly (readonly [string, string, readonly string[]])[]} */
const nearest = [
  ['upper(STRING)', 'upper(a)', texts],
  ['lower(STRING)', 'lower(a)', texts],
  ['reverse(STRING)', 'reverse(a)', texts],
  ['length(STRING)', 'length(a)', texts],
  ['char_length(STRING)', 'length(a)', texts],
  ['byte_length(STRING)', 'strlen(a)', texts],
  ['trim(STRING)', 'trim(a)', texts],
  ['ltrim(STRING)', 'ltrim(a)', texts],
  ['rtrim(STRING)', 'rtrim(a)', texts],
  ['ascii(STRING)', 'ascii(a)', texts],
  ['unicode(STRING)', 'unicode(a)', texts],
  ['md5(STRING)', 'md5(a)', texts],
  ['sha256(STRING)', 'sha256(a)', texts],
  ['substr(STRING, INT64)', 'substr(a, 2)', texts],
  ['strpos(STRING, STRING)', "strpos(a, 'b')", texts],
  ['starts_with(STRING, STRING)', "starts_with(a, 'ab')", texts],
  ['replace(STRING, STRING, STRING)', "replace(a, 'b', 'x')", texts],
  ['regexp_contains(STRING, STRING)', "regexp_matches(a, 'a')", texts],
  ['regexp_extract(STRING, STRING)', "regexp_extract(a, 'a')", texts],
  ['regexp_replace(STRING, STRING, STRING)', "regexp_replace(a, 'a', 'x', 'g')", texts],
  ['split(STRING)', "string_split(a, ',')", texts],
  ['to_hex(BYTES)', 'hex(a)', blobs],
  ['to_base64(BYTES)', 'to_base64(a)', blobs],
  ['abs(INT64)', 'abs(a)', integers],
  ['sign(INT64)', 'sign(a)', integers],
  ['bit_count(INT64)', 'bit_count(a)', integers],
  ['abs(FLOAT64)', 'abs(a)', floats],
  ['round(FLOAT64)', 'round(a)', floats],
  ['floor(FLOAT64)', 'floor(a)', floats],
  ['ceil(FLOAT64)', 'ceil(a)', floats],
  ['exp(FLOAT64)', 'exp(a / 1e30)', floats],
  ['sin(FLOAT64)', 'sin(a)', floats],
  ['date_trunc(DATE, PART)', "date_trunc('day', a)", dates],
  ['date_diff(DATE, DATE, PART)', "date_diff('day', a, date '2026-01-01')", dates],
  ['last_day(DATE)', 'last_day(a)', dates],
  ['unix_date(DATE)', "a - date '1970-01-01'", dates],
  ['format_date(STRING, DATE)', "strftime(a, '%Y-%m-%d')", dates],
  ['timestamp_trunc(TIMESTAMP, PART)', "date_trunc('day', a)", instants],
  ['unix_micros(TIMESTAMP)', 'epoch_us(a)', instants],
  ['format_timestamp(STRING, TIMESTAMP)', "strftime(a, '%Y-%m-%d')", instants],
  ['parse_date(STRING, STRING)', "try_strptime(a, '%Y-%m-%d %H:%M:%S')", times],
  ['parse_timestamp(STRING, STRING)', "try_strptime(a, '%Y-%m-%d %H:%M:%S')", times],
  ['cast(STRING as TIMESTAMP)', 'try_cast(a as timestamp)', times],
  ['cast(STRING as DATE)', 'try_cast(a as date)', times],
  ['cast(STRING as INT64)', 'try_cast(a as bigint)', numbers],
  ['cast(STRING as FLOAT64)', 'try_cast(a as double)', numbers],
  ['cast(STRING as NUMERIC)', 'try_cast(a as decimal(38, 9))', numbers],
  ['cast(INT64 as STRING)', 'a::varchar', integers],
  ['cast(FLOAT64 as STRING)', 'a::varchar', floats],
  ['cast(TIMESTAMP as STRING)', 'a::varchar', instants],
  ['parse_json(STRING)', 'a::json', documents],
  ['json_value(STRING, STRING)', "json_extract_string(a, '$.a')", documents],
  ['json_query(STRING, STRING)', "json_extract(a, '$.a')", documents],
];

/**
 * Nanoseconds a row of DuckDB's own functions, by the label of ours.
 * @param {number} rowCount @param {number} repeats @returns {Promise<ReadonlyMap<string, number>>}
 */
export async function measureNatives(rowCount, repeats) {
  const instance = await DuckDBInstance.create(':memory:', { threads: '2' });
  const connection = await instance.connect();
  /** @param {string} sql */
  const least = async (sql) => {
    const times = [];
    while (times.length < repeats) {
      const start = process.cpuUsage();
      await connection.run(sql);
      const { user, system } = process.cpuUsage(start);
      times.push(1000 * (user + system));
    }
    return Math.min(...times);
  };
  /** @type {Map<string, number>} */
  const found = new Map();
  for (const [label, expression, values] of nearest) {
    const from = `from (select [${values.join(', ')}][1 + i % ${values.length}] as a from range(${rowCount}) t(i))`;
    const own = await least(`select count(${expression}) ${from}`);
    const base = await least(`select count(a) ${from}`);
    found.set(label, Math.max(1, (own - base) / rowCount));
  }
  connection.closeSync();
  instance.closeSync();
  return found;
}
