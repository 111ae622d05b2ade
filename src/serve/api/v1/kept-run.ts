/**
 * `GET /api/v1/golden/{conversation...}` and `GET /api/v1/case/{conversation...}`: a conversation to keep, as the draft of a
 * golden trace or as a case of a dataset. They are files for a repository, where people look them over; the service
 * itself keeps none.
 */
import { ConversationSource } from '../../../backtest/conversation-source.ts';
import { caseLine, type LeftOut, recordedCase } from '../../../engine/recorded-case.ts';
import type { Conversation } from '../../../model/conversation.ts';
import { type Answer, jsonAnswer } from '../../../report/http/answer.ts';
import { type Question, type RemoteRead, readStored } from '../../../report/http/route.ts';
import { draftGolden } from '../../../score/trajectory/draft-golden.ts';
import type { ConversationRow } from '../../../store/conversation-row.ts';
import { noSuchConversation } from './no-such-conversation.ts';
import type { V1Side } from './v1-side.ts';

type Side = Pick<V1Side, 'reader'>;

export const getGoldenDraft: RemoteRead<Side> = readStored(
  '/api/v1/golden/{conversation...}',
  'a conversation as the draft of a golden trace, in YAML: docs/score/golden-traces.md',
  async (side: Side, question) =>
    ofConversation(side, question, (conversation) => fileAnswer('application/yaml', draftGolden(conversation))),
);

export const getDatasetCase: RemoteRead<Side> = readStored(
  '/api/v1/case/{conversation...}',
  'a conversation as a case of a dataset, a line of JSON: docs/score/datasets.md',
  async (side: Side, question) =>
    ofConversation(side, question, async (conversation, row) => {
      const evaluations = await side.reader.evaluations(row, { revisions: 'last' });
      const found = recordedCase(conversation, row, evaluations);
      if (typeof found === 'string') return cannotBeKept(REASONS[found]);
      return fileAnswer('application/jsonl', `${caseLine(found)}\n`);
    }),
);

const REASONS = {
  not_recorded: 'what the user said was not recorded',
  truncated: 'what the user said was recorded in part',
  redacted: 'what the user said was withheld',
  not_kept: 'its spans are not kept any more',
} as const satisfies Record<LeftOut, string>;

async function ofConversation(
  { reader }: Side,
  { parameters }: Question,
  answer: (conversation: Conversation, row: ConversationRow) => Answer | Promise<Answer>,
): Promise<Answer> {
  const id = parameters.get('conversation') ?? '';
  const row = await reader.find(id);
  if (row === undefined) return noSuchConversation(id);
  const source = await new ConversationSource({ reader, idKeys: undefined, truth: undefined }).of(row);
  if (source === 'spans-not-kept') return cannotBeKept(REASONS.not_kept);
  if (source === 'not-understood') return cannotBeKept('its spans are not understood by this version of Assay');
  return answer(source.whole, row);
}

function cannotBeKept(why: string): Answer {
  return jsonAnswer(409, { error: `the conversation cannot be kept as a run: ${why}` });
}

function fileAnswer(type: string, body: string): Answer {
  return { status: 200, type: `${type}; charset=utf-8`, body };
}
