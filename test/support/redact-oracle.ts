import { isIPv6 } from 'node:net';

/** What REDACTED takes the place of: an address from `start` to `end`. */
interface Span {
  readonly start: number;
  readonly end: number;
}

type FindAt = (text: string, start: number) => number | undefined;

/**
 * The redaction of a text, written a second time and another way: look-arounds, a real IPv6 parser
 * and a walk over the text, where the engine has expressions that take what stands beside an address.
 */
export function redactOracle(text: string): string {
  const passes = [withIpv4Tail, endOfIpv4, ofGroups, endOfIpv4].map(replaceAll);
  return redactEmails(passes.reduce((before, pass) => pass(before), text));
}

/** Replaces what `find` says ends somewhere, from left to right; none begins where one has just ended. */
function replaceAll(find: FindAt): (text: string) => string {
  return (text) => {
    const spans: Span[] = [];
    let from = 0;
    for (let start = 0; start < text.length; start += 1) {
      const end = start < from || (start === from && from > 0) ? undefined : find(text, start);
      if (end === undefined) continue;
      spans.push({ start, end });
      from = end;
    }
    return spans.reduceRight(
      (whole, { start, end }) => `${whole.slice(0, start)}REDACTED${whole.slice(end)}`,
      text,
    );
  };
}

const escaped = /\\(?:[bfnrt]|u[0-9a-fA-F]{4})$/;

function endOfIpv4(text: string, start: number): number | undefined {
  const before = text.slice(0, start);
  if (/[\p{L}\p{N}]$|[0-9]\.$/u.test(before) && !escaped.test(before)) return undefined;
  const [found] = /^\d+(?:\.\d+){3}(?![\p{L}\p{N}]|\.[0-9])/u.exec(text.slice(start)) ?? [];
  return found?.split('.').every(isOctet) ? start + found.length : undefined;
}

function isOctet(digits: string): boolean {
  return digits.length <= 3 && Number(digits) <= 255;
}

function withIpv4Tail(text: string, start: number): number | undefined {
  const before = text.slice(0, start);
  if (/[0-9]\.$/.test(before)) return undefined;
  return endOfIpv6(text, start, (part) => {
    const [, head, tail = ''] = /^([0-9a-f:]*:)(\d+(?:\.\d+){3})$/i.exec(part) ?? [];
    const octets = tail.split('.');
    // An octet with zeros before it is one to us, and none to node.
    return (
      head !== undefined && octets.every(isOctet) && isIPv6(head + octets.map(Number).join('.'))
    );
  });
}

function ofGroups(text: string, start: number): number | undefined {
  return endOfIpv6(
    text,
    start,
    (part) => /^[0-9a-f:]+$/i.test(part) && part !== '::' && isIPv6(part),
  );
}

/** The end of the longest address that starts here and touches no word, its zone with it. */
function endOfIpv6(
  text: string,
  start: number,
  isAddress: (part: string) => boolean,
): number | undefined {
  const before = text.slice(0, start);
  if (/[\p{L}\p{N}_]$/u.test(before) && !escaped.test(before)) return undefined;
  const [run = ''] = /^[0-9a-f:.]*/i.exec(text.slice(start)) ?? [];
  for (let { length } = run; length > 2; length -= 1) {
    const rest = text.slice(start + length);
    if (/^[\p{L}\p{N}_]/u.test(rest) || !isAddress(run.slice(0, length))) continue;
    const [zone = ''] = /^%\w+(?:[-.~%]\w+)*/.exec(rest) ?? [];
    return start + length + zone.length;
  }
  return undefined;
}

// A digit beyond ASCII in the last label is as a letter.
const host = String.raw`@(?:[\p{L}\p{N}\p{M}_-]+\.)+(?:(?![0-9])[\p{L}\p{M}\p{N}])+`;
const local = String.raw`[\p{L}\p{N}\p{M}._%+-]`;
const email = new RegExp(
  String.raw`(\\(?:[bfnrt]|u[0-9a-fA-F]{4}))?${local}+${host}(?:${local}*${host})*(?![\p{L}\p{N}\p{M}])`,
  'gu',
);

function redactEmails(text: string): string {
  return text.replace(email, (_, before: string | undefined) => `${before ?? ''}REDACTED`);
}
