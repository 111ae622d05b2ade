/** `PUT /v1/truth/{conversation}`: what is right for a conversation, before it is there or after it was scored. */
import { z } from 'zod';
import type { SuiteOutline } from '../../engine/suite-outline.ts';
import { isMapping, type Json } from '../../model/json.ts';
import type { Unavailable } from '../../report/http/answer.ts';
import { taskTruthRemark } from '../../score/expected/enough-truth.ts';
import { taskTruthMistake, whyNoTruth } from '../../score/expected/expected-actions.ts';
import { writing } from '../../report/http/route.ts';
import type { PutAnswer, StoreWrite } from '../scoring/store-writes.ts';

const CONVERSATION_MAX = 4096;

const EXPECTED = 'a mapping, such as {"participants": ["ana"]}, or null, which takes back what was put';
/** Truth from a body that was parsed as JSON, so its values are JSON. */
const truthSchema = z
  .custom<{ readonly [key: string]: Json } | null>((value) => value === null || isMapping(value), EXPECTED)
  .superRefine((truth, context) => {
    const unusable = whyNoTruth(truth);
    if (unusable !== undefined)
      context.addIssue({ code: 'custom', path: ['outputs'], message: `${unusable.expected}: ${unusable.problem}` });
  });

interface TruthSide {
  /** Running suites: where one of them reads the truth of a task, another form of it is a mistake. */
  readonly liveSuites: () => readonly SuiteOutline[];
  readonly put: (write: StoreWrite) => Promise<PutAnswer | Unavailable>;
}

export const putTruth = writing(truthSchema, async (side: TruthSide, truth, parameters) => {
  const conversation = parameters.get('conversation') ?? '';
  if (conversation === '' || conversation.length > CONVERSATION_MAX) {
    const error = `a conversation's id has 1 to ${CONVERSATION_MAX} characters`;
    return { status: 400, value: { error } };
  }
  const found = truth === null ? undefined : taskTruthMistake(truth);
  const mistake = found && `${found.problem}: expected ${found.expected}`;
  const reader = side.liveSuites().find((suite) => suite.readsTaskTruth);
  if (mistake !== undefined && reader !== undefined)
    return { status: 400, value: { error: `suite ${reader.name} cannot read this truth`, problems: [mistake] } };
  const answer = await side.put({ what: 'truth', conversation, truth: truth === null ? undefined : truth });
  if ('unavailable' in answer) return answer;
  if ('problem' in answer) return { status: 503, value: { error: answer.problem } };
  const remark = truth === null || reader === undefined ? undefined : taskTruthRemark(truth, reader);
  const warning =
    mistake === undefined
      ? remark && `suite ${reader?.name} cannot take it for a success: ${remark}`
      : `task-success would not read this truth: ${mistake}`;
  const warned = warning === undefined ? {} : { warning };
  return { status: 200, value: { conversation_id: conversation, changed: answer.changed > 0, ...warned } };
});
