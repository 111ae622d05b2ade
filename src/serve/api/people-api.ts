/** `/api/me`, and the routes by which people sign in and out. */
import type { IncomingMessage } from 'node:http';
import type { SignIn } from '../../access/sign-in.ts';
import type { Sessions } from '../../access/sessions.ts';
import { headOfRequest } from '../../listen/request-head.ts';
import type { RequestHead } from '../../model/access.ts';
import { type Answer, jsonAnswer, redirectAnswer } from '../../report/http/answer.ts';
import { type Route, read, write } from '../../report/http/route.ts';

export interface People {
  readonly signIn: Pick<SignIn, 'begin' | 'finish'>;
  readonly sessions: Pick<Sessions, 'end'>;
  /** Called for the audit log. */
  readonly onSignedOut: (head: RequestHead, name: string) => void;
}

/** Undefined where nobody can sign in. */
interface PeopleSide {
  readonly people: People | undefined;
}

const BODY_BYTES_MAX = 1024;
const NOBODY: Answer = jsonAnswer(404, { error: 'nobody signs in here: access.oidc is not configured' });

export const PEOPLE_ROUTES: readonly Route<PeopleSide>[] = [
  read('/api/me', 'who you are for Assay, and what you may do', ({ people }, { caller }) =>
    jsonAnswer(200, {
      name: caller?.name,
      by: caller?.by,
      roles: caller?.roles,
      sign_out: people !== undefined && caller?.by === 'session' ? '/auth/logout' : null,
    }),
  ),
  read(
    '/auth/login',
    '?return_to=/ sign in, where access.oidc is configured',
    async ({ people }, { query }) =>
      people === undefined ? NOBODY : answerOf(await people.signIn.begin(query.get('return_to') ?? undefined)),
    { takes: 'nothing' },
  ),
  read(
    '/auth/callback',
    'where the identity provider sends people back to',
    async ({ people }, { query, request }) =>
      people === undefined ? NOBODY : answerOf(await people.signIn.finish(query, headOfRequest('http', request))),
    { takes: 'nothing' },
  ),
  write(
    'POST',
    '/auth/logout',
    '{}: sign out',
    { takes: 'nothing' },
    {
      bodyBytesMax: BODY_BYTES_MAX,
      write: async ({ people }, _body, _parameters, { request }) =>
        people === undefined ? NOBODY : signOut(people, request),
    },
  ),
];

function answerOf(signedIn: Awaited<ReturnType<SignIn['begin']>>): Answer {
  const cookies = { 'set-cookie': [...signedIn.cookies] };
  if ('to' in signedIn) return redirectAnswer(signedIn.to, cookies);
  const { status, problem, retryAfterSeconds } = signedIn;
  const wait = retryAfterSeconds === undefined ? {} : { 'retry-after': String(retryAfterSeconds) };
  return jsonAnswer(status, { error: problem }, { ...cookies, ...wait });
}

async function signOut({ sessions, onSignedOut }: People, request: IncomingMessage): Promise<Answer> {
  const head = headOfRequest('http', request);
  const ended = await sessions.end(head);
  if ('refused' in ended) return jsonAnswer(403, { error: 'pages of other sites may not use this session' });
  if (ended.name !== undefined) onSignedOut(head, ended.name);
  return jsonAnswer(200, { signed_out: true }, { 'set-cookie': [ended.cookie] });
}
