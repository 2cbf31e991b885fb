import { expect, test } from 'vitest';
import { printReport, withPaths } from '../../src/cli/check-report.js';
import { makeFolder } from '../support/load-logs.js';

const fault = { file: 'a.sql', line: 3, column: 7, message: 'a, b: 100%\nnext' };
const folder = makeFolder({ 'a.sql': '' });
const report = {
  endpoints: 1,
  warnings: ['a%'],
  errors: [...withPaths([fault], [folder]), { message: 'of a table' }],
};

test('as text', () => {
  expect(printReport(report, 'text')).toBe(
    'a%\na.sql:3:7: a, b: 100%\nnext\nof a table\n1 endpoint, 2 errors\n',
  );
});

test('as JSON', () => {
  expect(JSON.parse(printReport(report, 'json'))).toEqual({
    endpoints: 1,
    warnings: ['a%'],
    errors: [{ ...fault, file: `${folder}/a.sql` }, { message: 'of a table' }],
  });
});

test('as commands of a workflow on GitHub, one a line', () => {
  expect(printReport(report, 'github').split('\n')).toEqual([
    '::warning::a%25',
    `::error file=${folder}/a.sql,line=3,col=7::a, b: 100%25%0Anext`,
    '::error::of a table',
    '1 endpoint, 2 errors',
    '',
  ]);
});

test('the first folder that has the file counts, and the texts of a preset are in its file', () => {
  const preset = { where: 'p,1.json', endpoints: new Map([['a.sql', '']]) };
  const [error] = withPaths([fault], [makeFolder({}), preset, folder]);
  expect(error).toMatchObject({ path: 'p,1.json' });
  const text = printReport({ endpoints: 1, warnings: [], errors: error ? [error] : [] }, 'github');
  expect(text).toContain('file=p%2C1.json,');
});
