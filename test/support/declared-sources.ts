import { basename } from 'node:path';
import type { DeclaredSource } from '../../src/logs/columns/declaration.js';
import { parseSources, readSourceFiles } from '../../src/logs/columns/declared-sources.js';

/** The declared sources of a folder, one file each, sorted by name. @throws SetupError with a line for each fault */
export function readDeclaredSources(folder: string): readonly DeclaredSource[] {
  return parseSources(
    readSourceFiles(folder).map((file) => ({ ...file, where: basename(file.where) })),
  );
}
