import { readFileSync } from 'node:fs';
import { availableParallelism, cpus, loadavg, release, totalmem } from 'node:os';
import { version } from '@duckdb/node-api';
import { goalsOf } from './goals.mjs';
import { megabytes, ms, printTable, ratio, seconds } from './table.mjs';

/** @typedef {import('./arguments.mjs').Arguments} Arguments */
/** @typedef {import('./measure-all.mjs').All} All */
/** @typedef {import('./measure-all.mjs').Size} Size */
/** @typedef {import('./micro.mjs').Measured} Measured */

/** What was measured as a page of Markdown. @param {All} all @param {Arguments} given */
export function printReport({ sizes, parts }, given) {
  const goals = goalsOf(sizes, given);
  const missed = goals.filter(({ isMet }) => !isMet);
  const sections = [
    '# How fast it is',
    machine(given),
    howToRead(given),
    `## Targets\n\n${goals.length - missed.length} of ${goals.length} are met.`,
    ...(missed.length === 0
      ? []
      : [`Missed:\n\n${missed.map(({ what }) => `- ${what}`).join('\n')}`]),
    ...sizes.map(printSize),
    ...(sizes.length > 1 ? [printGrowth(sizes)] : []),
    printParts(parts),
  ];
  return `${sections.join('\n\n')}\n`;
}

/** @param {Arguments} given */
function machine({ sizes, runs, memoryLimit }) {
  const [cpu] = cpus();
  const { version: own } = JSON.parse(readFileSync('package.json', 'utf8'));
  const facts = [
    new Date().toISOString().slice(0, 10),
    `${cpu?.model.trim()}, ${availableParallelism()} cores, ${Math.round(totalmem() / 1e9)} GB of memory`,
    `Linux ${release()}, Node ${process.versions.node}, DuckDB ${version()}, log-endpoints ${own}`,
    `load average ${loadavg()[1]?.toFixed(1)} over the last five minutes, the bench itself some 1.5 of it: more is other work that it had to wait for`,
    `\`npm run bench -- ${sizes.join(' ')} --runs ${runs} --memory-limit ${memoryLimit}\``,
  ];
  return facts.map((fact) => `- ${fact}`).join('\n');
}

/** @param {Arguments} given */
function howToRead({ runs }) {
  return `## How to read it

Times are milliseconds, medians of ${runs} runs that were taken by turns, from the question to the last byte of the
answer. Times of two machines cannot be compared; ratios of one run can.

- *HTTP, first*: the first time that this is asked of a server that has just started. *HTTP*: asked again, never from
  the cache. The client has asked another server often before. *Engine*: the same statement inside the process,
  without HTTP and the process of the engine.
- *By hand*: SQL that somebody who knows the tables writes for DuckDB over the same database file, with the same
  settings; a caller's query is one statement with a LIMIT in place of the wall. It is the limit: *allowed* is 1.5 times that and 3 ms.
- *Log files*: DuckDB reads the NDJSON itself, once. *PostgreSQL*: the log as \`jsonb\`, an index on project and
  timestamp, times as \`psql\` tells them.
- The logs are edge logs of \`npm run generate-logs\`: eight days, 200 projects by Zipf, in order of time.`;
}

/** @param {Size} size */
function printSize(size) {
  const { records, bytes, answers, files, postgres } = size;
  const rows = answers.map(({ asked, rows: count, cold, http, engine, byHand }) => [
    `${asked.what} (${count} rows)`,
    ...[cold, http, engine, byHand].map(ms),
    ms(1.5 * byHand + 3),
    ratio(http / byHand),
    ms(files.get(asked)),
    ms(postgres?.times.get(asked)),
  ]);
  const head = [
    '',
    'HTTP, first',
    'HTTP',
    'engine',
    'by hand',
    'allowed',
    'HTTP / by hand',
    'log files',
    'PostgreSQL',
  ];
  return `## ${records.toLocaleString('en')} records, ${megabytes(bytes)} of NDJSON

${printTable([head, ...rows])}

${printLoad(size)}

${printService(size)}`;
}

/** @param {Size} size */
function printLoad({ loaded: { ours, theirs, secondMs }, postgres }) {
  const rows = [
    ['', 'seconds', 'ratio', 'memory of the largest process', 'memory of all processes'],
    [
      'first start, until it answers',
      seconds(ours.ms),
      ratio(ours.ms / theirs.ms),
      megabytes(ours.peak.one),
      megabytes(ours.peak.sum),
    ],
    [
      'DuckDB `create table as`',
      seconds(theirs.ms),
      ratio(1),
      megabytes(theirs.peak.one),
      megabytes(theirs.peak.sum),
    ],
    ['second start', seconds(secondMs), ratio(secondMs / theirs.ms), '', ''],
    ...(postgres === undefined
      ? []
      : [
          [
            'PostgreSQL `copy` and index',
            seconds(postgres.loadMs),
            ratio(postgres.loadMs / theirs.ms),
            '',
            '',
          ],
        ]),
  ];
  return printTable(rows);
}

/** @param {Size} size */
function printService({ throughput: { bytes, ours, theirs }, hop }) {
  const rows = [
    ['', 'answers each second', 'median ms', 'p99 ms'],
    [`kept answers of ${bytes} bytes`, ours.perSecond.toFixed(0), ms(ours.p50), ms(ours.p99)],
    [
      'a bare Hono handler, the same answer',
      theirs.perSecond.toFixed(0),
      ms(theirs.p50),
      ms(theirs.p99),
    ],
    [
      'ratio',
      ratio(ours.perSecond / theirs.perSecond),
      ratio(ours.p50 / theirs.p50),
      ratio(ours.p99 / theirs.p99),
    ],
  ];
  const process =
    hop === undefined
      ? ''
      : `\n\nThe process of an engine adds ${(hop.ours - hop.baseline).toFixed(2)} ms to 100 rows (${ms(hop.ours)} against ${ms(hop.baseline)}).`;
  return `${printTable(rows)}${process}`;
}

/** @param {readonly Size[]} sizes */
function printGrowth(sizes) {
  const [first] = sizes;
  const last = sizes.at(-1);
  const rows = (first?.answers ?? []).map(({ asked, http }, place) => {
    const grown = (last?.answers[place]?.http ?? Number.NaN) / http;
    const times = sizes.map(({ answers }) => ms(answers[place]?.http));
    return [asked.what, ...times, ratio(grown), asked.isFlat ? 'at most 1.50' : ''];
  });
  const head = [
    'HTTP',
    ...sizes.map(({ records }) => records.toLocaleString('en')),
    'growth',
    'target',
  ];
  return `## Growth\n\n${printTable([head, ...rows])}`;
}

/** @param {readonly Measured[]} parts */
function printParts(parts) {
  const rows = parts.map(({ what, ours, against, baseline, target }) => [
    what,
    ours.toFixed(3),
    against,
    baseline.toFixed(3),
    ratio(ours / baseline),
    target === undefined ? '' : `${ours < target ? '' : 'missed: '}< ${Number(target.toFixed(3))}`,
  ]);
  const head = ['', 'ms', 'against', 'ms', 'ratio', 'target ms'];
  return `## Parts\n\nOver the sample logs, redaction over the smallest size above.\n\n${printTable([head, ...rows])}`;
}
