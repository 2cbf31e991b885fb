import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { root } from './paths.js';

/** A source file by its path below `src`. */
export interface SourceFile {
  readonly path: string;
  readonly text: string;
}

/** Every TypeScript file below `src`. */
export const sourceFiles: readonly SourceFile[] = readdirSync(join(root, 'src'), {
  recursive: true,
  encoding: 'utf8',
})
  .filter((path) => path.endsWith('.ts'))
  .map((path) => ({ path, text: readFileSync(join(root, 'src', path), 'utf8') }));

const imported = /^(?:im|ex)port (?:type )?(?:[^;']*? from )?'([^']+)'|\bimport\('([^']+)'/gm;

/** The files of `src` that each file imports, types included. */
export const importsOf: ReadonlyMap<string, readonly string[]> = new Map(
  sourceFiles.map(({ path, text }) => [
    path,
    [...text.matchAll(imported)]
      .map(([, name, lazy]) => name ?? lazy ?? '')
      .filter((name) => name.startsWith('.'))
      .map((name) => normalize(join(dirname(path), name)).replace(/\.js$/, '.ts')),
  ]),
);

/** The folders below `src`, sorted; `.` is `src` itself. */
export const sourceFolders: readonly string[] = [
  ...new Set(sourceFiles.map(({ path }) => dirname(path))),
].sort();

/** The other folders that the files of a folder import, sorted. */
export function foldersImportedBy(folder: string): readonly string[] {
  const targets = [...importsOf]
    .filter(([path]) => dirname(path) === folder)
    .flatMap(([, paths]) => paths.map((path) => dirname(path)));
  return [...new Set(targets)].filter((other) => other !== folder).sort();
}
