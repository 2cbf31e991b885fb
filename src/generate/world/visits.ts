import type { Random } from './random.js';
import { type Client, clients, type Place, places, type Route, routes } from './world.js';

/** One request as the edge sees it; all its log records are derived from this. */
export interface Visit {
  readonly project: string;
  /** The time at which the response was sent, in unix microseconds. */
  readonly at: number;
  readonly route: Route;
  readonly status: number;
  /** The duration. */
  readonly ms: number;
  readonly ray: string;
  readonly user: User;
  readonly host: string;
  /** Whether the services behind the edge log its `ray`, too. */
  readonly isTraced?: boolean;
  /** The version of the function that answers; by default `4`. */
  readonly version?: string;
  /** The error of the database, if it is not the usual error for the status. */
  readonly fault?: DatabaseFault;
}

/** An error that the database logs. */
export type DatabaseFault = readonly [severity: string, state: string, text: string];

/** A user who sends requests to one project. */
export interface User {
  readonly id: string;
  readonly email: string;
  readonly address: string;
  readonly provider: string;
  readonly place: Place;
  readonly client: Client;
}

/** Creates a request to one project, without a user yet. */
export function makeVisit(random: Random, project: string, at: number): Omit<Visit, 'user'> {
  const route = random.pick(routes);
  const status = random.pick(route.statuses);
  const steady = 0.5 + random.next();
  const slow = random.chance(0.03) ? random.integer(8, 60) : 1;
  return {
    project,
    at,
    route,
    status,
    ms: Math.max(1, Math.round(route.typicalMs * steady * slow)),
    ray: `8${random.hex(15)}`,
    host: `${project}.svc.example`,
  };
}

/** The names of users. */
export const visitorNames = 'mara jonas priya luiz ada kenji zoë omar wanjiru otto'.split(' ');

/** A user, by default with a random name. */
export function makeUser(random: Random, name = random.any(visitorNames)): User {
  return {
    id: random.uuid(),
    email: `${name}.${random.any(['lind', 'berg', 'rao', 'silva'])}@${random.any(['mail.example', 'post.example.org'])}`,
    address: makeAddress(random),
    provider: random.pick([
      [6, 'email'],
      [3, 'google'],
      [1, 'github'],
    ]),
    place: random.pick(places),
    client: random.pick(clients),
  };
}

/** Returns an address reserved for documentation; one in four is IPv6. */
function makeAddress(random: Random): string {
  if (random.chance(0.25)) return `2001:db8:${random.hex(2)}::${random.hex(3)}`;
  return `${random.any(['192.0.2', '198.51.100', '203.0.113'])}.${random.integer(1, 254)}`;
}
