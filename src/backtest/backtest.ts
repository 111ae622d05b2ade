/**
 * Compares a changed suite with the stored evaluations of another, and reports what it would have changed.
 *
 * Where all criteria and the conditions of the end hold and no outcome rule looks at the conversation, an evaluation is
 * a handful of additions, and what is alike is weighed once (`another-suite.ts`). All conversations are read if it is
 * not known which of them the changed suite matches: its `match` has changed, or the suite of the stored verdicts is
 * not known.
 */
import type { DetectionSettings } from '../statistics/detect/settings.ts';
import type { Settings } from '../config/settings.ts';
import type { BacktestReport, ChangedConversation } from '../model/backtest.ts';
import type { VerdictKind } from '../model/evaluation.ts';
import type { WhyNotWeighed } from '../model/what-if.ts';
import { idKeysOf } from '../normalize/id-keys.ts';
import type { CompiledSuite } from '../score/suite/suite.ts';
import { searchFor } from '../store/conversation-reader.ts';
import type { SearchCursor } from '../store/conversation-search.ts';
import type { ConversationRow } from '../store/conversation-row.ts';
import type { EvaluationScanner, ScannedEvaluation } from '../store/evaluation-scan.ts';
import { detectionStart } from '../engine/detection/detection-start.ts';
import { effortOf, labelsOf } from '../engine/conversation-labels.ts';
import { judgeOf, judgingStart } from '../engine/judging-start.ts';
import { checkedTruth } from '../engine/truth-files.ts';
import { AlertReplay, type ObservedPair, observedAs, type SeenAt, seenAt } from './alerts.ts';
import { AnotherSuite, type Asked, type BacktestReader, type NotAsked } from './another-suite.ts';
import {
  type ComparedPlace,
  type ComparedSide,
  Comparison,
  type Group,
  toWhose,
  type WhoseConversation,
} from './comparison.ts';
import { JudgeBills } from './judge-bills.ts';
import type { Reweighed } from './stored-weighing.ts';
import { toolsNeverCalled } from './tools-never-called.ts';

interface CompareOptions {
  readonly changed: CompiledSuite;
  /** The name of the suite whose stored evaluations it is compared with. */
  readonly against: string;
  /** The suites that are configured. */
  readonly configured: readonly CompiledSuite[];
  readonly reader: BacktestReader;
  readonly since?: number | undefined;
  readonly agent?: string | undefined;
  readonly agentVersion?: string | undefined;
  /** The latest so many: evaluations, or conversations where all are looked at. */
  readonly limit?: number | undefined;
  /** Most changed conversations that are named. */
  readonly shown: number;
  readonly onProgress?: (done: { readonly evaluations: number }) => void;
}

/** Parts that are configured for the service. */
interface CompareParts extends Pick<ConstructorParameters<typeof AnotherSuite>[0], 'judge' | 'idKeys' | 'truth'> {
  readonly judges: ConstructorParameters<typeof JudgeBills>[0];
  readonly segment: readonly string[];
  /** Undefined where regressions are not looked for. */
  readonly detection: DetectionSettings | undefined;
}

interface WhatIfOptions extends Omit<CompareOptions, 'against' | 'configured'> {
  readonly live: CompiledSuite;
  readonly judge: CompareParts['judge'];
}

/** A backtest by other weights that never reads a span. */
export interface WhatIfReport
  extends Pick<BacktestReport, 'counted' | 'before' | 'after' | 'criteria' | 'changed' | 'conversations'> {
  readonly lookedAt: number;
  /** Evaluations that their stored verdicts cannot answer for; they are in no other figure. */
  readonly notAnswered: ReadonlyMap<WhyNotWeighed, number>;
}

interface Known {
  readonly group: Group;
  readonly observed: ObservedPair;
}

const PAGE = 200;
const TOOLS_MAX = 1_000;
const NOT_ASKED = { passed: 0, decided: 0 };
const NOBODY: WhoseConversation = { agent: '', agent_version: '', environment: '' };

export interface BacktestOptions extends CompareOptions {
  readonly settings: Settings;
}

