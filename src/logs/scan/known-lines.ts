import type { ScanNode } from './node.js';
import { type Walk, walkScalar } from './walk-scalar.js';

/**
 * The bytes between two scalars of a line, or up to its end: keys, brackets and blanks. Lines with the
 * same bytes between their scalars have the same structure.
 */
interface Step {
  /** The bytes, eight at a time; the rest is in `low` and `high`, with zeros for the bytes that are missing. */
  readonly doubles: Float64Array;
  readonly low: number;
  readonly lowMask: number;
  readonly high: number;
  readonly highMask: number;
  readonly bytes: Buffer;
  readonly length: number;
  /** The node of the scalar that follows; undefined after the line break. */
  readonly node: ScanNode | undefined;
  /** What came after the scalar; longer ones first, because one may begin with another. */
  readonly next: Step[];
}

/** The structures of lines that were accepted. Those that begin alike share their first steps. */
export interface KnownLines {
  readonly first: Step[];
  /** How many bytes more may be kept, roughly. */
  room: number;
  /** How many lines were not known when they came. */
  unknown: number;
}

/** Enough for a hundred structures of eighty fields each. */
const maxBytes = 4_194_304;
/** What a step takes beside its bytes, roughly. */
const stepBytes = 500;
/** More steps at one place are not kept: they are tried one by one. */
const maxNext = 32;
/** With more unknown lines than this, and more than there are known ones, looking for known ones does not pay. */
const maxUnknown = 500;

/** A start without any lines. */
export function noKnownLines(): KnownLines {
  return { first: [], room: maxBytes, unknown: 0 };
}

/**
 * Walks over a line and its line break, if it has the structure of a line that was accepted. The result
 * is that of `walkValue`, because only the scalars can differ. If it returns false, it may have walked
 * over some of them.
 */
export function walkKnownLine(walk: Walk, { first }: KnownLines): boolean {
  let steps: readonly Step[] = first;
  for (;;) {
    const step = findStep(walk, steps);
    if (step === undefined) return false;
    walk.at += step.length;
    if (step.node === undefined) return true;
    if (!walkScalar(walk, step.node)) return false;
    steps = step.next;
  }
}

function findStep(walk: Walk, steps: readonly Step[]): Step | undefined {
  for (let index = 0; index < steps.length; index++) {
    const step = steps[index];
    if (step !== undefined && comesNext(walk, step)) return step;
  }
  return undefined;
}

/**
 * Whether the bytes of a step come next. Doubles compare as their bytes do, because no text is zero or
 * NaN, and are the fastest way to compare eight.
 */
function comesNext({ view, at }: Walk, step: Step): boolean {
  const { doubles } = step;
  let from = at;
  for (let index = 0; index < doubles.length; index++) {
    if (view.getFloat64(from, true) !== doubles[index]) return false;
    from += 8;
  }
  return (
    (view.getInt32(from, true) & step.lowMask) === step.low &&
    (view.getInt32(from + 4, true) & step.highMask) === step.high
  );
}

/** For how many scalars there is room. */
export function maxScalars({ room }: KnownLines): number {
  return Math.floor(room / stepBytes);
}

/** Adds the line that was accepted last, from its first byte to its line break; all its scalars are in the trail. */
export function addKnownLine(walk: Walk, known: KnownLines, start: number): void {
  const { bytes, trail, at: end } = walk;
  known.unknown += 1;
  if (known.unknown > maxUnknown && known.unknown > walk.lines / 2) forget(known);
  if (costOf(trail.length + 1, end - start) > known.room) return;
  let steps: Step[] | undefined = known.first;
  let from = start;
  for (const { node, from: to, to: after } of trail) {
    steps = findOrAdd(known, steps, { bytes: bytes.subarray(from, to), node })?.next;
    if (steps === undefined) return;
    from = after;
  }
  findOrAdd(known, steps, { bytes: bytes.subarray(from, end), node: undefined });
}

/** Forgets all lines and leaves no room for others. */
function forget(known: KnownLines): void {
  known.first.length = 0;
  known.room = 0;
}

function costOf(steps: number, bytes: number): number {
  return steps * stepBytes + bytes;
}

function findOrAdd(
  known: KnownLines,
  steps: Step[],
  { bytes, node }: Pick<Step, 'bytes' | 'node'>,
): Step | undefined {
  const found = steps.find((step) => step.bytes.equals(bytes));
  if (found !== undefined || steps.length === maxNext) return found;
  known.room -= costOf(1, bytes.length);
  const step = createStep(bytes, node);
  steps.push(step);
  steps.sort((one, other) => other.length - one.length);
  return step;
}

function createStep(bytes: Buffer, node: ScanNode | undefined): Step {
  const count = Math.floor(bytes.length / 8);
  const rest = bytes.length % 8;
  const padded = Buffer.alloc(8 * count + 8);
  bytes.copy(padded);
  return {
    doubles: Float64Array.from({ length: count }, (_, index) => padded.readDoubleLE(8 * index)),
    low: padded.readInt32LE(8 * count),
    lowMask: maskOf(rest),
    high: padded.readInt32LE(8 * count + 4),
    highMask: maskOf(rest - 4),
    bytes: padded.subarray(0, bytes.length),
    length: bytes.length,
    node,
    next: [],
  };
}

/** The bits of the first bytes of four. */
function maskOf(bytes: number): number {
  if (bytes <= 0) return 0;
  return bytes >= 4 ? -1 : (1 << (8 * bytes)) - 1;
}
