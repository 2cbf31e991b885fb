import type { BoundCall } from '../bound/bound.js';
import {
  call,
  castTo,
  choose,
  type DuckExpression,
  duckNull,
  infix,
  integer,
  isNull,
  macro,
  text,
} from '../duckdb-sql/duckdb-sql.js';
import { letOnce } from '../duckdb-sql/let.js';
import { type Letters, type ModelPiece, readModel, refuseForeign } from './cast-model.js';
import { literalFormat } from './time-element.js';
import { civilOf } from './zone.js';

/**
 * `cast(t as string format 'YYYY-MM-DD' [at time zone zone])`: the format is translated when compiling.
 * @throws QueryFault where the format has an element that there is not, or that the type lacks
 */
export function castToText(args: readonly DuckExpression[], node: BoundCall): DuckExpression {
  const kind = node.args[0]?.type.kind ?? '';
  const pieces = readModel(literalFormat(node.args[1], 'CAST', node.at) ?? '', node.at);
  refuseForeign(pieces, kind, node.at);
  return letOnce([args[0] ?? duckNull], ([value = duckNull]) => {
    const civil = civilOf(value, args[2], node);
    const printed = join(pieces, (piece) => printPiece(piece, civil, value));
    const [only = text('')] = printed;
    if (printed.length > 1) return infix('||', ...printed);
    return only.kind === 'text' ? choose(isNull(value), duckNull, only) : only;
  });
}

/** Neighbours that one call of strftime prints are joined, and texts with them. */
function join(
  pieces: readonly ModelPiece[],
  print: (piece: ModelPiece) => DuckExpression,
): readonly DuckExpression[] {
  const printed: DuckExpression[] = [];
  for (const value of pieces.map(print)) {
    const last = printed.at(-1);
    const joined = last && joinTwo(last, value);
    if (joined === undefined) printed.push(value);
    else printed[printed.length - 1] = joined;
  }
  return printed;
}

function joinTwo(left: DuckExpression, right: DuckExpression): DuckExpression | undefined {
  if (left.kind === 'text' && right.kind === 'text') return text(left.value + right.value);
  const [a, b] = [strftimeOf(left), strftimeOf(right)];
  const civil = a?.civil ?? b?.civil;
  if (a === undefined || b === undefined || civil === undefined) return undefined;
  return call('strftime', civil, text(a.format + b.format));
}

/** What a call of strftime prints of which value; of a text, nothing. */
function strftimeOf(
  node: DuckExpression,
): { readonly civil?: DuckExpression; readonly format: string } | undefined {
  if (node.kind === 'text') return { format: node.value.replaceAll('%', '%%') };
  if (node.kind !== 'call' || node.path[0] !== 'strftime') return undefined;
  const [civil, format] = node.args;
  return civil && format?.kind === 'text' ? { civil, format: format.value } : undefined;
}

/** Elements that DuckDB's strftime prints as BigQuery does. */
const strftime: Readonly<Record<string, string>> = {
  AM: '%p',
  DAY: '%A',
  DD: '%d',
  DDD: '%j',
  DY: '%a',
  HH: '%I',
  HH12: '%I',
  HH24: '%H',
  MI: '%M',
  MM: '%m',
  MON: '%b',
  MONTH: '%B',
  PM: '%p',
  RR: '%y',
  RRRR: '%Y',
  SS: '%S',
  YY: '%y',
  YYYY: '%Y',
};

const part = (name: string, civil: DuckExpression) => call('date_part', text(name), civil);
const digits = (value: DuckExpression, count: number) =>
  call('lpad', castTo(value, 'VARCHAR'), integer(count), text('0'));
const meridian = (civil: DuckExpression) =>
  call('replace', call('strftime', civil, text('%p')), text('M'), text('.M.'));
const offset = (civil: DuckExpression, instant: DuckExpression) =>
  macro('offset_text', infix('-', call('epoch_us', civil), call('epoch_us', instant)), text(''));

type Print = (civil: DuckExpression, instant: DuckExpression) => DuckExpression;

const others: Readonly<Record<string, Print>> = {
  'A.M.': meridian,
  D: (civil) => castTo(infix('+', part('dow', civil), integer(1)), 'VARCHAR'),
  'P.M.': meridian,
  SSSSS: (civil) =>
    digits(
      infix(
        '//',
        macro('positive_mod', call('epoch_us', civil), integer(86_400_000_000)),
        integer(1_000_000),
      ),
      5,
    ),
  TZH: (civil, instant) => call('left', offset(civil, instant), integer(3)),
  TZM: (civil, instant) => call('right', offset(civil, instant), integer(2)),
  Y: (civil) => digits(infix('%', part('year', civil), integer(10)), 1),
  YYY: (civil) => digits(infix('%', part('year', civil), integer(1000)), 3),
};

function printPiece(
  piece: ModelPiece,
  civil: DuckExpression,
  instant: DuckExpression,
): DuckExpression {
  if (piece.kind !== 'element') return text(piece.text);
  const format = strftime[piece.text];
  const own = others[piece.text] ?? fraction(Number(piece.text.at(-1)));
  const printed =
    format === undefined ? own(civil, instant) : call('strftime', civil, text(format));
  return /^(?:MON|DAY|DY|[AP]\.?M)/.test(piece.text) ? cased(printed, piece.letters) : printed;
}

/** `FF3`: the fraction of the second, cut and not rounded. */
function fraction(count: number): Print {
  return (civil) => call('rpad', call('strftime', civil, text('%f')), integer(count), text('0'));
}

function cased(value: DuckExpression, letters: Letters): DuckExpression {
  return letters === 'first' ? value : call(letters, value);
}
