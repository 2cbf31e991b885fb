import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { nightly, sample } from '../../support/nightly.js';
import { requestOf } from '../../support/request-of.js';
import { tiedQueries } from '../../support/tied-queries.js';
import { openTiedWorld, ownRecords, type TiedWorld } from '../../support/tied-worlds.js';

// An answer is a function of the caller's own rows. The worlds have the same records of one project, which share their
// instants, in another order, among other records, in one part or in several, with kept rows and without.
let worlds: readonly TiedWorld[];
/** The same records, except for addresses that are redacted. */
let renamed: TiedWorld;

const crowd = nightly(250, 80);

beforeAll(async () => {
  const own = ownRecords(30, crowd);
  const kept = ['--newest-rows', '1000'];
  const none = ['--newest-rows', '0'];
  const two = ['--threads', '2'];
  worlds = await Promise.all([
    openTiedWorld(own, { name: 'alone', others: 0, seed: 1, flags: none }),
    openTiedWorld(own, { name: 'few others', others: 1, seed: 2, flags: [...kept, ...two] }),
    openTiedWorld(own, { name: 'many others', others: nightly(60, 30), seed: 3, flags: none }),
    openTiedWorld(own, { name: 'parts', others: 3, seed: 4, parts: 3, flags: [...kept, ...two] }),
  ]);
  const others = ownRecords(30, crowd, (name) => [...name].reverse().join(''));
  renamed = await openTiedWorld(others, { name: 'renamed', others: 1, seed: 5, flags: none });
});
afterAll(() => Promise.all([...worlds, renamed].map((world) => world.close())));

const formats = ['json', 'ndjson', 'csv', 'arrow', 'parquet'] as const;

/** Requests by what they ask: callers' queries in SQL and LQL, and the stored query. */
const asked: readonly Readonly<Record<string, string>>[] = [
  {},
  { lql: 'm.response.status_code:500' },
  { lql: 'm.request.method:GET c:count(*) c:group_by(t::minute)' },
  ...tiedQueries(nightly(48, 16)).map((sql) => ({ sql })),
];

/** The faults in the answers of some worlds in one format; the answer of the first. */
async function compare(
  all: readonly TiedWorld[],
  parameters: Readonly<Record<string, string>>,
  { redact, format }: { readonly redact: boolean; readonly format: (typeof formats)[number] },
) {
  const more = { redact, format: { named: format, accepted: undefined } };
  const request = requestOf({ project: 'bluefin', ...parameters }, more);
  const [first = '', ...others] = await Promise.all(all.map((world) => world.ask(request)));
  const differing = all.slice(1).filter((_, index) => others[index] !== first);
  const faults = differing.map(({ name }) => `${format}, ${name}: ${JSON.stringify(parameters)}`);
  return { first, faults: first.includes('Error: ') ? [...faults, first] : faults };
}

describe.each([false, true])('redacted: %s', (redact) => {
  test('every answer is the same in all worlds', async () => {
    const faults: string[] = [];
    for (const parameters of sample(asked, redact ? 3 : 1)) {
      faults.push(...(await compare(worlds, parameters, { redact, format: 'json' })).faults);
    }
    expect(faults).toEqual([]);
  });

  test('so is it in each format, and the formats show the rows in one order', async () => {
    const faults: string[] = [];
    for (const parameters of asked.filter((_, at) => at % nightly(3, redact ? 11 : 5) === 0)) {
      const texts: string[] = [];
      for (const format of formats) {
        const compared = await compare(worlds, parameters, { redact, format });
        faults.push(...compared.faults);
        texts.push(compared.first.slice(compared.first.indexOf('\n') + 1));
      }
      const [json = '', lines = ''] = texts;
      const inLines = `[${lines.trimEnd().split('\n').join(',')}]`;
      if (json !== inLines) faults.push(`order: ${JSON.stringify(parameters)}`);
    }
    expect(faults).toEqual([]);
  });
});

test('what is redacted decides nothing', async () => {
  const [world] = worlds;
  if (world === undefined) throw new Error('no world');
  const faults: string[] = [];
  for (const parameters of sample(asked, 3)) {
    const options = { redact: true, format: 'json' } as const;
    faults.push(...(await compare([world, renamed], parameters, options)).faults);
  }
  expect(faults).toEqual([]);
});
