import { readFileSync } from 'node:fs';
import { availableParallelism, cpus, loadavg, release, totalmem } from 'node:os';
import { version } from '@duckdb/node-api';
import {
  allGoals,
  allowedGrowth,
  allowedLoadMs,
  allowedMs,
  followGoals,
  isFewNewest,
  shapeGoals,
  textGoals,
  textSpeed,
  worstGoals,
} from './goals.mjs';
import { megabytes, ms, printTable, ratio, seconds } from './table.mjs';

/** @typedef {import('./arguments.mjs').Arguments} Arguments */
/** @typedef {import('./measure-all.mjs').All} All */
/** @typedef {import('./measure-all.mjs').Size} Size */
/** @typedef {import('./micro.mjs').Measured} Measured */

/** Prints the measurements as a page of Markdown. @param {All} all @param {Arguments} options */
export function printReport({ sizes, shapes, texts, worst, followed, parts }, options) {
  const goals = [
    ...allGoals(sizes, options),
    ...shapeGoals(shapes),
    ...textGoals(texts),
    ...worstGoals(worst),
    ...followGoals(followed),
  ];
  const missed = goals.filter(({ isMet }) => !isMet);
  const sections = [
    '# Benchmark results',
    printMachine(options),
    printGuide(options),
    `## Targets\n\n${goals.length - missed.length} of ${goals.length} targets are met.`,
    ...(missed.length === 0
      ? []
      : [`Missed:\n\n${missed.map(({ what }) => `- ${what}`).join('\n')}`]),
    ...sizes.map(printSize),
    ...(sizes.length > 1 ? [printGrowth(sizes)] : []),
    printShapes(shapes),
    printTexts(texts),
    printWorst(worst),
    printFollowed(followed),
    printParts(parts),
  ];
  return `${sections.join('\n\n')}\n`;
}

/** @param {Arguments} options */
function printMachine({ sizes, runs, repeat, memoryLimit }) {
  const [cpu] = cpus();
  const { version: own } = JSON.parse(readFileSync('package.json', 'utf8'));
  const facts = [
    new Date().toISOString().slice(0, 10),
    `${cpu?.model.trim()}, ${availableParallelism()} cores, ${Math.round(totalmem() / 1e9)} GB of memory`,
    `Linux ${release()}, Node ${process.versions.node}, DuckDB ${version()}, log-endpoints ${own}`,
    `load average ${loadavg()[1]?.toFixed(1)} over the last five minutes, of which the benchmark is about 1.5`,
    `\`npm run bench -- ${sizes.join(' ')} --runs ${runs} --repeat ${repeat} --memory-limit ${memoryLimit}\``,
  ];
  return facts.map((fact) => `- ${fact}`).join('\n');
}

/** @param {Arguments} options */
function printGuide({ runs, repeat }) {
  return `## How to read this page

Times are in milliseconds, from sending the request to the last byte of the response: means of ${repeat} whole runs, in each of
which a time is the median of ${runs} interleaved requests. Each of them follows a request of the same kind that is not timed,
so that none finds warmer processor caches than the others. Before that, the benchmark collects its own garbage. Do not
compare times of two machines; compare ratios of one run.

- *HTTP, first*: the first request of its kind to a server that has just started; the client is warmed up. *HTTP*:
  repeated requests to a server with \`--query-cache 0\`, none answered from a cache. *Spread*: between the runs, the
  largest time minus the smallest, by the mean. *Again*: repeated requests to a server that keeps results. *CPU*: processor
  time of all processes of the service for a request, with the work in the background that it causes. *Engine*: the same
  statement in the benchmark's own process, without HTTP and without an engine process.
- *By hand*: SQL that an expert would write for DuckDB over the same database file, with the same settings, but always with
  a thread for each core. Where a sandbox query has the wall, the hand-written statement has a LIMIT. *PostgreSQL*: each
  record as \`jsonb\`, with an index on project and timestamp; a prepared statement behind a bare Hono handler, over HTTP.
  Above a million records it is asked for the newest ones only.
- *Allowed*: for the newest 100 of a project three times PostgreSQL, or 1.5 ms more than an absent project if that is more;
  for other queries, a window in the past and the newest 1,000 rows among them, 1.3 times the SQL by hand plus 2 ms.
  *Log files*: DuckDB reads the NDJSON files directly; a single request.
- *Processor seconds* of a start are those of all processes of the service, also of those that have exited, until none of
  them works any more. The targets of a load are about what it adds to a start without records.
- The logs are edge logs from \`log-endpoints generate\`: eight days, 200 projects with a Zipf distribution, in order of
  time.`;
}

/** @param {Size} size */
function printSize(size) {
  const { records, bytes, answers, files, spreads } = size;
  const rows = answers.map((answer, index) => [
    `${answer.query.what} (${answer.rows} rows)`,
    ms(answer.cold),
    ms(answer.http),
    `${Math.round(100 * (spreads[index] ?? 0))} %`,
    ...[answer.again, answer.cpu, answer.engine, answer.byHand, answer.postgres].map(ms),
    ms(allowedMs(answer, answers)),
    ms(files.get(answer.query)),
  ]);
  const head = [
    '',
    'HTTP, first',
    'HTTP',
    'spread',
    'again',
    'CPU',
    'engine',
    'by hand',
    'PostgreSQL',
    'allowed',
    'log files',
  ];
  return `## ${records.toLocaleString('en')} records, ${megabytes(bytes)} of NDJSON

${printTable([head, ...rows])}

${printLoad(size)}

${printService(size)}`;
}

