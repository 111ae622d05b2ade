/** Who may change something through the API. */
import { readSecret, type SecretPlaces } from './secrets.ts';
import type { Sources } from './sources.ts';

export interface HttpSettings {
  /** Undefined: only programs on this machine may write. */
  readonly writeToken: string | undefined;
}

const expected = 'at least 16 letters, digits and other visible ASCII characters, such as `openssl rand -hex 32` gives';

export function readHttp(sources: Sources, places: SecretPlaces): HttpSettings {
  const writeToken = readSecret(sources, places, 'http.write_token', 'ASSAY_HTTP_WRITE_TOKEN');
  if (writeToken === undefined || /^[\x21-\x7e]{16,}$/.test(writeToken)) return { writeToken };
  // The value is a secret, and is not repeated.
  sources.mistake({ key: 'http.write_token' }, 'file', 'the token can not be used', expected);
  return { writeToken: undefined };
}
