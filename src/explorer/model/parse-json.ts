/** A reviver whose third argument is newer than TypeScript's declaration. */
type Reviver = (key: string, value: unknown, context?: { readonly source?: string }) => unknown;

/** Matches JSON that may have an integer too large for a number. */
const longDigits = /9\d{15}|\d{17}/;

/** Parses JSON. An integer that a number cannot hold becomes a bigint if the browser provides its digits. */
export function parseJson(text: string): unknown {
  return longDigits.test(text) ? JSON.parse(text, keepDigits) : JSON.parse(text);
}

const keepDigits: Reviver = (_key, value, context) => {
  const digits = context?.source ?? '';
  const isLong =
    typeof value === 'number' && Number.isInteger(value) && !Number.isSafeInteger(value);
  return isLong && /^-?\d+$/.test(digits) ? BigInt(digits) : value;
};

/** Prints a value as JSON, a bigint with its digits. */
export function printJson(value: unknown, indent = 0): string {
  const digits = new Map<string, string>();
  // Not a UUID of `crypto`, which only pages of HTTPS and loopback addresses have.
  const mark = `n${crypto.getRandomValues(new Uint32Array(4)).join('-')}:`;
  const text = JSON.stringify(
    value,
    (_key, inner: unknown) => {
      if (typeof inner !== 'bigint') return inner;
      digits.set(`"${mark}${inner}"`, String(inner));
      return `${mark}${inner}`;
    },
    indent,
  );
  return [...digits].reduce((printed, [quoted, bare]) => printed.replaceAll(quoted, bare), text);
}
