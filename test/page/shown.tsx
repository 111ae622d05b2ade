/** Components as a browser would first show them, and the answers of the API that they show, without a browser. */
import type { VNode } from 'preact';
import { renderToString } from 'preact-render-to-string';
import type {
  ConversationDetail,
  FullEvaluation,
  TurnJson,
  VerdictOfCriterion,
} from '../../src/api/conversation-detail.ts';

const AT = '2026-11-27T10:00:00.000Z';

export function markupOf(node: VNode): string {
  return renderToString(node);
}

/** The words that a person reads or hears, without the elements. */
export function wordsOf(node: VNode): string {
  const text = markupOf(node).replace(/<\/(?:p|li|dd|dt|div|h\d|tr|th|td|button|summary)>/g, ' ');
  return unescaped(text.replace(/<[^>]*>/g, ''))
    .replace(/\s+/g, ' ')
    .trim();
}

export function countOf(node: VNode, pattern: RegExp): number {
  return [...markupOf(node).matchAll(new RegExp(pattern, 'g'))].length;
}

function unescaped(text: string): string {
  return text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&quot;', '"').replaceAll('&amp;', '&');
}

export function verdict(criterion: string, changes: Partial<VerdictOfCriterion> = {}): VerdictOfCriterion {
  return { criterion, verdict: 'pass', reason: `why ${criterion}`, evidence: [], ...changes };
}

export function evaluation(changes: Partial<FullEvaluation> = {}): FullEvaluation {
  return {
    suite: 'calls',
    suite_version: '1',
    revision: 1,
    scope: 'conversation',
    score: 0.5,
    outcome: 'partial_failure',
    explanation: 'Half of it.',
    shadow: false,
    latest: true,
    verdicts: [],
    findings: [],
    ...changes,
  };
}

export function turn(changes: Partial<TurnJson> = {}): TurnJson {
  return {
    turn_id: 't-1',
    trace_ids: ['trace'],
    began_at: AT,
    ended_at: AT,
    asked: 'When do you open?',
    answered: 'At nine.',
    dialects: [],
    steps: [],
    ...changes,
  };
}

export function conversation(changes: Partial<ConversationDetail> = {}): ConversationDetail {
  return {
    conversation_id: 'c-1',
    agent: 'greeter',
    agent_version: 'v1',
    environment: 'live',
    began_at: AT,
    updated_at: AT,
    turns: 1,
    revision: 1,
    state: 'scored',
    evaluations: [],
    turn_list: [turn()],
    sub_agents: [],
    steps_left_out: 0,
    evaluations_full: [],
    evaluations_left_out: 0,
    golden_suites: [],
    cost: { source: 'not known', models_without_price: [] },
    feedback_list: [],
    outcomes: [],
    readings: [],
    labels: [],
    content: 'whole',
    ...changes,
  };
}
