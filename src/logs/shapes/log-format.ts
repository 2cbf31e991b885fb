import { ownValue } from './member.js';

/** A format of access logs as a text shape: its pattern, the types of its fields, and what some are multiplied by. */
export interface FormatShape {
  readonly lines: readonly string[];
  readonly fields: Readonly<Record<string, string>>;
  readonly scale: Readonly<Record<string, number>>;
}

/** A piece of a format: text that stands in each line, or a value. */
type Piece = { readonly text: string } | { readonly name: string; readonly scale?: number };

/**
 * The shape of lines that nginx's `log_format` describes, with or without the quotes around its parts.
 * @see https://nginx.org/en/docs/http/ngx_http_log_module.html#log_format
 * @throws Error for a format of JSON
 */
export function readNginxFormat(format: string): FormatShape {
  const parts = format.match(/'[^']*'/g)?.map((part) => part.slice(1, -1));
  const text = parts?.join('') ?? format;
  if (text.trimStart().startsWith('{')) throw new Error('its lines are JSON: use the shape nginx');
  const pieces = [...text.matchAll(/\$\{?(\w+)\}?|[^$]+|\$/g)].map(([written, name]) =>
    name === undefined ? { text: written } : { name },
  );
  return shapeOf(pieces);
}

/**
 * The shape of lines that Apache's `LogFormat` describes; its fields have the names of nginx.
 * @see https://httpd.apache.org/docs/current/mod/mod_log_config.html#formats
 * @throws Error for a directive that is not known
 */
export function readApacheFormat(format: string): FormatShape {
  const directive = /%(?:!?\d+(?:,\d+)*)?[<>]?(?:\{([^}]*)\})?([A-Za-z%])|[^%]+|%/g;
  const text = format.replaceAll('\\"', '"');
  return shapeOf(
    [...text.matchAll(directive)].map(([written, argument, letter]) =>
      letter === undefined || letter === '%'
        ? { text: letter ?? written }
        : apachePiece(written, letter, argument),
    ),
  );
}

/** Directives of Apache that nginx has as variables. */
const apacheNames: Readonly<Record<string, string>> = {
  ...{ a: 'remote_addr', h: 'remote_addr', l: 'remote_logname', u: 'remote_user', t: 'bracketed' },
  ...{ r: 'request', s: 'status', b: 'body_bytes_sent', B: 'body_bytes_sent', O: 'bytes_sent' },
  ...{ I: 'request_length', D: 'request_time', T: 'request_time', m: 'request_method' },
  ...{ U: 'path', q: 'args', H: 'server_protocol', v: 'server_name', V: 'server_name' },
  ...{ p: 'server_port', P: 'pid', f: 'request_filename', k: 'connection_requests' },
  ...{
    X: 'connection_status',
    L: 'log_id',
    A: 'server_addr',
    R: 'handler',
    S: 'bytes_transferred',
  },
};

/** What the names of headers, cookies and variables begin with. */
const prefixes: Readonly<Record<string, string>> = {
  i: 'http_',
  o: 'sent_http_',
  C: 'cookie_',
  e: '',
  n: '',
};

/** Seconds in the units of `%D` and `%{…}T`. */
const units: Readonly<Record<string, number>> = { D: 1e-6, us: 1e-6, ms: 1e-3 };

function apachePiece(written: string, letter: string, argument: string | undefined): Piece {
  const prefix = argument === undefined ? undefined : ownValue(prefixes, letter);
  if (prefix !== undefined)
    return { name: `${prefix}${argument?.toLowerCase().replaceAll(/\W/g, '_')}` };
  const name = ownValue(apacheNames, letter);
  if (name === undefined || (letter === 't' && argument !== undefined))
    throw new Error(`${written} is not known`);
  const scale = ownValue(units, letter === 'T' ? (argument ?? '') : letter);
  return { name, ...(scale && { scale }) };
}

const localTime =
  '(?<day>\\d\\d)/(?<month>[A-Z][a-z]{2})/(?<year>\\d{4}):(?<time>[\\d:]+(?:\\.\\d+)?) (?<zone>[+-]\\d{4})';

/** The patterns of values that are not text up to the next character. */
const patterns: Readonly<Record<string, string>> = {
  time_local: localTime,
  bracketed: `\\[${localTime}\\]`,
  time_iso8601: '(?<timestamp>%{iso})',
  msec: '(?<timestamp>\\d+\\.\\d+)',
  request: '%{request}',
};

function shapeOf(pieces: readonly Piece[]): FormatShape {
  const found = pieces.flatMap((piece) => ('name' in piece ? [piece] : []));
  const typed = found.flatMap(({ name }) => {
    const type = typeOf(name);
    return type === undefined ? [] : [[`metadata.${name}`, type] as const];
  });
  return {
    lines: [`${pieces.map((_, index) => patternAt(pieces, index)).join('')}$`],
    fields: Object.fromEntries(typed),
    scale: Object.fromEntries(found.flatMap(({ name, scale }) => (scale ? [[name, scale]] : []))),
  };
}

function typeOf(name: string): string | undefined {
  if (/^(?:request|upstream\w*)_time$/.test(name)) return 'FLOAT64';
  const isCount = /^(?:status|pid|connection(?:_requests)?|\w*bytes\w*|\w+_length|\w+_port)$/;
  return isCount.test(name) ? 'INT64' : undefined;
}

/** The fields that the request line has in its pattern. */
const inRequest: readonly string[] = ['request_method', 'path', 'args', 'server_protocol'];

function patternAt(pieces: readonly Piece[], index: number): string {
  const piece = pieces[index];
  if (piece === undefined || 'text' in piece)
    return (piece?.text ?? '').replaceAll(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
  const { name } = piece;
  const value = valueBefore(pieces[index + 1]);
  const isIn = (some: readonly Piece[], wanted: string) =>
    some.some((one) => 'name' in one && one.name === wanted);
  const isRead = inRequest.includes(name) && isIn(pieces, 'request');
  if (isRead || isIn(pieces.slice(0, index), name)) return value;
  const isTime = name === 'msec' && isIn(pieces, 'time_iso8601');
  return isTime ? value : (ownValue(patterns, name) ?? `(?<${name}>${value})`);
}

/** The pattern of a value up to what comes next. */
function valueBefore(next: Piece | undefined): string {
  if (next === undefined) return '.*';
  const [first = ' '] = 'text' in next ? next.text : ' ';
  return first === '"' ? '%{quoted}' : `[^${/[\]\\^-]/.test(first) ? '\\' : ''}${first}]*`;
}
