/** A store of many conversations, written by the store's own writer: as it would be after a month, in two minutes. */
import type { Evaluation, Verdict } from '../src/model/evaluation.ts';
import type { ConversationId, SpanId, TraceId } from '../src/model/ids.ts';
import { wordsIn } from '../src/model/search-words.ts';
import { Store } from '../src/store/sqlite/store.ts';

export const LIVE_SUITE = 'support';
/** Conversation whose evaluations there are. */
export const KNOWN = (number: number) => `filled-${number}`;

const COMMIT_EVERY = 5_000;
const AGES_MS = 30 * 86_400_000;
const CONTENT = { traces: Buffer.alloc(400, 'spans of a turn '), logs: undefined };
const SEEN = { steps: 3, tokens: 900, durationMs: 4_000, costNanos: 2_000_000 };
const BASIS = { definition: '6f0c2a91b3d4e5f6', conditions: { completed: true, failed: false } };
const FAILED_EVERY = 10;
const SHADOWED_EVERY = 5;
const ANSWER = 'Done: the call is moved, and everybody who is invited knows the new time.';
const WORDS_MAX = 100;
/** A word that few conversations have. */
export const RARE_WORD = 'zeppelin';
/** So few that a search among the newest conversations meets none. */
const RARE_EVERY = 100_000;

interface FillOptions {
  /** Over which the conversations are spread, up to now. */
  readonly agesMs?: number;
  readonly onCommit?: (done: number) => void;
}

export function fillStore(file: string, conversations: number, { agesMs = AGES_MS, onCommit }: FillOptions = {}): void {
  const store = Store.open(file, { durable: false });
  const now = Date.now();
  for (let number = 0; number < conversations; number += 1) {
    store.begin();
    add(store, number, now - agesMs + Math.floor((number / conversations) * agesMs));
    if (number % COMMIT_EVERY > 0) continue;
    store.commit();
    onCommit?.(number);
  }
  store.commit();
  store.close();
}

function add(store: Store, number: number, at: number): void {
  // The casts are the brands: these ids are made here.
  const id = KNOWN(number) as ConversationId;
  const traceId = (number + 1).toString(16).padStart(32, '0') as TraceId;
  const agent = number % RARE_EVERY === 0 ? 'rare' : `agent-${number % 20}`;
  const labels = { agent, agentVersion: `v${number % 7}`, environment: 'production' };
  const { row } = store.conversations.make({ id, labels, firstClosedAt: at });
  const trace = store.traces.insert({
    traceId,
    conversation: row,
    revision: 1,
    position: number,
    closedAt: at,
    spans: 3,
    sealed: false,
    cause: 'settled',
    content: CONTENT,
  });
  const failed = number % FAILED_EVERY === 0;
  const place = {
    conversation: row,
    trace,
    labels: { agent, agent_version: labels.agentVersion, environment: 'production' },
    seen: { ...SEEN, at, beganAt: at, userKey: number % 5_000, kindKey: undefined },
  };
  const evaluation = evaluationOf(id, failed);
  store.evaluations.insert(evaluation, place, () => undefined);
  const { outcome, score } = evaluation;
  store.history.count({ suite: LIVE_SUITE, labels: place.labels, at, outcome, score, decidedShare: 1_000_000 });
  const asked = `Please move my call number ${number} to Thursday ${number % 24}:00${number % RARE_EVERY === 0 ? `, by ${RARE_WORD}` : ''}.`;
  store.words.add(id, wordsIn(`${asked} ${ANSWER}`, WORDS_MAX));
  store.words.close(id);
  if (number % SHADOWED_EVERY === 0)
    store.evaluations.insert({ ...evaluationOf(id, failed), shadow: true }, place, () => undefined);
  store.conversations.change(row, {
    turns: 1,
    revision: 1,
    cause: 'idle',
    lastClosedAt: at,
    updatedAt: at,
    worstOutcome: failed ? 2 : 0,
    called: evaluation.outcome,
    feedback: number % 40 === 0 ? 'negative' : undefined,
    facts: factsOf(number, failed),
    glance: { beganAtMs: at - SEEN.durationMs, ceasedAtMs: at, asked, answered: ANSWER },
  });
}

/** As many as a conversation of a few turns has; conversations that failed have an error more often. */
function factsOf(number: number, failed: boolean): readonly string[] {
  const tools = [number % 3, number % 5, number % 7, number % 11].map((one) => `tool_of_the_agent_${one}`);
  const hasError = failed ? number % 3 > 0 : number % 29 === 0;
  return [
    ...tools.map((tool) => `tool: ${tool}`),
    ...tools.slice(1).map((tool, at) => `then: ${tools[at]}, ${tool}`),
    ...(hasError ? [`failed call: ${tools[0]}`, 'error message: Order # was not found in the shop of the user'] : []),
    ...(failed ? [`failed: ${LIVE_SUITE}/criterion_0`] : []),
    `last: ${tools.at(-1)}`,
    `calls: ${2 ** (number % 4)} and more`,
    `model calls: ${2 ** (number % 3)} and more`,
    `answer: ${2 ** (5 + (number % 6))} and more`,
    `segment: ${number % 13}`,
    `language: ${['en', 'de', 'fr'][number % 3]}`,
    hasError ? 'ended: after a failed call' : 'ended: with an answer',
  ].toSorted();
}

function evaluationOf(conversationId: ConversationId, failed: boolean): Evaluation {
  const verdicts = new Map<string, Verdict>();
  for (let criterion = 0; criterion < 8; criterion += 1) {
    const verdict = failed && criterion === 0 ? 'fail' : 'pass';
    // The cast is the brand: it is an id.
    const evidence = ['00000000000000aa' as SpanId];
    verdicts.set(`criterion_${criterion}`, { verdict, reason: 'The answer names what was asked for.', evidence });
  }
  return {
    conversationId,
    turnId: undefined,
    suite: LIVE_SUITE,
    suiteVersion: '1',
    scope: 'conversation',
    revision: 1,
    score: failed ? 800_000 : 1_000_000,
    outcome: failed ? 'partial_failure' : 'successful_completion',
    ...(failed && { because: 'criterion_0' }),
    explanation: failed ? 'One of eight criteria failed: criterion_0.' : 'All of eight criteria passed.',
    verdicts,
    basis: BASIS,
    decidedShare: 1_000_000,
    about: 'task',
  };
}
