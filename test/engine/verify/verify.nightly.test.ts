import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  type CompileOptions,
  createCompiler,
  type StoredQuery,
} from '../../../src/compiler/compile.js';
import { parseEndpoint } from '../../../src/endpoint/parse-endpoint.js';
import type { SourceSchema } from '../../../src/types/schema.js';
import { declared, loadFolder } from '../../support/load-logs.js';
import { callersQueries, mutate } from '../../support/mutate.js';
import { acceptance, root } from '../../support/paths.js';
import { queryTexts, sentTexts } from '../../support/query-texts.js';
import { randomFrom } from '../../support/random.js';
import { randomQuery } from '../../support/random-query.js';
import { diceOf } from '../../support/random-scope.js';
import { openQueryVerifier, unlessRefused } from '../../support/verify-compiled.js';
import { webSource } from '../../support/web-source.js';

// Statement verification accepts every query that compiles; otherwise it would be an internal error.
// The functions, one by one, are in check-expression.nightly.test.ts.

let engine: Awaited<ReturnType<typeof openQueryVerifier>>;

beforeAll(async () => {
  engine = await openQueryVerifier();
});
afterAll(() => engine.close());

const rounds = 120;

type Form = (text: string, options: CompileOptions) => ReturnType<typeof unlessRefused>;

/** The texts that compile but are refused, plain or redacted, and how many compile. */
async function verifyAll(texts: readonly string[], form: Form) {
  const refused: string[] = [];
  let legal = 0;
  for (const text of texts) {
    for (const redact of [false, true]) {
      const query = form(text, { redact });
      if (query === undefined) continue;
      legal++;
      await engine.verify(query).catch((error: unknown) => refused.push(`${text}: ${error}`));
    }
  }
  return { legal: legal / 2, refused };
}

const layouts = ['struct', 'list'] as const;
const sets = Object.entries(queryTexts());
const webOf = (text: string): StoredQuery => ({
  name: 'web',
  sql: text,
  maxRows: 10,
  parameters: [{ name: 'now_', type: 'timestamp' }],
});
const stored = webOf('with web as (select * from `logs.web`) select * from web');

describe.each(layouts)('over records stored as a %s', (layout) => {
  const compiler = createCompiler([webSource(layout)]);
  const asStored: Form = (text, options) =>
    unlessRefused(compiler, [webOf(text), undefined, options]);
  const asCaller: Form = (text, options) => {
    const own = text.replaceAll('`logs.web`', 'web');
    return unlessRefused(compiler, [stored, { language: 'sql', text: own }, options]);
  };

  test.each([...sets, ['the acceptance cases', sentTexts('sql')] as const])(
    "%s, as a caller's query",
    async (_, texts) => {
      const { refused } = await verifyAll(texts, asCaller);
      expect(refused).toEqual([]);
    },
  );

  test.each(sets)('%s, as a stored query', async (_, texts) => {
    const { refused } = await verifyAll(texts, asStored);
    expect(refused).toEqual([]);
  });

  test('random queries', async () => {
    const dice = diceOf(11);
    const texts = Array.from({ length: rounds }, () => randomQuery(dice));
    for (const form of [asStored, asCaller]) {
      const { legal, refused } = await verifyAll(texts, form);
      expect(refused).toEqual([]);
      expect(legal).toBeGreaterThan(rounds / 2);
    }
  });
});

describe.each(['logs.all', 'usage.api-counts'])('callers of %s', (name) => {
  const file = join(root, `sql/endpoints/${name}.sql`);
  const { endpoint } = parseEndpoint(file, readFileSync(file, 'utf8'));
  let sources: readonly SourceSchema[];

  beforeAll(async () => {
    ({ sources } = await loadFolder(join(acceptance, 'fixtures/basic'), { declared }));
  });

  const sent = (language: 'sql' | 'lql'): Form => {
    const compiler = createCompiler(sources);
    return (text, options) => unlessRefused(compiler, [endpoint, { language, text }, options]);
  };

  test.each(['sql', 'lql'] as const)('in %s', async (language) => {
    const texts = sentTexts(language);
    const { legal, refused } = await verifyAll(texts, sent(language));
    expect(refused).toEqual([]);
    if (name === 'logs.all') expect(legal).toBeGreaterThan(texts.length / 2);
  });

  test('the texts of the LQL tests', async () => {
    const texts = ['conditions', 'queries', 'faults'].flatMap((one) => {
      const rows: unknown = JSON.parse(
        readFileSync(join(root, `test/compiler/lql/${one}.json`), 'utf8'),
      );
      return (rows as readonly (readonly [string])[]).map(([text]) => text);
    });
    const { refused } = await verifyAll(
      texts.flatMap((text) => [text, text.replaceAll(/\bm\./g, 'metadata.request.')]),
      sent('lql'),
    );
    expect(refused).toEqual([]);
  });

  test('mutated queries', async () => {
    const random = randomFrom(17);
    const texts = Array.from({ length: 2 * rounds }, () =>
      mutate(callersQueries[random() % callersQueries.length] ?? '', random),
    );
    const { refused } = await verifyAll(texts, sent('sql'));
    expect(refused).toEqual([]);
  });

  test('the endpoint itself', async () => {
    const compiler = createCompiler(sources);
    const itself: Form = (_, options) => unlessRefused(compiler, [endpoint, undefined, options]);
    expect(await verifyAll([name], itself)).toEqual({ legal: 1, refused: [] });
  });
});
