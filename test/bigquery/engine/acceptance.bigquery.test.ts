import { describe } from 'vitest';
import { describeAcceptance } from '../../support/bigquery-acceptance.js';
import { createTables, testDataset } from '../../support/bigquery-project.js';

describe.skipIf(testDataset() === undefined)('on a real project', () => {
  describeAcceptance(createTables, { plain: 1, redacted: 1 });
});
