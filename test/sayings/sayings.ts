/**
 * Sentences that the surfaces have for the same situations: the figures of a suite, two versions, the gate, alarms. Made by the
 * code that shows them, for a suite about form, about rules and about the task.
 */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { parse } from 'yaml';
import { printDocument } from '../../src/cli/print-document.ts';
import { printExperiments } from '../../src/cli/print-experiments.ts';
import { fullGate, printGate } from '../../src/cli/print-gate.ts';
import { printScores } from '../../src/cli/print-summary.ts';
import { compareExperiments } from '../../src/statistics/compare/compare-experiments.ts';
import { compareOnline } from '../../src/statistics/compare/online/compare-online.ts';
import { gateBy } from '../../src/statistics/compare/gate/gate-between.ts';
import { DEFAULT_GATE } from '../../src/statistics/compare/gate/gate-rules.ts';
import { TOOLS } from '../../src/mcp/mcp-server.ts';
import type { LevelReading, Transition } from '../../src/model/detection.ts';
import { ABOUTS, type About, type Outcome } from '../../src/model/evaluation.ts';
import type { ExperimentResult } from '../../src/model/experiment.ts';
import { wordsOf } from '../../src/model/suite-words.ts';
import { rowsOf } from '../../src/page/versions/measures.ts';
import { comparedJson, comparisonJson } from '../../src/report/documents/comparison-json.ts';
import { comparisonDocument } from '../../src/report/documents/comparison-document.ts';
import { documentMarkdown } from '../../src/report/documents/document-markdown.ts';
import { gateJUnit } from '../../src/report/documents/gate-report.ts';
import { summarize } from '../../src/report/documents/summary.ts';
import { detectionRecord, NO_EVIDENCE } from '../../src/report/webhooks/detection-record.ts';
import { slackMessage } from '../../src/report/webhooks/slack-message.ts';
import { printed } from '../cli/printed.ts';
import { experimentOf, FAILURE, passing, SUCCESS } from '../statistics/compare/experiments.ts';
import { reading } from '../report/regressions.ts';

export interface Saying {
  readonly surface: string;
  readonly situation: string;
  /** Subject of the suite that it is said of; `any` where the sentence is the same for all. */
  readonly about: About | 'any';
  readonly sentence: string;
}

const REPOSITORY = path.resolve(import.meta.dirname, '../..');
const CASES = 60;
const ALL = Array.from({ length: CASES }, () => 1 as const);
const HALF = Array.from({ length: CASES }, (_, index): 0 | 1 => (index % 2 === 0 ? 1 : 0));
const FEW: readonly (0 | 1)[] = [1, 1, 1, 0];
const GOOD: Readonly<Record<About, Outcome>> = {
  task: 'successful_completion',
  rules: 'no_fault_found',
  form: 'no_fault_found',
};

export function sayings(): readonly Saying[] {
  return [...ABOUTS.flatMap((about) => ofSuites(about)), ...ofAlarms(), ...ofEverything()];
}

/** The command line, documents, and what the page and MCP show of them. */
function ofSuites(about: About): readonly Saying[] {
  const [good, bad, few] = [tried('good', ALL, about), tried('bad', HALF, about), tried('few', FEW, about)];
  const evaluations = bad.runs.flatMap((run) => run.evaluations);
  const pairs = { 'it got worse': [good, bad], 'it got better': [bad, good], 'few cases': [few, few] } as const;
  const says = (surface: string, situation: string, text: string) => sentences(text, { surface, situation, about });
  const figures = printed((terminal) => printScores(terminal, summarize(evaluations)));
  const listed = printed((terminal) => printExperiments(terminal, [{ folder: 'x', result: bad, state: 'ended' }]));
  const compared = Object.entries(pairs).flatMap(([situation, [a, b]]) => {
    const comparison = compareExperiments(a, b);
    const document = comparisonDocument(comparison, { flippedMax: 2 });
    const [suite] = comparisonJson(comparison).suites;
    if (suite === undefined) throw new Error('no suite was compared');
    const rows = rowsOf(suite).shown.map(({ name, compared }) => `${name}: ${compared.word ?? 'neither'}`);
    const gated = gateBy({ candidate: b, baseline: a, gate: DEFAULT_GATE, file: undefined });
    if (gated.is !== 'decided') throw new Error('the gate could not decide');
    return [
      ...says(
        'assay compare',
        situation,
        printed((terminal) => printDocument(terminal, document)),
      ),
      ...says('assay compare --markdown', situation, documentMarkdown(document)),
      ...says('page: versions', situation, rows.join('\n')),
      ...says('API: compare', situation, words(suite).join('\n')),
      ...says(
        'assay gate',
        situation,
        printed((terminal) => printGate(terminal, gated.result, DEFAULT_GATE, { tableBy: undefined })),
      ),
      ...says('assay gate --markdown', situation, documentMarkdown(fullGate(gated.result, DEFAULT_GATE))),
      ...says('assay gate --junit', situation, gateJUnit(gated.result, DEFAULT_GATE)),
    ];
  });
  const samples = (passes: readonly number[]) => {
    const values = passes.map((value, conversation) => ({ value, conversation, user: undefined, kind: '', at: 0 }));
    return {
      scores: values,
      successes: values,
      passes: new Map([['booked', values]]),
      steps: [],
      tokens: [],
      cost: [],
    };
  };
  const online = compareOnline(samples(ALL), samples(HALF), {
    criteria: ['booked'],
    alpha: 0.05,
    smallest: 0.05,
    about,
    called: { a: 'v1', b: 'v2' },
  });
  const onlineWords = [online.score, online.success, ...online.criteria.map(({ compared }) => compared)].map(
    (one) => comparedJson(one).word ?? 'neither',
  );
  return [
    ...says('assay score', 'figures', figures),
    ...says('assay experiments', 'a list', listed),
    ...says(
      'page: overview',
      'figures',
      Object.values(wordsOf(about))
        .filter((text) => text !== undefined)
        .join('\n'),
    ),
    ...says('API and MCP: two versions online', 'it got worse', onlineWords.join('\n')),
    ...compared,
  ];
}

