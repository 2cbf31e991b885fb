import { type Fault, ServiceError, shortName } from '../errors/errors.js';
import { readJsonList } from '../values/json-list.js';
import { parseShallow, scalarText, sliceJson } from '../values/slice-json.js';
import { limitElements, limitForm, limitMembers, limitParts } from './count-pairs.js';

/** A parameter in a body: its name, and its string or the elements of a JSON array. */
export type BodyPair = readonly [string, string | readonly string[]];

/**
 * Decodes the parameters in a request's body, which is a JSON object or a form. An empty body has none, whatever its
 * content type. A repeated name appears several times. `whenRead` is awaited between reading and decoding.
 * @throws ServiceError `bodyTooLarge` for more than 100 parameters; `invalid` for another content type, broken JSON,
 * a parameter that is an object, an array with elements other than strings, numbers and booleans, or arrays with more
 * than 10,000 elements
 */
export async function decodeBody(
  request: Request,
  whenRead = async () => {},
): Promise<readonly BodyPair[]> {
  if (request.method !== 'POST') return [];
  const header = request.headers.get('content-type') ?? '';
  const type = header.split(';', 1)[0]?.trim().toLowerCase();
  const body = Buffer.from(await request.arrayBuffer());
  if (body.length === 0) return [];
  await whenRead();
  if (type === 'multipart/form-data') return decodeForm(body, header);
  const text = new TextDecoder().decode(body);
  if (type === 'application/json') return decodeJson(text);
  if (type === 'application/x-www-form-urlencoded') {
    limitForm(text);
    return [...new URLSearchParams(text)];
  }
  const message =
    'The content type of a body must be application/json, application/x-www-form-urlencoded or multipart/form-data';
  throw new ServiceError('invalid', message, { location: 'content-type' });
}

async function decodeForm(body: Buffer<ArrayBuffer>, type: string): Promise<readonly BodyPair[]> {
  limitParts(body, type);
  const response = new Response(body, { headers: { 'content-type': type } });
  const form = await response.formData().catch((cause: unknown) => {
    throw new ServiceError('invalid', 'The body is not a valid form', { location: 'body', cause });
  });
  return [...form].map(([name, value]) => {
    if (typeof value === 'string') return [name, value];
    throw new ServiceError('invalid', `Parameter ${shortName(name)} must not be a file`, {
      location: name,
    });
  });
}

function decodeJson(text: string): readonly BodyPair[] {
  if (!text.trimStart().startsWith('{')) throw notJson();
  limitMembers(text);
  // Refuse nested values before JSON.parse, which is slow on thousands of brackets.
  const members = parse(() => sliceJson(text));
  limitElements(members);
  const pairs = members.map(({ name, raw }) => [name, raw, readJsonList(raw)] as const);
  refuseNested(pairs.flatMap(([name, raw, list]) => (/^[{[]/.test(raw) && !list ? [name] : [])));
  parse(() => parseShallow(text));
  return pairs.flatMap(([name, raw, list]): readonly BodyPair[] => {
    if (raw === 'null') return [];
    return [[name, list ?? scalarText(raw)]];
  });
}

function refuseNested(names: readonly string[]): void {
  const [first, ...others] = names.map((name): Fault => {
    const message = `Invalid value for parameter ${shortName(name)}: must not be an object, or an array of other things than texts, numbers and booleans`;
    return { reason: 'invalid', message, location: name };
  });
  if (first !== undefined) throw ServiceError.of([first, ...others]);
}

function parse<T>(work: () => T): T {
  try {
    return work();
  } catch (cause) {
    throw notJson(cause);
  }
}

function notJson(cause?: unknown): ServiceError {
  return new ServiceError('invalid', 'The body must be a JSON object', { location: 'body', cause });
}
