/**
 * Which of two versions of an agent answers better, as judges see it: the answers of two experiments to the same case, put to a judge side by side.
 *
 * Both orders are asked, or one that chance chooses, at half the price. The same pair of texts is asked about once, however many cases end in it; equal
 * answers are a tie, and nobody is asked.
 */
import type { AskedPair } from '../../statistics/compare/preference/tally.ts';
import type { CaseRun, ExperimentResult } from '../../model/experiment.ts';
import type { JudgeOutcome, JudgeRequest } from '../../model/judging.ts';
import type { Preference } from '../../model/preference.ts';
import { randomFrom } from '../../model/random.ts';
import { type PreferenceQuestion, preferenceOf, preferenceRequest } from '../../score/judge/preference.ts';
import type { JudgeSettings } from '../../score/judge/judge-settings.ts';

/** The exchange of all turns: what was asked, and what the agent answered. */
export interface Exchange {
  readonly request: string;
  readonly answer: string;
}

interface ToPrefer {
  readonly experiments: readonly ExperimentResult[];
  /** Undefined where the run's conversation is not there. */
  readonly exchangeOf: (experiment: ExperimentResult, run: CaseRun) => Promise<Exchange | undefined>;
  readonly question: PreferenceQuestion;
  readonly judge: { readonly name: string; readonly settings: Pick<JudgeSettings, 'fingerprint' | 'evidenceTokens'> };
  readonly orders: 'both' | 'one';
  /** Chooses the one order. */
  readonly seed: number;
  readonly ask: (
    requests: readonly JudgeRequest[],
  ) => Promise<readonly { readonly key: string; readonly outcome: JudgeOutcome }[]>;
  readonly onProgress: (progress: PreferenceProgress) => void;
}

export type PreferenceProgress =
  /** Pairs of answers read so far. */
  | { readonly is: 'reading'; readonly pairs: number }
  /** Different questions that the pairs lead to. */
  | { readonly is: 'asking'; readonly questions: number; readonly pairs: number };

interface Pair {
  readonly case: string;
  readonly a: string;
  readonly b: string;
  readonly exchanges: readonly [Exchange, Exchange] | undefined;
  /** Whether a stands first, whether b does. */
  readonly orders: { readonly straight: boolean; readonly exchanged: boolean };
}

const PRIORITY = 50;

export async function preferences(parts: ToPrefer): Promise<readonly AskedPair[]> {
  const pairs = await pairsOf(parts);
  const requests = new Map<string, JudgeRequest>();
  for (const pair of pairs) {
    for (const request of [requestOf(pair, 'straight', parts), requestOf(pair, 'exchanged', parts)])
      if (request !== undefined) requests.set(request.key, request);
  }
  parts.onProgress({ is: 'asking', questions: requests.size, pairs: pairs.length });
  const ended = await parts.ask([...requests.values()]);
  const outcomes = new Map(ended.map(({ key, outcome }) => [key, outcome]));
  return pairs.map((pair) => {
    const { case: id, a, b } = pair;
    const said = (order: 'straight' | 'exchanged') => preferenceSaid(pair, order, outcomes, parts);
    return { case: id, a, b, straight: said('straight'), exchanged: said('exchanged') };
  });
}

/** Each case that two experiments ran as it is now, repeat beside repeat. */
async function pairsOf({ experiments, exchangeOf, orders, seed, onProgress }: ToPrefer): Promise<readonly Pair[]> {
  const random = randomFrom(seed);
  const known = new Map<CaseRun, Exchange | undefined>();
  const read = async (experiment: ExperimentResult, run: CaseRun) => {
    if (!known.has(run)) known.set(run, await exchangeOf(experiment, run));
    return known.get(run);
  };
  const pairs: Pair[] = [];
  for (const [index, one] of experiments.entries()) {
    for (const other of experiments.slice(index + 1)) {
      const runsOfOther = new Map(other.runs.map((run) => [keyOf(run), run]));
      for (const run of one.runs.toSorted(byKey)) {
        const beside = runsOfOther.get(keyOf(run));
        if (beside === undefined) continue;
        const [first, second] = [await read(one, run), await read(other, beside)];
        const isFirst = random() < 0.5;
        pairs.push({
          case: run.case,
          a: one.experiment.id,
          b: other.experiment.id,
          exchanges: first === undefined || second === undefined ? undefined : [first, second],
          orders: orders === 'both' ? { straight: true, exchanged: true } : { straight: isFirst, exchanged: !isFirst },
        });
        onProgress({ is: 'reading', pairs: pairs.length });
      }
    }
  }
  return pairs;
}

function keyOf(run: CaseRun): string {
  return JSON.stringify([run.case, run.caseFingerprint, run.repeat]);
}

function byKey(one: CaseRun, other: CaseRun): number {
  return keyOf(one) < keyOf(other) ? -1 : 1;
}

/** Undefined where nobody is to be asked, or no room is left for the texts. */
function requestOf(
  { exchanges, orders }: Pair,
  order: 'straight' | 'exchanged',
  { question, judge }: ToPrefer,
): JudgeRequest | undefined {
  if (!orders[order] || exchanges === undefined || areEqual(exchanges)) return undefined;
  const [a, b] = exchanges;
  const [first, second] = order === 'straight' ? [a.answer, b.answer] : [b.answer, a.answer];
  return preferenceRequest({ request: a.request, first, second }, question, {
    ...judge.settings,
    name: judge.name,
    priority: PRIORITY,
  });
}

function preferenceSaid(
  pair: Pair,
  order: 'straight' | 'exchanged',
  outcomes: ReadonlyMap<string, JudgeOutcome>,
  parts: ToPrefer,
): Preference | string | undefined {
  if (!pair.orders[order]) return undefined;
  if (pair.exchanges === undefined) return 'The conversation of one of the two was not recorded.';
  if (areEqual(pair.exchanges)) return [0, 0];
  const request = requestOf(pair, order, parts);
  if (request === undefined) return "The texts don't fit into what the judge may be sent.";
  const outcome = outcomes.get(request.key);
  if (outcome === undefined) return 'Nobody was asked.';
  const said = preferenceOf(outcome, parts.question);
  // The judge speaks of "first" and "second".
  return typeof said === 'string' || order === 'straight' ? said : exchangedPoints(said);
}

function exchangedPoints([first, second]: Preference): Preference {
  if (first === second) return [0, 0];
  return first === 1 ? [0, 1] : [1, 0];
}

function areEqual([a, b]: readonly [Exchange, Exchange]): boolean {
  return a.answer === b.answer;
}
