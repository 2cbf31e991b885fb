import { expect, test } from 'vitest';
import { printJunit, printResults } from '../../src/cli/test-report.js';

const results = [
  { file: 'a.test.json', name: 'one', differences: [] },
  { file: 'b.test.json', name: 'two', differences: ['  - {"a":1}', '  + {"a":2}'] },
];

test('what differs is below the name of the test', () => {
  expect(printResults(results)).toBe(
    'b.test.json: two\n  - {"a":1}\n  + {"a":2}\n2 tests, 1 failure\n',
  );
});

test('bytes of logs do not control the terminal', () => {
  expect(printResults([{ file: 'f', name: '\u001b[2J', differences: ['\u009b'] }])).toBe(
    'f: ?[2J\n?\n1 test, 1 failure\n',
  );
});

test('a report in JUnit XML', () => {
  expect(printJunit(results)).toBe(`<?xml version="1.0" encoding="UTF-8"?>
<testsuites tests="2" failures="1">
<testsuite name="log-endpoints" tests="2" failures="1">
<testcase classname="a.test.json" name="one"></testcase>
<testcase classname="b.test.json" name="two"><failure message="the rows differ">  - {&#34;a&#34;:1}
  + {&#34;a&#34;:2}</failure></testcase>
</testsuite>
</testsuites>
`);
});

test('what XML does not allow is not in it', () => {
  const name = '<a href="x">&\u0000\u0008\ufffe\uffff';
  const report = printJunit([{ file: 'f', name, differences: [] }]);
  expect(report).toContain('name="&#60;a href=&#34;x&#34;&#62;&#38;????"');
});
