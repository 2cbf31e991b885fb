import type { World } from '../../scripts/worlds/interference.mjs';
import { createTailSlots } from '../../src/http/tail-slots.js';
import { createDescribeEndpoints } from '../../src/run/describe-endpoints.js';
import { createRunEndpoint, type RunEndpoint } from '../../src/run/run-endpoint.js';
import type { ServedData } from '../../src/run/serving.js';
import { createFollowTable } from '../../src/run/tail.js';
import { type OpenWorld, openFrontDoor, serveWorld, tokenHeaders } from './worlds.js';

/**
 * Opens tails in an open world: `parameters` are those of the request, and `last-event-id` its header. The answer is all
 * that comes until the filter has run twice: at first, and after the same records were served under another version.
 */
export function followWorld(world: OpenWorld): World {
  return async ({ endpoint, parameters, redact = false }) => {
    const { services, data } = serveWorld(world);
    const runs = countRuns(createRunEndpoint(services));
    const describeEndpoints = createDescribeEndpoints(services);
    const { runEndpoint } = runs;
    const follow = createFollowTable({ ...services, describeEndpoints, runEndpoint });
    const app = openFrontDoor(services, world.settings, { follow, slots: createTailSlots() });
    const { 'last-event-id': id = '', ...asked } = parameters;
    const response = await app.request(`/api/tail/${endpoint}?${new URLSearchParams(asked)}`, {
      headers: { ...tokenHeaders(redact), ...(id !== '' && { 'last-event-id': id }) },
    });
    const { status, headers } = response;
    if (status !== 200) return { status, headers, text: await response.text() };
    // A tail goes on only while its client reads.
    const reading = readUntil(response.body, runs.second);
    await services.serving.replace(otherVersion(data));
    return { status, headers, text: await reading };
  };
}

async function readUntil(body: Response['body'], end: Promise<void>): Promise<string> {
  const reader = body?.pipeThrough(new TextDecoderStream()).getReader();
  // The event of the last run is on its way.
  void end.then(() => setImmediate(() => reader?.cancel()));
  let text = '';
  for (;;) {
    const { value, done } = (await reader?.read()) ?? { value: undefined, done: true };
    if (done) return text;
    text += value;
  }
}

/** The same records, which nobody closes. */
function otherVersion(data: ServedData): ServedData {
  return { ...data, version: `${data.version} once more` };
}

/** `second` settles when two runs have ended. */
function countRuns(run: RunEndpoint) {
  let ended = 0;
  let settle = () => {};
  const second = new Promise<void>((resolve) => {
    settle = resolve;
  });
  const runEndpoint: RunEndpoint = async (request, onFailure) => {
    try {
      return await run(request, onFailure);
    } finally {
      ended += 1;
      if (ended === 2) settle();
    }
  };
  return { runEndpoint, second };
}
