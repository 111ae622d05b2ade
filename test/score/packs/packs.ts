/** Runs one of the built-in packs on a conversation, and gives the verdicts by name. */
import path from 'node:path';
import type { Conversation } from '../../../src/model/conversation.ts';
import type { Evaluation, VerdictKind } from '../../../src/model/evaluation.ts';
import { evaluate } from '../../../src/score/suite/evaluate.ts';
import { formatMistakes } from '../../../src/model/mistake.ts';
import { loadSuites } from '../../../src/score/load-suites.ts';
import type { CompiledSuite } from '../../../src/score/suite/suite.ts';

const builtinDir = path.resolve(import.meta.dirname, '../../../suites');

export async function loadPack(name: string): Promise<CompiledSuite> {
  const { suites, mistakes } = await loadSuites([name], { baseDir: builtinDir, builtinDir });
  const [suite] = suites;
  if (suite === undefined) throw new Error(formatMistakes(mistakes));
  return suite;
}

export function run(suite: CompiledSuite, conversation: Conversation): Evaluation {
  const turnId = suite.scope === 'turn' ? conversation.turns[0]?.id : undefined;
  return evaluate(suite, { conversation, turnId, revision: 1 });
}

/** Criteria that did not pass, with their verdicts: what a row of a table has to say. */
export function exceptions({ verdicts }: Evaluation): Readonly<Record<string, VerdictKind>> {
  return Object.fromEntries(
    [...verdicts].filter(([, { verdict }]) => verdict !== 'pass').map(([name, { verdict }]) => [name, verdict]),
  );
}
