/**
 * Puts evaluations into the store and counts each once, under labels of which there is a limited number. The engine has one
 * for as long as its transactions succeed: after a rollback the labels that were admitted in it are not in the store.
 */
import type { Conversation } from '../model/conversation.ts';
import { POLARITIES, type Polarity } from '../model/feedback.ts';
import type { ConversationLabels } from '../store/conversation-columns.ts';
import { type Evaluation, FINDINGS, type VerdictKind, VERDICTS } from '../model/evaluation.ts';
import type { SpanId, TraceId } from '../model/ids.ts';
import { suiteKey } from '../model/suite-key.ts';
import type { JudgeRequest } from '../model/judging.ts';
import { type AgentLabels, isFolded } from '../model/agent-labels.ts';
import { TurnSenders } from './counting/turn-senders.ts';
import type { ClosedInLog } from './arrival.ts';
import { type Fold, LabelGuard, type LabelLimits } from './counting/label-guard.ts';
import { QUALITY_METRICS } from '../report/metrics/quality-metrics.ts';
import { writeResultPayload } from '../report/results/result-payload.ts';
import { type CountedConversation, SuiteTotals } from './counting/suite-totals.ts';
import { type CountedEffort, countedEffort, type Effort, keptEffort } from './counting/usage-totals.ts';
import { type KeptSubAgents, keptSubAgentsOf, SubAgentTotals } from './counting/sub-agent-totals.ts';
import { type EvaluatorVersions, evaluatorVersions, judgedBy } from '../score/suite/evaluator-version.ts';
import type { Judges } from '../score/suite/judges.ts';
import type { CompiledSuite } from '../score/suite/suite.ts';
import type {
  EngineStore,
  EvaluationPlace,
  PreviousEvaluation,
  Total,
  WaitingEvaluation,
} from '../store/engine-store.ts';
import { waitingObservation } from './detection/observations.ts';
import { comesFrom, traitsOf, userOf } from './detection/traits.ts';
import { countedAs, effortOf, labelsOf } from './conversation-labels.ts';
import { timeOf, timeOfNew } from './conversation-time.ts';
import { ShadowComparison } from './shadow-comparison.ts';

export interface LabelSettings extends LabelLimits {
  readonly segment: readonly string[];
  /** Whether evaluations are to be observed for regressions. */
  readonly observed?: boolean;
  /** Whether what evaluations say is to go to a backend. */
  readonly reported?: boolean;
  /** Whether conversations are to go to the archive. */
  readonly archived?: boolean;
}

export class EvaluationRecorder {
  readonly #store: EngineStore;
  readonly #segmentKeys: readonly string[];
  readonly #guard: LabelGuard;
  readonly #subAgents: SubAgentTotals;
  readonly #senders = new TurnSenders();
  readonly #isObserved: boolean;
  readonly #isReported: boolean;
  readonly #isArchived: boolean;
  readonly #shadows: ShadowComparison;
  readonly #shadowed: ReadonlySet<string>;
  readonly #onJoined: (judge: string) => void;
  readonly #judge: Judges['settings'];
  readonly #versions = new Map<CompiledSuite, EvaluatorVersions>();
  readonly #suiteTotals = new Map<AgentLabels, Map<CompiledSuite, SuiteTotals>>();

  constructor(
    options: LabelSettings & {
      readonly store: EngineStore;
      /** Names of suites that have one in shadow. */
      readonly shadowed: ReadonlySet<string>;
      /** Settings under the name of a judge. */
      readonly judge: Judges['settings'];
      readonly onFold: (fold: Fold) => void;
      /** Somebody waits for the answer of this judge already, so that it is not asked again. */
      readonly onJoined: (judge: string) => void;
    },
  ) {
    this.#store = options.store;
    this.#shadowed = options.shadowed;
    this.#onJoined = options.onJoined;
    this.#judge = options.judge;
    this.#shadows = new ShadowComparison(options.store);
    this.#segmentKeys = options.segment;
    this.#isObserved = options.observed === true;
    this.#isReported = options.reported === true;
    this.#isArchived = options.archived === true;
    this.#guard = new LabelGuard({ ...options, onGiveWay: (labels) => this.#drop(labels) });
    this.#subAgents = new SubAgentTotals(options.store.totals, options);
    const totals = options.store.totals.all();
    for (const total of totals) this.#subAgents.remember(total);
    this.#rememberLabels(totals);
  }