/** @param {Size} size */
function printLoad({ loaded, bytesWithoutNewest, postgresLoadMs }) {
  const { ours, theirs, empty, secondMs, bytes } = loaded;
  const timed = (/** @type {string} */ what, /** @type {number} */ ms) => [
    ...[what, seconds(ms), ratio(ms / theirs.ms)],
    ...['', '', '', ''],
  ];
  const watched = (/** @type {string} */ what, /** @type {typeof ours} */ { ms, cpuMs, peak }) => [
    ...[what, seconds(ms), ratio(ms / theirs.ms), seconds(cpuMs), ratio(cpuMs / theirs.cpuMs)],
    ...[megabytes(peak.one), megabytes(peak.sum)],
  ];
  const times = ['seconds', 'ratio', 'processor seconds', 'ratio'];
  const rows = [
    ['', ...times, 'peak memory of one process', 'peak memory of all processes'],
    watched('first start', ours),
    watched('a start without records', empty),
    watched('DuckDB `create table as`', theirs),
    timed('second start', secondMs),
    ...(postgresLoadMs === undefined ? [] : [timed('PostgreSQL `copy` and index', postgresLoadMs)]),
  ];
  const growth = `${ratio(bytes / bytesWithoutNewest)} times the ${megabytes(bytesWithoutNewest)} that they have without the newest rows`;
  const files = `The service's files have ${megabytes(bytes)}, ${growth}; the database file of \`create table as\` has ${megabytes(theirs.bytes)}.`;
  return `${printTable(rows)}\n\n${files}`;
}

/** @param {Size} size */
function printService({ throughput: { bytes, ours, theirs }, processOverhead }) {
  const rows = [
    ['', 'requests per second', 'median ms', 'p99 ms'],
    [`cached answers of ${bytes} bytes`, ours.perSecond.toFixed(0), ms(ours.p50), ms(ours.p99)],
    [
      'bare Hono handler, the same answer',
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
    processOverhead === undefined
      ? ''
      : `\n\nRunning in an engine process adds ${(processOverhead.ours - processOverhead.baseline).toFixed(2)} ms for 100 rows (${ms(processOverhead.ours)} against ${ms(processOverhead.baseline)}).`;
  return `${printTable(rows)}${process}`;
}

/** @param {readonly Size[]} sizes */
function printGrowth(sizes) {
  const [first] = sizes;
  const last = sizes.at(-1);
  const rows = (first?.answers ?? []).map((answer, index) => {
    const { query, http } = answer;
    const growth = (last?.answers[index]?.http ?? Number.NaN) / http;
    const times = sizes.map(({ answers }) => ms(answers[index]?.http));
    const target = isFewNewest(answer) ? `at most ${ratio(allowedGrowth)}` : '';
    return [query.what, ...times, ratio(growth), target];
  });
  const head = [
    'HTTP',
    ...sizes.map(({ records }) => records.toLocaleString('en')),
    'growth',
    'target',
  ];
  return `## Growth\n\n${printTable([head, ...rows])}`;
}

/** @param {All['shapes']} shapes */
function printShapes(shapes) {
  const rows = shapes.map((shape) => {
    const { what, count, ours, theirs } = shape;
    return [
      what,
      count.toLocaleString('en'),
      seconds(ours),
      seconds(theirs),
      seconds(allowedLoadMs(shape)),
    ];
  });
  const head = ['', 'records', 'load', '`create table as`', 'allowed'];
  return `## Loading by shape\n\nSeconds of a single run, in one process that is warm.\n\n${printTable([head, ...rows])}`;
}

/** @param {All['texts']} texts */
function printTexts(texts) {
  const rows = texts.map((text) => [
    ...[text.what, text.records.toLocaleString('en'), seconds(text.ms)],
    ...[ratio(textSpeed(text, texts)), megabytes(text.memory)],
  ]);
  const head = ['', 'records', 'load', 'speed', 'memory'];
  const about =
    'Files of 16 MB, medians of three runs. *Speed* is against NDJSON of the same size, the first line; *memory* is what a load adds at most.';
  return `## Loading text\n\n${about}\n\n${printTable([head, ...rows])}`;
}

/** @param {All['worst']} worst */
function printWorst(worst) {
  const rows = worst.map(({ what, ours, theirs }) => [
    ...[what, seconds(ours), seconds(theirs), ratio(ours / theirs)],
  ]);
  const head = ['', 'load', '`create table as` of flat records', 'ratio'];
  return `## The worst shapes\n\nProcessor seconds for files of 8 MB, medians of five runs in one process.\n\n${printTable([head, ...rows])}`;
}

/** @param {All['followed']} followed */
function printFollowed(followed) {
  const rows = followed.map(({ what, unit, value, target }) => [
    ...[what, value.toFixed(3), unit, `${target}`],
  ]);
  const head = ['', 'measured', 'unit', 'allowed'];
  return `## Following\n\nWhat \`serve --watch\` costs, in processor time of all its processes, until it is quiet.\n\n${printTable([head, ...rows])}`;
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
  return `## Parts\n\nMeasured over the sample logs; redaction over the smallest size above.\n\n${printTable([head, ...rows])}`;
}
