import type { Settings } from '../config/settings.js';
import { printTokenLine, readTokenLine } from '../config/token-file.js';
import { makeToken } from '../config/tokens.js';
import { SetupError } from '../errors/errors.js';

/**
 * Returns a line for the tokens file with a new token.
 * @throws SetupError for an action other than `new`, and for values that a line cannot contain
 */
export function newToken(settings: Settings, action: string): string {
  if (action !== 'new')
    throw new SetupError([`Unknown action for tokens: ${action}; expected new`]);
  const { name, project, endpoint } = settings;
  const endpoints = endpoint?.flatMap((text) => text.split(','));
  const line = printTokenLine(makeToken(), { name, project, endpoints });
  const { faults } = readTokenLine(line);
  if (faults.length > 0) throw new SetupError(faults);
  return `${line}\n`;
}
