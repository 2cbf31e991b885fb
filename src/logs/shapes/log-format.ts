import { ownValue } from './member.js';

/** The text shape of an access log format: its pattern, the types of its fields, and their factors. */
export interface FormatShape {
  readonly lines: readonly string[];
  readonly fields: Readonly<Record<string, string>>;
  readonly scale: Readonly<Record<string, number>>;
}

/** A piece of a format: literal text, or a value. */
type Piece = { readonly text: string } | Value;

interface Value {
  readonly name: string;
  /** The factor of the value. */
  readonly scale?: number;
  /** Its pattern, if it does not depend on what follows. */
  readonly pattern?: string;
}

/**
 * Reads the lines that nginx's `log_format` describes as a shape, with or without quotes around its parts.
 * @see https://nginx.org/en/docs/http/ngx_http_log_module.html#log_format
 * @throws Error for a JSON format
 */
export function readNginxFormat(format: string): FormatShape {
  const [, quoted] =
    /^(?:log_format\s+\w+\s+(?:escape=\w+\s+)?)?((?:'[^']*'\s*)+);?\s*$/.exec(format) ?? [];
  const text =
    quoted
      ?.match(/'[^']*'/g)
      ?.map((part) => part.slice(1, -1))
      .join('') ?? format;
  if (text.trimStart().startsWith('{')) throw new Error('its lines are JSON: use the shape nginx');
  const pieces = [...text.matchAll(/\$\{?(\w+)\}?|[^$]+|\$/g)].map(([written, name]) =>
    name === undefined ? { text: written } : { name },
  );
  return formatShape(pieces);
}

/**
 * Reads the lines that Apache's `LogFormat` describes as a shape; its fields have nginx's names.
 * @see https://httpd.apache.org/docs/current/mod/mod_log_config.html#formats
 * @throws Error for an unknown directive
 */
export function readApacheFormat(format: string): FormatShape {
  const directive = /%(?:!?\d+(?:,\d+)*)?[<>]?(?:\{([^}]*)\})?([A-Za-z%])|[^%]+|%.{0,5}/g;
  // Quotes around the format alone can be told from those of its parts, which are then escaped.
  const outer = /^(?:LogFormat\s+"(.*)"|"((?:[^"\\]|\\.)*)")(?:\s+\w+)?\s*$/;
  const [, inDirective, whole = inDirective ?? format] = outer.exec(format) ?? [];
  const text = whole.replaceAll('\\"', '"').replaceAll('\\t', '\t');
  return formatShape(
    [...text.matchAll(directive)].map(([written, argument, letter]) => {
      if (!written.startsWith('%') || letter === '%') return { text: letter ?? written };
      return apachePiece(written, letter, argument);
    }),
  );
}

/** Apache's directives, by the corresponding variables of nginx. */
const apacheNames: Readonly<Record<string, string>> = {
  ...{ a: 'remote_addr', h: 'remote_addr', l: 'remote_logname', u: 'remote_user', t: 'bracketed' },
  ...{ r: 'request', s: 'status', b: 'body_bytes_sent', B: 'body_bytes_sent', O: 'bytes_sent' },
  ...{ I: 'request_length', D: 'request_time', T: 'request_time', m: 'request_method' },
  ...{ U: 'path', q: 'args', H: 'server_protocol', v: 'server_name', V: 'server_name' },
  ...{ p: 'server_port', P: 'pid', f: 'request_filename', k: 'connection_requests', L: 'log_id' },
  ...{ X: 'connection_status', A: 'server_addr', R: 'handler', S: 'bytes_transferred' },
};

/** The prefixes of headers, cookies and variables. */
const prefixes: Readonly<Record<string, string>> = {
  i: 'http_',
  o: 'sent_http_',
  C: 'cookie_',
  e: '',
  n: '',
};

/** The units of `%D` and `%{…}T`, in seconds. */
const units: Readonly<Record<string, number>> = { D: 1e-6, us: 1e-6, ms: 1e-3 };

