/** A stored conversation with its evaluations, for the questions that need the suites; an answer says why there is none. */
import { ConversationSource, type UnderstoodConversation } from '../../backtest/conversation-source.ts';
import type { Evaluation } from '../../model/evaluation.ts';
import { type Answer, jsonAnswer } from '../../report/http/answer.ts';
import type { CompiledSuite } from '../../score/suite/suite.ts';
import { noSuchConversation } from '../api/v1/no-such-conversation.ts';
import type { ServiceReader } from '../store-place/open-reader.ts';

export interface SuiteSide {
  readonly reader: ServiceReader;
  /** Live ones. */
  readonly suites: readonly CompiledSuite[];
}

interface StoredConversation extends UnderstoodConversation {
  /** The latest of each live suite and turn. */
  readonly evaluations: readonly Evaluation[];
}

export async function storedConversation(id: string, { reader }: SuiteSide): Promise<StoredConversation | Answer> {
  const row = await reader.find(id);
  if (row === undefined) return noSuchConversation(id);
  const source = await new ConversationSource({ reader, idKeys: undefined, truth: undefined }).of(row);
  if (source === 'spans-not-kept') return jsonAnswer(409, { error: 'its spans are not kept any more' });
  if (source === 'not-understood')
    return jsonAnswer(409, { error: 'its spans are not understood by this version of Assay' });
  const evaluations = await reader.evaluations(row, { revisions: 'last' });
  return { ...source, evaluations: evaluations.filter(({ shadow }) => shadow !== true) };
}
