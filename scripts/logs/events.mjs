import { edgeMessage, makeEdgeMetadata } from '../fixtures/edge.mjs';
import { machineLog } from '../fixtures/machines.mjs';
import { createRandom } from '../fixtures/random.mjs';
import { serviceLogs } from '../fixtures/services.mjs';
import { makeAnyUser, makeVisit } from '../fixtures/visits.mjs';
import { nowMicros } from '../fixtures/world.mjs';
import { makeTemplate } from './template.mjs';
import { tokens, withTokens } from './tokens.mjs';

/** @typedef {import('../fixtures/random.mjs').Random} Random */
/** @typedef {import('../fixtures/record.mjs').LogRecord} LogRecord */
/** @typedef {import('../fixtures/visits.mjs').User} User */
/** @typedef {import('./template.mjs').Template} Template */

/**
 * What happened at one moment, a template for each record of it: a request with what the services
 * behind the edge wrote, or a line of a machine.
 * @typedef {object} EventTemplate
 * @property {{ readonly rank: number, readonly email: string }} user of each project alike: who asked
 * @property {readonly Template[]} records
 */

/** Of a project: each keeps a name, a place and a client. */
const usersOfProject = 40;

const visits = 3072;
const machineLines = 768;

/**
 * The events that the logs are made of, each as likely as the next. To draw and print every record
 * anew takes 30 us, to fill in a template 2.
 * @param {{ readonly seed: number, readonly sources: ReadonlySet<string>, readonly plain: boolean }} given
 * `plain`: one shape for all records of a source
 * @returns {readonly EventTemplate[]} those with a record of the sources, and only these records
 */
export function makeEvents({ seed, sources, plain }) {
  const random = createRandom(seed);
  const users = Array.from({ length: usersOfProject }, () => makeAnyUser(random));
  const likely = users.map((user, rank) => /** @type {const} */ ([1 / (rank + 2), { rank, user }]));
  return Array.from({ length: visits + machineLines }, (_, place) => {
    const { rank, user } = random.pick(likely);
    const spread = withTokens(random);
    const records = place < visits ? visitRecords(spread, user) : [machineRecord(spread)];
    const templates = records.map((record) => makeTemplate(spread, record, plain));
    return {
      user: { rank, email: user.email },
      records: templates.filter(({ source }) => sources.has(source)),
    };
  }).filter(({ records }) => records.length > 0);
}

/** @param {Random} random @param {User} user @returns {readonly LogRecord[]} */
function visitRecords(random, user) {
  const { project, id, email, address } = tokens;
  const pickUser = () => ({ ...user, id, email, address });
  const visit = makeVisit(random, { project, at: nowMicros, pickUser });
  const metadata = makeEdgeMetadata(random, visit);
  const message = edgeMessage(visit);
  const edge = { source: 'edge_logs', at: visit.at, project, message, metadata };
  return [edge, ...serviceLogs(random, visit)];
}

/** @param {Random} random */
function machineRecord(random) {
  return machineLog(random, tokens.project, nowMicros);
}
