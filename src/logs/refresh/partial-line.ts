import { type LoadedFile, type Manifest, type StoredPart, withoutRest } from '../store/manifest.js';

/**
 * A manifest as this process is to read it, whoever wrote it: where lines without an end are waited
 * for, none is told as a bad one; where they are not, the files count as grown that end with one of
 * which nothing is told. The same manifest where there is none of these.
 */
export function readHalfLines(manifest: Manifest, awaitsLines: boolean): Manifest {
  const { files, parts } = manifest;
  const told = new Set(
    parts.flatMap(({ slices }) =>
      slices.flatMap(({ file, to, restLine }) => (restLine === undefined ? [] : [endOf(file, to)])),
    ),
  );
  if (awaitsLines) return told.size === 0 ? manifest : { ...manifest, parts: parts.map(untold) };
  const isDue = ({ name, state }: LoadedFile) =>
    state.loadedBytes < state.size && !told.has(endOf(name, { bytes: state.loadedBytes }));
  if (!files.some(isDue)) return manifest;
  const grown = (file: LoadedFile) => ({
    ...file,
    state: { ...file.state, size: file.state.loadedBytes },
  });
  return { ...manifest, files: files.map((file) => (isDue(file) ? grown(file) : file)) };
}

function endOf(file: string, { bytes }: { readonly bytes: number }): string {
  return `${bytes} ${file}`;
}

function untold(part: StoredPart): StoredPart {
  const slices = part.slices.map(({ restLine, ...slice }) => {
    return { ...slice, report: withoutRest({ report: slice.report, restLine }) };
  });
  return { ...part, slices };
}
