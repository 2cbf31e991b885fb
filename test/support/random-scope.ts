import { randomFrom } from './random.js';

/** The kind of value that a name of a query stands for: `metadata` and such are arrays, `…Row` are records. */
export type Kind = 'text' | 'number' | ArrayKind | RowKind;
type ArrayKind = 'metadata' | 'request' | 'items' | 'tags';
type RowKind = 'tableRow' | 'metadataRow' | 'requestRow' | 'itemRow';

/** A name that a query may use. */
export interface Name {
  readonly kind: Kind;
  readonly sql: string;
}

/** The names that a query may use. */
export type Scope = readonly Name[];

const fields: Readonly<Record<RowKind, readonly (readonly [name: string, kind: Kind])[]>> = {
  tableRow: [
    ['id', 'text'],
    ['project', 'text'],
    ['metadata', 'metadata'],
    ['items', 'items'],
    ['tags', 'tags'],
  ],
  metadataRow: [
    ['level', 'text'],
    ['absent', 'text'],
    ['status', 'number'],
    ['request', 'request'],
  ],
  requestRow: [
    ['path', 'text'],
    ['method', 'text'],
  ],
  itemRow: [
    ['name', 'text'],
    ['price', 'number'],
  ],
};

const elements: Readonly<Record<ArrayKind, Kind>> = {
  metadata: 'metadataRow',
  request: 'requestRow',
  items: 'itemRow',
  tags: 'text',
};

/** Whether a name is of an array. */
export function isArray({ kind }: Name): boolean {
  return kind in elements;
}

/** Random choices, and the names that follow from them. */
export interface Dice {
  below(limit: number): number;
  oneIn(count: number): boolean;
  pick<T>(choices: readonly T[]): T;
  /** A name that no other has. */
  alias(letter: string): string;
  /** The names of a value of this kind and of its fields: `m`, `m.level` or `level` … */
  namesOf(kind: Kind, sql: string): Scope;
  /** `unnest(t.metadata) as m with offset as o`, and its names. */
  unnest(array: Name): { readonly sql: string; readonly scope: Scope };
}

/** Dice that fall alike for a seed. */
export function diceOf(seed: number): Dice {
  const random = randomFrom(seed);
  let aliases = 0;
  const below = (limit: number) => random() % limit;
  const oneIn = (count: number) => below(count) === 0;
  const alias = (letter: string) => `${letter}${++aliases}`;
  const pick = <T>(choices: readonly T[]) => {
    const [chosen] = choices.slice(below(choices.length));
    if (chosen === undefined) throw new Error('nothing to choose from');
    return chosen;
  };
  const namesOf = (kind: Kind, sql: string): Scope => [
    { kind, sql },
    ...fieldsOf(kind, (field) => (oneIn(12) ? field : `${sql}.${field}`)),
  ];
  const unnest = (array: Name) => {
    const kind = elements[array.kind as ArrayKind];
    const bare = kind !== 'text' && oneIn(5);
    const name = bare ? '' : alias('e');
    const names = bare ? fieldsOf(kind, (field) => field) : namesOf(kind, name);
    const isPath = /^t\d+\.\w+$/.test(array.sql) && !bare && oneIn(6);
    const read = isPath ? array.sql : `unnest(${array.sql})`;
    const sql = bare ? read : `${read} as ${name}`;
    if (!oneIn(4)) return { sql, scope: names };
    const offset: Name = { kind: 'number', sql: alias('o') };
    return { sql: `${sql} with offset as ${offset.sql}`, scope: [...names, offset] };
  };
  return { below, oneIn, pick, alias, namesOf, unnest };
}

function fieldsOf(kind: Kind, write: (field: string) => string): Scope {
  const own = kind in fields ? fields[kind as RowKind] : [];
  return own.map(([field, of]) => ({ kind: of, sql: write(field) }));
}
