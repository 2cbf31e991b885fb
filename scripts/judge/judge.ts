import type { JsonObject } from '../../test/support/json.js';
import { judge, type Outcome, printAnswer, type Verdict } from './compare.js';
import { type OpenReference, openReference } from './open-reference.js';
import { startWatch } from './patience.js';
import { type Question, type Suite, suiteQuestions, suites } from './questions.js';
import type { Reason } from './reason.js';
import { reasonFor, reasons } from './reasons.js';
import type { Answer, Column } from './reference.js';
import { type Ours, openAcceptanceLogs, openWebRoom, type WebRoom } from './rooms.js';

/** The options of a run. */
export interface Options {
  readonly only: readonly Suite[];
  /** The number of random queries of either kind. */
  readonly random: number;
  readonly seed: number;
  /** Whether to print also the differences that have a reason. */
  readonly all: boolean;
  /** Whether the reference implementation gets the queries as they are printed for BigQuery. */
  readonly printed: boolean;
  /** Queries to ask instead of the suites; both answers are printed. */
  readonly sql: readonly string[];
}

/** A question with both answers. */
export interface Judged extends Verdict {
  readonly question: Question;
  readonly ours: Ours;
  readonly theirs: Answer;
  readonly reason?: Reason | undefined;
}

/** Outcomes for which there may be a reason. */
const differing: ReadonlySet<Outcome> = new Set([
  'differs',
  'refused by us',
  'refused by the reference',
]);
const faults: ReadonlySet<Outcome> = new Set([...differing, 'broken', 'no answer']);

/** Longer than both engines may take for a query. */
const stuckMs = 120_000;

/**
 * Asks both engines and prints what they say, differences as they are found; returns the number of
 * differences without a reason and of reasons without a difference.
 */
export async function run({ only, random, seed, all, printed, sql }: Options): Promise<number> {
  const watch = startWatch(stuckMs);
  watch.doing('starting');
  const reference = await openReference();
  const web = await openWebRoom();
  const logs = only.includes('acceptance') && sql.length === 0 ? openAcceptanceLogs() : undefined;
  const sources = { web, logs: await logs, random, seed };
  const questions =
    sql.length > 0 ? given(sql, web) : only.flatMap((suite) => suiteQuestions(suite, sources));
  const judged: Judged[] = [];
  for (const question of questions) {
    watch.doing(`${question.suite}, ${question.id}: ${question.sql}`);
    const one = printed ? await askPrinted(question, reference) : await ask(question, reference);
    judged.push(one);
    if (sql.length > 0 || isOpen(one) || (all && faults.has(one.outcome))) {
      console.log(printJudged(one));
    }
  }
  watch.done();
  reference.stop();
  return sql.length > 0 ? judged.filter(isOpen).length : report(judged, only, printed);
}

function given(queries: readonly string[], room: WebRoom): readonly Question[] {
  return queries.map((sql) => ({ suite: 'queries', id: 'given', sql, room }));
}

async function ask(question: Question, reference: OpenReference): Promise<Judged> {
  const { sql, plain = sql, room, id } = question;
  const ours = await room.ask(sql);
  const theirs = await reference.ask(plain, room);
  const verdict = judge(plain, ours, theirs);
  const { detail } = verdict;
  const reason = differing.has(verdict.outcome)
    ? reasonFor({ id, sql, detail, ours, theirs })
    : undefined;
  return { question, ours, theirs, reason, ...verdict };
}

