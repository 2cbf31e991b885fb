import { printCount } from './check-report.js';
import { withoutControls } from './output.js';
import type { TestResult } from './run-tests.js';

/** Prints the differences of each failed test, and the number of failed tests. */
export function printResults(results: readonly TestResult[]): string {
  const failed = results.filter(hasFailed);
  const lines = failed.flatMap((each) => [`${each.file}: ${each.name}`, ...each.differences]);
  const counts = `${printCount(results.length, 'test')}, ${printCount(failed.length, 'failure')}`;
  return withoutControls(`${[...lines, counts].join('\n')}\n`);
}

/** Whether a test has failed. */
export function hasFailed({ differences }: TestResult): boolean {
  return differences.length > 0;
}

/**
 * Prints results as JUnit XML.
 * @see https://github.com/testmoapp/junitxml
 */
export function printJunit(results: readonly TestResult[]): string {
  const counts = `tests="${results.length}" failures="${results.filter(hasFailed).length}"`;
  return `<?xml version="1.0" encoding="UTF-8"?>
<testsuites ${counts}>
<testsuite name="log-endpoints" ${counts}>
${results.map(printCase).join('\n')}
</testsuite>
</testsuites>
`;
}

function printCase(result: TestResult): string {
  const texts = [result.file, result.name, result.differences.join('\n')];
  const [file, name, lines] = texts.map(escapeXml);
  const failure = hasFailed(result) ? `<failure message="the rows differ">${lines}</failure>` : '';
  return `<testcase classname="${file}" name="${name}">${failure}</testcase>`;
}

/** Escapes XML, and replaces characters that XML cannot hold. */
function escapeXml(text: string): string {
  const clean = withoutControls(text).replace(/[\ufffe\uffff]/g, '?');
  return clean.replace(/[<>&"]/g, (sign) => `&#${sign.charCodeAt(0)};`);
}
