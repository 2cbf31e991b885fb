import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readSuite } from '../../test/support/cases.js';
import { type Json, parseJson } from '../../test/support/json.js';
import { acceptance, root } from '../../test/support/paths.js';
import { randomQuery } from '../../test/support/random-query.js';
import { diceOf } from '../../test/support/random-scope.js';
import type { AcceptanceLogs, Room } from './rooms.js';
import { randomShape } from './shapes/shapes.js';

/** A query for both engines. */
export interface Question {
  readonly suite: Suite;
  /** The case, in words that find it. */
  readonly id: string;
  readonly sql: string;
  /** The same query for the reference implementation, if that lacks the syntax. */
  readonly plain?: string;
  readonly room: Room;
}

/** The name of a suite of queries. */
export type Suite = (typeof suites)[number];

/** The suites, in order. */
export const suites = [
  'acceptance',
  'functions',
  'queries',
  'traps',
  'pipes',
  'random',
  'shapes',
] as const;

/** The inputs of the suites. */
export interface Sources {
  readonly web: Room;
  /** Undefined if the acceptance cases are not asked. */
  readonly logs: AcceptanceLogs | undefined;
  readonly random: number;
  readonly seed: number;
}

/** The queries of a suite. */
export function suiteQuestions(suite: Suite, sources: Sources): readonly Question[] {
  return readers[suite](sources).map((question) => ({ suite, ...question }));
}

type Read = (sources: Sources) => readonly Omit<Question, 'suite'>[];

const readers: Readonly<Record<Suite, Read>> = {
  acceptance: ({ logs }) =>
    logs === undefined ? [] : acceptanceFiles.flatMap((file) => readAcceptance(file, logs)),
  functions: ({ web }) => readTests('functions', web),
  queries: ({ web }) => readTests('queries', web),
  traps: ({ web }) =>
    (readJson('test/acceptance/cases/own-traps.json') as unknown as readonly Trap[]).map(
      ({ behaviour, sql }) => ({ id: behaviour, sql, room: web }),
    ),
  pipes: ({ web }) =>
    (readJson('test/compiler/pipe-queries.json') as unknown as readonly Test[]).map(([sql]) => ({
      id: sql,
      sql,
      room: web,
    })),
  random: ({ web, random, seed }) =>
    [...Array(random).keys()].map((index) => {
      const id = `seed ${seed + index}`;
      return { id, sql: randomQuery(diceOf(seed + index)), room: web };
    }),
  shapes: ({ web, random, seed }) =>
    [...Array(random).keys()].map((index) => {
      const id = `seed ${seed + index}`;
      return { id, ...randomShape(diceOf(seed + index)), room: web };
    }),
};

type Test = readonly [sql: string];

interface Trap {
  readonly behaviour: string;
  readonly sql: string;
}

/** The suites of BigQuery's SQL: redaction and LQL are no part of it. */
const acceptanceFiles = ['client', 'dialect', 'sandbox'] as const;

/** Reads the cases of a file; refused requests only from `dialect`: others are about the reason, or an area of the sandbox. */
function readAcceptance(file: string, logs: AcceptanceLogs): ReturnType<Read> {
  const { cases } = readSuite(join(acceptance, `cases/${file}.json`));
  const asked = cases.filter(({ headers, endpoint, expect, params }) => {
    const isOfDialect = expect.status === 200n || (file === 'dialect' && 'sql' in params);
    return isOfDialect && headers === undefined && endpoint !== '' && !('lql' in params);
  });
  return asked.map(({ id, endpoint, params }) => ({ id, ...logs.findRoom({ endpoint, params }) }));
}

/** Tests in JSON: `[query or expression, ...]`. */
function readTests(folder: string, room: Room): ReturnType<Read> {
  const path = `test/compiler/${folder}`;
  const files = readdirSync(join(root, path)).filter((file) => file.endsWith('.json'));
  return files.flatMap((file) => {
    const cases = readJson(join(path, file)) as unknown as readonly Test[];
    return cases.map(([text]) => {
      const sql = /^\(*(select|with|from)\b/i.test(text) ? text : `select ${text} as x`;
      return { id: `${folder}/${file}: ${text}`, sql, room };
    });
  });
}

function readJson(path: string): Json {
  return parseJson(readFileSync(join(root, path), 'utf8'));
}