export async function backtest({ settings, ...options }: BacktestOptions): Promise<BacktestReport> {
  const { judging, conversation, truth, metrics } = settings;
  return new Backtest(options, {
    judge: judgeOf(judgingStart(settings)),
    judges: judging.judges,
    idKeys: idKeysOf(conversation.idKeys),
    truth: checkedTruth(truth),
    segment: metrics.segment,
    detection: detectionStart(settings)?.settings,
  }).run();
}

export async function whatIf({ live, judge, ...options }: WhatIfOptions): Promise<WhatIfReport> {
  const unread = { judges: [], idKeys: undefined, truth: undefined, segment: [], detection: undefined };
  return new Backtest({ ...options, against: live.name, configured: [live] }, { judge, ...unread }).weigh();
}

export const NOTHING_ASKED = {
  weighedAgain: 0,
  askedAgain: 0,
  spansNotKept: 0,
  notUnderstood: 0,
  left: 0,
  notOver: 0,
  withoutJudges: 0,
};

class Backtest {
  readonly #options: CompareOptions;
  readonly #segment: readonly string[];
  /** The suite whose evaluations are stored, as it is configured. */
  readonly #live: CompiledSuite | undefined;
  readonly #comparison: Comparison;
  /** Outcomes of conversations that had no evaluation. */
  readonly #joined: Comparison;
  readonly #bills: JudgeBills;
  readonly #another: AnotherSuite;
  readonly #alerts: AlertReplay | undefined;
  readonly #versions = new Map<string, number>();
  /** Known evaluations by their result of weighing, which equal ones share. */
  readonly #known = new Map<Reweighed, Known>();
  readonly #askedCriteria = new Set<string>();
  /** By conversations that were read again. */
  readonly #toolsCalled = new Set<string>();
  readonly #counts = { ...NOTHING_ASKED };

  constructor(options: CompareOptions, { judges, segment, detection, ...understanding }: CompareParts) {
    const { changed, reader, configured, against, shown } = options;
    this.#options = options;
    this.#segment = segment;
    this.#live = configured.find(({ name }) => name === against);
    this.#comparison = new Comparison({ before: this.#live, after: changed }, { shown });
    this.#joined = new Comparison({ before: undefined, after: changed }, { shown: 0 });
    this.#bills = new JudgeBills(judges);
    this.#another = new AnotherSuite({ changed, live: this.#live, reader, ...understanding });
    this.#alerts = detection === undefined ? undefined : new AlertReplay(detection);
  }

  async run(): Promise<BacktestReport> {
    if (await this.#isForTheSame()) await this.#compareEvaluations((stored) => this.#ask(stored));
    else await this.#compareConversations();
    return this.#report();
  }

  async weigh(): Promise<WhatIfReport> {
    const notAnswered = new Map<WhyNotWeighed, number>();
    const lookedAt = await this.#compareEvaluations((_, whyNot) => {
      notAnswered.set(whyNot, (notAnswered.get(whyNot) ?? 0) + 1);
    });
    return { ...(await this.#report()), lookedAt, notAnswered };
  }

  /** True if both suites match the same conversations, by the last stored evaluation. */
  async #isForTheSame(): Promise<boolean> {
    const { reader, against, changed } = this.#options;
    for await (const page of reader.scanEvaluations({ suiteKey: against, limit: 1 }))
      for (const stored of page) return this.#another.isForTheSame(stored);
    // Nothing is stored of the suite that runs, so the written conditions are compared.
    const { match, id } = this.#live?.definition ?? {};
    return id !== undefined && match !== undefined && match === changed.definition.match;
  }

