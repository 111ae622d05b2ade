/** Settings of write access to the API. */
import { secret } from './secrets.ts';
import { section } from './section.ts';

const expected = 'at least 16 letters, digits and other visible ASCII characters, such as `openssl rand -hex 32` gives';

export const HTTP = section('reload', 'The API.', {
  writeToken: secret(
    { key: 'http.write_token', variable: 'ASSAY_HTTP_WRITE_TOKEN' },
    'Token of clients that may write; without one only programs on this machine may (see below).',
  ),
}).build(({ writeToken }, sources) => {
  if (writeToken === undefined || /^[\x21-\x7e]{16,}$/.test(writeToken)) return { writeToken };
  // The value is a secret, and is not repeated.
  sources.mistake('http.write_token', 'the token cannot be used', expected);
  return { writeToken: undefined };
});
