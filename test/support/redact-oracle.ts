import { isIPv6 } from 'node:net';
import { printTokens, readTokens, type Token } from './redact-tokens.js';

/** The span that REDACTED replaces: an address from `start` to `end`. */
interface Span {
  readonly start: number;
  readonly end: number;
}

type FindAt = (text: string, start: number) => number | undefined;

/**
 * The redaction of a text, written a second time and another way: the text is read without its
 * escapes, with look-arounds, a real IPv6 parser and a walk over it, where the engine marks the
 * escapes and has expressions that match what stands beside an address.
 */
export function redactOracle(text: string): string {
  const passes = [withIpv4Tail, endOfIpv4, ofGroups, endOfIpv4].map(addressSpans);
  const all = [...passes, emailSpans];
  return printTokens(all.reduce(replaceSpans, readTokens(text)));
}

/** The tokens with REDACTED for the spans that `find` finds in what they stand for. */
function replaceSpans(
  tokens: readonly Token[],
  find: (text: string) => readonly Span[],
): readonly Token[] {
  const text = tokens.map(({ plain }) => plain).join('');
  return find(text).reduceRight<readonly Token[]>(
    (rest, { start, end }) => [...rest.slice(0, start), ...redacted, ...rest.slice(end)],
    tokens,
  );
}

const redacted = [...'REDACTED'].map((letter) => ({ plain: letter, raw: letter }));

/** The spans of which `find` gives the end, from left to right; none begins where one has just ended. */
function addressSpans(find: FindAt): (text: string) => readonly Span[] {
  return (text) => {
    const spans: Span[] = [];
    let from = 0;
    for (let start = 0; start < text.length; start += 1) {
      const end = start < from || (start === from && from > 0) ? undefined : find(text, start);
      if (end === undefined) continue;
      spans.push({ start, end });
      from = end;
    }
    return spans;
  };
}

function endOfIpv4(text: string, start: number): number | undefined {
  if (/[\p{L}\p{N}]$|[0-9]\.$/u.test(text.slice(0, start))) return undefined;
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
  if (/[\p{L}\p{N}_]$/u.test(text.slice(0, start))) return undefined;
  const [run = ''] = /^[0-9a-f:.]*/i.exec(text.slice(start)) ?? [];
  for (let { length } = run; length > 2; length -= 1) {
    const rest = text.slice(start + length);
    if (/^[\p{L}\p{N}_]/u.test(rest) || !isAddress(run.slice(0, length))) continue;
    const [zone = ''] = /^(?:%\w+|\uE003)(?:[-.~%]\w+)*/.exec(rest) ?? [];
    return start + length + zone.length;
  }
  return undefined;
}

// A digit beyond ASCII in the last label is as a letter.
const host = String.raw`@(?:[\p{L}\p{N}\p{M}_-]+\.)+(?:(?![0-9])[\p{L}\p{M}\p{N}])+`;
const word = String.raw`(?:[\p{L}\p{N}\p{M}._%+-]['’\uE001]*)+`;
// Between two quotes, or between two escaped ones.
const quoted = ['"', '\\uE000'].map((quote) => {
  const first = String.raw`(?![\0-\x20,:;\]}=&%"\\@\uE000-\uE003])`;
  const inside = String.raw`(?:(?!${quote})[^\0-\x1F"@])*`;
  return `${quote}${first}${inside}(?:@${inside}){0,2}${quote}`;
});
const local = `(?:${word}|${quoted.join('|')})`;
const email = new RegExp(
  String.raw`${local}${host}(?:(?:['’\uE001]*|${local})${host})*(?![\p{L}\p{N}\p{M}])`,
  'gu',
);

function emailSpans(text: string): readonly Span[] {
  return [...text.matchAll(email)].map(({ index, 0: found }) => ({
    start: index,
    end: index + found.length,
  }));
}
