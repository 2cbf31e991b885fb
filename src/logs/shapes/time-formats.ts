import { zoneNames } from './zone.js';

const weekday = '(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)';
const named = '(?<month>Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)';
const [year, shortYear, month] = ['(?<year>\\d{4})', '(?<year>\\d\\d)', '(?<month>0\\d|1[0-2])'];
const [day, anyDay] = ['(?<day>[0-2]\\d|3[01])', '(?<day>[0-2]?\\d|3[01])'];
const clock = '(?<time>[0-2]?\\d:[0-5]\\d:[0-6]\\d(?:[.,]\\d{1,9})?)';
// Java writes a narrow blank before it.
const half = '(?:[ \\u202f]?(?<half>[AaPp][Mm])\\b)?';
const zonePattern = `Z\\b|[+-](?:0\\d|1[0-4]):?[0-5]\\d\\b|(?:${zoneNames.join('|')})\\b|(?:Africa|America|Asia|Atlantic|Australia|Europe|Indian|Pacific)/[A-Z][\\w/-]*`;
const zone = `(?: ?(?<zone>${zonePattern}))?`;

/** The ways to write a time with a date, as patterns whose groups are the parts of the time; a zone may follow. */
const dated: readonly string[] = [
  // 2026-03-10T12:00:00.123Z, 2026/03/10 12:00:00, Tue 2026-03-10 12:00:00 CET
  `(?:${weekday} )?${year}[-/.]${month}[-/.]${day}(?:T| {1,2})${clock}`,
  // 20260310T120000Z, 20260310 12:00:00
  `${year}${month}${day}[T ](?<time>[0-2]\\d:?[0-5]\\d:?[0-6]\\d(?:[.,]\\d{1,9})?)`,
  // 10/Mar/2026:12:00:00 +0000, 10-Mar-2026 12:00:00.123, Tue, 10 Mar 2026 12:00:00 GMT
  `(?:${weekday}, )?${anyDay}[-/ ]${named}[-/ ]${year}[: ]${clock}`,
  // Mar 10, 2026 12:00:00 PM, Mar 10, 2026 @ 12:00:00.123
  `${named} ${anyDay},? ${year},?(?: @)? ${clock}${half}`,
  // 03/10/2026, 12:00:00 PM
  `(?<month>[0-3]?\\d)/${anyDay}/${year},? ${clock}${half}`,
  // 10.03.2026 12:00:00
  `${anyDay}\\.(?<month>0?\\d|1[0-2])\\.${year},? ${clock}`,
];

/** Other ways, after which no zone follows. */
const datedAlone: readonly string[] = [
  // Tue Mar 10 12:00:00 2026, Tue Mar 10 12:00:00 UTC 2026
  `(?:${weekday} )?${named} {1,2}${anyDay} ${clock}(?: (?<zone>[A-Z]{1,5}))? ${year}`,
  // 26/03/10 12:00:00, 260310  9:00:00
  `${shortYear}/${month}/${day} ${clock}`,
  `${shortYear}${month}${day} {1,2}${clock}`,
];

/** A way to write a time without a year, after which a zone may follow: Mar 10 12:00:00 */
const yearless = `(?:${weekday} )?${named} {1,2}${anyDay} ${clock}`;

const yearlessAlone: readonly string[] = [
  // 03-10 12:00:00.123
  `${month}-${day} ${clock}`,
  // 12:00:00.123, 12:00PM
  `(?<time>[0-2]\\d:[0-5]\\d:[0-6]\\d(?:[.,]\\d{1,9})?)`,
  `(?<time>\\d{1,2}:[0-5]\\d)(?<half>[AP]M)\\b`,
];

/** Seconds with a fraction or milliseconds since 1970, from 2014 to 2033. */
const epoch = '(?:1[4-9]\\d{8}\\.\\d{1,9}|1[4-9]\\d{11}|1\\.[4-9]\\d+e\\+?09)\\b';

const toRegExp = (pattern: string) => new RegExp(`^(?:${pattern})$`);
const withYear = [...datedAlone, ...dated.map((form) => form + zone)];
const all = [...withYear, yearless + zone, ...yearlessAlone];
const readers = { dated: withYear.map(toRegExp), all: all.map(toRegExp) };

/** The parts of a time as written, by the names of the groups of the patterns. */
type TimeParts = Readonly<Record<string, string | undefined>>;

/** Returns the parts of a time that is written in a known way; undefined for any other text. */
export function readTimeParts(
  text: string,
  which: keyof typeof readers = 'all',
): TimeParts | undefined {
  const reader = readers[which].find((one) => one.test(text));
  return reader && { ...reader.exec(text)?.groups };
}

const withoutNames = (pattern: string) => pattern.replaceAll(/\(\?<\w+>/g, '(?:');

// The zone stands once: each copy makes a pattern slower to compile.
const piece = (alone: readonly string[], before: readonly string[], more: readonly string[] = []) =>
  withoutNames(`(?:${[...alone, `(?:${before.join('|')})${zone}`, ...more].join('|')})`);

/** The pieces of patterns for times: any known way to write one, those with a date and a year, and its zone. */
export const timePieces: Readonly<Record<string, string>> = {
  dated: piece(datedAlone, dated),
  time: piece(datedAlone, [...dated, yearless], [...yearlessAlone, epoch]),
  zone: `(?:${zonePattern})`,
};
