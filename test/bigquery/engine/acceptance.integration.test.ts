import { describeAcceptance } from '../../support/bigquery-acceptance.js';
import { standInTables, startStandIn } from '../../support/bigquery-stand-in.js';

describeAcceptance(async (data) => {
  const { environment, close } = await startStandIn({ data });
  return { tables: standInTables, environment, close };
});
