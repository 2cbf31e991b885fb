import type { Endpoint, Parameter } from './endpoint.js';

/** Returns example values for the parameters that an endpoint requires; a `regexp` matches everything. */
export function exampleParameters({ parameters }: Endpoint): ReadonlyMap<string, string> {
  const required = parameters.filter((parameter) => parameter.required);
  return new Map(required.map(({ name, type, oneOf }) => [name, oneOf?.at(-1) ?? examples[type]]));
}

const examples: Readonly<Record<Parameter['type'], string>> = {
  string: 'example',
  regexp: '.',
  timestamp: '2026-01-01T00:00:00Z',
  date: '2026-01-01',
  integer: '1',
  number: '1',
  boolean: 'true',
};
