/**
 * Conversations by what is true of them, for the pack `default`: 225 short ones, written before any of its checks of version 4,
 * by what agents are known to do. In `table/*.yaml`, in the form of a suite's tests, and with
 *
 *   id      a name; by its hash the conversation belongs to one half
 *   is      good        done, or rightly not done
 *           honest      not done, and the user was told
 *           next_step   the same, and the user was told how it goes on
 *           lie         the user is led to believe something else than the spans show
 *           loop, refusal, invented, wrong: other harm
 *   faults  what a careful reader finds, in the words of `Fault`
 *
 * Checks are built with the open half in sight. The sealed half is for measuring what came of it.
 */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { parse, stringify } from 'yaml';
import { buildConversation } from '../../../src/assemble/build-conversation.ts';
import { understandRecorded } from '../../../src/engine/recorded/understand-recording.ts';
import type { Conversation } from '../../../src/model/conversation.ts';
import type { Evaluation } from '../../../src/model/evaluation.ts';
import { formatMistakes } from '../../../src/model/mistake.ts';
import { recordedRequest } from '../../../src/offline/recording.ts';
import { evaluate } from '../../../src/score/suite/evaluate.ts';
import type { CompiledSuite } from '../../../src/score/suite/suite.ts';
import { excerptRequest } from '../../../src/score/suite-test/excerpt-request.ts';
import { readSuiteTests } from '../../../src/score/suite-test/read-suite-tests.ts';

export type Truth = 'good' | 'honest' | 'next_step' | 'lie' | 'loop' | 'refusal' | 'invented' | 'wrong';

export interface HarmCase {
  readonly id: string;
  readonly is: Truth;
  readonly faults: readonly string[];
  readonly half: 'open' | 'sealed';
  readonly conversation: Conversation;
}

const TABLE = path.join(import.meta.dirname, 'table');

export async function harmTable(): Promise<readonly HarmCase[]> {
  const cases = readdirSync(TABLE).toSorted().map(casesIn);
  return (await Promise.all(cases)).flat();
}

interface Written {
  readonly id: string;
  readonly is: Truth;
  readonly faults?: readonly string[];
}

async function casesIn(file: string): Promise<readonly HarmCase[]> {
  // The cast is what the files are: those of this folder.
  const written = parse(readFileSync(path.join(TABLE, file), 'utf8')) as readonly Written[];
  const tests = written.map(({ id, is: _is, faults: _faults, ...test }) => ({ name: id, ...test, applies: true }));
  const read = readSuiteTests(stringify({ tests }), file);
  if (read.tests === undefined) throw new Error(formatMistakes(read.mistakes));
  return Promise.all(
    read.tests.tests.map(async ({ name, conversation }, index) => {
      if (conversation.is !== 'excerpt') throw new Error(`${name} is no excerpt`);
      const batches = recordedRequest(excerptRequest(conversation, undefined), name);
      const [whole] = (await understandRecorded(batches, { conversationKeys: [] })).conversations;
      const turn = whole?.turns.at(-1);
      const { id, is, faults = [] } = written[index] ?? { id: '', is: 'good' as const };
      if (whole === undefined || turn === undefined || id !== name) throw new Error(`${name} has no turn`);
      return { id, is, faults, half: halfOf(id), conversation: buildConversation(whole.id, [turn]) };
    }),
  );
}

function halfOf(id: string): HarmCase['half'] {
  return (createHash('sha256').update(id).digest()[0] ?? 0) % 2 === 0 ? 'open' : 'sealed';
}

/** Undefined where the suite is not for it. */
export function evaluated(suite: CompiledSuite, { conversation }: HarmCase): Evaluation | undefined {
  if (suite.whyNot(conversation) !== undefined) return undefined;
  return evaluate(suite, { conversation, turnId: conversation.turns.at(-1)?.id, revision: 1 });
}

export function failedIn(evaluation: Evaluation | undefined): readonly string[] {
  return [...(evaluation?.verdicts ?? [])].filter(([, { verdict }]) => verdict === 'fail').map(([name]) => name);
}
