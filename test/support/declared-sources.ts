import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import type { DeclaredSource } from '../../src/logs/columns/declaration.js';
import { parseSources, readSourceFiles } from '../../src/logs/columns/declared-sources.js';
import type { Mapping } from '../../src/logs/shapes/mapping.js';

/** The declared sources of a folder, one file each, sorted by name. @throws SetupError with a line for each fault */
export function readDeclaredSources(folder: string): readonly DeclaredSource[] {
  return parseSources(
    readSourceFiles(folder).map((file) => ({ ...file, where: basename(file.where) })),
  );
}

/** The shipped shapes, as they are mapped to shipped sources. */
export function readShippedShapes(
  options: { readonly makesLevel?: boolean } = {},
): readonly DeclaredSource[] {
  const pieces: Readonly<Record<string, string>> = JSON.parse(
    readFileSync('sql/patterns.json', 'utf8'),
  );
  const files = readSourceFiles('sql/shapes');
  return parseSources(files.map((file) => ({ ...file, ...options, pieces, isShape: true })));
}

/** The mappings of sources by their names. */
export function mappingsOf(sources: readonly DeclaredSource[]): Readonly<Record<string, Mapping>> {
  const all = sources.flatMap(({ name, mapping }) => (mapping ? [[name, mapping] as const] : []));
  return Object.fromEntries(all);
}
