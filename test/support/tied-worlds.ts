import { createHash } from 'node:crypto';
import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RunRequest } from '../../src/run/run-request.js';
import { type CountedService, openCounted } from './counted-service.js';
import { randomFrom } from './random.js';

/** Worlds with the same records of one project, many of which share an instant, and other records of other projects. */
export interface TiedWorld {
  readonly name: string;
  /** The body of the answer, and how many rows it has, as one text. */
  ask(request: RunRequest): Promise<string>;
  close(): Promise<void>;
}

interface WorldOptions {
  readonly name: string;
  /** The number of records that other projects have for each own one. */
  readonly others: number;
  /** Decides where the own lines are in the file. */
  readonly seed: number;
  /** The number of parts in which the records are stored. */
  readonly parts?: number;
  readonly flags?: readonly string[];
}

const start = Date.UTC(2026, 2, 10, 11);

/**
 * Four records share each instant; `crowd` more share a single one.
 * @param rename changes the names in addresses
 */
export function ownRecords(
  instants: number,
  crowd: number,
  rename: (name: string) => string = (name) => name,
): readonly string[] {
  const next = randomFrom(3);
  return Array.from({ length: instants * 4 + crowd }, (_, n) => {
    const second = n < instants * 4 ? n % instants : Math.floor(instants / 2);
    return lineOf('bluefin', { n, second, next, rename });
  });
}

interface Place {
  readonly n: number;
  readonly second: number;
  readonly next: () => number;
  readonly rename: (name: string) => string;
}

function lineOf(project: string, { n, second, next, rename }: Place): string {
  const digest = createHash('md5').update(`${project} ${n}`).digest('hex');
  const ids = [digest, digest, digest, `${rename(digest)}@mail.example`, `same-${second}`];
  return JSON.stringify({
    id: ids[n % ids.length],
    timestamp: new Date(start + second * 1000).toISOString(),
    project,
    event_message: `${['GET', 'POST'][next() % 2]} ${digest.slice(0, 2)} by ${rename(digest.slice(3, 6))}@mail.example`,
    metadata: {
      took: (next() % 100_000) / 7,
      tags: [`t${next() % 5}`, `t${next() % 5}`],
      request: [{ path: `/v1/${next() % 9}`, method: ['GET', 'POST', 'PUT'][next() % 3] }],
      response: [{ status_code: [200, 404, 500][next() % 3] }],
    },
  });
}

function shuffled<T>(list: readonly T[], next: () => number): readonly T[] {
  return list
    .map((item) => [next(), item] as const)
    .sort(([one], [other]) => one - other)
    .map(([, item]) => item);
}

/** Writes and opens a world over these own records, among other ones. */
export async function openTiedWorld(
  own: readonly string[],
  { others, seed, ...options }: WorldOptions,
): Promise<TiedWorld> {
  const next = randomFrom(seed);
  const strange = Array.from({ length: own.length * others }, (_, n) =>
    lineOf(`m${n % 40}`, { n, second: next() % 60, next, rename: (text) => text }),
  );
  return openWorld(shuffled([...own, ...strange], next), options);
}

/** Writes and opens a world over these lines. */
export async function openWorld(
  lines: readonly string[],
  { name, parts = 1, flags = [] }: Omit<WorldOptions, 'others' | 'seed'>,
): Promise<TiedWorld> {
  const data = mkdtempSync(join(tmpdir(), 'tied-world-'));
  const file = join(data, 'edge_logs.ndjson');
  const size = Math.ceil(lines.length / parts);
  const textOf = (part: number) =>
    lines
      .slice(part * size, (part + 1) * size)
      .map((line) => `${line}\n`)
      .join('');
  writeFileSync(file, textOf(0));
  const service = await openCounted(data, {}, ['--query-cache', '0', ...flags]);
  for (let part = 1; part < parts; part += 1) {
    appendFileSync(file, textOf(part));
    await refreshed(service);
  }
  rmSync(data, { recursive: true });
  return {
    name,
    async ask(request) {
      try {
        const { body, rowCount, truncated } = (await service.run(request)).result;
        return `${rowCount} ${truncated}\n${Buffer.from(body).toString('latin1')}`;
      } catch (error) {
        return error instanceof Error ? `${error.name}: ${error.message}` : 'failed';
      }
    },
    close: () => service.serving.close(),
  };
}

async function refreshed(service: CountedService): Promise<void> {
  const logs = await service.allLogs.refresh();
  if (logs === undefined) throw new Error('nothing has changed');
  await service.serving.replace(await service.openData(logs));
}
