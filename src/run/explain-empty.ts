import type { Catalog } from '../endpoint/catalog.js';
import type { Endpoint } from '../endpoint/endpoint.js';
import { onlyText } from '../endpoint/given.js';
import { bindScope } from '../endpoint/scope.js';
import { nearest } from '../errors/suggest.js';
import { createCountUnlessKnown } from './known-projects.js';
import type { RunRequest } from './run-request.js';
import type { ServedData } from './serving.js';

type Asked = Pick<RunRequest, 'parameters' | 'scope'>;

/**
 * Creates a function that explains why an answer of an endpoint may be empty, in ASCII; undefined without a likely
 * reason. It names no project, and counts projects only for callers who may read them all.
 */
export function createExplainEmpty(catalog: Catalog) {
  const countUnlessKnown = createCountUnlessKnown();

  async function unknownProject(
    { parameters }: Endpoint,
    request: Asked,
    data: ServedData,
  ): Promise<readonly string[]> {
    // Finding all projects costs money.
    if (data.engine.dialect.isRemote) return [];
    const { name } = parameters.find(isProject) ?? {};
    const given = bindScope(parameters, request.parameters, request.scope).get(name ?? '');
    const project = onlyText(given ?? '');
    if (!project) return [];
    const count = await countUnlessKnown(project, data);
    if (count === undefined) return [];
    const counted = `; ${count} ${count === 1 ? 'project is' : 'projects are'} known`;
    const known = request.scope.project === undefined ? counted : '';
    return [`no log has a record of this ${name}${known}`];
  }

  return async (data: ServedData, endpoint: Endpoint, request: Asked) => {
    const project = await unknownProject(endpoint, request, data);
    const reasons = [...misspelled(endpoint, catalog, request), ...project];
    return reasons.length === 0 ? undefined : reasons.join('; ');
  };
}

function isProject({ name, type, isList }: Endpoint['parameters'][number]): boolean {
  return name.toLowerCase() === 'project' && type === 'string' && !isList;
}

/**
 * Returns the given names that no endpoint declares and that differ by one letter from a name declared by this
 * endpoint.
 */
function misspelled(
  { parameters, sandbox }: Endpoint,
  { endpoints }: Catalog,
  { parameters: given, scope }: Asked,
): readonly string[] {
  const declared = [...parameters.map(({ name }) => name), ...(sandbox ? ['sql', 'lql'] : [])];
  const visible = endpoints.filter(({ name }) => scope.endpoints?.has(name) ?? true);
  const known = new Set(visible.flatMap((one) => one.parameters.map(({ name }) => name)));
  const unknown = [...given.keys()].filter((name) => !known.has(name) && !declared.includes(name));
  return unknown.flatMap((name) => {
    const meant = nearest(name, declared, 1);
    // A caller's text must not inject another header.
    return meant === undefined
      ? []
      : [`parameter ${name.replace(/[^!-~]/g, '?')} is ignored; did you mean ${meant}?`];
  });
}
