import { acceptance, root } from './paths.js';

/** The acceptance suites of each folder of logs: one service answers all suites of a group. */
export const acceptanceGroups = [
  {
    folder: acceptance,
    data: 'fixtures/basic',
    files: ['client', 'dialect', 'sandbox', 'lql', 'pii', 'own-lql', 'own-pii', 'own-fields'],
  },
  { folder: root, data: 'fixtures', files: ['own'] },
];
