import { openVerifier } from '../verify/verify.js';
import { connectTo, createDuckDbEngine, type DuckDbEngine, type DuckDbOptions } from './duckdb.js';
import { locksExceptIn, prepareDatabase } from './lockdown.js';
import { type AttachFile, attachStatement, createStates, type EngineData } from './states.js';

/** One instance of DuckDB for many states of the data. */
export interface SharedInstance {
  /**
   * Opens an engine over a state, whose database files are in the instance's folder.
   * @throws Error if a file is not a database of this service
   */
  open(data: EngineData): Promise<DuckDbEngine>;
}

/**
 * Opens an instance in this process whose engines differ only in their data: one opens in milliseconds, where an
 * instance of its own takes a hundred. The views of a state are a database in memory, which all engines over that state share,
 * and their connections find them, and no others, on their search path.
 * Statements are verified as everywhere; the locks are those of other engines, except that files in `folder` can be
 * read and written, which verification alone refuses. So it is for tests only.
 */
export async function openSharedInstance(
  options: Omit<DuckDbOptions, keyof EngineData>,
  folder: string,
): Promise<SharedInstance> {
  const { instance, connection, macros } = await prepareDatabase(options);
  await connection.run(locksExceptIn(folder).join(';'));
  const { verify } = await openVerifier(await instance.connect(), macros);
  const states = createStates(connection);
  const attachFile: AttachFile = (file, name) => connection.run(attachStatement(file, name));
  return {
    async open(data) {
      const state = await states.open(data, attachFile);
      const connect = () => connectTo(instance, state);
      return createDuckDbEngine({ options, verify, connect, close: state.close });
    },
  };
}
