import { type Answer, crashed, startReference, unanswered } from './reference.js';
import type { Room } from './rooms.js';

/** The tables and parameters of a room. */
type Tables = Pick<Room, 'key' | 'parameters' | 'readTables'>;

/** The reference implementation over the tables of rooms. */
export interface OpenReference {
  ask(sql: string, room: Tables): Promise<Answer>;
  stop(): void;
}

/** Starts the reference implementation, and again each time a query has crashed it or never ends. */
export async function openReference(): Promise<OpenReference> {
  let running = await startReference();
  /** The number of each room's catalog, by the key of the room. */
  let catalogs = new Map<string, string>();
  const registerOnce = async ({ key, readTables }: Tables) => {
    const known = catalogs.get(key) ?? (await running.register(await readTables()));
    catalogs.set(key, known);
    return known;
  };
  return {
    async ask(sql, room) {
      const answer = await running.ask(sql, await registerOnce(room), room.parameters);
      if ('error' in answer && [crashed, unanswered].includes(answer.error)) {
        running.stop();
        running = await startReference();
        catalogs = new Map();
      }
      return answer;
    },
    stop: () => running.stop(),
  };
}
