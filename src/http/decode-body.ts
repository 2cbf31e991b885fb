import { sliceJson } from '../endpoint/slice-json.js';
import { type Fault, ServiceError } from '../errors.js';

/**
 * The parameters of a request's body: a JSON object, or a form. An empty body has none, whatever it says it is.
 * @throws ServiceError `invalid`: another content type, broken JSON, a parameter that is an object or array
 */
export async function decodeBody(
  request: Request,
): Promise<readonly (readonly [string, string])[]> {
  if (request.method !== 'POST') return [];
  const header = request.headers.get('content-type') ?? '';
  const type = header.split(';', 1)[0]?.trim().toLowerCase();
  const body = await request.blob();
  if (body.size === 0) return [];
  if (type === 'multipart/form-data') return decodeForm(await readForm(body, header));
  const text = await body.text();
  if (type === 'application/json') return decodeJson(text);
  if (type === 'application/x-www-form-urlencoded') return [...new URLSearchParams(text)];
  const message =
    'The content type of a body must be application/json, application/x-www-form-urlencoded or multipart/form-data';
  throw new ServiceError('invalid', message, { location: 'content-type' });
}

async function readForm(body: Blob, type: string): Promise<FormData> {
  try {
    return await new Response(body, { headers: { 'content-type': type } }).formData();
  } catch (cause) {
    throw new ServiceError('invalid', 'The body is no form', { location: 'body', cause });
  }
}

function decodeForm(form: FormData): readonly (readonly [string, string])[] {
  return [...form].map(([name, value]) => {
    if (typeof value === 'string') return [name, value];
    throw new ServiceError('invalid', `Parameter ${name} must not be a file`, { location: name });
  });
}

function decodeJson(text: string): readonly (readonly [string, string])[] {
  if (!isObject(parseJson(text))) throw notJson();
  const faults: Fault[] = [];
  const values = sliceJson(text).flatMap(
    ({ name, raw }): readonly (readonly [string, string])[] => {
      if (raw === 'null') return [];
      if (raw.startsWith('"')) return [[name, JSON.parse(raw)]];
      if (!/^[{[]/.test(raw)) return [[name, raw]];
      const message = `Invalid value for parameter ${name}: must not be an object or an array`;
      faults.push({ reason: 'invalid', message, location: name });
      return [];
    },
  );
  const [first, ...others] = faults;
  if (first !== undefined) throw ServiceError.of([first, ...others]);
  return values;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw notJson(cause);
  }
}

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function notJson(cause?: unknown): ServiceError {
  return new ServiceError('invalid', 'The body must be a JSON object', { location: 'body', cause });
}
