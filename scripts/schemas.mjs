// Writes JSON Schemas of the files that users write, from the schemas by which they are read: schemas/source.json,
// schemas/preset.json and schemas/test.json. Editors complete and check a file whose "$schema" names one.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { testFile } from '../build/cli/test-file.js';
import { preset } from '../build/config/preset.js';
import { findSettingHelp } from '../build/config/setting-help.js';
import { settings, toFlag } from '../build/config/settings.js';
import { declaration } from '../build/logs/columns/declaration.js';

const draft = 'https://json-schema.org/draft/2020-12/schema';
const folder = fileURLToPath(new URL('../schemas', import.meta.url));

/**
 * @typedef {{ readonly type: string } & Record<string, any>} Part a schema of valibot, or a step of its pipe
 * @type {Readonly<Record<string, (schema: Part) => object>>}
 */
const converters = {
  string: () => ({ type: 'string' }),
  number: () => ({ type: 'number' }),
  boolean: () => ({ type: 'boolean' }),
  picklist: ({ options }) => ({ enum: options }),
  array: ({ item }) => ({ type: 'array', items: convert(item) }),
  optional: ({ wrapped, default: usual }) => ({
    ...convert(wrapped),
    ...(usual !== undefined && { default: usual }),
  }),
  union: ({ options }) => ({ anyOf: options.map(convert) }),
  record: ({ key, value }) => ({
    type: 'object',
    additionalProperties: convert(value),
    ...(key.pipe && { propertyNames: convert(key) }),
  }),
  loose_object: (schema) => convertObject(schema),
  strict_object: (schema) => ({ ...convertObject(schema), additionalProperties: false }),
  // The steps of pipes.
  regex: ({ requirement }) => ({ pattern: requirement.source }),
  min_length: ({ requirement }) => ({ minLength: requirement }),
  transform: () => ({}),
  check: () => ({}),
};

/** @param {Part} schema @returns {object} */
function convert(schema) {
  const steps = /** @type {readonly Part[]} */ (schema['pipe'] ?? []);
  if (steps.length > 0) return Object.assign({}, ...steps.map(convert));
  return schemaConverter(schema.type)(schema);
}

/** @param {string} type */
function schemaConverter(type) {
  const converter = converters[type];
  if (converter === undefined) throw new Error(`no JSON Schema for ${type} of valibot`);
  return converter;
}

/** @param {Part} schema */
function convertObject({ entries }) {
  const all = /** @type {[string, Part][]} */ (Object.entries(entries));
  const required = all.filter(([, { type }]) => type !== 'optional').map(([name]) => name);
  return {
    type: 'object',
    properties: Object.fromEntries(all.map(([name, entry]) => [name, convert(entry)])),
    ...(required.length > 0 && { required }),
  };
}

/** Every setting by the name of its flag, as a string. */
function describeSettings() {
  const own = Object.keys(settings).filter((name) => name !== 'preset');
  const properties = own.map((name) => [
    toFlag(name),
    { type: 'string', description: findSettingHelp(name).full },
  ]);
  return {
    type: 'object',
    properties: Object.fromEntries(properties),
    additionalProperties: false,
  };
}

/** The schemas by the names of their files. */
export function makeSchemas() {
  const source = {
    $schema: draft,
    title: 'A source of log-endpoints, as a file of --sources declares it',
    ...convert(declaration),
  };
  const whole = /** @type {{ readonly properties: object }} */ (convert(preset));
  const { $schema: _own, ...inPreset } = source;
  const sources = { type: 'object', additionalProperties: inPreset };
  return {
    source,
    preset: {
      $schema: draft,
      title: 'A preset of log-endpoints, such as log-endpoints.json',
      ...whole,
      properties: { ...whole.properties, settings: describeSettings(), sources },
    },
    test: {
      $schema: draft,
      title:
        'Tests of endpoints of log-endpoints, as a file whose name ends with .test.json has them',
      ...convert(testFile),
    },
  };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  mkdirSync(folder, { recursive: true });
  for (const [name, schema] of Object.entries(makeSchemas()))
    writeFileSync(join(folder, `${name}.json`), `${JSON.stringify(schema, null, 2)}\n`);
}
