/**
 * `DELETE /api/v1/conversations/{conversation}` and `POST /api/v1/forget`: what a person asks to be forgotten. A user is
 * named in the body, because addresses are written to logs of proxies.
 */
import { z } from 'zod';
import type { AuditLine } from '../../access/audit-log.ts';
import type { UserForms } from '../forgetting/user-forms.ts';
import { keyHash } from '../../store/key-hash.ts';
import {
  type Answer,
  jsonAnswer,
  mistakesAnswer,
  type Unavailable,
  unavailableAnswer,
} from '../../report/http/answer.ts';
import type { Route } from '../../report/http/route.ts';
import { askedConversation, type ForgetRequest, type ForgetResult } from '../forgetting/forget.ts';
import { text } from '../../api/shapes.ts';

export interface ForgetSide {
  readonly forget: (request: ForgetRequest) => Promise<ForgetResult | Unavailable | { readonly problem: string }>;
  readonly userForms: UserForms;
  readonly audit: { write(line: AuditLine): void };
}

type Write = Extract<Route<ForgetSide>, { may: 'write' }>['handle'];

const ID_MAX = 4096;
const BODY_BYTES_MAX = 65_536;

const optionsSchema = z.strictObject({
  dry_run: z.boolean().default(false),
  drop_set_aside: z.boolean().default(false),
});
const bodySchema = z
  .strictObject({ conversation: text(ID_MAX).optional(), user: text(ID_MAX).optional(), ...optionsSchema.shape })
  .refine(({ conversation, user }) => (conversation === undefined) !== (user === undefined), {
    message: 'either a conversation or a user',
  });
const yesOrNo = z.enum(['true', 'false']).transform((written) => written === 'true');
const querySchema = z.strictObject({ dry_run: yesOrNo.default(false), drop_set_aside: yesOrNo.default(false) });

export const forgetConversation: Write = {
  bodyBytesMax: 0,
  write: async (side, _body, parameters, { request, caller, client }) => {
    const given = Object.fromEntries(new URL(request.url ?? '/', 'http://assay').searchParams);
    const query = querySchema.safeParse(given);
    if (!query.success) return mistakesAnswer('query', query.error, given);
    const id = parameters.get('conversation') ?? '';
    if (id === '' || id.length > ID_MAX)
      return jsonAnswer(400, { error: `a conversation's id has 1 to ${ID_MAX} characters` });
    return answerOf(side, { ...query.data, conversation: id }, { who: caller?.name, gone: client.gone });
  },
};

export const forgetNamed: Write = {
  bodyBytesMax: BODY_BYTES_MAX,
  write: async (side, body, _parameters, { caller, client }) => {
    const parsed = bodySchema.safeParse(body);
    if (!parsed.success) return mistakesAnswer('body', parsed.error, body);
    return answerOf(side, parsed.data, { who: caller?.name, gone: client.gone });
  },
};

interface Asked {
  readonly conversation?: string | undefined;
  readonly user?: string | undefined;
  readonly dry_run: boolean;
  readonly drop_set_aside: boolean;
}

interface By {
  readonly who: string | undefined;
  readonly gone: AbortSignal;
}

async function answerOf(side: ForgetSide, asked: Asked, { who, gone }: By): Promise<Answer> {
  const { conversation, user, dry_run: dryRun, drop_set_aside: dropSetAside } = asked;
  const about = {
    conversation: conversation === undefined ? undefined : askedConversation(conversation),
    users: user === undefined ? [] : side.userForms(user),
  };
  const result = await side.forget({ about, dryRun, dropSetAside, gone });
  if ('unavailable' in result) return unavailableAnswer(result);
  if ('problem' in result) return jsonAnswer(503, { error: result.problem });
  if (!dryRun && result.is !== 'refused') side.audit.write(auditLine(result, { who, conversation }));
  return jsonAnswer(STATUS[result.is], forgetJson(result));
}

const STATUS = {
  forgotten: 200,
  'would-be-forgotten': 200,
  refused: 409,
  unfinished: 503,
} satisfies Record<ForgetResult['is'], number>;

/** When, who and how many; of the conversation a hash, of a user nothing, because hashes of addresses can be tried out. */
export function auditLine(
  result: ForgetResult,
  { who, conversation }: { readonly who: string | undefined; readonly conversation: string | undefined },
): AuditLine {
  return {
    what: 'forgot',
    ...(who === undefined ? {} : { who }),
    ...('conversations' in result ? { conversations: String(result.conversations) } : { why: 'unfinished' }),
    ...(conversation === undefined ? {} : { hash: keyHash(`conversation:${conversation}`).toString('hex') }),
  };
}

export function forgetJson(result: ForgetResult): unknown {
  if (result.is === 'refused')
    return {
      error:
        'files were set aside after damage and may hold what is to be forgotten: read them back (assay journal recover), ' +
        'then say drop_set_aside, which removes them',
      problems: result.files,
    };
  if (result.is === 'unfinished') return { error: `deleted, but not gone from all files: ${result.why}` };
  const { conversations, said, experimentRuns, setAsideFiles } = result;
  return {
    forgotten: result.is === 'forgotten',
    conversations,
    ground_truths: said.truths,
    readings: said.readings,
    labels: said.labels,
    feedback: said.feedback,
    experiment_runs: experimentRuns,
    set_aside_files: setAsideFiles,
  };
}