function apachePiece(written: string, letter = '', argument: string | undefined): Value {
  const prefix = argument === undefined ? undefined : ownValue(prefixes, letter);
  if (prefix !== undefined)
    return { name: `${prefix}${argument?.toLowerCase().replaceAll(/\W/g, '_')}` };
  const name = ownValue(apacheNames, letter);
  if (name === undefined || (letter === 't' && argument !== undefined))
    throw new Error(`${written} is not known`);
  const scale = ownValue(units, letter === 'T' ? (argument ?? '') : letter);
  if (letter === 'q') return { name, pattern: '(?:\\?(?<args>[^ "]*))?' };
  return { name, ...(scale && { scale }) };
}

const localTime =
  '(?<day>\\d\\d)/(?<month>[A-Z][a-z]{2})/(?<year>\\d{4}):(?<time>[\\d:]+(?:\\.\\d+)?) (?<zone>[+-]\\d{4})';

/** The patterns of values that do not simply end at the character that follows them in the format. */
const patterns: Readonly<Record<string, string>> = {
  time_local: localTime,
  bracketed: `\\[${localTime}\\]`,
  time_iso8601: '(?<timestamp>%{iso})',
  msec: '(?<timestamp>\\d+\\.\\d+)',
  request: '%{request}',
  status: '(?<status>\\d{3}|-)',
};

function formatShape(pieces: readonly Piece[]): FormatShape {
  const values = new Map<string, Value>();
  for (const piece of pieces) {
    if (!('name' in piece)) continue;
    // Of two times in different units, keep the finer one.
    const { scale: before = 1 } = values.get(piece.name) ?? { scale: 2 };
    if ((piece.scale ?? 1) < before) values.set(piece.name, piece);
  }
  if (values.has('request')) for (const name of inRequest) values.delete(name);
  if (values.has('time_iso8601')) values.delete('msec');
  const found = [...values.values()];
  const types = found.map(({ name }) => [`metadata.${name}`, fieldType(name)]);
  return {
    lines: [
      `${pieces.map((piece, index) => piecePattern(piece, pieces[index + 1], values)).join('')}$`,
    ],
    fields: Object.fromEntries(types.filter(([, type]) => type !== undefined)),
    scale: Object.fromEntries(found.flatMap(({ name, scale }) => (scale ? [[name, scale]] : []))),
  };
}

function fieldType(name: string): string | undefined {
  if (/^(?:request|upstream\w*)_time$/.test(name)) return 'FLOAT64';
  const isCount = /^(?:status|pid|connection(?:_requests)?|\w*bytes\w*|\w+_length|\w+_port)$/;
  return isCount.test(name) ? 'INT64' : undefined;
}

/** The groups in the pattern of the request line. */
const inRequest: readonly string[] = ['request_method', 'path', 'args', 'server_protocol'];

function piecePattern(
  piece: Piece,
  next: Piece | undefined,
  values: ReadonlyMap<string, Value>,
): string {
  if ('text' in piece) return piece.text.replaceAll(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
  const { name, pattern } = piece;
  const value = valuePattern(name, next);
  if (values.get(name) !== piece) return pattern?.replace('?<args>', '?:') ?? value;
  return pattern ?? ownValue(patterns, name) ?? `(?<${name}>${value})`;
}

/** Values that may list several servers: `10.0.0.1:80, 10.0.0.2:80`. */
const lists = /^(?:upstream_\w+|http_x_forwarded_for)$/;

/** Returns the pattern of a value up to the next piece. */
function valuePattern(name: string, next: Piece | undefined): string {
  const [first = ''] = next && 'text' in next ? next.text : ' ';
  if (next !== undefined && first === '"') return '%{quoted}';
  if (lists.test(name)) return '[^ ,"]+(?:[,:] *[^ ,"]+)*';
  if (next === undefined) return '.*';
  if ('name' in next) return name === 'path' || next.name === 'args' ? '[^ ?]*' : '[^ /]*';
  return `[^${/[\]\\^-]/.test(first) ? '\\' : ''}${first}]*`;
}
