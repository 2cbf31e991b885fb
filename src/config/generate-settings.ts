const generating = ['demo', 'generate'] as const;

/** The settings of made-up logs. */
export const generateSettings = {
  out: {
    kind: 'text',
    placeholder: 'DIR',
    verbs: ['generate'],
    default: 'logs',
    help: 'folder to write to, new or empty',
  },
  records: {
    kind: 'count',
    min: 1,
    max: 1e12,
    verbs: generating,
    default: '20000',
    help: 'number of records, of all sources together',
  },
  from: {
    kind: 'instant',
    placeholder: 'ISO',
    verbs: ['generate'],
    help: 'start of the logs, instead of --hours',
  },
  to: {
    kind: 'instant',
    placeholder: 'ISO',
    verbs: ['generate'],
    help: 'end of the logs, exclusive (default: now)',
  },
  hours: {
    kind: 'count',
    min: 1,
    max: 87_840,
    verbs: generating,
    help: 'length of the logs (default: 48)',
  },
  seed: {
    kind: 'count',
    max: 4_294_967_295,
    verbs: generating,
    default: '1',
    help: 'seed of the random numbers; the same seed, end and flags give the same bytes',
  },
  projects: {
    kind: 'count',
    min: 1,
    max: 1e7,
    verbs: generating,
    help: 'number of projects (default: 3, which are bluefin, larkspur and quarry); the n-th has an n-th of the records of the first',
  },
  incidents: {
    kind: 'switch',
    verbs: ['generate'],
    help: 'as in the demo: latencies follow the load of the day, and the first project has a login attack, a slow deploy and a burst of errors',
  },
  source: {
    kind: 'list',
    placeholder: 'NAME',
    verbs: ['generate'],
    help: 'write only this source; repeatable (default: all nine)',
  },
  files: {
    kind: 'count',
    min: 1,
    max: 1e12,
    verbs: ['generate'],
    help: 'write files of this many records, in a folder for each source (default: one file; for parquet, files of at most a million records)',
  },
  gzip: { kind: 'switch', verbs: ['generate'], help: 'compress the NDJSON' },
  disorder: {
    kind: 'duration',
    max: 1e10,
    verbs: ['generate'],
    default: '0s',
    help: 'delay records by up to this much, so that they are not in order of time',
  },
  plain: {
    kind: 'switch',
    verbs: ['generate'],
    help: 'give all records of a source the same shape: never write metadata as an array of one element, or a timestamp as a number',
  },
} as const;
