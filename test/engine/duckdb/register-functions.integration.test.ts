import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ExplainingEngine } from '../../../src/engine/engine.js';
import { ServiceError } from '../../../src/errors/errors.js';
import { openWebEngine } from '../../support/web-source.js';

const never = new AbortController().signal;
const names = Array.from({ length: 16 }, (_, place) => `t${place}`);
const rows = `from ${names.map((name) => `logs.web as ${name}`).join(' cross join ')}`;

let engine: ExplainingEngine;

beforeAll(async () => {
  engine = await openWebEngine('struct', { maxResultBytes: 1_000 });
});
afterAll(() => engine.close());

function run(sql: string, runner: ExplainingEngine = engine) {
  const statement = { sql, tables: ['logs.web'], values: {}, maxRows: 10, readsOwnRows: true };
  return runner.run(statement, { signal: never });
}

async function evaluate(expression: string): Promise<unknown> {
  const { body: json } = await run(
    `select encode(coalesce(to_json(${expression})::varchar, 'null'))`,
  );
  return (JSON.parse(Buffer.from(json).toString()) as readonly unknown[])[0];
}

describe('a function in JavaScript', () => {
  test('is called with constants, columns and elements of lists, and with NULL', async () => {
    expect(await evaluate("js_json_flatten('[[1]]')")).toBe('[1]');
    expect(await evaluate('js_json_flatten(cast(null as varchar))')).toBeNull();
    const mapped = "list_transform(['[1]', null], lambda x: js_json_flatten(x))";
    expect(await evaluate(mapped)).toEqual(['[1]', null]);
    const { body: json } = await run(
      'select encode(to_json(js_sha512(encode(t.id)) is null)::varchar) from logs.web as t',
    );
    expect(JSON.parse(Buffer.from(json).toString())).toEqual([false, false, false, false, false]);
  });

  test('fails with its message, and its twin gives NULL', async () => {
    const failing = "js_json_remove('{}', '$')";
    const error = await run(`select encode(${failing})`).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(ServiceError);
    expect((error as ServiceError).faults[0]).toMatchObject({
      reason: 'invalidQuery',
      message: "The JSONPath cannot be '$'",
    });
    expect(await evaluate("js_safe_json_remove('{}', '$')")).toBeNull();
  });

  test('fails on a value that is too deep for the stack of JavaScript', async () => {
    const failing = run("select encode(js_search('a', lpad('', 20000, '('))::varchar)");
    const error = await failing.catch((thrown: unknown) => thrown);
    expect((error as ServiceError).faults[0]).toMatchObject({
      reason: 'invalidQuery',
      message: 'A value is too long or too deeply nested',
    });
  });

  test('fails on what only a bug can pass to it, and tells nothing', async () => {
    const error = await run(`select encode(js_json_flatten('{"\\secret": 1}'))`).catch(String);
    expect(error).toContain('the engine failed on a statement');
  });

  test('is interrupted at the time limit', async () => {
    const joined = names.map((name) => `${name}.id`).join(' || ');
    const endless = `select encode(count(*)::varchar) ${rows} where js_search(${joined}, 'none')`;
    const hurried = await openWebEngine('struct', { queryTimeoutMs: 400 });
    const error = await run(endless, hurried).catch((thrown: unknown) => thrown);
    await hurried.close();
    expect((error as ServiceError).faults[0].reason).toBe('timeout');
  });
});
