import { execFile } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { type Instruction, isInContext, readDockerfile } from './dockerfile.js';
import { root } from './paths.js';

/** The file system of an image's last stage, as a folder, and what it runs. */
export interface Image {
  readonly folder: string;
  readonly workdir: string;
  readonly volumes: readonly string[];
  readonly command: readonly string[];
  readonly healthCheck: readonly string[];
  /** The paths of the image in a text, as paths of this machine. */
  readonly localPaths: (text: string) => string;
}

const run = promisify(execFile);

/**
 * Carries out the steps of the Dockerfile without Docker: each stage is a folder, in which COPY copies and
 * RUN runs with this machine's Node. Packages come from npm's cache, as `npm ci` has left it.
 */
export async function buildImage(folder: string): Promise<Image> {
  const stages = readDockerfile(readFileSync(join(root, 'Dockerfile'), 'utf8'));
  mkdirSync(join(folder, 'bin'), { recursive: true });
  // The user of the image does not exist here.
  writeFileSync(join(folder, 'bin/chown'), '#!/bin/sh\n');
  chmodSync(join(folder, 'bin/chown'), 0o755);
  const folders = stages.map(({ name }, index) => join(folder, name ?? `stage-${index}`));
  let image: Image | undefined;
  for (const [index, stage] of stages.entries()) {
    const own = folders[index] ?? folder;
    mkdirSync(own);
    const workdir = await runSteps(stage.steps, { own, folder, workdir: '/' });
    const last = (name: string) => stage.steps.findLast((step) => step.name === name)?.words ?? [];
    image = {
      folder: own,
      workdir: join(own, workdir),
      volumes: last('VOLUME'),
      command: [...last('ENTRYPOINT'), ...last('CMD')],
      healthCheck: last('HEALTHCHECK'),
      localPaths: (text) => localPaths(text, own),
    };
  }
  if (image === undefined) throw new Error('the Dockerfile has no stage');
  return image;
}

interface Place {
  /** The folder of the stage, and that of all stages. */
  readonly own: string;
  readonly folder: string;
  readonly workdir: string;
}

/** Returns the working directory after the steps. */
async function runSteps(steps: readonly Instruction[], place: Place): Promise<string> {
  let { workdir } = place;
  for (const step of steps) {
    if (step.name === 'WORKDIR') {
      workdir = resolve(workdir, step.text);
      mkdirSync(join(place.own, workdir), { recursive: true });
    } else if (step.name === 'COPY') copy(step.words, { ...place, workdir });
    else if (step.name === 'RUN') await runStep(step.text, { ...place, workdir });
  }
  return workdir;
}

/** `/data` in a command is a folder of the stage; paths of programs stay. */
function localPaths(text: string, own: string): string {
  return text.replaceAll(
    /(^|\s)(\/(?:data|cache|app|build)\b)/g,
    (_, space, path) => `${space}${own}${path}`,
  );
}

async function runStep(text: string, { own, folder, workdir }: Place): Promise<void> {
  const { PATH, HOME } = process.env;
  const npm = { npm_config_offline: 'true', npm_config_update_notifier: 'false' };
  await run('sh', ['-ec', localPaths(text, own)], {
    cwd: join(own, workdir),
    env: { PATH: `${join(folder, 'bin')}:${PATH}`, HOME, ...npm },
  });
}

function copy(words: readonly string[], { own, folder, workdir }: Place): void {
  const [, stage] = /^--from=(.*)$/.exec(words[0] ?? '') ?? [];
  const paths = stage === undefined ? words : words.slice(1);
  const sources = paths.slice(0, -1);
  const target = paths.at(-1) ?? '';
  const to = join(own, resolve(workdir, target));
  for (const source of sources) {
    if (stage === undefined && !isInContext(source))
      throw new Error(`.dockerignore leaves out ${source}`);
    const from = stage === undefined ? join(root, source) : join(folder, stage, source);
    const isFile = statSync(from).isFile();
    const intoFolder = isFile && (target.endsWith('/') || existsSync(to));
    cpSync(from, intoFolder ? join(to, basename(source)) : to, { recursive: true });
  }
}
