/** Leaves the page: the token of this tab is forgotten, and a session is ended. */
import { ask } from './ask.ts';
import { forgetToken, keptToken } from './token.ts';

/** Where a session ends. A role that may see nothing is not told this address by `/api/me`. */
const SESSION_ENDS = '/auth/logout';

export async function signOut(): Promise<void> {
  if (keptToken() === undefined) await ask(SESSION_ENDS, { method: 'POST' });
  else forgetToken();
  location.reload();
}
