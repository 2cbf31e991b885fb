const fields = ['YEAR', 'MONTH', 'DAY', 'HOUR', 'MINUTE', 'SECOND'] as const;
type FieldName = (typeof fields)[number];

/** Whether a word may stand on a side of TO. */
export function isIntervalField(word: string): word is FieldName {
  return fields.some((field) => field === word);
}

/**
 * An interval literal's text, such as `1-2 3 4:5:6` from YEAR to SECOND, in the form in which the
 * compiler holds it. Undefined where the text has another form.
 * @see https://cloud.google.com/bigquery/docs/reference/standard-sql/lexical#interval_literals
 */
export function readIntervalFields(text: string, from: string, to: string): string | undefined {
  const wanted = fields.slice(
    fields.indexOf(from as FieldName),
    fields.indexOf(to as FieldName) + 1,
  );
  if (wanted.length < 2) return undefined;
  const months = wanted.filter((field) => field === 'YEAR' || field === 'MONTH');
  const clock = wanted.filter((field) => ['HOUR', 'MINUTE', 'SECOND'].includes(field));
  const forms = [
    months.length > 0 && `(?<monthSign>[-+]?)${months.map(digits).join('-')}`,
    wanted.includes('DAY') && '(?<daySign>[-+]?)(?<DAY>\\d+)',
    clock.length > 0 && `(?<clockSign>[-+]?)${clock.map(digits).join(':')}${fraction(clock)}`,
  ].filter((form) => form !== false);
  return build(new RegExp(`^${forms.join(' ')}$`).exec(text)?.groups);
}

function digits(field: FieldName): string {
  return `(?<${field}>\\d+)`;
}

function fraction(clock: readonly FieldName[]): string {
  return clock.at(-1) === 'SECOND' ? '(?:\\.(?<fraction>\\d{1,6}))?' : '';
}

function build(groups: Readonly<Record<string, string | undefined>> | undefined) {
  if (groups === undefined) return undefined;
  const number = (name: string) => BigInt(groups[name] ?? 0);
  const signed = (name: string, value: bigint) => (groups[name] === '-' ? -value : value);
  const months = signed('monthSign', number('YEAR') * 12n + number('MONTH'));
  const days = signed('daySign', number('DAY'));
  const { fraction: below = '' } = groups;
  const part = BigInt(below.padEnd(6, '0'));
  const seconds = (number('HOUR') * 60n + number('MINUTE')) * 60n + number('SECOND');
  const micros = signed('clockSign', seconds * 1_000_000n + part);
  return printInterval(Number(months), Number(days), micros);
}

/** The form in which a literal INTERVAL is held: `14 months 3 days -4000000 microseconds`. */
function printInterval(months: number, days: number, micros: bigint): string | undefined {
  const limits = [Math.abs(months) <= 120_000, Math.abs(days) <= 3_660_000];
  const isLong = micros > 316_224_000_000_000_000n || micros < -316_224_000_000_000_000n;
  if (isLong || limits.includes(false)) return undefined;
  return `${months} months ${days} days ${micros} microseconds`;
}
