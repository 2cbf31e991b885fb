import { makeTemplate, type Template } from './template.js';
import { tokens, withTokens } from './tokens.js';
import { edgeMessage, makeEdgeMetadata } from './world/edge.js';
import { pickMachine } from './world/machines.js';
import { createRandom, type Random } from './world/random.js';
import type { LogRecord } from './world/record.js';
import { serviceLogs } from './world/services.js';
import { makeUser, makeVisit, type User, type Visit } from './world/visits.js';
import { nowMicros } from './world/world.js';

/**
 * An event as templates of its log records: a request, with the records of the edge and of the services that the edge
 * calls, or a single record that no request causes.
 */
export interface EventTemplate {
  /** The user who sent the request; every project has users of the same ranks. */
  readonly user: { readonly rank: number; readonly email: string };
  readonly records: readonly Template[];
}

/** The events to make. */
export interface EventOptions {
  readonly seed: number;
  /** Records of other sources are omitted, and so are events without any records. */
  readonly sources: ReadonlySet<string>;
  /** Whether all records of a source have the same shape. */
  readonly plain: boolean;
}

/** The number of events to make, and how their requests differ from the usual ones. */
export interface EventKind {
  readonly visits: number;
  readonly machineRecords: number;
  readonly change?: (visit: Visit, random: Random) => Visit;
}

/** Each user keeps a name, a place and a client. */
const usersOfProject = 40;

const usual: EventKind = { visits: 3072, machineRecords: 768 };

/**
 * The events that logs are generated from, all equally likely. Filling in a template takes 2 us; drawing
 * and printing a record from scratch takes 30 us.
 */
export function makeEvents(
  { seed, sources, plain }: EventOptions,
  { visits, machineRecords, change = (visit) => visit }: EventKind = usual,
): readonly EventTemplate[] {
  const random = createRandom(seed);
  const users = Array.from({ length: usersOfProject }, () => makeUser(random));
  const weightedUsers = users.map((user, rank) => [1 / (rank + 2), { rank, user }] as const);
  return Array.from({ length: visits + machineRecords }, (_, index) => {
    const { rank, user } = random.pick(weightedUsers);
    const randomWithTokens = withTokens(random);
    const records =
      index < visits
        ? visitRecords(randomWithTokens, change(makeUsersVisit(randomWithTokens, user), random))
        : [pickMachine(randomWithTokens)(randomWithTokens, tokens.project, nowMicros)];
    const templates = records.map((record) => makeTemplate(randomWithTokens, record, plain));
    return {
      user: { rank, email: user.email },
      records: templates.filter(({ source }) => sources.has(source)),
    };
  }).filter(({ records }) => records.length > 0);
}

function makeUsersVisit(random: Random, user: User): Visit {
  const { project, id, email, address } = tokens;
  return { ...makeVisit(random, project, nowMicros), user: { ...user, id, email, address } };
}

function visitRecords(random: Random, visit: Visit): readonly LogRecord[] {
  const metadata = makeEdgeMetadata(random, visit);
  const message = edgeMessage(visit);
  const { at, project } = visit;
  return [{ source: 'edge_logs', at, project, message, metadata }, ...serviceLogs(random, visit)];
}
