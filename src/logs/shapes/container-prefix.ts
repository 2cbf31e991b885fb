import { levelName } from '../../values/levels.js';

/** The prefix of `kubectl logs --prefix`: `[pod/web-0/web] `. */
const podPrefix = /^\[pod\/([^\s\]]+)\] /;

/** The prefix that Docker Compose writes before each line of a container, and may colour: `web-1  | `, `db  | `. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: a terminal's sequences begin with one.
const prefix = /^(?:\u001b\[[\d;]*m)*([A-Za-z][\w.-]+) +\| ?(?:\u001b\[[\d;]*m)*/;

/**
 * Returns a line without the name of its container, and that name if the line begins with it.
 * @param isNumbered whether the name must end with a number
 */
export function cutContainer(
  line: string,
  isNumbered = false,
): readonly [line: string, container?: string] {
  const pattern = line.startsWith('[pod/') ? podPrefix : prefix;
  const [written, name] = (/[|/]/.test(line) && pattern.exec(line)) || [];
  if (written === undefined || name === undefined || levelName(name) !== undefined) return [line];
  if (isNumbered && pattern === prefix && !/[-_]\d+$/.test(name)) return [line];
  return [line.slice(written.length), name];
}
