import type { FileStat } from '../../src/logs/files/file-state.js';
import type { LogFile, Position } from '../../src/logs/files/files.js';
import { type FoundFile, planChanges } from '../../src/logs/refresh/plan-changes.js';
import type { LoadedFile, Manifest, StoredPart } from '../../src/logs/store/manifest.js';

/** A file, written `name:inode:size`, with lines of ten bytes; `name:inode:size!` has another time. */
export function parse(word: string) {
  const [name = '', inode = '', size = ''] = word.replace('!', '').split(':');
  const file: LogFile = {
    source: name.split('/')[0] ?? '',
    name: `${name}.ndjson`,
    path: `/data/${name}.ndjson`,
    format: name.endsWith('parquet') ? 'parquet' : 'lines',
    compression: 'none',
  };
  const stat: FileStat = {
    size: Number(size),
    changedMs: word.endsWith('!') ? 2 : 1,
    touchedMs: 1,
    inode: Number(inode),
  };
  return { file, stat };
}

function place(bytes: number): Position {
  return { bytes, lines: bytes / 10 };
}

/** A part with the given number of records, written `edge/a:0-100 edge/b:0-50`. */
export function part(records: number, ...slices: readonly string[]): StoredPart {
  const [first = ''] = slices;
  return {
    source: first.split('/')[0] ?? '',
    database: `${slices.join('+')}.duckdb`,
    records,
    slices: slices.map((slice) => {
      const [name = '', range = ''] = slice.split(':');
      const [from = 0, to = 0] = range.split('-').map(Number);
      const file = `${name}.ndjson`;
      const counts = { records: 1, badLines: 0, badFields: 0, faults: [], readable: true };
      return {
        file,
        from: place(from),
        to: place(to),
        report: { source: 'edge', file, ...counts },
      };
    }),
  };
}

/** A manifest of files in the notation of {@link parse}. */
export function manifest(files: string, ...parts: readonly StoredPart[]): Manifest {
  const loaded = files.split(' ').map((word): LoadedFile => {
    const { file, stat } = parse(word);
    const { path: _, ...rest } = file;
    const end = Math.max(
      0,
      ...parts
        .flatMap(({ slices }) => slices)
        .filter((slice) => slice.file === file.name)
        .map(({ to }) => to.bytes),
    );
    return {
      ...rest,
      state: { ...stat, loadedBytes: end, samples: '' },
      canGrow: file.format === 'lines',
    };
  });
  return { files: loaded, parts, schemas: [], warnings: {} };
}

/** A longer file has grown; `?` at its end says that it begins differently. */
export function plan(before: Manifest, now: string) {
  const words = now.split(' ').filter(Boolean);
  const found: readonly FoundFile[] = words.map((word) => parse(word.replace('?', '')));
  const other = new Set(
    words
      .filter((word) => word.includes('?'))
      .map((word) => parse(word.replace('?', '')).file.name),
  );
  const { kept, load, same } = planChanges(before, found, ({ file, stat }, { state }) => {
    return !other.has(file.name) && stat.size >= state.loadedBytes;
  });
  return {
    kept: kept.map(({ slices }) =>
      slices.map(({ file, to }) => `${file?.replace('.ndjson', '')}-${to.bytes}`).join(' '),
    ),
    load: load.map(({ file, from }) => `${file.name.replace('.ndjson', '')} from ${from.bytes}`),
    same: same.map(({ name }) => name.replace('.ndjson', '')),
  };
}
