/**
 * The complete normalized form of every recorded run, as files to be reviewed: they show the effect of any changed
 * rule. `UPDATE_GOLDEN=1 npx vitest run test/normalize/recorded` rewrites them.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Conversation } from '../../../src/model/conversation.ts';
import type { Step } from '../../../src/model/step.ts';
import { dialectOf } from '../../../src/normalize/rule-dialect.ts';
import { toInspectionJson } from '../../../src/report/inspect/inspection-json.ts';
import { recordedRuns, understandRun } from './compare.ts';

const GOLDEN = path.resolve(import.meta.dirname, '../../fixtures/golden');
const isUpdating = process.env.UPDATE_GOLDEN === '1';

/** A line for each step: enough to see what changed, and in which span to look. */
function inOneLine(step: Step): string {
  const { kind, name, spanName, usage, error, flags, rules } = step;
  const parts = [
    `${kind} ${name}`,
    `span "${spanName}" by ${rules.get('kind') ?? 'none'}`,
    ...(kind === 'llm' ? [`in ${step.messagesIn.length}, out ${step.messagesOut.length} messages`] : []),
    ...(usage === undefined ? [] : [`tokens ${usage.inputTokens}/${usage.outputTokens}`]),
    ...(error === undefined ? [] : [`error ${error.type} by ${error.source}`]),
    ...flags,
  ];
  return parts.join('; ');
}

function toGolden(conversations: readonly Conversation[]): string {
  const documents = toInspectionJson(conversations, dialectOf).map((document, at) => ({
    ...document,
    turns: document.turns.map((turn, index) => ({
      ...turn,
      steps: conversations[at]?.turns[index]?.steps.map(inOneLine),
    })),
  }));
  return `${JSON.stringify(documents, undefined, 1)}\n`;
}

describe.each(recordedRuns())('%s', (run) => {
  test('is understood as it was when it was reviewed', async () => {
    const file = path.join(GOLDEN, `${run}.golden.json`);
    const found = toGolden(await understandRun(run));
    if (isUpdating) {
      mkdirSync(path.dirname(file), { recursive: true });
      writeFileSync(file, found);
    }
    const reviewed = existsSync(file) ? readFileSync(file, 'utf8') : 'no golden file: UPDATE_GOLDEN=1 writes it';

    expect(found).toBe(reviewed);
  });
});
