import type { Hono } from 'hono';
import type { EndpointDescription } from '../run/describe-endpoints.js';
import { describeFunctions } from '../run/describe-functions.js';
import { clientAddress, type Env, refuseMethod } from './app-env.js';
import type { Caller } from './authenticate.js';
import { openApiDocument } from './openapi.js';
import { createReadyBodies, type ReadyBody, readyBody, sendReady } from './ready-body.js';
import type { AppServices } from './service-app.js';
import type { TakeTurn } from './turns.js';

type Described = readonly EndpointDescription[];

/** If none of a token's endpoints has this parameter, the token sees no projects. */
const isProject = ({ name }: { readonly name: string }) => name.toLowerCase() === 'project';

/**
 * Adds the routes that describe the endpoints of a token, the current contents of their tables, and the functions
 * that queries may call. Their bodies are cached for each scope until the endpoints or the logs change, so that a
 * request costs only the sending.
 */
export function addDescriptionRoutes(
  app: Hono<Env>,
  options: AppServices,
  takeTurn: TakeTurn,
): void {
  const { authenticate, describeEndpoints, listProjects, headerPrefix } = options;
  const functions = readyBody({ functions: describeFunctions() });
  const tail = options.tails !== undefined;
  const catalog = createReadyBodies(
    (endpoints: Described) => ({ endpoints, tail, now: options.fixedNow }),
    () => options.fixedNow,
  );
  const openApi = createReadyBodies((endpoints: Described) => {
    return openApiDocument(endpoints, { headerPrefix, tail });
  });
  type MakeBody = (caller: Caller, signal: AbortSignal) => Promise<ReadyBody>;
  const bodies: Readonly<Record<string, MakeBody>> = {
    '/api/endpoints': async ({ scope }) => catalog(await describeEndpoints(scope)),
    '/api/functions': async () => functions,
    '/api/projects': async (caller, signal) => {
      const endpoints = await describeEndpoints(caller.scope);
      const isAsked = endpoints.some(({ parameters }) => parameters.some(isProject));
      return readyBody({ projects: isAsked ? await listProjects(caller, signal) : [] });
    },
    '/api/openapi.json': async ({ scope }) => openApi(await describeEndpoints(scope)),
  };
  for (const [path, bodyFor] of Object.entries(bodies)) {
    app.get(path, async (c) => {
      const caller = authenticate(c.req.raw.headers, clientAddress(c));
      await takeTurn(caller.id, c.req.raw.signal);
      return sendReady(c, await bodyFor(caller, c.req.raw.signal));
    });
    app.all(path, refuseMethod('GET, HEAD'));
  }
}