  /** Own combinations, and versions that other instances have met, the newest first. */
  #rememberLabels(totals: readonly Total[]): void {
    const ofVersion = ({ agent, agent_version, environment }: AgentLabels) =>
      JSON.stringify([agent, agent_version, environment]);
    const firsts = totals
      .filter(({ metric }) => metric === QUALITY_METRICS.firstSeen.name)
      .map(({ labels, value }) => ({ labels: toAgentLabels(labels), value }))
      .toSorted((a, b) => b.value - a.value);
    const firstOf = new Map(firsts.map(({ labels, value }) => [ofVersion(labels), value]));
    for (const { metric, labels: all } of totals) {
      if (metric !== QUALITY_METRICS.evaluations.name && metric !== QUALITY_METRICS.feedback.name) continue;
      const labels = toAgentLabels(all);
      if (!isFolded(labels)) this.#guard.remember(labels, firstOf.get(ofVersion(labels)));
    }
    // A version that was met elsewhere is told apart by its segments when it comes.
    if (this.#segmentKeys.length > 0) return;
    for (const { labels, value } of firsts) if (!isFolded(labels)) this.#guard.meet(labels, value);
  }

  #drop(gone: AgentLabels): void {
    this.#suiteTotals.delete(gone);
    this.#store.totals.drop(
      ({ agent, agent_version, environment, segment }) =>
        agent === gone.agent &&
        agent_version === gone.agent_version &&
        environment === gone.environment &&
        segment === gone.segment,
    );
  }

  /** A turn has arrived, which may bring names that nobody had. */
  cameFrom({ traceId, sender }: Pick<ClosedInLog, 'traceId' | 'sender'>): void {
    this.#senders.note(traceId, sender);
  }

  /** Counts one feedback of a user, under the labels of its conversation. */
  countFeedback({ agent, agentVersion, environment, segment }: ConversationLabels, polarity: Polarity): void {
    const labels = this.#guard.admit({
      agent,
      agent_version: agentVersion,
      environment,
      ...(this.#segmentKeys.length === 0 ? {} : { segment: segment ?? 'unknown' }),
    });
    // All of them exist from the first on, so that `increase()` sees the first of each.
    for (const one of POLARITIES)
      this.#store.totals
        .series(QUALITY_METRICS.feedback.name, { ...labels, polarity: one })
        .add(one === polarity ? 1 : 0);
  }

  /** Stores an evaluation and counts it, once; of one that waits for verdicts, what is decided. */
  record(
    evaluation: Evaluation,
    suite: CompiledSuite,
    place: {
      readonly conversation: number;
      readonly trace: number;
      readonly subject: Conversation;
      readonly isFirst: boolean;
      readonly logTime: number;
      /** Verdicts that it waits for; if there are none, it is complete. */
      readonly requests: readonly JudgeRequest[];
    },
  ): void {
    const store = this.#store;
    const key = { conversation: place.conversation, suite: suiteKey(evaluation), turnId: evaluation.turnId };
    const before = place.isFirst ? undefined : store.evaluations.previous(key);
    if (before !== undefined && before.revision >= evaluation.revision) return;
    const waited = store.waiting.find(key);
    const own = evaluation.turnId === undefined ? undefined : place.subject.startedAtMs;
    const head = store.conversations.at(place.conversation);
    const beganAt = timeOfNew(head, { own, logTime: place.logTime, before: before?.seen });
    if (evaluation.shadow) {
      const labels = labelsOf(place.subject, this.#segmentKeys);
      const { conversation, trace, requests } = place;
      if (requests.length > 0) {
        this.#wait({ evaluation, place: { conversation, trace, labels }, counted: [], requests });
        return;
      }
      if (waited !== undefined) store.waiting.drop(key);
      const seen = { at: place.logTime, ...keptEffort(effortOf(place.subject)), beganAt, ...comesFrom(place.subject) };
      store.evaluations.insert(evaluation, { conversation, trace, labels, seen }, (written) => {
        if (before === undefined) this.#shadows.count(written, conversation);
      });
      return;
    }
    const labels = this.#guard.admit(
      before === undefined && waited === undefined
        ? labelsOf(place.subject, this.#segmentKeys)
        : toAgentLabels(before?.labels ?? waited?.place.labels ?? {}),
      this.#senders.of(place.subject.turns.at(-1)?.traceId),
      place.logTime,
    );
    const totals = this.#totalsFor(suite, labels);
    const { conversation, trace } = place;
    const held = { conversation, trace, labels: totals.labels };
    const countedBefore = verdictsIn(waited?.counted ?? [], evaluation);
    if (place.requests.length > 0) {
      // Verdicts are counted with the first revision.
      const counted = before === undefined ? totals.countVerdicts(evaluation, countedBefore) : countedBefore;
      this.#wait({ evaluation, place: held, counted: writtenVerdicts(counted), requests: place.requests });
      return;
    }
    if (waited !== undefined) store.waiting.drop(key);
    const effort = effortOf(place.subject);
    const seen = { at: place.logTime, ...keptEffort(effort), beganAt, ...comesFrom(place.subject) };
    // The turn that is evaluated, or the last one of the conversation.
    const last = place.subject.turns.at(-1);
    const subAgents = keptSubAgentsOf(place.subject);
    this.#insert(evaluation, { ...held, seen, subAgents: subAgents.text }, suite, {
      totals,
      labels,
      conversation,
      at: place.logTime,
      beganAt,
      effort,
      effortCounted: countedEffort(seen),
      costSource: place.subject.cost.source,
      subAgents,
      counted: { ...countedAs(place.subject, place.logTime), beganAt },
      countedBefore,
      before,
      span: last === undefined ? undefined : { traceId: last.traceId, rootSpanId: last.rootSpanId },
      who: this.#isObserved ? this.#whoOf(place.subject, suite) : NOBODY,
    });
  }

  /** The closure lives until the commit. It is made where no conversation is in reach, whose objects would live as long. */
  #insert(evaluation: Evaluation, place: EvaluationPlace, suite: CompiledSuite, counting: Counting): void {
    this.#store.evaluations.insert(evaluation, place, (written) => this.#count(written, suite, counting));
  }

  #count(written: Evaluation, suite: CompiledSuite, counting: Counting): void {
    const { totals, labels, at, beganAt, before, counted, effortCounted } = counting;
    const store = this.#store;
    this.#inHistory(written, { labels, at: beganAt, before });
    if (before === undefined) {
      if (this.#shadowed.has(written.suite)) this.#shadows.count(written, counting.conversation);
      const { costSource } = counting;
      store.totals.series(QUALITY_METRICS.costSource.name, { ...totals.labels, source: costSource }).add(1);
      this.#subAgents.count(counting.subAgents, written, totals.labels);
      if (effortCounted !== undefined) totals.countFirst(written, effortCounted, counted, counting.countedBefore);
      // Later revisions are not observed: an observation cannot be taken back, and a conversation must count once.
      if (this.#isObserved) {
        const { effort, who } = counting;
        store.detection.add(waitingObservation(written, suite, { labels, effort, at, ...who }));
      }
    } else if (effortCounted !== undefined) {
      const was = { ...before, ...before.said(), effort: countedEffort(before.seen) };
      totals.countRevised(written, effortCounted, was, counted);
    }
    if (this.#isArchived) store.archive.add(written.conversationId);
    if (this.#isReported) {
      const judged = suite.criteria.filter((one) => one.judged !== undefined).map(({ name }) => name);
      const versions = this.#versionsOf(suite);
      store.results.add(writeResultPayload(written, { at, labels, judged, span: counting.span, versions }));
    }
  }

  /** Result in the history, which a revision changes. */
  #inHistory(
    { suite, outcome, score, decidedShare }: Evaluation,
    {
      labels,
      at,
      before,
    }: { readonly labels: AgentLabels; readonly at: number; readonly before: PreviousEvaluation | undefined },
  ): void {
    const { history } = this.#store;
    // An evaluation by an older Assay has no time, and is not in the history.
    const was = before === undefined ? undefined : timeOf(before.seen);
    if (before !== undefined && was !== undefined) history.count({ ...before, suite, labels, at: was }, -1);
    history.count({ suite, labels, at, outcome, score, decidedShare });
  }

  #wait(waiting: WaitingEvaluation): void {
    for (const { judge } of this.#store.waiting.put(waiting)) this.#onJoined(judge);
  }

  #whoOf(subject: Conversation, suite: CompiledSuite): Who {
    return { user: userOf(subject), traits: traitsOf(subject), judgedBy: judgedBy(suite, this.#versionsOf(suite)) };
  }

  #versionsOf(suite: CompiledSuite): EvaluatorVersions {
    let versions = this.#versions.get(suite);
    if (versions === undefined) {
      versions = evaluatorVersions(suite, this.#judge);
      this.#versions.set(suite, versions);
    }
    return versions;
  }

  /** Made once for each suite and label set; the guard gives the same labels as the same object. */
  #totalsFor(suite: CompiledSuite, labels: AgentLabels): SuiteTotals {
    let bySuite = this.#suiteTotals.get(labels);
    if (bySuite === undefined) {
      bySuite = new Map();
      this.#suiteTotals.set(labels, bySuite);
    }
    let totals = bySuite.get(suite);
    if (totals === undefined) {
      const store = this.#store;
      const criteria = suite.criteria.map(({ name }) => name);
      const critical = new Set(suite.criteria.flatMap(({ name, capsAt }) => (capsAt === undefined ? [] : name)));
      const findings = suite.findingsOf === undefined ? [] : FINDINGS;
      totals = new SuiteTotals(store.totals, { suite: suite.name, ...labels }, { criteria, critical, findings });
      bySuite.set(suite, totals);
    }
    return totals;
  }
}

