/** The words for each log level in lower case, least severe first; the first word is the name of the level. */
export const levels: readonly (readonly string[])[] = [
  `debug dbg dbug trace trce trc verbose vrb silly fine finer finest config all debug1 debug2 debug3 debug4 debug5
  trace1 trace2 trace3 trace4 trace5 trace6 trace7 trace8`,
  'info inf information informational http log success ok',
  'notice note',
  'warning warn wrn',
  'error err eror fail severe exception',
  'critical crit fatal ftl dpanic panic',
  'alert',
  'emergency emerg',
].map((words) => words.split(/\s+/));

const names: ReadonlyMap<string, string> = new Map(
  levels.flatMap((words) => words.map((word) => [word, words[0] ?? ''] as const)),
);

/** Returns the level that a word names, ignoring case, blanks and brackets. */
export function levelName(word: string): string | undefined {
  return names.get(word.replaceAll(/[\s[\]()<>]/g, '').toLowerCase());
}

/** Words that name a level only in capitals: in other letters, programs write them for other things. */
export const vagueWords: ReadonlySet<string> = new Set('all config http log success ok'.split(' '));

/** The words for levels, in lower case. */
export const levelWords: readonly string[] = [...names.keys()];
