/**
 * A release gate over two experiments that were read: the rules of a file, or those that hold without one. `assay gate`
 * and the API answer by it, so that both give the same decision.
 */
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { isDeepStrictEqual } from 'node:util';
import type { Experiment, ExperimentResult } from '../../../model/experiment.ts';
import type { GateLook, GateResult } from '../../../model/gate.ts';
import type { Mistake } from '../../../model/mistake.ts';
import { earlyEndOf, heldLook, lookAt, type UntilDecided } from '../../../model/until-decided.ts';
import { unreadable } from '../../../model/why-unreadable.ts';
import { incomparable, otherVersions } from './comparable.ts';
import { decideGate } from './decide-gate.ts';
import { asksByChance, countsOf, DEFAULT_GATE, type GateFile, needsBaseline, rulesOf } from './gate-rules.ts';
import { type ReadGate, readGate } from './read-gate.ts';
import type { Experiments } from './sides.ts';
import { decideAtLook } from './sequential-gate.ts';

/** Name of the file of rules, in the folder where Assay was started. */
export const USUAL_GATE_FILE = 'gate.yaml';

type Gated =
  | { readonly is: 'decided'; readonly result: GateResult; readonly gate: GateFile; readonly file: string | undefined }
  /** The file of rules has mistakes. */
  | { readonly is: 'mistaken'; readonly mistakes: readonly Mistake[] }
  /** Sentences that say why nothing can be decided. */
  | { readonly is: 'undecidable'; readonly problems: readonly string[] };

interface GateQuestion extends Experiments {
  /** File of rules; the usual one, if it exists, unless given. */
  readonly rules: string | undefined;
}

export async function gateBetween({ rules, ...experiments }: GateQuestion): Promise<Gated> {
  const read = await rulesFor(experiments.candidate, rules);
  if ('problem' in read) return { is: 'undecidable', problems: [read.problem] };
  const { gate, file } = read;
  if (gate === undefined) return { is: 'mistaken', mistakes: read.mistakes };
  return gateBy({ ...experiments, gate, file });
}

/** Decides by rules that were read. */
export function gateBy({
  candidate,
  baseline,
  earlier,
  gate,
  file,
}: Omit<GateQuestion, 'rules'> & { readonly gate: GateFile; readonly file: string | undefined }): Gated {
  const { problems, warnings } = incomparable(candidate, baseline);
  if (problems.length > 0) return { is: 'undecidable', problems };
  const unasked = nothingToAsk(candidate.experiment, { gate, baseline });
  if (unasked.length > 0) return { is: 'undecidable', problems: unasked };
  const plan = candidate.experiment.untilDecided;
  if (plan === undefined)
    return { is: 'decided', result: decideGate({ candidate, baseline, earlier, gate, warnings }), gate, file };
  const look = heldLook(plan);
  if (look === undefined) return { is: 'undecidable', problems: [beforeFirstLook(candidate, plan)] };
  const result = decideAtLook(candidate, { baseline, earlier, gate, look });
  const notes = notesOnLook({ candidate, plan, result, look, gate });
  return { is: 'decided', result: { ...result, warnings: [...notes, ...warnings] }, gate, file };
}

function nothingToAsk(
  { id }: Experiment,
  { gate, baseline }: { readonly gate: GateFile; readonly baseline: ExperimentResult | undefined },
): readonly string[] {
  if (!gate.isDefault || baseline !== undefined) return [];
  return [`there is nothing to hold ${id} against: give --baseline, or fixed numbers in ${USUAL_GATE_FILE}`];
}

