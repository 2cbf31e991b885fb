import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { differenceOfRows } from './compare-rows.js';
import { isObject, type Json, type JsonObject, parseJson, printJson } from './json.js';
import { token } from './start-service.js';

/** A file of cases over one folder of logs at one instant. */
export interface Suite {
  readonly name: string;
  /** The folder of the logs, beside the folder of the cases. */
  readonly data: string;
  readonly now: string;
  readonly cases: readonly Case[];
}

/** One request and what is to come back. */
export interface Case {
  readonly id: string;
  readonly area: string;
  /** A name or a UUID. */
  readonly endpoint: string;
  readonly params: Readonly<Record<string, string>>;
  /** Sends the parameters in the body instead of the URL. */
  readonly body?: 'json' | 'form';
  readonly headers?: Readonly<Record<string, string>>;
  readonly order: 'exact' | 'any';
  readonly strict?: boolean;
  readonly expect: Expectation;
}

interface Expectation {
  readonly status: bigint;
  readonly result?: readonly Json[];
  readonly headers?: Readonly<Record<string, string>>;
  readonly reason?: string;
  readonly message_contains?: readonly string[];
}

/** Reads a suite. */
export function readSuite(file: string): Suite {
  const suite = parseJson(readFileSync(file, 'utf8')) as unknown as Omit<Suite, 'name'>;
  return { ...suite, name: basename(file) };
}

/** Sends the case's request and says how the answer differs; undefined where it does not. */
export async function runCase(url: string, test: Case): Promise<string | undefined> {
  const response = await sendCase(url, test);
  const text = await response.text();
  const body = parseJson(text);
  if (response.status !== Number(test.expect.status) || !isObject(body)) {
    return `status ${response.status}, expected ${test.expect.status}: ${text.slice(0, 2000)}`;
  }
  return (
    differenceOfHeaders(response, test) ??
    (response.ok ? differenceOfAnswer(body, test) : differenceOfError(body, test))
  );
}

/** Sends the request of a case. */
export function sendCase(
  url: string,
  { endpoint, params, body, headers = {} }: Case,
): Promise<Response> {
  const form = new URLSearchParams(params);
  const address = `${url}/api/endpoints/query/${encodeURIComponent(endpoint)}`;
  const sent = new Headers({ 'x-api-key': token });
  for (const [name, value] of Object.entries(headers)) sent.set(name, value);
  if (body === undefined) return fetch(`${address}?${form}`, { headers: sent });
  if (body === 'json') sent.set('content-type', 'application/json');
  const content = body === 'json' ? JSON.stringify(params) : form;
  return fetch(address, { method: 'POST', headers: sent, body: content });
}

function differenceOfHeaders(response: Response, { expect }: Case): string | undefined {
  const wrong = Object.entries(expect.headers ?? {}).find(
    ([name, value]) => response.headers.get(name) !== value,
  );
  return wrong && `${wrong[0]}: ${response.headers.get(wrong[0])}, expected ${wrong[1]}`;
}

function differenceOfAnswer(body: JsonObject, test: Case): string | undefined {
  const { result: rows } = body;
  const keys = Object.keys(body).join();
  if (keys !== 'result' || !Array.isArray(rows)) return `the body's keys are ${keys}`;
  const { order, strict = false, expect } = test;
  return expect.result && differenceOfRows(rows, expect.result, { order, strict });
}

function differenceOfError(body: JsonObject, { expect }: Case): string | undefined {
  const { error } = body;
  if (!isObject(error)) return `no error object: ${printJson(body)}`;
  const { message, errors } = error;
  const [first] = Array.isArray(errors) ? errors : [];
  const { reason } = isObject(first) ? first : {};
  if (expect.reason !== undefined && reason !== expect.reason) {
    return `reason ${printJson(reason)}, expected ${expect.reason}: ${printJson(error)}`;
  }
  const missing = expect.message_contains?.find((part) => !`${message}`.includes(part));
  return missing && `the message lacks ${missing}: ${printJson(message)}`;
}
