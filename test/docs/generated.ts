import { dirname } from 'node:path';
import type { Reason } from '../../scripts/judge/reason.js';
import { reasons } from '../../scripts/judge/reasons.js';
import { families } from '../../src/compiler/functions/functions.js';
import {
  refusedFunctions,
  unsupportedFunctions,
} from '../../src/compiler/functions/unsupported.js';
import { findSettingHelp } from '../../src/config/setting-help.js';
import { type Setting, settings, toVariable } from '../../src/config/settings.js';
import { createMetrics } from '../../src/http/metrics.js';
import { foldersImportedBy, sourceFiles, sourceFolders } from '../support/source-tree.js';
import { findRegion, type Page, printTable, replaceRegion, tableRows } from './markdown.js';

/** The page with its generated regions as they should be. */
export async function generateRegions(page: Page): Promise<string> {
  let text = page.text;
  for (const [name, generate] of Object.entries(regions[page.path] ?? {})) {
    const current = { ...page, text };
    text = replaceRegion(current, name, await generate(findRegion(current, name)));
  }
  return text;
}

/** Gives a region's text; `before` is the text that the page has. */
type Generate = (before: string) => string | Promise<string>;

const regions: Readonly<Record<string, Readonly<Record<string, Generate>>>> = {
  'docs/operations.md': { settings: printSettings, metrics: printMetrics },
  'docs/functions.md': {
    functions: printFamilies,
    unsupported: () => printNames([...unsupportedFunctions].sort()),
    refused: () => printNames([...refusedFunctions].sort()),
  },
  'docs/differences-from-bigquery.md': { judged: printReasons },
  'ARCHITECTURE.md': { folders: printFolders },
};

function printSettings(): string {
  const rows = Object.entries<Setting>(settings).map(([name, setting]) => {
    const { usage: flag, full } = findSettingHelp(name);
    const initial = setting.kind === 'switch' ? 'false' : setting.default;
    const usual = initial === undefined ? '' : `\`${initial}\``;
    return [
      `\`${flag}\``,
      `\`${toVariable(name)}\``,
      usual,
      setting.verbs.join(', '),
      escapeHtml(full),
    ];
  });
  return printTable(['Flag', 'Variable', 'Default', 'Verbs', 'Meaning'], rows);
}

/** `<prefix>` would be taken for a tag. */
function escapeHtml(text: string): string {
  return text.replaceAll('<', '&lt;');
}

async function printMetrics(): Promise<string> {
  const stats = { waiting: 0, running: 0, processes: 0, restarts: 0 };
  const metrics = createMetrics({
    endpointName: () => undefined,
    engineStats: () => stats,
    compileStats: () => stats,
    cacheStats: () => ({ entries: 0, bytes: 0, renewals: 0, failedRenewals: 0 }),
    openTails: () => 0,
    files: () => [{ source: 'edge_logs', records: 0, badLines: 0 }],
    withProcessMetrics: false,
    now: () => 0,
  });
  metrics.count({ status: 200, seconds: 0, state: 'HIT' });
  const { plain } = await metrics.print();
  const text = Buffer.from(plain.bytes).toString();
  const rows = [...text.matchAll(/^# HELP (\S+) (.*)\n# TYPE \S+ (\w+)\n(.*)$/gm)].map(
    ([, name = '', help = '', type = '', sample = '']) => {
      const labels = [...sample.matchAll(/(\w+)="/g)].map(([, label]) => `\`${label}\``);
      const own = labels.filter((label) => label !== '`le`');
      return [`\`${name}\``, type, own.join(', '), help];
    },
  );
  return printTable(['Metric', 'Type', 'Labels', 'Meaning'], rows);
}

const manual = 'https://cloud.google.com/bigquery/docs/reference/standard-sql';

function printFamilies(): string {
  const sections = families.map(({ title, pages, names }) => {
    const links = pages.map((page) => `[${page.replaceAll(/[_-]/g, ' ')}](${manual}/${page})`);
    return `### ${title}\n\n${printNames([...names].sort())}\n\nManual: ${links.join(', ')}`;
  });
  return `\n${sections.join('\n\n')}\n`;
}

/** Names in code spans, in lines of at most 120 characters. */
function printNames(names: readonly string[]): string {
  const words = names.map((name) => `\`${name.toUpperCase()}\``).join(', ');
  return words.replace(/(.{1,119})(?: |$)/g, '$1\n').trimEnd();
}

const judgements: Readonly<Record<Reason['right'], string>> = {
  we: 'this service',
  reference: 'the reference implementation',
  unknown: 'the manual does not say',
};

/** A row for each reason of the judge. */
function printReasons(): string {
  const rows = reasons.map(({ what, right, why }) => [what, judgements[right], why]);
  return printTable(['What', 'As the manual says', 'Why'], rows);
}

/** A row for each folder of `src`; what it holds is written by hand and kept. */
function printFolders(before: string): string {
  const old = new Map(tableRows(before).map((cells) => [cells[0], cells]));
  const rows = sourceFolders.map((folder) => {
    const name = `\`${folder === '.' ? 'src' : `src/${folder}`}\``;
    const [, holds = '', files = '', lines = ''] = old.get(name) ?? [];
    const own = sourceFiles.filter(({ path }) => dirname(path) === folder);
    const count = own.reduce((sum, { text }) => sum + text.split('\n').length - 1, 0);
    const imports = foldersImportedBy(folder).map((other) => `\`${other}\``);
    return [
      name,
      holds === '' ? '**say what it holds**' : holds,
      keepNear(files, own.length),
      keepNear(lines, Math.round(count / 10) * 10),
      imports.join(', '),
    ];
  });
  const head = ['Folder', 'What it holds', 'Files', 'Lines', 'Imports'];
  return printTable(head, rows, ['---', '---', '--:', '--:', '---']);
}

/** The number that is written, where it is within a tenth of the true one: not every commit changes the page. */
function keepNear(written: string, count: number): string {
  const isNear = Math.abs(Number(written) - count) <= Math.max(1, count / 10);
  return written !== '' && isNear ? written : String(count);
}
