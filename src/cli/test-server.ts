import * as v from 'valibot';
import type { Settings } from '../config/settings.js';
import type { TokenSettings } from '../config/token-file.js';
import { start, type TestService } from '../testing/testing.js';
import { sliceJson, sliceMembers } from '../values/slice-json.js';

/** The options of a test server. */
export interface TestServerOptions {
  readonly settings: Pick<
    Settings,
    'data' | 'endpoints' | 'sources' | 'preset' | 'as' | 'now' | 'port' | 'allowShortTokens'
  >;
  /** The tokens that it accepts; by default, one is generated. */
  readonly tokens: readonly (TokenSettings & { readonly token: string })[];
  /** Lines of JSON, each valid by {@link orderSchema}. */
  readonly input: AsyncIterable<string>;
  /** Writes lines of JSON: the address, then the answer to each line of the input. */
  readonly print: (text: string) => Promise<unknown>;
}

/** The request in a line. */
const orderSchema = v.union([
  v.strictObject({ query: v.string(), parameters: v.optional(v.record(v.string(), v.unknown())) }),
  v.strictObject({ write: v.record(v.string(), v.array(v.unknown())) }),
  v.strictObject({ reset: v.literal(true) }),
  v.strictObject({ setNow: v.nullable(v.string()) }),
]);

const orderForms =
  'a line must be {"write": {"<source>": [<records>]}}, {"query": "<endpoint>", "parameters": {…}}, {"reset": true} or {"setNow": "<ISO 8601 timestamp>"}, which may be null';

/**
 * Serves records that a test in another language writes, until the input ends.
 * @throws Error if the service cannot start
 */
export async function runTestServer(options: TestServerOptions): Promise<void> {
  const { settings, tokens, input, print } = options;
  const service = await start({
    ...settings,
    tokens:
      tokens.length === 0
        ? undefined
        : tokens.map(({ token, project, endpoints }) => ({ token, project, endpoints })),
  });
  const { url, token } = service;
  await print(`${JSON.stringify({ url, token })}\n`);
  for await (const line of readLines(input)) {
    await print(`${await answer(service, line)}\n`);
  }
  await service.close();
}

/** Yields the lines of the input. Node's Readline would also end a line at U+2028, which JSON allows in strings. */
async function* readLines(input: AsyncIterable<string>): AsyncGenerator<string> {
  let rest = '';
  for await (const chunk of input) {
    const [first = '', ...others] = chunk.split('\n');
    const last = others.pop();
    if (last !== undefined) yield rest + first;
    yield* others;
    rest = last ?? rest + first;
  }
  if (rest !== '') yield rest;
}

/** Carries out the order in a line; returns a line of JSON. */
async function answer(service: TestService, line: string): Promise<string> {
  try {
    const { success, output: order } = v.safeParse(orderSchema, JSON.parse(line));
    if (!success) throw new Error(orderForms);
    const { parameters = '{}', write = '{}' } = sliceMembers(line);
    if ('query' in order) return await ask(service, order.query, parameters);
    if ('reset' in order) await service.reset();
    else if ('setNow' in order) service.setNow(order.setNow ?? undefined);
    else await service.writeAll(recordsIn(write));
    return '{}';
  } catch (error) {
    return JSON.stringify({ error: error instanceof Error ? error.message : String(error) });
  }
}

/**
 * Queries an endpoint; `body` has the parameters, and the response is returned unchanged.
 * @throws Error with the message of a refusal
 */
export async function ask({ url, token }: TestService, endpoint: string, body: string) {
  const headers = { 'x-api-key': token, 'content-type': 'application/json' };
  const path = `${url}/api/endpoints/query/${encodeURIComponent(endpoint)}`;
  const answer = await (await fetch(path, { method: 'POST', headers, body })).text();
  const { error } = JSON.parse(answer);
  if (error !== undefined) throw new Error(error.message ?? error);
  return answer;
}

/** Returns the records of each source in a JSON object, as written: parsing would round numbers. */
export function recordsIn(json: string): Readonly<Record<string, readonly string[]>> {
  return Object.fromEntries(
    sliceJson(json).map(({ name, raw }) => [name, sliceJson(raw).map((record) => record.raw)]),
  );
}
