import { readFileSync } from 'node:fs';
import { basename, dirname, resolve } from 'node:path';
import * as v from 'valibot';
import { parseTimestamp } from '../endpoint/timestamp.js';
import { withSetupError } from '../errors/errors.js';
import { parseFile } from '../process/parse-file.js';
import { sliceJson, sliceMembers } from '../values/slice-json.js';
import { printRows } from './compare-rows.js';

/** The suffix of test files. */
export const testFileEnd = '.test.json';

const isTimestamp = (text: string) => parseTimestamp(text) !== undefined;
const objects = v.array(v.looseObject({}));
const scalar = v.union([v.string(), v.number(), v.boolean()]);

/** The settings of a test, or of a file for all of its tests. */
const shared = {
  endpoint: v.optional(v.string()),
  now: v.optional(v.pipe(v.string(), v.check(isTimestamp, 'must be an ISO 8601 timestamp'))),
};

const testOfFile = v.strictObject({
  name: v.string(),
  ...shared,
  records: v.optional(v.record(v.string(), objects)),
  parameters: v.optional(v.record(v.string(), v.union([scalar, v.array(scalar)]))),
  rows: v.optional(objects),
  error: v.optional(v.string()),
});

const expects = ({ rows, error }: v.InferOutput<typeof testOfFile>) =>
  (rows === undefined) !== (error === undefined);

/** A test file. */
export const testFile = v.strictObject({
  $schema: v.optional(v.string()),
  data: v.optional(v.string()),
  ...shared,
  tests: v.array(v.pipe(testOfFile, v.check(expects, 'must have either rows or error'))),
});

const keysOfTests = Object.keys(testOfFile.entries);

/**
 * Reads a test file. Its tests use the endpoint that the file is named after, unless they name another.
 * @returns the folder of the log files, and the tests, whose `parameters` and `records`, by source, are JSON objects
 * @throws SetupError if it cannot be read or is not valid
 */
export function readTestFile(path: string) {
  return withSetupError(path, () => {
    const text = readFileSync(path, 'utf8');
    const { data, tests, ...shared } = parseFile(testFile, text, keysOfTests);
    const raws = sliceJson(sliceMembers(text)['tests'] ?? '[]');
    return {
      data: data && resolve(dirname(path), data),
      tests: tests.map((test, index) => {
        const { name, endpoint = basename(path, testFileEnd), now, error } = { ...shared, ...test };
        const raw = sliceMembers(raws[index]?.raw ?? '{}');
        const { parameters = '{}', records = '{}', rows = '[]' } = raw;
        const expected = error === undefined ? printRows(rows) : [`error: ${error}`];
        return { name, endpoint, now, parameters, records, expected };
      }),
    };
  });
}

/** A test of a file. */
export type EndpointTest = ReturnType<typeof readTestFile>['tests'][number];