function words(suite: Readonly<Record<string, unknown>>): readonly string[] {
  const found: string[] = [];
  JSON.stringify(suite, (key, value: unknown) => {
    if ((key === 'word' || key === 'direction') && typeof value === 'string') found.push(value);
    return value;
  });
  return [...new Set(found)];
}

/** Alarms do not know what a suite is about, and so say only what holds of each. */
function ofAlarms(): readonly Saying[] {
  const states: readonly LevelReading['state'][] = [
    'suspected',
    'regressed',
    'partly_back',
    'recovered',
    'learning',
    'ok',
    'no_data',
  ];
  const metrics: readonly LevelReading['metric'][] = ['tcr', 'hard_failure', 'cost_per_success', 'steps_per_success'];
  const levels = metrics.flatMap((metric) =>
    states.map(
      (to): Transition => ({
        ...LEVEL,
        to,
        reading: reading({ metric, state: to, ...(metric === 'tcr' ? {} : RISEN) }),
      }),
    ),
  );
  const versions = (['worse', 'better', 'equivalent', 'inconclusive'] as const).map(
    (to): Transition => ({
      ...LEVEL,
      kind: 'version',
      from: 'inconclusive',
      to,
      reading: {
        suite: 's',
        agent: 'a',
        environment: 'e',
        version: 'v2',
        baselineVersion: 'v1',
        verdict: to,
        logEvidenceWorse: 3,
        logEvidenceBetter: -1,
        difference: { worse: -0.1, better: 0.1, equivalent: 0.001, inconclusive: -0.01 }[to],
      },
    }),
  );
  return [...levels, ...versions].flatMap((transition) => {
    const record = detectionRecord(transition, NO_EVIDENCE);
    const situation = `${transition.kind} ${transition.to}`;
    return [
      ...sentences(record.summary, { surface: 'webhook, page, MCP: alarm', situation, about: 'any' }),
      ...sentences(textsIn(slackMessage(record)).join('\n'), { surface: 'Slack', situation, about: 'any' }),
    ];
  });
}

/** These alarm where they rise, and have no parts. */
const RISEN = { change: { baseline: 0.1, observed: 0.15, ratio: 0.5, lower: 0.2, upper: 0.8 }, parts: [] };

const LEVEL = { kind: 'level', id: 'a'.repeat(32), at: 2_000_000, from: 'ok' } as const;

/** Rules, dashboards, metrics and tools, which are written once for all suites. */
function ofEverything(): readonly Saying[] {
  const rules = parse(readFileSync(path.join(REPOSITORY, 'deploy/prometheus/assay.rules.yml'), 'utf8')) as {
    readonly groups: readonly { readonly rules: readonly Readonly<Record<string, unknown>>[] }[];
  };
  const alerts = rules.groups.flatMap(({ rules: some }) => some.filter((rule) => typeof rule.alert === 'string'));
  const folder = path.join(REPOSITORY, 'deploy/grafana/dashboards');
  return [
    ...alerts.flatMap((rule) => {
      const { summary, description } = rule.annotations as Readonly<Record<string, string>>;
      const at = { surface: 'Prometheus: alert', situation: String(rule.alert), about: 'any' } as const;
      return sentences([summary, description].filter((text) => text !== undefined).join('\n'), at);
    }),
    ...readdirSync(folder).flatMap((file) =>
      sentences(shownIn(JSON.parse(readFileSync(path.join(folder, file), 'utf8'))).join('\n'), {
        surface: 'Grafana',
        situation: file,
        about: 'any',
      }),
    ),
    ...TOOLS.flatMap(({ listed }) =>
      sentences(`${listed.title ?? ''}\n${(listed.description ?? '').replaceAll('\n', ' ')}`, {
        surface: 'MCP: tools',
        situation: listed.name,
        about: 'any',
      }),
    ),
  ];
}

function shownIn(dashboard: unknown): readonly string[] {
  const found: string[] = [];
  JSON.stringify(dashboard, (key, value: unknown) => {
    if ((key === 'title' || key === 'description' || key === 'displayName') && typeof value === 'string')
      found.push(value);
    return value;
  });
  return found;
}

function textsIn(message: unknown): readonly string[] {
  const found: string[] = [];
  JSON.stringify(message, (key, value: unknown) => {
    if (key === 'text' && typeof value === 'string') found.push(value);
    return value;
  });
  return found;
}

function tried(name: string, passes: readonly (0 | 1)[], about: About): ExperimentResult {
  const result = experimentOf(name, passing(passes));
  const runs = result.runs.map((run) => ({
    ...run,
    evaluations: run.evaluations.map((one) => ({
      ...one,
      about,
      outcome: one.outcome === SUCCESS.outcome ? GOOD[about] : (FAILURE.outcome ?? one.outcome),
    })),
  }));
  return { ...result, runs };
}

function sentences(text: string, at: Omit<Saying, 'sentence'>): readonly Saying[] {
  const lines = text.split('\n').map((line) => line.trim().replace(/\s+/g, ' '));
  return [...new Set(lines)].filter((line) => line !== '').map((sentence) => ({ ...at, sentence }));
}
