import { describeAcceptance } from '../../support/bigquery-acceptance.js';
import { standInTables, startStandIn } from '../../support/bigquery-stand-in.js';
import { nightly } from '../../support/nightly.js';

// The stand-in takes about a second for a case.
const steps = { plain: nightly(6, 18), redacted: nightly(18, 40) };

describeAcceptance(async (data) => {
  const { environment, close } = await startStandIn({ data });
  return { tables: standInTables, environment, close };
}, steps);
