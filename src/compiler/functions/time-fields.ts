/** The parts of a time in a string to parse; each is a group of the regular expression. */
export const fields = [
  ...(['y', 'yy', 'century', 'quarter', 'mo', 'monthname', 'd', 'doy', 'h', 'hour12'] as const),
  ...(['meridian', 'mi', 's', 'f', 'zone', 'epoch', 'cy', 'rr'] as const),
  ...(['sundays', 'mondays', 'isoyear', 'isoyy', 'isoweek', 'isoday', 'weekday'] as const),
];
export type TimeField = (typeof fields)[number];

/** The fields of a format that count. */
export interface Precedence {
  /** Whether each field counts. */
  readonly counts: readonly boolean[];
  /** Whether the year comes after a week or a day of the year, so that their date does not change it. */
  readonly isLateYear: boolean;
}

/** The fields that a later field overrides because they mean the same. */
const overridden: Partial<Record<TimeField, readonly TimeField[]>> = {
  y: ['yy', 'century'],
  yy: ['y'],
  century: ['y'],
  mo: ['monthname', 'quarter'],
  monthname: ['mo', 'quarter'],
  quarter: ['mo', 'monthname', 'd'],
  isoyear: ['isoyy'],
  isoyy: ['isoyear'],
  sundays: ['mondays'],
  mondays: ['sundays'],
  h: ['hour12'],
  hour12: ['h'],
};

const years: readonly TimeField[] = ['y', 'yy', 'century'];
const months: readonly TimeField[] = ['mo', 'monthname', 'quarter'];
const weeks: readonly TimeField[] = ['sundays', 'mondays'];
const isoFields: readonly TimeField[] = ['isoyear', 'isoyy', 'isoweek', 'isoday'];
const otherFields: readonly TimeField[] = [...years, ...months, ...weeks, 'd', 'doy', 'epoch'];

/**
 * Decides which fields count, given their order in the format: the last of several with the same meaning, no ISO
 * field if there are others, no weekday without a week, and either a week or a day of the year.
 * @see https://cloud.google.com/bigquery/docs/reference/standard-sql/timestamp_functions#parse_timestamp
 */
export function fieldPrecedence(order: readonly TimeField[]): Precedence {
  const dropped = new Set(droppedDates(order));
  const lasting = notOverridden(order);
  const kept = (field: TimeField, index: number) => lasting[index] === true && !dropped.has(field);
  // A week or a day of the year sets the month and the day, too.
  const setter = order.findLastIndex(
    (field, index) => (weeks.includes(field) || field === 'doy') && kept(field, index),
  );
  const isSet = (field: TimeField, index: number) =>
    index < setter && (months.includes(field) || field === 'd');
  return {
    counts: order.map((field, index) => kept(field, index) && !isSet(field, index)),
    isLateYear: setter >= 0 && order.some((field, i) => i > setter && years.includes(field)),
  };
}

/** Whether each field has no later override; one pass from the end, because a format may have 20,000 fields. */
function notOverridden(order: readonly TimeField[]): readonly boolean[] {
  const later = new Set<TimeField>();
  const fromEnd = order.toReversed().map((field) => {
    const lasts = !later.has(field);
    for (const each of [field, ...(overridden[field] ?? [])]) later.add(each);
    return lasts;
  });
  return fromEnd.toReversed();
}

/** The date fields that do not count because of other fields, in any order. */
function droppedDates(order: readonly TimeField[]): readonly TimeField[] {
  if (order.some((field) => otherFields.includes(field))) {
    return [...isoFields, ...droppedOf('doy', weeks, order)];
  }
  const hasYear = order.includes('isoyear') || order.includes('isoyy');
  return hasYear ? droppedOf('isoday', ['isoweek'], order) : [...isoFields, 'weekday'];
}

/** The fields to drop: of a day of the year and a week, the last one counts, but a week only with a weekday. */
function droppedOf(
  day: TimeField,
  week: readonly TimeField[],
  order: readonly TimeField[],
): readonly TimeField[] {
  const weekAt = order.findLastIndex((field) => week.includes(field));
  const dayAt = order.lastIndexOf(day);
  const isDay = dayAt >= 0 && (dayAt > weekAt || !order.includes('weekday'));
  if (isDay) return [...week, 'weekday'];
  return weekAt >= 0 ? [day] : ['weekday'];
}
