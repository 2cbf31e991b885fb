import { hash } from 'node:crypto';
import { createRequire } from 'node:module';
import { lazily } from '../../process/lazily.js';
import type { BytesFunction } from './script-function.js';

const require = createRequire(import.meta.url);

/** Loaded on the first call: it takes 6 ms. */
const farmhash = lazily<typeof import('farmhash-modern')>(() => require('farmhash-modern'));

/** @see https://cloud.google.com/bigquery/docs/reference/standard-sql/hash_functions */
export const hashFunctions: readonly BytesFunction[] = [
  {
    name: 'js_farm_fingerprint',
    input: 'bytes',
    result: 'BIGINT',
    call: (bytes) => farmhash().bigqueryFingerprint(bytes),
  },
  {
    name: 'js_sha512',
    input: 'bytes',
    result: 'BLOB',
    call: (bytes) => hash('sha512', bytes, 'buffer'),
  },
];
