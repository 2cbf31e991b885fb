/** The command's verbs. */
export const verbs = [
  'serve',
  'demo',
  'mcp',
  'query',
  'explain',
  'check',
  'test',
  'new',
  'generate',
  'cache',
  'tokens',
  'test-server',
  'bigquery',
] as const;

/** One of the {@link verbs}. */
export type Verb = (typeof verbs)[number];

/** Whether a word is a verb. */
export function isVerb(word: string): word is Verb {
  return verbs.some((verb) => verb === word);
}

/** The verbs that load a folder of the user's logs. */
export const loading = ['serve', 'mcp', 'query', 'explain', 'check'] as const;
/** The verbs that run endpoints. */
export const running = ['serve', 'mcp', 'query', 'explain'] as const;
/** The verbs that make up logs. */
export const generating = ['demo', 'generate'] as const;
/** The verbs that listen. */
export const serving = ['serve', 'demo'] as const;
/** The verbs that answer many requests. */
export const answering = [...serving, 'mcp'] as const;
/** The verbs that read declarations of sources. */
export const declaring = [...loading, 'demo'] as const;

/** The verbs that read `log-endpoints.json` in the current folder. The test server and the demo do not. */
export const configured: readonly Verb[] = [...loading, 'test', 'new', 'bigquery'];
