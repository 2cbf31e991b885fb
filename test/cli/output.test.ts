import { expect, test } from 'vitest';
import { checkOutput } from '../../src/cli/output.js';

test.each(['arrow', 'parquet'])('%s is not written to a terminal', (format) => {
  expect(() => checkOutput(format, true)).toThrow(
    `--format ${format} is binary: send it to a file`,
  );
  expect(() => checkOutput(format, false)).not.toThrow();
});

test('texts are', () => {
  expect(() => checkOutput('csv', true)).not.toThrow();
});
