import type { Tool } from '@modelcontextprotocol/server';
import { type Parameter, parameterSchemas } from '../endpoint/endpoint.js';
import { valueForms } from '../endpoint/parameters.js';

type InputSchema = Tool['inputSchema'];
type Properties = NonNullable<InputSchema['properties']>;

/** Returns the schema of an endpoint's parameters, and of extra arguments by name. */
export function inputSchema(
  parameters: readonly Parameter[],
  further: Properties = {},
): InputSchema {
  const declared = parameters.map(
    (parameter) => [parameter.name, propertySchema(parameter)] as const,
  );
  return {
    type: 'object',
    properties: { ...Object.fromEntries(declared), ...further },
    required: parameters.filter(({ required }) => required).map(({ name }) => name),
    additionalProperties: false,
  };
}

// Without JSON Schema's formats: some models refuse formats that they do not know. Integers and numbers may also be
// strings, which keep all digits.
function propertySchema({
  type,
  isList = false,
  oneOf,
  default: value,
}: Parameter): Properties[string] {
  const one = { type: parameterSchemas[type].type, ...(oneOf && { enum: [...oneOf] }) };
  const fallback = value === undefined ? '' : `; by default ${value}`;
  const form = isList ? `each is ${valueForms[type]}` : valueForms[type];
  const description = `${form}${fallback}`;
  return isList ? { type: 'array', items: one, description } : { ...one, description };
}

/** The arguments for a caller's query. */
export const queryProperties = {
  sql: { type: 'string', description: 'one SELECT in GoogleSQL, the dialect of BigQuery' },
  lql: { type: 'string', description: 'a query in LQL, instead of sql' },
} as const;
