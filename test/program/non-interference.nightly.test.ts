import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createInterferenceOracle, type World } from '../../scripts/worlds/interference.mjs';
import type { WorldName } from '../../scripts/worlds/world.mjs';
import {
  type Attempt,
  formAttempts,
  requestAttempts,
  tableAttempts,
  tailAttempts,
} from '../support/interference-requests.js';
import { columnsOf, layoutOf, storedRecords } from '../support/stored-records.js';
import { followWorld } from '../support/tail-worlds.js';
import { withoutWall } from '../support/unwalled.js';
import { askWorld, type OpenWorld, openWorld } from '../support/worlds.js';

// The answer to any request depends only on the caller's own records. The worlds have the same records
// of the project `mine` and different records of all others, so every answer to `mine` must be the same
// in all of them, byte for byte. In the `mixed` layout some sources are stored as structs and some as
// lists. fuzz.stress.test.ts checks mutated queries in the same way.
let worlds: Readonly<Record<WorldName, OpenWorld>>;

beforeAll(async () => {
  const open = (name: WorldName) => openWorld(name, { layout: 'mixed' });
  worlds = { one: await open('one'), two: await open('two'), none: await open('none') };
});
afterAll(() => Promise.all(Object.values(worlds).map((world) => world.close())));

/** Runs attempts in several worlds; returns those with different answers, by class, and the oracle's totals. */
async function compareWorlds(asked: readonly World[], attempts: readonly Attempt[]) {
  const oracle = createInterferenceOracle(asked);
  const findings = new Map<string, string[]>();
  for (const attempt of attempts) {
    const finding = await oracle.check(attempt.asked);
    if (finding === undefined) continue;
    const text = `${JSON.stringify(finding.request)}\n${finding.answers.map(shorten).join('\n')}`;
    findings.set(attempt.class, [...(findings.get(attempt.class) ?? []), text]);
  }
  return { ...oracle, findings };
}

function shorten(answer: string): string {
  return `  ${answer.replaceAll('\n', ' | ').slice(0, 700)}`;
}

/** The number of findings of each class, and the first three. */
function summary(findings: ReadonlyMap<string, readonly string[]>): string {
  const parts = [...findings].map(([kind, texts]) =>
    [`${kind}: ${texts.length}`, ...texts.slice(0, 3)].join('\n'),
  );
  return parts.join('\n');
}

/** Redacts only every fourth attempt, because redaction takes longer. */
function attemptsOf(attempts: readonly Attempt[]): readonly Attempt[] {
  return attempts.map((attempt, index) => {
    const asked = { ...attempt.asked, redact: index % 4 === 3 };
    return { ...attempt, asked };
  });
}

const ofTables = attemptsOf(tableAttempts());
const suites = {
  'queries made to reveal records': ofTables,
  'LQL and stored queries': attemptsOf(requestAttempts()),
  'forms that fail on rows of others': attemptsOf(formAttempts({ every: 14 })),
};

describe('no answer reveals records of other projects', () => {
  test.each(Object.entries(suites))('%s', async (_name, attempts) => {
    const { one, two } = worlds;
    const { findings, isBlind, totals } = await compareWorlds(
      [askWorld(one), askWorld(two)],
      attempts,
    );
    expect(summary(findings)).toBe('');
    expect(isBlind(), JSON.stringify(totals)).toBe(false);
  });

  test('nor whether there are any', async () => {
    const attempts = Object.values(suites).flatMap((all) => all.filter((_, n) => n % 5 === 0));
    const { two, none } = worlds;
    const { findings, isBlind, totals } = await compareWorlds(
      [askWorld(two), askWorld(none)],
      attempts,
    );
    expect(summary(findings)).toBe('');
    expect(isBlind(), JSON.stringify(totals)).toBe(false);
  });
});

test('no tail reveals records of other projects', async () => {
  const followed = [worlds.one, worlds.two, worlds.none].map(followWorld);
  const attempts = attemptsOf(tailAttempts());
  const { findings, isBlind, totals } = await compareWorlds(followed, attempts);
  expect(summary(findings)).toBe('');
  expect(isBlind(), JSON.stringify(totals)).toBe(false);
});

// Only large worlds have statistics and dictionaries.
test('without the wall, statistics and dictionaries reveal records, so this test can fail', async () => {
  const isShown = ({ class: kind, asked }: Attempt) =>
    ['statistics', 'dictionary'].includes(kind) &&
    String(asked.parameters['sql']).includes('edge_logs');
  const attempts = tableAttempts()
    .filter(isShown)
    .filter((_, n) => n % 2 === 0);
  const open = [worlds.one, worlds.two];
  const asked = open.map((world) => askWorld(world, withoutWall(world.opened.compiler)));
  const { findings } = await compareWorlds(asked, attempts);
  expect(findings.get('statistics')?.length).toBeGreaterThan(3);
  expect(findings.get('dictionary')?.length).toBeGreaterThan(1);
});

/** The sources in which others have fields or lists of their own in one world. */
const changed = ['auth_logs', 'realtime_logs', 'rest_logs', 'pooler_logs'];

function isAlike([source]: readonly [string, unknown]): boolean {
  return !changed.includes(source);
}

describe('the worlds', () => {
  test('have the same records of the caller, and different ones of others', async () => {
    const [one, two, none] = await Promise.all(
      [worlds.one, worlds.two, worlds.none].map(({ opened }) => storedRecords(opened)),
    );
    const own = [one, two, none].map((world) => new Map([...(world?.own ?? [])].filter(isAlike)));
    expect(own[0]).toEqual(own[1]);
    expect(own[0]).toEqual(own[2]);
    expect(one?.own.size).toBe(9);
    for (const source of ['edge_logs', 'function_logs']) {
      expect(one?.count.get(source)).toBeGreaterThan(50_000);
      expect(two?.count.get(source)).toBeGreaterThan(50_000);
      expect(one?.count.get(source)).not.toBe(two?.count.get(source));
      expect(none?.count.get(source)).toBe(700);
    }
  });

  test('compress the same columns in different ways, dictionaries and FSST among them', async () => {
    const [one, two] = await Promise.all(
      [worlds.one, worlds.two].map(({ opened }) => storedRecords(opened)),
    );
    expect(one?.messages).toMatchObject({ edge_logs: 'Dictionary', function_logs: 'FSST' });
    expect(two?.messages).toMatchObject({ edge_logs: 'FSST', function_logs: 'Dictionary' });
  });

  test('have one schema, in both layouts, except where others have fields or lists of their own', () => {
    const [one, two, none] = [worlds.one, worlds.two, worlds.none].map(({ opened }) =>
      columnsOf(opened),
    );
    const alike = [one, two, none].map((world) => Object.entries(world ?? {}).filter(isAlike));
    expect(alike[0]).toEqual(alike[1]);
    expect(alike[0]).toEqual(alike[2]);
    expect(layoutOf(one?.['edge_logs'])).toBe('struct');
    expect(layoutOf(one?.['function_logs'])).toBe('list');
    const layouts = (source: string) => [one, two, none].map((world) => layoutOf(world?.[source]));
    expect(layouts('rest_logs')).toEqual(['list', 'struct', 'struct']);
    expect(layouts('pooler_logs')).toEqual(['struct', 'list', 'struct']);
    expect(one?.['auth_logs']).not.toEqual(none?.['auth_logs']);
    expect(two?.['realtime_logs']).not.toEqual(none?.['realtime_logs']);
  });
});
