/** The links between verdicts, turns and spans, in both directions. */
import type {
  ConversationDetail,
  FullEvaluation,
  TurnJson,
  VerdictOfCriterion,
} from '../../api/conversation-detail.ts';
import { decisionOf } from '../../model/decision.ts';

export interface Evidence {
  /** As it stands in the address. */
  readonly key: string;
  readonly criterion: string;
  readonly verdict: VerdictOfCriterion['verdict'];
  /** It stands here; its other spans are only lit with it. */
  readonly isFirst: boolean;
}

export interface EvidenceLinks {
  /** Ids of spans, the first one being the step that made the criterion fail. */
  readonly byVerdict: ReadonlyMap<string, readonly string[]>;
  readonly bySpan: ReadonlyMap<string, readonly Evidence[]>;
  /** Verdicts on a turn that rest on no span of it. */
  readonly byTurn: ReadonlyMap<string, readonly Evidence[]>;
}

/** For whoever may see no verdict. */
export const NO_EVIDENCE: EvidenceLinks = { byVerdict: new Map(), bySpan: new Map(), byTurn: new Map() };

/** As it stands in the address: names of suites and criteria have no colon. */
export function verdictKey({ suite, turn_id: turn }: FullEvaluation, { criterion }: VerdictOfCriterion): string {
  return [suite, criterion, ...(turn === undefined ? [] : [turn])].join(':');
}

export function evidenceOf(evaluations: readonly FullEvaluation[]): EvidenceLinks {
  const byVerdict = new Map<string, readonly string[]>();
  const bySpan = new Map<string, Evidence[]>();
  const byTurn = new Map<string, Evidence[]>();
  for (const evaluation of evaluations) {
    for (const verdict of evaluation.verdicts) {
      const key = verdictKey(evaluation, verdict);
      const { turn_id: turn } = evaluation;
      const one = { key, criterion: verdict.criterion, verdict: verdict.verdict };
      byVerdict.set(key, verdict.evidence);
      for (const span of new Set(verdict.evidence))
        addTo(bySpan, span, { ...one, isFirst: span === verdict.evidence[0] });
      if (verdict.evidence.length === 0 && turn !== undefined) addTo(byTurn, turn, { ...one, isFirst: true });
    }
  }
  return { byVerdict, bySpan, byTurn };
}

function addTo(map: Map<string, Evidence[]>, key: string, one: Evidence): void {
  const list = map.get(key) ?? [];
  list.push(one);
  map.set(key, list);
}

/** Verdicts that failed and stand in a turn: at spans of it other than those named, and at the turn itself. */
export function failedIn(turn: TurnJson, links: EvidenceLinks, elsewhere: ReadonlySet<string>): readonly Evidence[] {
  const bySpans = turn.steps.flatMap(({ step_id: id, span_id: span }) =>
    span === undefined || elsewhere.has(id) ? [] : (links.bySpan.get(span) ?? []),
  );
  return [...(links.byTurn.get(turn.turn_id) ?? []), ...bySpans].filter(failedHere);
}

/** It failed, and this is where it stands. */
export function failedHere({ verdict, isFirst }: Evidence): boolean {
  return isFirst && decisionOf(verdict) === 'fail';
}

/** Keys of all verdicts that failed and that something shows, in the order in which a reader comes to them. */
export function failuresInOrder({ turn_list: turns }: Pick<ConversationDetail, 'turn_list'>, links: EvidenceLinks) {
  return turns.flatMap((turn) => failedIn(turn, links, new Set()).map(({ key }) => key));
}

/** A place in a conversation: a turn, and a step of it where one is meant. */
export interface Look {
  readonly turn: string;
  readonly step?: string;
}

interface Asked {
  readonly verdict: string | undefined;
  readonly step: string | undefined;
  readonly turn: string | undefined;
}

/** The place that an address asks for: a step before a verdict before a turn. Undefined where it asks for none. */
export function lookAt(
  { turn_list: turns }: Pick<ConversationDetail, 'turn_list'>,
  { verdict, step, turn }: Asked,
  links: EvidenceLinks,
): Look | undefined {
  const found = (is: (one: TurnJson['steps'][number]) => boolean): Look | undefined => {
    for (const { turn_id: id, steps } of turns) {
      const one = steps.find(is);
      if (one !== undefined) return { turn: id, step: one.step_id };
    }
    return undefined;
  };
  if (step !== undefined) return found(({ step_id: id }) => id === step);
  const [span] = verdict === undefined ? [] : (links.byVerdict.get(verdict) ?? []);
  if (span !== undefined) return found(({ span_id: id }) => id === span);
  const ofVerdict = [...links.byTurn].find(([, all]) => all.some(({ key }) => key === verdict))?.[0];
  const of = ofVerdict ?? turns.find(({ turn_id: id }) => id === turn)?.turn_id;
  return of === undefined ? undefined : { turn: of };
}
