import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { functionNames } from '../../src/compiler/functions/functions.js';
import {
  isListed,
  refusedFunctions,
  unsupportedFunctions,
} from '../../src/compiler/functions/unsupported.js';
import { settings, toFlag, toVariable } from '../../src/config/settings.js';
import { reasons } from '../../src/errors/errors.js';
import { fixtures, root } from '../support/paths.js';
import { sourceFiles } from '../support/source-tree.js';
import { type Service, startService, token } from '../support/start-service.js';
import { findBlocks, findPage, findRegion, pages, tableRows } from './markdown.js';

const operations = findPage('docs/operations.md');
const api = findPage('docs/http-api.md');
const everything = pages.map(({ text }) => text).join('\n');

/** The text of the first code span of a cell: `` `--port N` `` is `--port N`. */
function codeOf(cell = ''): string {
  return /`([^`]+)`/.exec(cell)?.[1] ?? '';
}

/** The rows of the tables whose first head is this. */
function tablesOf(text: string, head: string): readonly (readonly string[])[] {
  const tables = text.split('\n\n').filter((part) => part.trimStart().startsWith(`| ${head} |`));
  return tables.flatMap((table) => tableRows(table));
}

/** Every text in code spans, outside of fenced blocks. */
function codeSpans(text: string): readonly string[] {
  const prose = text.replace(/^```.*?^```$/gms, '');
  return [...prose.matchAll(/`([^`\n]+)`/g)].map(([, code = '']) => code);
}

describe('settings', () => {
  const flags = Object.keys(settings).map((name) => `--${toFlag(name)}`);
  const variables = [
    ...Object.keys(settings).map(toVariable),
    ...new Set(
      sourceFiles.flatMap(({ text }) => text.match(/LOG_ENDPOINTS_[A-Z_]*[A-Z]\b/g) ?? []),
    ),
  ];

  test('the table has all of them', () => {
    const rows = tableRows(findRegion(operations, 'settings'));
    expect(rows.map(([flag]) => codeOf(flag).split(' ')[0])).toEqual(flags);
  });

  test('each variable is documented, and each documented one exists', () => {
    const documented = new Set(everything.match(/LOG_ENDPOINTS_[A-Z_]*[A-Z]\b/g));
    const ofTests = 'LOG_ENDPOINTS_TEST_BIGQUERY';
    expect([...documented].sort()).toEqual([...new Set([...variables, ofTests])].sort());
  });

  test('each documented flag exists', () => {
    const ofScripts = [
      '--all',
      '--case',
      '--connections',
      '--only',
      '--printed',
      '--redacted',
      '--seed',
      '--seconds',
      '--step',
      '--suite',
    ];
    const others = ['--help', '--version', '--watch', ...ofScripts];
    const documented = codeSpans(everything).flatMap((code) => /^--[a-z-]+/.exec(code) ?? []);
    expect(documented.filter((flag) => ![...flags, ...others].includes(flag))).toEqual([]);
  });
});

describe('errors', () => {
  test('the table has each reason, and no other', () => {
    const rows = tablesOf(api.text, 'Code').map(([code, status, reason]) => [
      Number(code),
      codeOf(status),
      codeOf(reason),
    ]);
    const own = Object.entries<Refusal>(reasons).map(([name, { code, status, reason }]) => [
      code,
      status,
      reason ?? name,
    ]);
    expect(rows.map(String).sort()).toEqual(own.map(String).sort());
  });
});

interface Refusal {
  readonly code: number;
  readonly status: string;
  readonly reason?: string;
}

