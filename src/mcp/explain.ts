import type { CallToolResult } from '@modelcontextprotocol/server';
import type { Inspection } from '../run/inspect-endpoint.js';
import { columnsSchema } from './results.js';
import type { AnswerLimits } from './session.js';
import { typedColumns } from './tables.js';

/** The JSON schema of an {@link explainResult}. */
export const explainSchema = {
  type: 'object',
  properties: {
    columns: columnsSchema,
    stages: { type: 'string', description: 'the results of the compiler stages' },
    isCut: { type: 'boolean' },
  },
  required: ['columns', 'stages', 'isCut'],
} as const;

/** Returns the columns of a query's answer, and the stages of its compilation, truncated to the limits. */
export function explainResult(
  inspection: Inspection | undefined,
  { maxBytes }: AnswerLimits,
): CallToolResult {
  if (inspection === undefined) throw new Error('explain was not asked for');
  const { schema, explanation } = inspection;
  const columns = typedColumns(schema);
  const whole = explanation?.print() ?? '';
  const bytes = Buffer.from(whole);
  const isCut = bytes.length > maxBytes;
  // The cut may split a character, which then becomes U+FFFD.
  const stages = isCut ? `${bytes.subarray(0, maxBytes).toString()}…` : whole;
  const answer = columns.map(({ name, type }) => `${name} ${type}`).join(', ');
  const end = isCut ? `\nCut after ${maxBytes} bytes.` : '';
  const text = `The query is valid. Its columns: ${answer}\n\n${stages}${end}`;
  return { content: [{ type: 'text', text }], structuredContent: { columns, stages, isCut } };
}
