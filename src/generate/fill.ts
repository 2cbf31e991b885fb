import { drawUuid, hash, hexDigits } from './hash.js';
import type { Hole, Template } from './template.js';
import type { Texts } from './texts.js';
import { isoFrom } from './world/record.js';

/** The values for a record's holes. */
interface Values {
  /** The timestamp of the record, in unix microseconds. */
  readonly at: number;
  /** The number of the event, the input of its random draws. */
  readonly count: number;
  readonly texts: Texts;
}

/** A record that is ready to be written, in the order of `due`. */
export interface PendingRecord extends Values {
  readonly template: Template;
  readonly due: number;
}

/** The line of a record, with its line break. */
export type Fill = (record: PendingRecord) => string;

/** The value of one hole. */
type Put = (values: Values, hole: Hole) => string;

/** Creates a function that prints records as lines of NDJSON. */
export function createFill(seed: number): Fill {
  const put = createPuts(seed);
  return (record) => {
    const { pieces, holes } = record.template;
    let line = pieces[0] ?? '';
    for (const [index, hole] of holes.entries())
      line += put[hole.kind](record, hole) + (pieces[index + 1] ?? '');
    return line;
  };
}

/** The functions that fill each kind of hole. */
function createPuts(seed: number): Readonly<Record<Hole['kind'], Put>> {
  const hex: Put = ({ count }, { digits, lane }) =>
    hexDigits(digits, (word) => hash(seed, count, lane + word));
  return {
    project: ({ texts }) => texts.project,
    id: ({ texts }) => texts.id,
    email: ({ texts }) => texts.email,
    address: ({ texts }) => texts.address,
    hex,
    HEX: (values, hole) => hex(values, hole).toUpperCase(),
    uuid: ({ count }, { lane }) => drawUuid((word) => hash(seed, count, lane + word)),
    micros: ({ at }) => String(at).padStart(16, '0'),
    time: ({ at }, { digits, separator }) => {
      const iso = isoFrom(at);
      const fraction = digits === 0 ? '' : `.${iso.slice(20, 20 + digits).padEnd(digits, '0')}`;
      return `${iso.slice(0, 10)}${separator}${iso.slice(11, 19)}${fraction}`;
    },
  };
}
