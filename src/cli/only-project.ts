import type { Given } from '../endpoint/given.js';
import { ServiceError } from '../errors/errors.js';
import { readProjects } from '../run/known-projects.js';
import type { OpenedServices } from '../start/start-up.js';

/** The maximum number of projects in a message. */
const maxListed = 20;

/**
 * Adds the project to a request's parameters if an endpoint requires one, none is given and the logs have only one.
 * @throws ServiceError `required` with the projects if there are several
 */
export async function withOnlyProject(
  { catalog, serving, engine }: Pick<OpenedServices, 'catalog' | 'serving' | 'engine'>,
  { endpoint, parameters }: Readonly<{ endpoint: string; parameters: ReadonlyMap<string, Given> }>,
  onNote: (line: string) => void = () => {},
): Promise<ReadonlyMap<string, Given>> {
  const wanted = catalog.find(endpoint).parameters.find(({ name }) => name === 'project');
  // Every query of a remote engine costs money.
  if (!wanted?.required || parameters.has('project') || engine.dialect.isRemote) return parameters;
  const [project, ...others] = [
    ...((await serving.use((data) => readProjects(data))) ?? []),
  ].sort();
  if (project === undefined) return parameters;
  if (others.length > 0) {
    const listed = [project, ...others].slice(0, maxListed).join(', ');
    const message = `Missing required parameter project; the logs have ${listed}`;
    throw new ServiceError('required', message, { location: 'project' });
  }
  onNote(`project ${project}, the only one`);
  return new Map([...parameters, ['project', project]]);
}
