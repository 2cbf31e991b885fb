import { innerTypes, type Type } from '../types/types.js';
import { sliceJson } from '../values/slice-json.js';
import { matchMembers } from './values.js';

/** The JSON of a value, with each TIMESTAMP as a string, `"2026-03-10T12:00:00.123456Z"`, instead of microseconds. */
export function withTimes(raw: string, type: Type | undefined): string {
  if (type === undefined || raw === 'null') return raw;
  if (type.kind === 'TIMESTAMP') return JSON.stringify(printMicroseconds(BigInt(raw)));
  if (type.kind === 'ARRAY') {
    return `[${sliceJson(raw).map((element) => withTimes(element.raw, type.element))}]`;
  }
  if (type.kind !== 'STRUCT') return raw;
  const fields = type.fields.filter(({ stored }) => stored);
  const members = matchMembers(fields, sliceJson(raw)).flatMap((member, index) =>
    member ? `${JSON.stringify(member.name)}:${withTimes(member.raw, fields[index]?.type)}` : [],
  );
  return `{${members}}`;
}

/** Prints an instant as `2026-03-10T12:00:00.123456Z`; the fraction has six digits, and is omitted if it is zero. */
export function printMicroseconds(microseconds: bigint): string {
  const fraction = ((microseconds % 1_000_000n) + 1_000_000n) % 1_000_000n;
  const seconds = Number((microseconds - fraction) / 1_000_000n);
  const whole = new Date(seconds * 1000).toISOString().slice(0, -5);
  return `${whole}${fraction === 0n ? '' : `.${String(fraction).padStart(6, '0')}`}Z`;
}

/** Whether {@link withTimes} changes values of the type. */
export function holdsTimes(type: Type): boolean {
  return type.kind === 'TIMESTAMP' || innerTypes(type).some(holdsTimes);
}
