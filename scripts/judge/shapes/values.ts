/** The types of random values, by short names that templates use. */
export type ValueType =
  | 'int'
  | 'float'
  | 'numeric'
  | 'bignumeric'
  | 'string'
  | 'bytes'
  | 'bool'
  | 'date'
  | 'datetime'
  | 'timestamp'
  | 'time'
  | 'interval'
  | 'json'
  | 'ints'
  | 'pairs';

/** The type in GoogleSQL, the column of it, and literals. */
interface ValueSource {
  readonly type: string;
  readonly column: string;
  readonly literals: readonly string[];
}

const dates = ['2024-02-29', '2023-12-31', '1970-01-01', '2024-03-10', '1999-01-01', '2020-12-28'];
const times = ['00:00:00', '12:34:56.789', '23:59:59.999999', '07:08:09'];
const instants = [
  '2024-03-10 06:59:59+00',
  '2024-11-03 05:30:00.25+00',
  '1969-12-31 23:59:59.5+00',
  '2023-12-31 23:59:59.999999+00',
  '2024-02-29 12:00:00+00',
];
const texts = [
  'a',
  'abc',
  '',
  'Straße',
  'ÄÖü',
  '日本語',
  'a,b,,c',
  '42',
  '-1.5',
  ' x y ',
  'foo bar',
  '2024-02-29',
  'true',
  '👍🏽é',
  'a%b_c',
  'É',
];

/** Random values of each type. */
export const valueSources: Readonly<Record<ValueType, ValueSource>> = {
  int: {
    type: 'int64',
    column: 'i',
    literals: ['0', '1', '-1', '2', '3', '7', '10', '42', '-5', '100', '1000000'],
  },
  float: {
    type: 'float64',
    column: 'f',
    literals: ['0.0', '1.5', '-2.25', '1e10', '0.1', '3.0', '-0.5', '1e-7', '123456.789', '2.5'],
  },
  numeric: {
    type: 'numeric',
    column: 'n',
    literals: ['0', '1.5', '-2.345', '123456789.123456789', '0.000000001', '100', '2.5'].map(
      (text) => `numeric '${text}'`,
    ),
  },
  bignumeric: {
    type: 'bignumeric',
    column: 'bn',
    literals: ['0', '1.5', '-2.345', '12345.5', '100'].map((text) => `bignumeric '${text}'`),
  },
  string: { type: 'string', column: 's', literals: texts.map((text) => `'${text}'`) },
  bytes: { type: 'bytes', column: 'y', literals: ["b'abc'", "b'\\x00\\xff'", "b''", "b'a'"] },
  bool: { type: 'bool', column: 'b', literals: ['true', 'false'] },
  date: { type: 'date', column: 'd', literals: dates.map((text) => `date '${text}'`) },
  datetime: {
    type: 'datetime',
    column: 'dt',
    literals: dates.flatMap((day) => times.map((time) => `datetime '${day} ${time}'`)),
  },
  timestamp: {
    type: 'timestamp',
    column: 'ts',
    literals: instants.map((text) => `timestamp '${text}'`),
  },
  time: { type: 'time', column: 'tm', literals: times.map((text) => `time '${text}'`) },
  interval: {
    type: 'interval',
    column: 'iv',
    literals: [
      'interval 1 day',
      'interval -90 minute',
      "interval '1-2 3 4:5:6.5' year to second",
      'interval 14 month',
    ],
  },
  json: {
    type: 'json',
    column: 'j',
    literals: ['{"a":1,"b":[1,2,{"c":"x"}]}', '{"a":{"b":"42"}}', '[1,"2",true]', '"s"'].map(
      (text) => `json '${text}'`,
    ),
  },
  ints: {
    type: 'array<int64>',
    column: 'ai',
    literals: ['[1, 2, 3]', 'array<int64>[]', '[5]', '[-1, 10, 10]'],
  },
  pairs: {
    type: 'array<struct<k string, v int64>>',
    column: 'av',
    literals: [
      "[struct('a' as k, 1 as v), ('b', null)]",
      'array<struct<k string, v int64>>[]',
      "[struct('é' as k, 3 as v), ('a', 4), ('a', -2)]",
    ],
  },
};

/** Words that templates choose from. */
export const words: Readonly<Record<string, readonly string[]>> = {
  n: ['0', '1', '2', '3', '5'],
  positive: ['1', '2', '3', '7'],
  datepart: ['day', 'week', 'isoweek', 'month', 'quarter', 'year', 'week(monday)', 'isoyear'],
  datestep: ['day', 'week', 'month', 'quarter', 'year'],
  timepart: ['microsecond', 'millisecond', 'second', 'minute', 'hour'],
  instantpart: ['second', 'minute', 'hour', 'day', 'week', 'month', 'year'],
  extractdate: ['day', 'week', 'isoweek', 'month', 'quarter', 'year', 'dayofweek', 'dayofyear'],
  extracttime: ['microsecond', 'millisecond', 'second', 'minute', 'hour'],
  zone: ['UTC', 'America/New_York', 'Europe/Berlin', 'Asia/Kolkata', '+05:30'].map(
    (zone) => `'${zone}'`,
  ),
  dateformat: ['%F', '%d %b %Y', '%A %j', '%G-W%V', '%m/%d/%y', '%U %W', '%B %e', '%Q', '%x'].map(
    (format) => `'${format}'`,
  ),
  instantformat: [
    '%FT%H:%M:%E*S%Ez',
    '%c',
    '%I:%M %p',
    '%s',
    '%H:%M:%E3S',
    '%Z',
    '%D %R',
    '%k',
  ].map((format) => `'${format}'`),
  pattern: ['a', '[a-c]+', '(\\\\w)', '^\\\\s*', '\\\\d+', '.', 'é|ß', '(?i)A', '(b)?c$'].map(
    (pattern) => `'${pattern}'`,
  ),
  like: ['a%', '%b_c', '%', '_', '%é%', 'a\\\\%%', '%,%'].map((pattern) => `'${pattern}'`),
  intformat: ['%d', '%5d', '%-6dx', '%05d', '%+d', "%'d", '%x', '%o', '%i', '%t', '%T'].map(
    (format) => `"${format}"`,
  ),
  floatformat: ['%f', '%.2f', '%e', '%g', '%10.3f', "%'.1f", '%G', '%t', '%T', '%+.0f'].map(
    (format) => `"${format}"`,
  ),
  path: ['$.a', '$.b[0]', '$.a.b', '$', '$.x', '$[1]', '$.b[2].c'].map((path) => `'${path}'`),
};
