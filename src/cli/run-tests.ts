import { readdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Settings } from '../config/settings.js';
import { SetupError } from '../errors/errors.js';
import { start, type TestService } from '../testing/testing.js';
import { sliceJson } from '../values/slice-json.js';
import { compareRows, printRows } from './compare-rows.js';
import { type EndpointTest, readTestFile, testFileEnd } from './test-file.js';
import { ask, recordsIn } from './test-server.js';

/** The result of a test, which passes without differences in its rows. */
export type TestResult = Awaited<ReturnType<typeof runTests>>[number];

/**
 * Runs the tests of the files and folders on the command line, by default those beside the endpoints. Without a
 * folder of endpoints, a test uses the endpoints beside its file.
 * @throws SetupError if there are none, a file is not valid, or a service cannot start
 */
export async function runTests({ paths, endpoints: own, sources, preset, as }: Settings) {
  const places = paths ?? [own ?? '.'];
  const files = places.flatMap(findFiles).map((file) => ({ file, ...readTestFile(file) }));
  if (files.length === 0)
    throw new SetupError([`there is no *${testFileEnd} in ${places.join(', ')}`]);
  const results = [];
  for (const { file, data, tests } of files) {
    const hasOwn = readdirSync(dirname(file)).some((name) => name.endsWith('.sql'));
    const endpoints = own ?? (hasOwn ? dirname(file) : undefined);
    const service = await start({ data, endpoints, sources, preset, as });
    for (const test of tests)
      results.push({ file, name: test.name, differences: await runTest(service, test) });
    await service.close();
  }
  return results;
}

/** Returns a file itself, or the test files in a folder. */
function findFiles(path: string): readonly string[] {
  if (!statSync(path, { throwIfNoEntry: false })?.isDirectory()) return [path];
  const names = readdirSync(path).filter((name) => name.endsWith(testFileEnd));
  return names.sort().map((name) => join(path, name));
}

async function runTest(
  service: TestService,
  { endpoint, now, parameters, records, expected }: EndpointTest,
): Promise<readonly string[]> {
  const answer = async () => {
    if (now !== undefined) service.setNow(now);
    await service.writeAll(recordsIn(records));
    const [result] = sliceJson(await ask(service, endpoint, parameters));
    return printRows(result?.raw ?? '[]');
  };
  const actual = await answer().catch(({ message }: Error) => [`error: ${message}`]);
  await service.reset();
  return compareRows(expected, actual);
}
