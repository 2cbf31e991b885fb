import { answering, declaring } from './verbs.js';

/** The settings of the memory and disk caches. */
export const cacheSettings = {
  cacheSize: {
    kind: 'size',
    min: 1024 ** 2,
    verbs: answering,
    default: '128MB',
    help: 'memory for cached results',
  },
  queryCache: {
    kind: 'size',
    min: 0,
    verbs: answering,
    default: '32MB',
    help: 'memory for results of endpoints that do not cache, which answer equal requests until the logs change; 0 for none',
  },
  newestRows: {
    kind: 'count',
    max: 10_000,
    verbs: declaring,
    default: '1000',
    help: 'newest records of each project that are stored as JSON too, so that requests for them take a few milliseconds; 0 for none',
  },
  maxFields: {
    kind: 'count',
    max: 10_000,
    verbs: declaring,
    default: '2000',
    help: 'undeclared fields of a source that get columns or fields of their own; the others are in one STRING of JSON',
  },
  cacheDir: {
    kind: 'text',
    placeholder: 'DIR',
    verbs: [...declaring, 'cache'],
    help: "folder of the disk cache, which speeds up the next start (default: log-endpoints in the user's cache folder)",
  },
  noDiskCache: { kind: 'switch', verbs: declaring, help: 'do not use the disk cache' },
} as const;
