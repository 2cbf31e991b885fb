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
 * An event as templates of its log records: a request, with the records of the edge and of the services
 * behind it, or a single record that no request causes.
 * @typedef {object} EventTemplate
 * @property {{ readonly rank: number, readonly email: string }} user who sent the request; every project has users of the same ranks
 * @property {readonly Template[]} records
 */

/** Each user keeps a name, a place and a client. */
const usersOfProject = 40;

const visitCount = 3072;
const machineRecordCount = 768;

/**
 * The events that logs are generated from, all equally likely. Filling in a template takes 2 us; drawing
 * and printing a record from scratch takes 30 us.
 * @param {{ readonly seed: number, readonly sources: ReadonlySet<string>, readonly plain: boolean }} options
 * `plain`: all records of a source have the same shape
 * @returns {readonly EventTemplate[]} with records of the given sources only; events without any are left out
 */
export function makeEvents({ seed, sources, plain }) {
  const random = createRandom(seed);
  const users = Array.from({ length: usersOfProject }, () => makeAnyUser(random));
  const weightedUsers = users.map(
    (user, rank) => /** @type {const} */ ([1 / (rank + 2), { rank, user }]),
  );
  return Array.from({ length: visitCount + machineRecordCount }, (_, index) => {
    const { rank, user } = random.pick(weightedUsers);
    const randomWithTokens = withTokens(random);
    const records =
      index < visitCount ? visitRecords(randomWithTokens, user) : [machineRecord(randomWithTokens)];
    const templates = records.map((record) => makeTemplate(randomWithTokens, record, plain));
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
