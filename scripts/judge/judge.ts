import { judge, type Outcome, printAnswer, type Verdict } from './compare.js';
import { type OpenReference, openReference } from './open-reference.js';
import { type Question, questionsOf, type Suite } from './questions.js';
import type { Reason } from './reason.js';
import { reasonFor } from './reasons.js';
import type { Answer } from './reference.js';
import { type Ours, openAcceptanceLogs, openWebRoom, type WebRoom } from './rooms.js';

/** What to judge. */
export interface Options {
  readonly only: readonly Suite[];
  readonly random: number;
  readonly seed: number;
  /** Whether to print also the differences that have a reason. */
  readonly all: boolean;
  /** Queries to ask instead of the suites; both answers are printed. */
  readonly sql: readonly string[];
}

interface Judged extends Verdict {
  readonly question: Question;
  readonly ours: Ours;
  readonly theirs: Answer;
  readonly reason?: Reason | undefined;
}

const faults: ReadonlySet<Outcome> = new Set([
  'differs',
  'refused by us',
  'refused by the reference',
]);

/** Asks both engines and prints what they say; returns the number of differences without a reason. */
export async function run({ only, random, seed, all, sql }: Options): Promise<number> {
  const reference = await openReference();
  const web = await openWebRoom();
  if (sql.length > 0) return askAlone(sql, { reference, web });
  const logs = only.includes('acceptance') ? await openAcceptanceLogs() : undefined;
  const judged: Judged[] = [];
  for (const suite of only) {
    for (const question of questionsOf(suite, { web, logs, random, seed })) {
      judged.push(await ask(question, reference));
    }
  }
  reference.stop();
  await Promise.all([web.close(), logs?.close()]);
  return report(judged, { only, all });
}

/** Asks queries and prints both answers; returns the number of those that differ. */
async function askAlone(
  queries: readonly string[],
  { reference, web }: { readonly reference: OpenReference; readonly web: WebRoom },
): Promise<number> {
  const judged: Judged[] = [];
  for (const sql of queries) {
    const question = { suite: 'queries', id: 'given', sql, room: web } as const;
    judged.push(await ask(question, reference));
  }
  reference.stop();
  await web.close();
  for (const one of judged) console.log(printJudged(one));
  return judged.filter(({ outcome }) => faults.has(outcome)).length;
}

async function ask(question: Question, reference: OpenReference): Promise<Judged> {
  const { sql, room, id } = question;
  const ours = await room.ask(sql);
  const theirs = await reference.ask(sql, room);
  const verdict = judge(sql, ours, theirs);
  const { detail } = verdict;
  const reason = faults.has(verdict.outcome) ? reasonFor({ id, detail, ours, theirs }) : undefined;
  return { question, ours, theirs, reason, ...verdict };
}

function report(judged: readonly Judged[], { only, all }: Pick<Options, 'only' | 'all'>): number {
  const differing = judged.filter(({ outcome }) => faults.has(outcome));
  const open = differing.filter(({ reason }) => reason === undefined);
  for (const one of all ? differing : open) console.log(printJudged(one));
  console.table(Object.fromEntries(only.map((suite) => [suite, countsOf(judged, suite)])));
  const lacking = new Set(
    judged.filter(({ outcome }) => outcome === 'lacking').map(({ detail }) => detail),
  );
  console.log(`the reference lacks: ${[...lacking].sort().join('; ')}`);
  return open.length;
}

function countsOf(judged: readonly Judged[], suite: Suite): Readonly<Record<string, number>> {
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
    'read the clock': count('clock'),
  };
}

function printJudged({ question, ours, theirs, reason, outcome, detail }: Judged): string {
  return [
    `${question.suite}, ${question.id}: ${outcome}`,
    `  ${question.sql.replaceAll('\n', '\n  ')}`,
    `  how:       ${detail}`,
    `  ours:      ${printAnswer(ours)}`,
    `  reference: ${printAnswer(theirs)}`,
    ...(reason === undefined ? [] : [`  reason:    ${reason.what}: ${reason.why}`]),
    '',
  ].join('\n');
}
