import {
  type LoadedFile,
  type Manifest,
  type StoredPart,
  withoutPartialLine,
} from '../store/manifest.js';

/**
 * Adapts a manifest, which a process with other settings may have written, to how this process treats
 * partial lines. If it awaits them, reports no longer count them as bad. If not, files that end with an
 * unreported partial line count as grown. Returns the same manifest if there is nothing to change.
 */
export function readPartialLines(manifest: Manifest, awaitsLines: boolean): Manifest {
  const { files, parts } = manifest;
  const partial = parts
    .flatMap(({ slices }) => slices)
    .filter(({ partialLine }) => partialLine !== undefined);
  if (awaitsLines)
    return partial.length === 0 ? manifest : { ...manifest, parts: parts.map(withoutPartialLines) };
  const reported = new Set(partial.map(({ file, to }) => endKey(file, to)));
  const isUnreported = ({ name, state }: LoadedFile) =>
    state.loadedBytes < state.size && !reported.has(endKey(name, { bytes: state.loadedBytes }));
  if (!files.some(isUnreported)) return manifest;
  const grown = (file: LoadedFile) => ({
    ...file,
    state: { ...file.state, size: file.state.loadedBytes },
  });
  return { ...manifest, files: files.map((file) => (isUnreported(file) ? grown(file) : file)) };
}

function endKey(file = '', { bytes }: { readonly bytes: number }): string {
  return `${bytes} ${file}`;
}

function withoutPartialLines(part: StoredPart): StoredPart {
  const slices = part.slices.map((slice) => {
    const { partialLine: _, ...rest } = slice;
    return { ...rest, report: withoutPartialLine(slice) };
  });
  return { ...part, slices };
}
