/** A suite in YAML whose criteria are judged, and judges who answer as a test says. */
import type { Verdict } from '../../../src/model/evaluation.ts';
import { formatMistakes } from '../../../src/model/mistake.ts';
import type { JudgedAnswer, JudgeOutcome, JudgeRequest } from '../../../src/model/judging.ts';
import type { Conversation } from '../../../src/model/conversation.ts';
import { partsOf } from '../../../src/model/verdict-parts.ts';
import { evaluate, type Evaluated } from '../../../src/score/suite/evaluate.ts';
import type { Judges } from '../../../src/score/suite/judges.ts';
import type { JudgeSettings } from '../../../src/score/judge/judge-settings.ts';
import type { CompiledSuite } from '../../../src/score/suite/suite.ts';
import { readSuite } from '../../../src/score/suite/read-suite.ts';

export function suiteOf(criteria: string): CompiledSuite {
  const text = `suite: judged\nscope: conversation\nnormalize: true\ncriteria:\n${criteria.replace(/^/gm, '  ')}\n`;
  const { suite, mistakes } = readSuite(text, 'judged.yaml');
  if (suite === undefined) throw new Error(formatMistakes(mistakes));
  return suite;
}

export const SETTINGS: JudgeSettings = { fingerprint: 'openai/a-model', evidenceTokens: 4000, share: 1 };

export interface AskedJudges extends Judges {
  readonly asked: readonly JudgeRequest[];
}

export function judgesWho(
  outcomeOf: (request: JudgeRequest) => JudgeOutcome | 'waiting' = () => 'waiting',
  settings: Partial<JudgeSettings> = {},
): AskedJudges {
  const asked: JudgeRequest[] = [];
  return {
    asked,
    settings: (judge) => (judge === 'default' || judge === 'strict' ? { ...SETTINGS, ...settings } : undefined),
    outcomeOf: (request) => {
      asked.push(request);
      return outcomeOf(request);
    },
  };
}

export function answered(...answers: (Partial<JudgedAnswer> & { readonly criterion: string })[]): JudgeOutcome {
  return {
    is: 'answered',
    model: 'a-model',
    answers: answers.map((answer) => ({
      pass: true,
      reason: 'It does.',
      quotes: [],
      votes: { yes: answer.pass === false ? 0 : 1, of: 1 },
      ...answer,
    })),
  };
}

export function evaluated(suite: CompiledSuite, conversation: Conversation, judges?: Judges): Evaluated {
  return evaluate(suite, { conversation, turnId: undefined, revision: 1 }, judges === undefined ? {} : { judges });
}

/** The one request that an evaluation waits for. */
export function requestFor(
  suite: CompiledSuite,
  conversation: Conversation,
  settings: Partial<JudgeSettings> = {},
): JudgeRequest {
  const [request, ...others] = evaluated(suite, conversation, judgesWho(undefined, settings)).waiting;
  if (request === undefined || others.length > 0) throw new Error('there is not exactly one request');
  return request;
}

/** The items of the data part, read back. */
export function itemsIn(material: string): readonly Readonly<Record<string, unknown>>[] {
  return material
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}

/** Version of the judge that gave the verdict; undefined if none did. */
export function judgeVersionIn(verdict: Verdict | undefined): string | undefined {
  return verdict === undefined ? undefined : partsOf(verdict).judgedBy?.version;
}