/** Asks the reference implementation for what BigQuery would get; columns have other names there. */
async function askPrinted(question: Question, reference: OpenReference): Promise<Judged> {
  const { sql, room, id } = question;
  const ours = byPosition(await room.ask(sql));
  const printed = room.print(sql);
  if (printed === undefined)
    return { question, ours, theirs: refused, ...judge(sql, ours, refused) };
  const answer = await reference.ask(printed.sql, printed.room);
  const theirs =
    'error' in answer || 'error' in ours
      ? answer
      : { ...answer, columns: namedAs(answer.columns, ours.columns) };
  const verdict = judge(sql, ours, theirs);
  const { detail } = verdict;
  const reason = differing.has(verdict.outcome)
    ? reasonFor({ id, sql, detail, ours, theirs })
    : undefined;
  return { question: { ...question, plain: printed.sql }, ours, theirs, reason, ...verdict };
}

/** The rows with other keys, since an object has keys such as `42` before all others. Their clock is a parameter. */
function byPosition(ours: Ours): Ours {
  if ('error' in ours) return ours;
  const rows = ours.rows.map((row) => {
    const values = ours.columns.map(({ name }) => (row as JsonObject)[name] ?? null);
    return Object.fromEntries(values.map((value, index) => [`c${index}`, value]));
  });
  return { ...ours, rows, readsClock: false };
}

const refused: Answer = { error: 'it is not printed' };

function namedAs(columns: readonly Column[], names: readonly Column[]): readonly Column[] {
  return columns.map((column, index) => ({ ...column, name: names[index]?.name ?? '' }));
}

function isOpen({ outcome, reason }: Judged): boolean {
  return faults.has(outcome) && reason === undefined;
}

function report(judged: readonly Judged[], only: readonly Suite[], printed: boolean): number {
  // Some differences are gone when a query is printed: its names, its aliases, pipe syntax.
  const stale = printed ? [] : staleReasons(judged, only);
  for (const { what } of stale) console.log(`a reason without a difference: ${what}\n`);
  console.table(Object.fromEntries(only.map((suite) => [suite, countOutcomes(judged, suite)])));
  const lacking = new Set(
    judged.filter(({ outcome }) => outcome === 'lacking').map(({ detail }) => detail),
  );
  console.log(`the reference lacks: ${[...lacking].sort().join('; ')}`);
  return judged.filter(isOpen).length + stale.length;
}

/** The reasons that explain nothing any more, where all suites but the random ones were asked. */
export function staleReasons(
  judged: readonly Pick<Judged, 'reason'>[],
  only: readonly Suite[],
): readonly Reason[] {
  const isWhole = suites.every((suite) => only.includes(suite) || randomSuites.has(suite));
  const used = new Set(judged.map(({ reason }) => reason));
  return isWhole ? reasons.filter((reason) => !used.has(reason)) : [];
}

const randomSuites: ReadonlySet<Suite> = new Set(['random', 'shapes']);

function countOutcomes(judged: readonly Judged[], suite: Suite): Readonly<Record<string, number>> {
  const own = judged.filter(({ question }) => question.suite === suite);
  const count = (outcome: Outcome) => own.filter((one) => one.outcome === outcome).length;
  const explained = own.filter(({ reason }) => reason !== undefined).length;
  return {
    asked: own.length,
    right: count('right'),
    'refused by both': count('refused by both'),
    differs: count('differs'),
    'refused by us': count('refused by us'),
    'refused by it': count('refused by the reference'),
    'of these explained': explained,
    lacking: count('lacking'),
    'no answer': count('no answer'),
    'a 500': count('broken'),
    'read the clock': count('clock'),
  };
}

function printJudged({ question, ours, theirs, reason, outcome, detail }: Judged): string {
  const { suite, id, sql, plain } = question;
  const indented = (text: string) => text.replaceAll('\n', '\n  ');
  return [
    `${suite}, ${id}: ${outcome}`,
    `  ${indented(sql)}`,
    ...(plain === undefined ? [] : [`  as:        ${indented(plain)}`]),
    `  how:       ${detail}`,
    `  ours:      ${printAnswer(ours)}`,
    `  reference: ${printAnswer(theirs)}`,
    ...(reason === undefined ? [] : [`  reason:    ${reason.what}: ${reason.why}`]),
    '',
  ].join('\n');
}