describe('headers', () => {
  const documented = ['Request header', 'Response header'].flatMap((head) =>
    tablesOf(api.text, head).map(([name]) => codeOf(name).toLowerCase()),
  );
  const ofHttp = ['connection', 'date', 'keep-alive', 'transfer-encoding', 'host'];
  const sources = sourceFiles.filter(({ path }) => path.startsWith('http/'));
  const text = sources.map((file) => file.text).join('\n');
  let service: Service;

  beforeAll(async () => {
    service = await startService(['--data', fixtures, '--now', '2026-03-10T12:00:00Z']);
  });
  afterAll(() => service.stop());

  test('each header that the code reads or sets is documented', () => {
    const own = headersIn(text).filter((name) => !ofHttp.includes(name));
    expect(own.filter((name) => !documented.includes(name))).toEqual([]);
  });

  test('each documented header is in the code', () => {
    // Hono's own middleware reads the first; Node computes the second.
    const elsewhere = ['origin', 'content-length'];
    const code = text.toLowerCase();
    const inCode = (name: string) => code.includes(name.replace(/^svc(?=-)/, ''));
    expect(documented.filter((name) => !elsewhere.includes(name) && !inCode(name))).toEqual([]);
  });

  test.each([
    ['GET', 'api/endpoints/query/logs.all?project=quarry', token],
    ['GET', 'api/endpoints/query/logs.all', 'a-wrong-token'],
    ['DELETE', 'health', token],
  ])('each header of the answer to %s /%s is documented', async (method, path, key) => {
    const { headers } = await fetch(`${service.url}/${path}`, {
      method,
      headers: { 'x-api-key': key },
    });
    const own = [...headers.keys()].filter((name) => !ofHttp.includes(name));
    expect(own.filter((name) => !documented.includes(name))).toEqual([]);
  });

  test('each metric of the server is documented, and each documented one exists', async () => {
    const metrics = await (await fetch(`${service.url}/metrics`)).text();
    const names = [...metrics.matchAll(/^# TYPE (\w+)/gm)].map(([, name = '']) => name);
    const own = names.filter((name) => !/^log_endpoints_(process|nodejs)_/.test(name));
    const rows = tableRows(findRegion(operations, 'metrics')).map(([name]) => codeOf(name));
    expect([...rows].sort()).toEqual([...own].sort());
  });
});

/** The headers that a text of code reads or sets, by the forms in which code names one. */
function headersIn(text: string): readonly string[] {
  const lists = [...text.matchAll(/(?:allow|expose)Headers: \[(.*?)\n {4}\]/gs)].map(
    ([list]) => list,
  );
  const found = [
    ...text.matchAll(/(?:headers\.[gs]et|\.header)\('([\w-]+)'/g),
    ...text.matchAll(/^\s+(?:\.{3}.*\{ )?'([a-z]+(?:-[a-z]+)+)':/gm),
    ...text.matchAll(/: \{ '([a-z]+(?:-[a-z]+)+)':/g),
    ...text.matchAll(/headers\['([\w-]+)'\]/g),
    ...lists.join().matchAll(/'([\w-]+)'/g),
    ...text.matchAll(/\$\{[\w.]*headerPrefix\}(-[A-Z-]+)/g),
  ];
  const names = found.map(([, name = '']) => (name.startsWith('-') ? `svc${name}` : name));
  return [...new Set(names.map((name) => name.toLowerCase()))].sort();
}

describe('functions', () => {
  const page = findPage('docs/functions.md');
  const listedIn = (region: string) =>
    [...findRegion(page, region).matchAll(/`([A-Z0-9_.]+\*?)`/g)]
      .map(([, name = '']) => name)
      .sort();

  test.each([
    ['functions', functionNames()],
    ['unsupported', [...unsupportedFunctions]],
    ['refused', [...refusedFunctions]],
  ])('the list of %s is complete', (region, names) => {
    expect(listedIn(region)).toEqual(names.map((name) => name.toUpperCase()).sort());
  });

  test('each function has a case', () => {
    const folder = join(root, 'test/compiler/functions');
    const files = readdirSync(folder).filter((file) => file.endsWith('.json'));
    const cases = files.map((file) => readFileSync(join(folder, file), 'utf8').toLowerCase());
    const isTried = (name: string) => cases.some((text) => text.includes(`${name}(`));
    expect(functionNames().filter((name) => !isTried(name))).toEqual([]);
  });

  test('no supported function is on a list of refused ones', () => {
    const isRefused = (name: string) =>
      isListed(name, unsupportedFunctions) || isListed(name, refusedFunctions);
    expect(functionNames().filter(isRefused)).toEqual([]);
  });
});

// Without one of its keys, or with another, the example could not be run.
test('the keys of endpoint files are those of the example', () => {
  const page = findPage('docs/endpoints.md');
  const example = findBlocks(page.text).find(({ options }) => options.has('file'))?.body ?? '';
  const keys = [...example.matchAll(/^-- ([a-z-]+):/gm)].map(([, key]) => key);
  const rows = tablesOf(page.text, 'Key').map(([key]) => codeOf(key));
  expect(rows).toEqual([...keys, '@<name>']);
});

test('each shipped endpoint is documented, and each documented one is shipped', () => {
  const shipped = namesIn('sql/endpoints', '.sql');
  const rows = tablesOf(findPage('docs/endpoints.md').text, 'Endpoint').map(([name]) =>
    codeOf(name),
  );
  expect([...new Set(rows)].sort()).toEqual(shipped);
});

test('each declared source is documented', () => {
  const [, list = ''] =
    /\n## Sources\n.*?\n\n(`.*?`)\.\n/s.exec(findPage('docs/logs.md').text) ?? [];
  expect([...codeSpans(list)].sort()).toEqual(namesIn('sql/sources', '.json'));
});

/** The names of a folder's files, without their end. */
function namesIn(folder: string, end: string): readonly string[] {
  return readdirSync(join(root, folder))
    .filter((file) => file.endsWith(end))
    .map((file) => file.slice(0, -end.length))
    .sort();
}

test('each script of the package is documented, and each documented one exists', () => {
  const text = readFileSync(join(root, 'package.json'), 'utf8');
  const { scripts } = JSON.parse(text) as { readonly scripts: Readonly<Record<string, string>> };
  // npm runs these by itself.
  const own = Object.keys(scripts).filter((name) => !/^(pre.*|start|test)$/.test(name));
  const documented = [...everything.matchAll(/\bnpm run ([\w:-]+)/g)].map(([, name = '']) => name);
  expect([...new Set(documented)].sort()).toEqual(own.sort());
});

describe.each(pages)('$path', ({ path, text }) => {
  // A file of the project that stands in code spans, but not where an example makes it.
  const files = codeSpans(text).filter((code) =>
    /^(?:src|sql|test|scripts|fixtures|docs)\/[\w./-]*$/.test(code),
  );
  test('the files that it names exist', () => {
    expect(files.filter((file) => !existsSync(join(root, file)))).toEqual([]);
  });

  test('its links lead somewhere', () => {
    const links = [...text.matchAll(/\]\((?!https?:)([^)\s]+)\)/g)].map(([, link = '']) => link);
    expect(links.filter((link) => !isThere(path, link))).toEqual([]);
  });
});

function isThere(from: string, link: string): boolean {
  const [file = '', anchor] = link.split('#');
  const path = file === '' ? from : normalize(join(dirname(from), file));
  if (!existsSync(join(root, path))) return false;
  if (anchor === undefined) return true;
  const headings = [...readFileSync(join(root, path), 'utf8').matchAll(/^#+ (.*)$/gm)];
  return headings.some(([, heading = '']) => anchorOf(heading) === anchor);
}

/** The anchor that GitHub gives a heading. */
function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\w\s-]/g, '')
    .trim()
    .replace(/ /g, '-');
}

test('each page of docs/ is in the table of the README', () => {
  const readme = findPage('README.md');
  const missing = pages.filter(
    ({ path }) => path !== readme.path && !readme.text.includes(`(${path})`),
  );
  expect(missing.map(({ path }) => path)).toEqual([]);
});

// Whoever takes the name in the registry would run on the reader's machine.
test('no page runs the package from the registry', () => {
  const byName =
    /\bnpx (?:-\S+ )*log-endpoints|"npx",?\s+"args": \[\s*(?:"-y",\s*)?"log-endpoints|npm (?:i|install|add) (?:-\S+ )*log-endpoints\b/;
  expect(pages.filter(({ text }) => byName.test(text)).map(({ path }) => path)).toEqual([]);
});

test('the cookbook has at least 20 queries, each with its answer', () => {
  const blocks = findBlocks(findPage('docs/cookbook.md').text);
  const queries = blocks.filter(({ language }) => language === 'sql' || language === 'lql');
  expect(queries.length).toBeGreaterThanOrEqual(20);
  for (const query of queries) expect(blocks[blocks.indexOf(query) + 1]?.language).toBe('csv');
});

test('the README is short', () => {
  expect(findPage('README.md').text.split('\n').length).toBeLessThanOrEqual(150);
});
