const units = ['bytes', 'KB', 'MB', 'GB'] as const;

/** Prints a number of bytes for people: `512 MB`, `1.4 KB`, `17 bytes`; units are powers of 1024. */
export function printSize(bytes: number): string {
  const power = bytes < 1024 ? 0 : Math.min(Math.floor(Math.log2(bytes) / 10), units.length - 1);
  return `${Math.round((bytes / 1024 ** power) * 10) / 10} ${units[power]}`;
}