/** Problems that are known before the first run of an experiment that ends when it is decided, in sentences. */
export function problemsBeforeLooks(
  experiment: Experiment,
  { gate, baseline }: { readonly gate: GateFile; readonly baseline: ExperimentResult | undefined },
): readonly string[] {
  const needing = experiment.suites.flatMap((suite) => {
    const limits = rulesOf(gate, suite).filter(({ limit }) => needsBaseline(limit));
    const counts = countsOf(gate, suite).filter(({ rule, isImplied }) => rule !== 'critical_failures' && !isImplied);
    const worse = asksByChance(gate, suite) ? ['cases_worse'] : [];
    const rules = [...limits, ...counts].map(({ rule }): string => rule).concat(worse);
    return rules.length === 0 ? [] : [{ suite: suite.name, rules: [...new Set(rules)].join(', ') }];
  });
  if (baseline === undefined) {
    const unheld = gate.isDefault
      ? []
      : needing.map(({ rules }) => `give --baseline: without it these can't be told: ${rules}`);
    return [...nothingToAsk(experiment, { gate, baseline }), ...new Set(unheld)];
  }
  const { id, endedAt, suites } = baseline.experiment;
  const unscored = needing.filter(({ suite }) => !suites.some(({ name }) => name === suite));
  return [
    ...unscored.map(({ suite, rules }) => `${id} was not scored by ${suite}, so these can't be told: ${rules}`),
    ...(baseline.runs.length === 0 ? [`${id} has no runs`] : []),
    ...(endedAt === undefined ? [`${id} has not ended, so it would be another baseline at each look`] : []),
    ...otherVersions(experiment, baseline.experiment),
  ];
}

function beforeFirstLook({ experiment, runs }: ExperimentResult, plan: UntilDecided): string {
  const first = lookAt(plan, 0)?.cases ?? 0;
  return `${experiment.id} runs until it is decided, and has not come to its first look at ${first} cases (${runs.length} runs are known): go on with \`assay run … --resume ${experiment.id}\``;
}

/** Whether the experiment ended for the question that is asked now, and whether its look still gives its answer. */
function notesOnLook({
  candidate: { experiment },
  plan,
  result,
  look,
  gate,
}: {
  readonly candidate: ExperimentResult;
  readonly plan: UntilDecided;
  readonly result: GateResult;
  readonly look: GateLook;
  readonly gate: GateFile;
}): readonly string[] {
  const others = [
    ...(result.baseline?.id === plan.baseline ? [] : [`against ${plan.baseline ?? 'no baseline'}`]),
    ...(isDeepStrictEqual(gate, gateOfPlan(plan, experiment).gate)
      ? []
      : [
          `by ${plan.rules === undefined ? 'the rules that hold without a file' : `${plan.rules.file} as it was then`}`,
        ]),
  ];
  const early = earlyEndOf(experiment);
  if (others.length > 0)
    return [
      `${experiment.id} ${early === undefined ? 'was run until decided' : 'ended early'} for another question: ${others.join(', ')}. This one is decided at the same look, by the share of the error that the look has`,
    ];
  if (plan.answers.at(-1) === result.decision) return [];
  return [
    `at look ${look.number} the answer was ${plan.answers.at(-1)?.replaceAll('_', ' ')} when it was held, and is not now: the runs of the candidate or of the baseline were changed since, or another version of Assay decides`,
  ];
}

/** Rules for which an experiment is run until it is decided. */
export function gateOfPlan({ rules }: UntilDecided, { suites }: Experiment): ReadGate {
  return rules === undefined ? { gate: DEFAULT_GATE, mistakes: [] } : readGate(rules.text, rules.file, suites);
}

/** The rules of the file for the suites of an experiment; those that hold without one if there is none. */
export async function rulesFor(candidate: Pick<ExperimentResult, 'experiment'>, rules: string | undefined) {
  const file = rules ?? (existsSync(USUAL_GATE_FILE) ? USUAL_GATE_FILE : undefined);
  const read = file === undefined ? { gate: DEFAULT_GATE, mistakes: [], text: '' } : await gateIn(file, candidate);
  return { ...read, file };
}

async function gateIn(file: string, { experiment }: Pick<ExperimentResult, 'experiment'>) {
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    return { problem: unreadable(file, error) };
  }
  return { ...readGate(text, file, experiment.suites), text };
}
