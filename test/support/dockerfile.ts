import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './paths.js';

/** An instruction of a Dockerfile. */
export interface Instruction {
  /** In capitals. */
  readonly name: string;
  /** The rest of it, in one line. */
  readonly text: string;
  /** The rest as words, of the JSON form or separated by spaces. */
  readonly words: readonly string[];
}

/** A stage of a build: its FROM and what follows. */
export interface Stage {
  readonly from: string;
  readonly name: string | undefined;
  readonly steps: readonly Instruction[];
}

/**
 * Reads the stages of a Dockerfile without variables and here-documents.
 * @see https://docs.docker.com/reference/dockerfile/
 */
export function readDockerfile(text: string): readonly Stage[] {
  const stages: { from: string; name: string | undefined; steps: Instruction[] }[] = [];
  for (const step of readInstructions(text)) {
    const [from = '', as, name] = step.words;
    if (step.name === 'FROM') {
      stages.push({ from, name: as?.toUpperCase() === 'AS' ? name : undefined, steps: [] });
    } else if (stages.length === 0) throw new Error(`${step.name} stands before FROM`);
    else stages.at(-1)?.steps.push(step);
  }
  return stages;
}

function readInstructions(text: string): readonly Instruction[] {
  const lines = text
    .split('\n')
    .filter((line) => !line.trimStart().startsWith('#'))
    .join('\n')
    .replaceAll(/\\\n\s*/g, '')
    .split('\n')
    .filter((line) => line.trim() !== '');
  return lines.map((line) => {
    const [, name = '', rest = ''] = /^([A-Za-z]+)\s+(.*)$/.exec(line) ?? [];
    if (name === '') throw new Error(`no instruction: ${line}`);
    return { name: name.toUpperCase(), text: rest, words: wordsOf(rest) };
  });
}

function wordsOf(text: string): readonly string[] {
  const json = /\[.*\]$/.exec(text);
  return json === null ? text.trim().split(/\s+/) : (JSON.parse(json[0]) as readonly string[]);
}

/** The faults of a Dockerfile, by the rules of the best practices that apply here. */
export function lintDockerfile(text: string): readonly string[] {
  const stages = readDockerfile(text);
  const all = stages.flatMap(({ steps }) => steps);
  const names = new Set(stages.map(({ name }) => name));
  const final = stages.at(-1)?.steps ?? [];
  const last = (name: string) => final.findLast((step) => step.name === name);
  const unknown = all.filter(({ name }) => !known.has(name));
  return [
    ...unknown.map(({ name }) => `unknown instruction ${name}`),
    ...stages
      .filter(({ from }) => !names.has(from) && !pinned.test(from))
      .map(({ from }) => `${from} has no tag and digest`),
    ...all
      .filter(({ name, text: rest }) => name === 'RUN' && /\b(sudo|apt|curl \S+ ?\|)\b/.test(rest))
      .map(({ text: rest }) => `RUN ${rest}`),
    ...all.filter(({ name }) => name === 'ADD').map(() => 'COPY does it without the magic of ADD'),
    ...all
      .filter(({ name, text: rest }) => name === 'WORKDIR' && !rest.startsWith('/'))
      .map(({ text: rest }) => `WORKDIR ${rest} is not absolute`),
    ...['ENTRYPOINT', 'CMD', 'HEALTHCHECK']
      .filter((name) => !last(name)?.text.endsWith(']'))
      .map((name) => `${name} must be there, in its JSON form: a shell would not pass on signals`),
    ...(/^(|root|0)$/.test(last('USER')?.text ?? '') ? ['the last USER is root'] : []),
    ...final.flatMap(({ name, words }) => unknownStage(name, words, names)),
  ];
}

/** The tag tells people what it is; the digest gives the same image in every build. */
const pinned = /:(?!latest@)[\w.-]+@sha256:[0-9a-f]{64}$/;

function unknownStage(
  name: string,
  words: readonly string[],
  stages: ReadonlySet<string | undefined>,
): readonly string[] {
  const [, from] = (name === 'COPY' && /^--from=(.*)$/.exec(words[0] ?? '')) || [];
  return from === undefined || stages.has(from) ? [] : [`no stage ${from}`];
}

const known: ReadonlySet<string> = new Set(
  'ARG CMD COPY ENTRYPOINT ENV EXPOSE HEALTHCHECK LABEL RUN USER VOLUME WORKDIR ADD'.split(' '),
);

/** Whether the build context has a path: `.dockerignore` lists all that it has. */
export function isInContext(path: string): boolean {
  const lines = readFileSync(join(root, '.dockerignore'), 'utf8').split('\n');
  if (lines[0] !== '*') throw new Error('.dockerignore must begin with *');
  return lines.some((line) => line === `!${path}` || path.startsWith(`${line.slice(1)}/`));
}
