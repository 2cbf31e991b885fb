import type { ScanNode } from './node.js';
import { readMicros } from './read-time.js';
import { byte, type Walk } from './walk-scalar.js';

/** The position of a record in the order of the table: by time, then by `id`. */
export interface Moment {
  readonly micros: number;
  /**
   * Its bytes as Latin-1 text; undefined if they differ from what is stored, because of escapes.
   */
  readonly id: string | undefined;
}

/** Whether records are already in order, and their first and last; plain values. */
export interface TimeOrder {
  /** Also false if the order is unknown. */
  readonly isOrdered: boolean;
  /** Absent if no record has a timestamp. */
  readonly ends?: { readonly first: Moment; readonly last: Moment };
}

/** The order of no records. */
export const emptyOrder: TimeOrder = { isOrdered: true };
const noOrder: TimeOrder = { isOrdered: false };

/** The order of some records followed by others. */
export function joinOrders(one: TimeOrder, other: TimeOrder): TimeOrder {
  if (!one.isOrdered || !other.isOrdered) return noOrder;
  if (one.ends === undefined || other.ends === undefined) return one.ends ? one : other;
  if (!isBefore(one.ends.last, other.ends.first)) return noOrder;
  return { isOrdered: true, ends: { first: one.ends.first, last: other.ends.last } };
}

function isBefore(one: Moment, other: Moment): boolean {
  if (one.micros !== other.micros) return one.micros < other.micros;
  return one.id !== undefined && other.id !== undefined && one.id <= other.id;
}

/** Checks the order of the lines of a walk. */
export interface OrderWatch {
  /** Adds the object that was walked last. */
  add(walk: Walk, fields: readonly ScanNode[]): void;
  /** Copies the last `id`, before the bytes of the lines so far are overwritten. */
  saveLast(): void;
  readonly order: () => TimeOrder;
}

/** The bytes of an `id`. */
interface Id {
  readonly bytes: Buffer;
  readonly from: number;
  readonly to: number;
}

/** Starts to check the order of lines. */
export function watchOrder(): OrderWatch {
  let first: Moment | undefined;
  let isOrdered = true;
  let lastMicros = Number.NEGATIVE_INFINITY;
  let last: Id | undefined;
  const markUnordered = () => {
    isOrdered = false;
  };
  return {
    add({ bytes, lines }, fields) {
      const time = isOrdered
        ? fields.find((field) => field.isTime && field.setIn === lines)
        : undefined;
      // A record without a timestamp is not stored.
      if (time === undefined) return;
      const micros = readMicros(bytes, time.from, time.to);
      const idField = fields.find((field) => field.isId && field.setIn === lines);
      const id = idField && { bytes, from: idField.from, to: idField.to };
      if (micros === undefined || micros < lastMicros) return markUnordered();
      if (micros === lastMicros && !(last && id && areIdsOrdered(last, id))) return markUnordered();
      first ??= { micros, id: id && textOf(id) };
      lastMicros = micros;
      last = id;
    },
    saveLast() {
      if (last !== undefined) {
        const { bytes, from, to } = last;
        last = { bytes: Buffer.from(bytes.subarray(from, to)), from: 0, to: to - from };
      }
    },
    order() {
      if (!isOrdered) return noOrder;
      if (first === undefined) return emptyOrder;
      const end = { micros: lastMicros, id: last && textOf(last) };
      return { isOrdered, ends: { first, last: end } };
    },
  };
}

function areIdsOrdered(one: Id, other: Id): boolean {
  return isPlain(one) && isPlain(other) && compare(one, other) <= 0;
}

/** Compares without the quotes: a closing quote would be compared with a character. */
function compare(one: Id, other: Id): number {
  return one.bytes.compare(other.bytes, other.from + 1, other.to - 1, one.from + 1, one.to - 1);
}

/** Whether the value is a string without escapes. */
function isPlain({ bytes, from, to }: Id): boolean {
  return bytes[from] === byte.quote && !bytes.subarray(from, to).includes(byte.backslash);
}

function textOf(id: Id): string | undefined {
  return isPlain(id) ? id.bytes.toString('latin1', id.from + 1, id.to - 1) : undefined;
}