  async #compareEvaluations(
    onOther: (stored: ScannedEvaluation, whyNot: WhyNotWeighed) => Promise<void> | void,
  ): Promise<number> {
    const { reader, against, since, agent, agentVersion, limit, onProgress } = this.#options;
    let evaluations = 0;
    for await (const page of reader.scanEvaluations({ suiteKey: against, since, agent, agentVersion, limit })) {
      for (const stored of page) {
        this.#versions.set(stored.suiteVersion, (this.#versions.get(stored.suiteVersion) ?? 0) + 1);
        const weighed = this.#another.weigh(stored);
        if (typeof weighed === 'string') await onOther(stored, weighed);
        else {
          this.#counts.weighedAgain += 1;
          this.#add(this.#knownOf(weighed), stored, seenAt(stored));
        }
      }
      evaluations += page.length;
      this.#alerts?.advance();
      onProgress?.({ evaluations });
    }
    return evaluations;
  }

  async #ask(stored: ScannedEvaluation): Promise<void> {
    const { reader } = this.#options;
    const conversation = await reader.conversationOf(stored);
    if (conversation === undefined) {
      this.#counts.spansNotKept += 1;
      return;
    }
    const turnId = stored.turnId === '' ? undefined : stored.turnId;
    const asked = await this.#another.ask(conversation, { turnId, stored });
    if (this.#couldNot(asked)) return;
    for (const request of asked.waiting) this.#bills.add(request);
    const verdicts = this.#another.verdictsKept(stored) ?? kindsOf(await reader.verdictsOf(stored));
    const before = { score: stored.score, outcome: stored.outcome, verdicts };
    this.#count(asked);
    const known = this.#observed(before, asked.side, toWhose(stored.labels), stored.suiteVersion);
    this.#add(known, stored, seenAt(stored));
  }

  #count({ criteria, waiting }: Pick<Asked, 'criteria' | 'waiting'>): void {
    this.#counts.askedAgain += 1;
    if (waiting.length > 0) this.#counts.withoutJudges += 1;
    for (const criterion of criteria) this.#askedCriteria.add(criterion);
  }

  /** All that there are, the latest first: for whichever of them the changed suite is. */
  async #compareConversations(): Promise<void> {
    const { reader, since, agent, agentVersion, limit = Number.POSITIVE_INFINITY, onProgress } = this.#options;
    const seen: { readonly known: Known; readonly place: ComparedPlace; readonly seen: SeenAt }[] = [];
    let cursor: SearchCursor | undefined;
    let looked = 0;
    for (let more = true; more && looked < limit; ) {
      const query = { limit: Math.min(PAGE, limit - looked), cursor, since, agent, agentVersion };
      const page = await reader.pages.search(searchFor(query));
      for (const row of page.rows) seen.push(...(await this.#compareConversation(row)));
      looked += page.rows.length;
      cursor = page.next;
      more = page.next !== undefined;
      onProgress?.({ evaluations: looked });
    }
    for (const { known, place, seen: at } of seen.toSorted((a, b) => a.seen.at - b.seen.at))
      this.#add(known, place, at);
    this.#alerts?.advance();
  }

  async #compareConversation(row: ConversationRow) {
    const { reader, changed, against } = this.#options;
    const stored = (await reader.evaluations(row, { revisions: 'last' })).filter(
      ({ suite, waitsFor }) => suite === against && waitsFor === undefined,
    );
    for (const { suiteVersion } of stored)
      this.#versions.set(suiteVersion, (this.#versions.get(suiteVersion) ?? 0) + 1);
    const isNotOver = row.revision === 0 && stored.length === 0 && changed.scope === 'conversation';
    const turns = changed.scope === 'turn' ? await this.#another.turnsOf(row) : [undefined];
    if (typeof turns === 'string') {
      this.#couldNot(turns);
      return [];
    }
    const compared = [];
    const left = new Set(stored);
    for (const turnId of turns) {
      const asked = await this.#another.ask(row, { turnId, stored: undefined });
      const beside = stored.find((one) => one.turnId === turnId);
      if (asked === 'not-matched') continue;
      if (beside !== undefined) left.delete(beside);
      if (this.#couldNot(asked)) continue;
      for (const request of asked.waiting) this.#bills.add(request);
      this.#noteTools(asked);
      if (beside === undefined) {
        if (isNotOver) this.#counts.notOver += 1;
        this.#joined.add(this.#joined.groupOf(asked.side, asked.side, NOBODY), { conversation: row.row, turnId: '' });
        continue;
      }
      this.#count(asked);
      const before = { score: beside.score, outcome: beside.outcome, verdicts: kindsOf(beside.verdicts) };
      const { agent, agent_version, environment, segment } = labelsOf(asked.conversation, this.#segment);
      const whose = { agent, agent_version, environment, ...(segment === undefined ? {} : { segment }) };
      compared.push({
        known: this.#observed(before, asked.side, whose, beside.suiteVersion),
        place: { conversation: row.row, turnId: turnId ?? '' },
        seen: { at: row.updatedAt, ...effortOf(asked.conversation) },
      });
    }
    this.#counts.left += left.size;
    return compared;
  }

  #noteTools({ conversation }: Asked): void {
    for (const { toolCalls } of conversation.turns)
      for (const { name } of toolCalls) if (this.#toolsCalled.size < TOOLS_MAX) this.#toolsCalled.add(name);
  }

  #couldNot(asked: Asked | NotAsked): asked is NotAsked {
    if (typeof asked !== 'string') return false;
    if (asked === 'spans-not-kept') this.#counts.spansNotKept += 1;
    else if (asked === 'not-matched') this.#counts.left += 1;
    else this.#counts.notUnderstood += 1;
    return true;
  }

  #knownOf(weighed: Reweighed): Known {
    let known = this.#known.get(weighed);
    if (known === undefined) {
      const { before, after, whose, suiteVersion } = weighed;
      known = this.#observed(before, after, whose, suiteVersion);
      this.#known.set(weighed, known);
    }
    return known;
  }

  #observed(before: ComparedSide, after: ComparedSide, whose: WhoseConversation, version: string): Known {
    const { changed } = this.#options;
    return {
      group: this.#comparison.groupOf(before, after, whose),
      observed: {
        before: observedAs(before, this.#live ?? changed, version, whose),
        after: observedAs(after, changed, changed.version, whose),
      },
    };
  }

  #add({ group, observed }: Known, place: ComparedPlace, seen: SeenAt): void {
    this.#comparison.add(group, place);
    this.#alerts?.observe(observed, seen);
  }

  async #report(): Promise<BacktestReport> {
    const { changed, against } = this.#options;
    const comparison = this.#comparison;
    // A suite that is new has nothing to be compared with: what it would say is all there is.
    const isNew = comparison.compared === 0 && this.#joined.compared > 0;
    const figures = comparison.figures((name) => (this.#askedCriteria.has(name) ? 'asked again' : 'weighed again'));
    return {
      suite: changed.name,
      version: changed.version,
      against: {
        suite: against,
        versions: [...this.#versions]
          .map(([version, evaluations]) => ({ version, evaluations }))
          .sort((a, b) => b.evaluations - a.evaluations),
        configured: this.#live?.version,
      },
      counted: { compared: comparison.compared, ...this.#counts },
      joined: this.#joined.totals('after'),
      ...figures,
      ...(isNew ? { criteria: this.#joined.criteria(() => 'new').map((one) => ({ ...one, before: NOT_ASKED })) } : {}),
      neverCalled: this.#toolsCalled.size === 0 ? [] : toolsNeverCalled(changed, this.#toolsCalled),
      conversations: await named(comparison, this.#options.reader),
      judges: this.#bills.all(),
      alerts: this.#alerts?.result(),
    };
  }
}

/** With their ids; those that have gone in the meantime are left out. */
export async function named(
  comparison: Comparison,
  reader: Pick<EvaluationScanner, 'conversationOf'>,
): Promise<readonly ChangedConversation[]> {
  const all: ChangedConversation[] = [];
  for (const { place, ...change } of comparison.mostChanged()) {
    const conversation = await reader.conversationOf(place);
    if (conversation === undefined) continue;
    const { conversationId } = conversation;
    all.push({ conversationId, turnId: place.turnId === '' ? undefined : place.turnId, ...change });
  }
  return all;
}

export function kindsOf(
  verdicts: ReadonlyMap<string, { readonly verdict: VerdictKind }>,
): ReadonlyMap<string, VerdictKind> {
  return new Map([...verdicts].map(([name, { verdict }]) => [name, verdict]));
}
