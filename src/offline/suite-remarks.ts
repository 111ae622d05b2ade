/**
 * Remarks on a suite without mistakes: what it cannot know, whether a crash can fail it, and which critical criterion a
 * renamed argument would switch off. The first is told by what its criteria are about, the second by asking it about a
 * turn that ended without an answer, the third by which arguments its expressions read.
 */
import type { Excerpt, ExcerptTurn } from '../model/excerpt.ts';
import { isFailure } from '../model/severity.ts';
import { evaluate } from '../score/evaluate.ts';
import { toExcerpt } from '../score/sentences.ts';
import type { CompiledCriterion, CompiledSuite } from '../score/suite.ts';
import { excerptRequest } from '../score/suite-test/excerpt-request.ts';
import { formatMillionths, ONE } from '../score/weigh.ts';
import { recordedRequest } from './recording.ts';
import { understandRecorded } from './understand-recording.ts';

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
const CRASH: Excerpt = {
  is: 'excerpt',
  agent: undefined,
  version: undefined,
  environment: undefined,
  attributes: new Map(),
  state: undefined,
  turns: [NO_ANSWER],
};

const ABOUT = {
  form: 'form only: says nothing about whether the task was done. Add a criterion with truth, a judge, a golden trace, or a check of your own',
  rules: 'rules only: says nothing about whether the task was done, as `about: rules` or its checks have it',
  task: undefined,
} as const;

export async function suiteRemarks(suites: readonly CompiledSuite[]): Promise<readonly SuiteRemark[]> {
  const { conversations } = await understandRecorded(recordedRequest(excerptRequest(CRASH, undefined), 'a crash'));
  const [crash] = conversations;
  if (crash === undefined) throw new Error('suite remarks: the crash is no conversation');
  return suites.flatMap((suite) => {
    const says: string[] = [];
    const about = ABOUT[suite.about];
    if (about !== undefined) says.push(about);
    if (suite.about === 'form') says.push(...answerOnly(suite.criteria));
    const turnId = suite.scope === 'turn' ? crash.turns[0]?.id : undefined;
    const { outcome, score } = evaluate(suite, { conversation: crash, turnId, revision: 1 });
    if (score === undefined) says.push('a conversation that ends without an answer is unscored: crashes leave its TCR');
    else if (score === ONE || !isFailure(outcome))
      says.push(`a conversation that ends without an answer comes to ${outcome} with score ${formatMillionths(score)}`);
    says.push(...suite.criteria.flatMap(switchedOffBy));
    return says.map((one) => ({ suite: suite.name, says: one }));
  });
}

function answerOnly(criteria: readonly CompiledCriterion[]): readonly string[] {
  const names = criteria.filter(({ readsAnswerOnly }) => readsAnswerOnly).map(({ name }) => name);
  if (names.length === 0) return [];
  return [
    `${names.join(', ')}: reads only the answer, so it is form and gives no band. Compare the answer with truth, the request or what tools gave, or say \`about: task\` where the answer alone shows that the task was done`,
  ];
}

function switchedOffBy({ name, capsAt, restsOn, whenNotApplicable }: CompiledCriterion): readonly string[] {
  const [first] = restsOn;
  if (capsAt === undefined || first === undefined || whenNotApplicable === 'fail') return [];
  return [
    `'${name}' is critical and not applicable where ${toExcerpt(restsOn.join(' or '))} is absent, also in \`absent || false\`: an argument with another name switches it off. Say what holds then, such as ${toExcerpt(withDefault(first))}`,
  ];
}

/** `call.args.amount` as `call.args.?amount.orValue(…)`. */
function withDefault(source: string): string {
  return `${source.replace(/\.(\w+)$/, '.?$1').replace(/\[([^[]+)\]$/, '[?$1]')}.orValue(…)`;
}
