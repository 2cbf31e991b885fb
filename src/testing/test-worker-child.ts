import { rmSync } from 'node:fs';
import { createEngineTasks } from '../engine/pool/engine-child.js';
import type { LoadOptions } from '../logs/load/job.js';
import { createLoad } from '../logs/load/load.js';
import { performTasks } from '../process/task-child.js';

/** The tasks of a worker. */
export type WorkerTasks = ReturnType<typeof createTasks>;

/**
 * The main function of a worker: loads logs and runs engines for the services of a test process until that process has
 * ended, however it ends; then removes their folder.
 * @throws SetupError if the process has no parent to talk to
 */
export function runTestingChild(folder = ''): Promise<never> {
  const cleanUp = () => rmSync(folder, { recursive: true, force: true });
  return performTasks(createTasks(), { cleanUp, hasSamePriority: true });
}

function createTasks() {
  const load = createLoad();
  return { ...createEngineTasks(), load: (options: LoadOptions) => load(options) };
}
