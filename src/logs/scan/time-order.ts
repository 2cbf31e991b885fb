import type { ScanNode } from './node.js';
import { readMicros } from './read-time.js';
import { byte, type Walk } from './walk-scalar.js';

/** Where a record stands among others: first by its time, then by its `id`. */
export interface Moment {
  readonly micros: number;
  /** Its bytes, one a letter; undefined where they are not those that are stored. */
  readonly id: string | undefined;
}

/** Whether records stand in their order already, and between which they do; plain values. */
export interface TimeOrder {
  /** False also where it is not known. */
  readonly isKept: boolean;
  /** Absent where no record has a timestamp. */
  readonly ends?: { readonly first: Moment; readonly last: Moment };
}

/** The order of no records. */
export const emptyOrder: TimeOrder = { isKept: true };
const noOrder: TimeOrder = { isKept: false };

/** The order of records and then others. */
export function joinOrders(one: TimeOrder, other: TimeOrder): TimeOrder {
  if (!one.isKept || !other.isKept) return noOrder;
  if (one.ends === undefined || other.ends === undefined) return one.ends ? one : other;
  if (!isBefore(one.ends.last, other.ends.first)) return noOrder;
  return { isKept: true, ends: { first: one.ends.first, last: other.ends.last } };
}

function isBefore(one: Moment, other: Moment): boolean {
  if (one.micros !== other.micros) return one.micros < other.micros;
  return one.id !== undefined && other.id !== undefined && one.id <= other.id;
}

/** The order of the lines of a walk. */
export interface OrderWatch {
  /** Takes in the line that was walked last, of an object. */
  take(walk: Walk, fields: readonly ScanNode[]): void;
  /** Before the bytes of the lines so far go away. */
  keep(): void;
  readonly order: () => TimeOrder;
}

/** The bytes of an `id`. */
interface Id {
  readonly bytes: Buffer;
  readonly from: number;
  readonly to: number;
}

/** Watches the order of lines one after another. */
export function watchOrder(): OrderWatch {
  let first: Moment | undefined;
  let isKept = true;
  let lastMicros = Number.NEGATIVE_INFINITY;
  let last: Id | undefined;
  const breakOff = () => {
    isKept = false;
  };
  return {
    take({ bytes, lines }, fields) {
      const time = isKept
        ? fields.find((field) => field.isTime && field.setIn === lines)
        : undefined;
      // Without a timestamp it is not stored.
      if (time === undefined) return;
      const micros = readMicros(bytes, time.from, time.to);
      const idField = fields.find((field) => field.isId && field.setIn === lines);
      const id = idField && { bytes, from: idField.from, to: idField.to };
      if (micros === undefined || micros < lastMicros) return breakOff();
      if (micros === lastMicros && !(last && id && isOrdered(last, id))) return breakOff();
      first ??= { micros, id: id && textOf(id) };
      lastMicros = micros;
      last = id;
    },
    keep() {
      if (last !== undefined) {
        const { bytes, from, to } = last;
        last = { bytes: Buffer.from(bytes.subarray(from, to)), from: 0, to: to - from };
      }
    },
    order() {
      if (!isKept) return noOrder;
      if (first === undefined) return emptyOrder;
      const end = { micros: lastMicros, id: last && textOf(last) };
      return { isKept, ends: { first, last: end } };
    },
  };
}

function isOrdered(one: Id, other: Id): boolean {
  return isPlain(one) && isPlain(other) && compare(one, other) <= 0;
}

/** Without the quotes: the second would be compared with letters. */
function compare(one: Id, other: Id): number {
  return one.bytes.compare(other.bytes, other.from + 1, other.to - 1, one.from + 1, one.to - 1);
}

/** Whether the bytes between the quotes are those of the text. */
function isPlain({ bytes, from, to }: Id): boolean {
  return bytes[from] === byte.quote && !bytes.subarray(from, to).includes(byte.backslash);
}

function textOf(id: Id): string | undefined {
  return isPlain(id) ? id.bytes.toString('latin1', id.from + 1, id.to - 1) : undefined;
}