/** How a new evaluation counts: worked out when it is made, and kept until it is written. */
interface Counting {
  readonly totals: SuiteTotals;
  readonly labels: AgentLabels;
  /** Row of the conversation. */
  readonly conversation: number;
  /** Log time. */
  readonly at: number;
  readonly beganAt: number;
  readonly effort: Effort;
  readonly effortCounted: CountedEffort | undefined;
  readonly costSource: Conversation['cost']['source'];
  readonly subAgents: KeptSubAgents;
  readonly counted: CountedConversation;
  /** Verdicts that were counted while others were pending. */
  readonly countedBefore: ReadonlyMap<string, VerdictKind>;
  readonly before: PreviousEvaluation | undefined;
  readonly span: { readonly traceId: TraceId; readonly rootSpanId: SpanId } | undefined;
  readonly who: Who;
}

/** For regression detection: whose conversation it was, what it had, and by which judges it was scored. */
interface Who {
  readonly user: string;
  readonly traits: readonly string[];
  readonly judgedBy: string;
}

const NOBODY: Who = { user: '', traits: [], judgedBy: '' };

/** Stored form of the verdicts counted for an evaluation that waits: `<criterion> <verdict>`. */
function writtenVerdicts(counted: ReadonlyMap<string, VerdictKind>): readonly string[] {
  return [...counted].map(([criterion, verdict]) => `${criterion} ${verdict}`);
}

/** An older Assay wrote the criterion alone: it is taken that its verdict has not changed since. */
function verdictsIn(written: readonly string[], { verdicts }: Evaluation): ReadonlyMap<string, VerdictKind> {
  return new Map(
    written.flatMap((one) => {
      const [criterion = '', said] = one.split(' ');
      const verdict = VERDICTS.find((kind) => kind === said) ?? verdicts.get(criterion)?.verdict;
      return verdict === undefined ? [] : [[criterion, verdict] as const];
    }),
  );
}

function toAgentLabels(labels: { readonly [label: string]: string }): AgentLabels {
  const { agent = '', agent_version = '', environment = '', segment } = labels;
  // Always in this order: it is a part of a series' name.
  return { agent, agent_version, environment, ...(segment === undefined ? {} : { segment }) };
}
