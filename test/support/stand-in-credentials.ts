import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** The token that {@link environmentOf}'s credentials ask for at `/token`. */
export function tokenFor(seconds: number): object {
  const issued = 'urn:ietf:params:oauth:token-type:access_token';
  const token = { access_token: 'stand-in', expires_in: seconds, token_type: 'Bearer' };
  return { ...token, issued_token_type: issued };
}

/**
 * Credentials that exchange a file's text for a token of the stand-in.
 * @see https://google.aip.dev/auth/4117
 */
export function environmentOf(url: string): Readonly<Record<string, string>> {
  const folder = mkdtempSync(join(tmpdir(), 'stand-in-'));
  const subject = join(folder, 'subject');
  writeFileSync(subject, 'a subject token');
  const credentials = join(folder, 'credentials.json');
  const external = {
    type: 'external_account',
    audience:
      '//iam.googleapis.com/projects/1/locations/global/workloadIdentityPools/a/providers/b',
    subject_token_type: 'urn:ietf:params:oauth:token-type:jwt',
    token_url: `${url}/token`,
    credential_source: { file: subject },
  };
  writeFileSync(credentials, JSON.stringify(external));
  return {
    BIGQUERY_EMULATOR_HOST: url,
    GOOGLE_APPLICATION_CREDENTIALS: credentials,
    GOOGLE_CLOUD_PROJECT: 'stand-in',
  };
}
