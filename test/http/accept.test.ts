import { expect, test } from 'vitest';
import { acceptedFormat } from '../../src/http/accept.js';

test.each([
  [null, 'json'],
  ['', 'json'],
  [' , ', 'json'],
  ['*/*', 'json'],
  ['application/json', 'json'],
  ['application/*', 'json'],
  ['text/*', 'csv'],
  ['TEXT/CSV; header=absent', 'csv'],
  ['text/csv;q=0.5, application/x-ndjson;q=0.9', 'ndjson'],
  ['application/jsonl', 'ndjson'],
  ['text/csv, application/json', 'json'],
  ['application/json;q=0.1, */*;q=0.5', 'ndjson'],
  ['application/json;q=0, */*', 'ndjson'],
  ['text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8', 'json'],
  ['text/html', undefined],
  ['*/*;q=0', undefined],
  ['text/csv;q=a', 'csv'],
] as const)('Accept: %s', (accept, format) => {
  expect(acceptedFormat(accept)).toBe(format);
});
