/**
 * `POST /api/v1/versions/check`: what `GET /api/v1/versions/compare` says of a release, as a webhook wants it. A rollout
 * reads the status alone.
 */
import { type VersionCheck, versionCheck, versionChecked } from '../../api/version-check.ts';
import type { ReleaseDecision } from '../../model/release.ts';
import { versionsCompared } from '../../api/versions.ts';
import { type Answer, jsonAnswer } from '../../report/http/answer.ts';
import { ask, asking, type Route } from '../../report/http/route.ts';
import { compareVersions } from '../api/v1/version-compare.ts';
import type { Comparing } from './comparing.ts';

export interface VersionCheckSide {
  readonly comparing: Pick<Comparing, 'answer'>;
}

const SAYS_YES: Readonly<Record<VersionCheck['asks'], readonly ReleaseDecision[]>> = {
  may_go_on: ['promote', 'hold'],
  may_promote: ['promote'],
  should_roll_back: ['roll_back'],
};

export const VERSION_CHECK_ROUTES: readonly Route<VersionCheckSide>[] = [
  ask(
    '/api/v1/versions/check',
    `{metadata: {agent, version, against, asks?: may_go_on|may_promote|should_roll_back, suite?, environment?, since?, smallest?, evidence?, cases?}}
200 is yes, 409 is no: a webhook for rollouts, with the decision and its reason`,
    { body: versionCheck, answer: versionChecked },
    asking(versionCheck, async ({ comparing }: VersionCheckSide, { metadata }, { client }) => {
      const { asks, version: b, against: a, ...rest } = metadata;
      const given = Object.entries({ ...rest, a, b }).filter((one): one is [string, string] => one[1] !== undefined);
      const job = {
        what: 'route' as const,
        path: compareVersions.path,
        query: new URLSearchParams(given).toString(),
        parameters: [],
      };
      const answer = await comparing.answer({ job, from: client.from, signal: client.gone });
      if (answer.status !== 200) return answer;
      const { release, suite, a: before } = versionsCompared.parse(JSON.parse(textOf(answer)));
      // A wrong name would let each version go on.
      if (before.conversations === 0) return jsonAnswer(404, { error: nothingOf(metadata, suite) });
      const { decision, sentence } = release;
      return jsonAnswer(SAYS_YES[asks].includes(decision) ? 200 : 409, { decision, sentence });
    }),
  ),
];

function nothingOf({ agent, against, environment }: VersionCheck, suite: string): string {
  const where = environment === undefined ? '' : ` in ${environment}`;
  return `no conversation of version ${against} of ${agent}${where} was scored by ${suite}: are these their names?`;
}

function textOf({ body }: Answer): string {
  return typeof body === 'string' ? body : Buffer.from(body).toString();
}
