import { randomFrom } from './random.js';

/** A random record as a line of JSON, and the scalars that must be found again in its row. */
export interface RandomRecord {
  readonly line: string;
  readonly scalars: readonly string[];
}

/** A record of any shape: deep, wide, mixed, with odd and repeated keys. Every scalar is different. */
export function randomRecord(seed: number, id: string): RandomRecord {
  const random = randomFrom(seed);
  const shape: Shape = {
    below: (count) => random() % count,
    maxDepth: [3, 8, 20, 60][random() % 4] ?? 3,
    maxWidth: [2, 5, 40, 3000][random() % 4] ?? 2,
    names: [5, 50, 5000][random() % 3] ?? 5,
    left: { values: 4000 },
    scalars: [],
  };
  const before = `{"id":${JSON.stringify(id)},"timestamp":"2026-03-10T12:00:00Z","project":"evil"`;
  const records = Array.from({ length: 1 + (random() % 2) }, () => object(shape, 2));
  const metadata = random() % 2 === 0 ? records[0] : `[${records.join(',')}]`;
  if (metadata === records[0] && records.length > 1) return randomRecord(seed + 1_000_003, id);
  const own = members(shape, 1, 1 + (random() % 4), ['id', 'timestamp', 'project', 'metadata']);
  return { line: `${before},"metadata":${metadata}${own && `,${own}`}}`, scalars: shape.scalars };
}

interface Shape {
  readonly below: (count: number) => number;
  readonly maxDepth: number;
  readonly maxWidth: number;
  /** The number of different plain names. */
  readonly names: number;
  readonly left: { values: number };
  readonly scalars: string[];
}

function value(shape: Shape, depth: number): string {
  const kind = depth < shape.maxDepth ? shape.below(8) : 0;
  if (kind < 3 || shape.left.values <= 0) return scalar(shape);
  return kind < 6 ? object(shape, depth + 1) : array(shape, depth + 1);
}

function object(shape: Shape, depth: number): string {
  return `{${members(shape, depth, widthOf(shape, depth))}}`;
}

function array(shape: Shape, depth: number): string {
  const isAlike = shape.below(2) === 0;
  const items = Array.from({ length: Math.min(widthOf(shape, depth), 6) }, () =>
    isAlike ? scalar(shape) : value(shape, depth),
  );
  return `[${items.join(',')}]`;
}

/** Deep records are narrow, or they would be huge; at least one member goes on to the full depth. */
function widthOf(shape: Shape, depth: number): number {
  if (shape.left.values <= 0) return 1;
  return depth > 4 ? 1 + shape.below(2) : shape.below(shape.maxWidth + 1);
}

function members(
  shape: Shape,
  depth: number,
  count: number,
  taken: readonly string[] = [],
): string {
  const seen = new Set(taken);
  const printed: string[] = [];
  for (let index = 0; index < count && shape.left.values > 0; index++) {
    const key = name(shape);
    // Of equal names, also in other letter case, the first counts.
    const own = seen.has(key.toLowerCase()) ? { ...shape, scalars: [] } : shape;
    seen.add(key.toLowerCase());
    printed.push(`${JSON.stringify(key)}:${value(own, depth)}`);
  }
  return printed.join(',');
}

const oddNames = [
  ...[
    '',
    '\0',
    'x\0y',
    'a.b',
    'a"b',
    "it's",
    'a\\b',
    '\n',
    ' ',
    '$',
    '*',
    '[0]',
    '/',
    '~1',
    'é',
    '🙂',
  ],
  ...[
    '__proto__',
    'constructor',
    'toString',
    'length',
    'null',
    'row id',
    'rowid',
    'r',
    'json',
    'n',
    'e1',
  ],
  ...[
    'jane@example.com',
    '10.0.0.1',
    'fe80::1',
    '_other_fields',
    '_OTHER_FIELDS',
    'A',
    'a',
    'Id',
    'e2r',
  ],
  ...['select', 'x'.repeat(300), 'y'.repeat(301), 'İ', 'ß', 'K'],
];

function name({ below, names }: Shape): string {
  return below(6) === 0 ? (oddNames[below(oddNames.length)] ?? '') : `k${below(names)}`;
}

let count = 0;

function scalar({ below, left, scalars }: Shape): string {
  left.values -= 1;
  count += 1;
  const kind = below(6);
  if (kind === 0) return ['null', 'true', 'false'][below(3)] ?? 'null';
  const digits = `${1_000_000 + count}`;
  scalars.push(digits);
  if (kind === 1) return digits;
  if (kind === 2) return `-${digits}`;
  if (kind === 3) return `${digits}.5`;
  return JSON.stringify(`${['', 'é', '"', '\\', '\t', '10.0.0.1 '][below(6)]}s${digits}`);
}
