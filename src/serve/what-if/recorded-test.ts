/** A stored conversation as a test of a suite (`src/learn/written-test.ts`). */
import { writtenTest } from '../../learn/written-test.ts';
import { worstOf } from '../../model/worst-first.ts';
import { retell } from '../../mutate/retell.ts';
import { type Answer, jsonAnswer } from '../../report/http/answer.ts';
import { type SuiteSide, storedConversation } from './stored-conversation.ts';
import type { SuiteQuestion } from './what-if-protocol.ts';

export async function writeAsTest(
  { conversation: id, suite: name, turn }: Extract<SuiteQuestion, { readonly is: 'test' }>,
  side: SuiteSide,
): Promise<Answer> {
  const stored = await storedConversation(id, side);
  if ('status' in stored) return stored;
  const evaluation = worstOf(
    stored.evaluations.filter(
      (one) => (name === undefined || one.suite === name) && (turn === undefined || one.turnId === turn),
    ),
  );
  const suite = side.suites.find((one) => one.name === evaluation?.suite);
  if (evaluation === undefined || suite === undefined)
    return refused(name === undefined ? 'no live suite has scored it' : `the live suite ${name} has not scored it`);
  const asked = stored.whole.turns.find((one) => one.id === evaluation.turnId);
  const conversation = asked === undefined ? stored.whole : stored.alone(asked);
  const excerpt = retell(conversation);
  if (typeof excerpt === 'string') return refused(excerpt);
  const written = writtenTest({ conversation, excerpt, evaluation, suite });
  return typeof written === 'string' ? refused(written) : { status: 200, type: YAML_TYPE, body: written.text };
}

const YAML_TYPE = 'application/yaml; charset=utf-8';

function refused(why: string): Answer {
  return jsonAnswer(409, { error: `the conversation cannot be written as a test: ${why}` });
}
