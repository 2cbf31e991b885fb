// Random log lines that no sane program writes.

/** @typedef {import('../../src/generate/world/random.js').Random} Random */

/** Literals of JSON as they are written: a program may write any of them. */
const literals = [
  ...[
    '0',
    '-0',
    '1',
    '-1',
    '0.1',
    '1.10',
    '1e400',
    '-1e400',
    '1e-400',
    '1E5',
    '9007199254740993',
    '123456789012345678901234567890.5',
  ],
  ...[
    '9223372036854775807',
    '9223372036854775808',
    '18446744073709551615',
    '18446744073709551616',
    '-9223372036854775809',
  ],
  ...[
    'true',
    'false',
    'null',
    '""',
    '"x"',
    '"-"',
    '"NaN"',
    '"\\ud83d"',
    '"\\ude00\\ud83d"',
    '"\\ud83d\\ude00"',
    '"\\u0000"',
    '"\\u2028"',
  ],
  ...[
    '"a\\"b\\\\"',
    '"2026-03-10T12:00:00Z"',
    '"23:59:60"',
    '"[1,{}]"',
    '"{\\"a\\":1}"',
    '"a@b.example"',
    '"10.0.0.1"',
    '{}',
    '[]',
    '[[]]',
    '[null]',
  ],
];

/** Names of fields: usual ones, those of the declaration, and those that break what is written for usual ones. */
const oddNames = [
  ...[
    '',
    ' ',
    'a.b',
    'a b',
    '`',
    "'",
    '"',
    '\\',
    'select',
    'id',
    'ID',
    'timestamp',
    'project',
    'metadata',
    'c1',
    'e1',
    'r',
    'json',
    'element',
  ],
  ...[
    '__proto__',
    'constructor',
    'a@b.example',
    '10.0.0.1',
    '\u0000',
    '\ud83d',
    'é',
    'É',
    '数',
    'x'.repeat(300),
  ],
];

/** The preferences of one seed, so that lines of a burst have something in common. @typedef {ReturnType<typeof drawHabits>} Habits */

/** @param {Random} random @param {readonly string[]} declared names */
export function drawHabits(random, declared) {
  const fresh = Array.from(
    { length: random.any([3, 30, 300]) },
    () => `evil_${random.hex(random.any([1, 4]))}`,
  );
  return {
    names: [
      ...fresh,
      ...(random.chance(0.5) ? oddNames : []),
      ...(random.chance(0.5) ? declared : []),
    ],
    width: random.any([1, 2, 8, 100]),
    depth: random.any([2, 9, 12, 20, 40, 70]),
    nested: random.any([0.1, 0.5, 0.9]),
    lists: random.any([0, 0.2, 0.8]),
  };
}

/** The JSON text of an object with random members, of a bounded length. @param {Random} random @param {Habits} habits */
export function randomObject(random, habits) {
  const left = { bytes: 12_000 };
  return object(0);

  /** @param {number} depth @returns {string} */
  function value(depth) {
    const isNested = depth < habits.depth && left.bytes > 0 && random.chance(habits.nested);
    if (!isNested) return take(random.any(literals));
    return random.chance(habits.lists) ? list(depth + 1) : object(depth + 1);
  }

  /** @param {number} depth @returns {string} */
  function list(depth) {
    return `[${Array.from({ length: random.integer(0, 3) }, () => value(depth)).join()}]`;
  }

  /** @param {number} depth @returns {string} */
  function object(depth) {
    const length = random.integer(1, depth === 0 ? habits.width : Math.min(habits.width, 4));
    const members = Array.from({ length }, () => {
      const name = take(JSON.stringify(random.any(habits.names)));
      return `${name}:${value(depth + 1)}`;
    });
    return `{${members.join()}}`;
  }

  /** @param {string} text */
  function take(text) {
    left.bytes -= text.length;
    return text;
  }
}

/** A line of a source: usually a record, sometimes cut short or with bytes that are not UTF-8. @param {Random} random @param {string} record */
export function damage(random, record) {
  if (random.chance(0.03)) return Buffer.from(record.slice(0, random.integer(0, record.length)));
  const bytes = Buffer.from(record);
  if (random.chance(0.05)) bytes[random.integer(0, bytes.length - 1)] = random.integer(128, 255);
  // A line break would make two lines of it.
  return Buffer.from(bytes.filter((byte) => byte !== 10));
}
