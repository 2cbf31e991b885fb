import { join } from 'node:path';
import { didYouMean } from '../../errors/suggest.js';
import { isFolder, listFolder, type NamedSource, stemOf, stemsOf, suffixOf } from './files.js';

/** How a file must end to be read. */
export const readSuffixes = '.ndjson, .jsonl, .json or .parquet (lines also as .gz or .zst)';

/** How many ignored files are named. */
const maxNamed = 10;

/**
 * One line for each file and folder of a data folder that is not read, with the reason; hidden ones are
 * left out.
 * @throws SetupError if the data folder cannot be read
 */
export function listIgnored(
  dataFolder: string,
  sources: readonly NamedSource[],
): readonly string[] {
  const stems = sources.flatMap((source) => [...stemsOf(source).keys()]);
  const lines = listFolder(dataFolder).flatMap((entry) => {
    if (entry.name.startsWith('.')) return [];
    if (!isFolder(entry, join(dataFolder, entry.name))) return whyIgnored(entry.name, stems);
    if (!stems.includes(entry.name)) return unknownName(`${entry.name}/`, entry.name, stems);
    const inner = listFolder(join(dataFolder, entry.name)).map(({ name }) => name);
    return inner
      .filter((name) => !name.startsWith('.') && suffixOf(name) === undefined)
      .map((name) => `${entry.name}/${name} is ignored: ${wrongSuffix(name)}`);
  });
  const more = lines.length - maxNamed;
  if (more <= 0) return lines;
  return [...lines.slice(0, maxNamed), `${more} more files in ${dataFolder} are ignored`];
}

function whyIgnored(name: string, stems: readonly string[]): readonly string[] {
  if (suffixOf(name) === undefined) return [`${name} is ignored: ${wrongSuffix(name)}`];
  return stems.includes(stemOf(name)) ? [] : unknownName(name, stemOf(name), stems);
}

function wrongSuffix(name: string): string {
  const csv = /\.csv(\.|$)/i.test(name) ? 'CSV is not read; ' : '';
  return `${csv}the name of a file must end with ${readSuffixes}`;
}

function unknownName(name: string, stem: string, stems: readonly string[]): readonly string[] {
  const twin = stems.find((each) => each.toLowerCase() === stem.toLowerCase());
  if (twin !== undefined) {
    return [`${name} is ignored: letter case counts, the source is called ${twin}`];
  }
  const [source = '', ...words] = stem.split('.');
  if (words.length > 0 && stems.includes(source)) {
    return [`${name} is ignored: several files of ${source} belong into a folder ${source}/`];
  }
  const hint = didYouMean(
    stem,
    stems.filter((each) => !each.includes('.')),
  );
  const way = `declare it in a folder for --sources, or name its shape, as in --as ${source}=pino`;
  return [`${name} is ignored: there is no source ${stem}${hint}; ${way}`];
}
