import type { Endpoint } from '../endpoint/endpoint.js';
import { ServiceError, shortName } from '../errors/errors.js';
import { type Format, formatNames, formats } from '../formats/formats.js';

/** The formats that a request asks for. */
export interface FormatWish {
  /** The value of the parameter `format`; empty if there is none. */
  readonly named: string;
  /** The format preferred by the `Accept` header; undefined if it accepts none. */
  readonly accepted: Format | undefined;
}

/**
 * Chooses the format of a response. The parameter takes precedence over the header, unless the endpoint declares it.
 * @throws ServiceError `notAcceptable`, with the available formats
 */
export function chooseFormat(
  { named, accepted }: FormatWish,
  { parameters }: Pick<Endpoint, 'parameters'>,
): Format {
  const isOwn = parameters.some(({ name }) => name.toLowerCase() === 'format');
  if (named !== '' && !isOwn) {
    const format = formatNames.find((name) => name === named.toLowerCase());
    if (format !== undefined) return format;
    const message = `Unknown format: ${shortName(named)}; it must be one of ${formatNames.join(', ')}`;
    throw new ServiceError('notAcceptable', message, { location: 'format' });
  }
  if (accepted !== undefined) return accepted;
  const types = formatNames.map((name) => formats[name].contentType.split(';')[0]);
  throw new ServiceError(
    'notAcceptable',
    `The Accept header takes none of the formats: it must allow one of ${types.join(', ')}`,
    { location: 'Accept' },
  );
}
