/**
 * Remarks on a suite without mistakes: what it cannot know, whether a crash or failing every criterion can fail it, which
 * criteria always answer the same, and which critical criterion a renamed field would switch off. The first is known from
 * what its criteria are about, the second by evaluating two conversations, the others from what its expressions read.
 */
import type { Conversation } from '../model/conversation.ts';
import { BARE_EXCERPT, type Excerpt, type ExcerptTurn } from '../model/excerpt.ts';
import { claimsTask, isFailure, isInSuccessRate } from '../model/severity.ts';
import { evaluate } from '../score/suite/evaluate.ts';
import { barsSuccess } from '../score/suite/outcome.ts';
import { toExcerpt } from '../score/subject/sentences.ts';
import type { CompiledCriterion, CompiledSuite } from '../score/suite/suite.ts';
import { excerptRequest } from '../score/suite-test/excerpt-request.ts';
import { formatMillionths, ONE } from '../score/subject/weigh.ts';
import { recordedRequest } from './recording.ts';
import { understandRecorded } from '../engine/recorded/understand-recording.ts';

interface SuiteRemark {
  readonly suite: string;
  readonly says: string;
}

const NO_ANSWER: ExcerptTurn = {
  user: 'Please help me.',
  calls: [],
  answer: undefined,
  finish: 'stop',
  error: 'the model did not answer',
  state: undefined,
};
const ANSWERED: ExcerptTurn = { ...NO_ANSWER, answer: 'Here it is.', error: undefined };
const HANDED_OVER: ExcerptTurn = {
  ...ANSWERED,
  calls: [[{ tool: 'transfer_to_human', args: {}, result: 'ok', error: undefined }]],
};

const ABOUT = {
  form: 'form only: says nothing about whether the task was done. Add a criterion with truth, a judge, a golden trace, or a check of your own',
  rules: 'rules only: says nothing about whether the task was done, as `about: rules` or its checks have it',
  task: undefined,
} as const;

export async function suiteRemarks(suites: readonly CompiledSuite[]): Promise<readonly SuiteRemark[]> {
  const crash = await conversationOf(NO_ANSWER);
  const answered = await conversationOf(ANSWERED);
  const handedOver = await conversationOf(HANDED_OVER);
  return suites.flatMap((suite) => {
    const says: string[] = [];
    const about = ABOUT[suite.about];
    if (about !== undefined) says.push(about);
    if (suite.about === 'form') says.push(...formOnly(suite.criteria));
    const turnId = suite.scope === 'turn' ? crash.turns[0]?.id : undefined;
    const { outcome, score } = evaluate(suite, { conversation: crash, turnId, revision: 1 });
    if (score === undefined) says.push('a conversation that ends without an answer is unscored: crashes leave its TCR');
    else if (score === ONE || !isFailure(outcome))
      says.push(`a conversation that ends without an answer comes to ${outcome} with score ${formatMillionths(score)}`);
    says.push(...successWhateverFails(suite, answered), ...handedOverWhateverPasses(suite, handedOver));
    says.push(...suite.criteria.flatMap(constant), ...suite.criteria.flatMap(switchedOffBy));
    if (suite.about !== 'form') says.push(...mayFail(suite.criteria));
    return says.map((one) => ({ suite: suite.name, says: one }));
  });
}

async function conversationOf(turn: ExcerptTurn): Promise<Conversation> {
  const excerpt: Excerpt = {
    ...BARE_EXCERPT,
    turns: [turn],
  };
  const { conversations } = await understandRecorded(recordedRequest(excerptRequest(excerpt, undefined), 'a remark'));
  const [conversation] = conversations;
  if (conversation === undefined) throw new Error('suite remarks: the excerpt is no conversation');
  return conversation;
}

/** Outcome rules are asked in order: one for a success that holds at any score hides the others. */
function successWhateverFails(suite: CompiledSuite, answered: Conversation): readonly string[] {
  const failing = suite.criteria
    .filter(({ capsAt }) => capsAt === undefined)
    .map((criterion) => ({ ...criterion, needs: [], when: undefined, judged: undefined, check: () => false }));
  if (failing.length === 0) return [];
  const turnId = suite.scope === 'turn' ? answered.turns[0]?.id : undefined;
  const { outcome, score } = evaluate({ ...suite, criteria: failing }, { conversation: answered, turnId, revision: 1 });
  if (score === undefined || !claimsTask(outcome)) return [];
  return [
    `an answered conversation that fails every criterion comes to ${outcome} with score ${formatMillionths(score)}: the first outcome whose \`when\` holds wins, so put a bound such as \`completed && score >= 0.75\` on it`,
  ];
}

/** Likewise, one for a hand-over that comes before that for a success. */
function handedOverWhateverPasses(suite: CompiledSuite, handedOver: Conversation): readonly string[] {
  if (suite.about !== 'task') return [];
  const passing = suite.criteria.map((criterion) => ({
    ...criterion,
    needs: [],
    when: undefined,
    judged: undefined,
    check: () => true,
  }));
  const turnId = suite.scope === 'turn' ? handedOver.turns[0]?.id : undefined;
  const done = { ...suite, completed: () => true, failed: () => false, criteria: passing };
  const { outcome, score } = evaluate(done, { conversation: handedOver, turnId, revision: 1 });
  if (score === undefined || isInSuccessRate(outcome)) return [];
  return [
    `a conversation that was handed over comes to ${outcome} even where every criterion passes: put the rule for a success before that one`,
  ];
}

function constant({ name, isConstant }: CompiledCriterion): readonly string[] {
  if (!isConstant) return [];
  return [
    `'${name}' has a \`check\` or \`when\` that reads nothing of the conversation: its answer is always the same`,
  ];
}

function formOnly(criteria: readonly CompiledCriterion[]): readonly string[] {
  const names = criteria.filter(({ readsFormOnly }) => readsFormOnly).map(({ name }) => name);
  if (names.length === 0) return [];
  return [
    `${names.join(', ')}: reads only the answer, errors or counts, which is form and gives no band. Compare the answer with truth, the request or what tools returned, or say \`about: task\` where these alone show that the task was done`,
  ];
}

function mayFail(criteria: readonly CompiledCriterion[]): readonly string[] {
  const names = criteria.filter(
    (criterion) => criterion.about !== 'form' && criterion.capsAt === undefined && !barsSuccess(criterion),
  );
  if (names.length === 0) return [];
  return [
    `${names.map(({ name }) => name).join(', ')}: a conversation that fails it may be a success all the same, because of \`critical: false\` or a weight of 0`,
  ];
}

function switchedOffBy({ name, capsAt, restsOn, whenNotApplicable }: CompiledCriterion): readonly string[] {
  const [first] = restsOn;
  if (capsAt === undefined || first === undefined || whenNotApplicable === 'fail') return [];
  return [
    `'${name}' is critical and not applicable where ${toExcerpt(restsOn.join(' or '))} is absent, also in \`absent || false\`: a field with another name switches it off. Say what holds then, such as ${toExcerpt(withDefault(first))}`,
  ];
}

/** `call.args.amount` as `call.args.?amount.orValue(…)`. */
function withDefault(source: string): string {
  return `${source.replace(/\.(\w+)$/, '.?$1').replace(/\[([^[]+)\]$/, '[?$1]')}.orValue(…)`;
}
