/**
 * Breaks conversations that a suite finds nothing wrong with, in known ways, and asks the suite again: a criterion that fails now has noticed.
 *
 * A conversation is retold in a few lines, the lines are changed, and spans are made of them; these go the way of all spans. So whatever is broken, spans,
 * messages, results and state agree with each other. A conversation that is scored otherwise once retold, before anything is broken, is left out.
 */
import { buildConversation, knowing } from '../../assemble/build-conversation.ts';
import type { Conversation } from '../../model/conversation.ts';
import { countedAs } from '../../model/decision.ts';
import { bySeverity } from '../../model/severity.ts';
import type { Evaluation } from '../../model/evaluation.ts';
import type { Excerpt } from '../../model/excerpt.ts';
import type { MutantResult, MutationGolden, Notice, SuiteMutation } from '../../model/mutation.ts';
import type { Turn } from '../../model/turn.ts';
import { breakConversation } from '../../mutate/break-conversation.ts';
import type { Fault, Scene } from '../../mutate/fault.ts';
import { retell } from '../../mutate/retell.ts';
import { tally } from '../../mutate/tally.ts';
import { evaluate } from '../../score/suite/evaluate.ts';
import type { CompiledSuite } from '../../score/suite/suite.ts';
import { type GoldenConversation, understood } from './golden-conversations.ts';

interface MutateOptions {
  readonly faults: readonly Fault[];
  readonly seed: number;
  /** Places of a fault in one conversation. */
  readonly placesMax: number;
  /** Conversations (or turns) of a suite. */
  readonly goldensMax: number;
  readonly onProgress?: (tried: number) => void;
}

interface Golden {
  readonly golden: MutationGolden;
  readonly excerpt: Excerpt;
  readonly recorded: Conversation;
  readonly before: Evaluation;
}

export async function mutateSuite(
  suite: CompiledSuite,
  conversations: readonly GoldenConversation[],
  options: MutateOptions,
): Promise<SuiteMutation> {
  const goldens: Golden[] = [];
  const leftOut: SuiteMutation['leftOut'][number][] = [];
  for (const candidate of conversations.flatMap((one) => (suite.scope === 'turn' ? turnsOf(one) : [one]))) {
    if (goldens.length >= options.goldensMax) break;
    const golden = await asGolden(suite, candidate);
    if (typeof golden === 'string') leftOut.push({ ...candidate.golden, because: golden });
    else goldens.push(golden);
  }
  const tools = [...new Set(goldens.flatMap(({ recorded }) => toolsIn(recorded)))].sort();
  const isWrite = (tool: string) => suite.effects.of(tool) === 'writes';
  const results: MutantResult[] = [];
  for (const golden of goldens) {
    const scene: Scene = { excerpt: golden.excerpt, isWrite, tools };
    const { name, from } = golden.golden;
    for (const fault of options.faults) {
      const { seed, placesMax } = options;
      for (const { excerpt, what, advice } of breakConversation(fault, scene, {
        seed,
        name: `${from}\n${name}`,
        placesMax,
      })) {
        const after = judged(suite, framed(await understood(excerpt), golden.recorded));
        results.push({
          golden: golden.golden,
          fault: fault.name,
          what,
          advice,
          ...noticesOf(suite, golden.before, after),
        });
        options.onProgress?.(results.length);
      }
    }
  }
  const asked = suite.criteria.filter((criterion) => criterion.judged === undefined);
  return tally({
    suite,
    criteria: asked.map(({ name }) => name),
    judged: suite.criteria.filter((criterion) => criterion.judged !== undefined).map(({ name }) => name),
    faults: options.faults,
    goldens: goldens.map(({ golden }) => golden),
    leftOut,
    results,
  });
}

function toolsIn({ turns }: Conversation): readonly string[] {
  return turns.flatMap(({ toolCalls }) => toolCalls.map(({ name }) => name));
}

/** Each turn as a conversation of its own. */
function turnsOf({ golden, conversation, excerpt }: GoldenConversation): readonly GoldenConversation[] {
  if (conversation.turns.length === 1) return [{ golden, conversation, excerpt }];
  return conversation.turns.map((turn, index) => {
    const built = buildConversation(conversation.id, [turn]);
    const alone = conversation.truth === undefined ? built : knowing(built, [conversation.truth]);
    return {
      golden: { ...golden, name: `${golden.name}, turn ${index + 1}` },
      conversation: alone,
      excerpt: retell(alone),
    };
  });
}

