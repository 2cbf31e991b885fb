import type { AnswerFault } from './endpoint.js';
import { type Mending, mend, mendingOf, offsetOf, placeOf } from './mend.js';

const maxFaults = 5;

/**
 * Finds the faults of a text. A check finds only the first fault; its hint is applied to a copy, which is checked
 * again. Positions refer to the original text.
 */
export async function findQueryFaults(
  text: string,
  check: (text: string) => Promise<readonly AnswerFault[]>,
): Promise<readonly AnswerFault[]> {
  const found: AnswerFault[] = [];
  const done: Mending[] = [];
  let mended = text;
  while (found.length < maxFaults) {
    const [fault] = await check(mended);
    if (fault === undefined) return found;
    const mending = mendingOf(mended, fault);
    found.push(inOriginal(fault, { text, mended, done }));
    if (mending === undefined) return found;
    mended = mend(mended, mending);
    done.push(mending);
  }
  return found;
}

interface Copy {
  readonly text: string;
  readonly mended: string;
  readonly done: readonly Mending[];
}

/** A fault of a mended copy, with its place in the text. */
function inOriginal(fault: AnswerFault, { text, mended, done }: Copy): AnswerFault {
  const { line, column } = fault;
  if (line === undefined || column === undefined) return fault;
  const at = offsetOf(mended, line, column);
  const shifted = done.toReversed().reduce((offset, { from, to, insert }) => {
    return offset > from ? offset + (to - from) - insert.length : offset;
  }, at);
  return { ...fault, ...placeOf(text, shifted) };
}