/** A text says why it can't be used. */
async function asGolden(suite: CompiledSuite, one: GoldenConversation): Promise<Golden | string> {
  const { golden, conversation: recorded, excerpt } = one;
  if (typeof excerpt === 'string') return excerpt;
  const before = judged(suite, recorded);
  if (before === undefined) return 'the suite is not for it';
  const counted = suite.criteria.map((criterion) => ({ criterion, as: countedOf(suite, before, criterion.name) }));
  const failed = counted.find(({ as }) => as === 'fail');
  if (failed !== undefined) return `${failed.criterion.name} fails as it is`;
  if (counted.every(({ as }) => as !== 'pass')) return 'nothing of it could be decided';
  const retold = judged(suite, framed(await understood(excerpt), recorded));
  const other = suite.criteria.find(
    ({ name }) => retold?.verdicts.get(name)?.verdict !== before.verdicts.get(name)?.verdict,
  );
  if (other !== undefined || retold?.outcome !== before.outcome) {
    const what = other === undefined ? 'its outcome' : other.name;
    return `told in a few lines, without what they can't hold, it is another conversation for ${what}`;
  }
  return { golden, excerpt, recorded, before };
}

/** Judges are not asked. Undefined where the suite is not for the conversation. */
function judged(suite: CompiledSuite, conversation: Conversation): Evaluation | undefined {
  if (suite.whyNot(conversation) !== undefined) return undefined;
  const turnId = suite.scope === 'turn' ? conversation.turns.at(-1)?.id : undefined;
  return evaluate(suite, { conversation, turnId, revision: 1 });
}

function noticesOf(
  suite: CompiledSuite,
  before: Evaluation,
  after: Evaluation | undefined,
): Pick<MutantResult, 'notices' | 'isOutcomeWorse'> {
  if (after === undefined) return { notices: undefined, isOutcomeWorse: false };
  const notices = new Map<string, Notice>();
  for (const { name } of suite.criteria) {
    const now = countedOf(suite, after, name);
    const isDecided = now === 'pass' || countedOf(suite, before, name) === 'pass';
    notices.set(name, now === 'fail' ? 'noticed' : isDecided ? 'not_noticed' : 'not_applicable');
  }
  return { notices, isOutcomeWorse: bySeverity(after.outcome, before.outcome) > 0 };
}

function countedOf(suite: CompiledSuite, { verdicts }: Evaluation, criterion: string) {
  const { whenNotApplicable } = suite.criteria.find(({ name }) => name === criterion) ?? {
    whenNotApplicable: 'exclude',
  };
  return countedAs(verdicts.get(criterion)?.verdict ?? 'skipped', whenNotApplicable);
}

/** Built from a few lines; everything else stays as it was recorded: the agent, its attributes, its usage. */
function framed(told: Conversation, recorded: Conversation): Conversation {
  const { id, idSource, agent, environment, attributes, truth, usage, costUsd, cost } = recorded;
  const turns = told.turns.map((turn, index) => framedTurn(turn, recorded.turns[index]));
  const { state, startedAtMs, endedAtMs } = told;
  const own = { id, idSource, agent, environment, attributes, usage, costUsd, cost };
  return { ...own, turns, state, truth, startedAtMs, endedAtMs };
}

function framedTurn(turn: Turn, recorded: Turn | undefined): Turn {
  if (recorded === undefined) return turn;
  const { conversationId, conversationIdSource, userId, agent, environment, attributes, usage, costUsd, spent } =
    recorded;
  return {
    // Includes a turn's own fields and those that it works out when asked.
    ...turn,
    toolCalls: turn.toolCalls,
    finishReasons: turn.finishReasons,
    error: turn.error,
    flags: turn.flags,
    doubts: turn.doubts,
    conversationId,
    conversationIdSource,
    userId,
    agent,
    environment,
    attributes,
    usage,
    costUsd,
    spent,
  };
}
