/**
 * A release gate over two experiments that were read: the rules of a file, or those that hold without one. `assay gate`
 * and the API answer by it, so that both give the same decision.
 */
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import type { ExperimentResult } from '../../model/experiment.ts';
import type { GateResult } from '../../model/gate.ts';
import type { Mistake } from '../../model/mistake.ts';
import { unreadable } from '../../model/why-unreadable.ts';
import { incomparable } from './comparable.ts';
import { decideGate } from './decide-gate.ts';
import { DEFAULT_GATE, type GateFile } from './gate-rules.ts';
import { readGate } from './read-gate.ts';

/** Name of the file of rules, in the folder where Assay was started. */
export const USUAL_GATE_FILE = 'gate.yaml';

type Gated =
  | { readonly is: 'decided'; readonly result: GateResult; readonly gate: GateFile; readonly file: string | undefined }
  /** The file of rules has mistakes. */
  | { readonly is: 'mistaken'; readonly mistakes: readonly Mistake[] }
  /** Nothing can be decided, in sentences. */
  | { readonly is: 'undecidable'; readonly problems: readonly string[] };

interface GateQuestion {
  readonly candidate: ExperimentResult;
  readonly baseline: ExperimentResult | undefined;
  /** File of rules; the usual one, if it exists, unless given. */
  readonly rules: string | undefined;
}

export async function gateBetween({ candidate, baseline, rules }: GateQuestion): Promise<Gated> {
  const read = await rulesFor(candidate, rules);
  if ('problem' in read) return { is: 'undecidable', problems: [read.problem] };
  const { gate, file } = read;
  if (gate === undefined) return { is: 'mistaken', mistakes: read.mistakes };
  const { problems, warnings } = incomparable(candidate, baseline);
  if (problems.length > 0) return { is: 'undecidable', problems };
  if (gate.isDefault && baseline === undefined) {
    const problem = `there is nothing to hold ${candidate.experiment.id} against: give --baseline, or fixed numbers in ${USUAL_GATE_FILE}`;
    return { is: 'undecidable', problems: [problem] };
  }
  return { is: 'decided', result: decideGate({ candidate, baseline, gate, warnings }), gate, file };
}

/** The rules of the file for the suites of an experiment; those that hold without one if there is none. */
export async function rulesFor(candidate: ExperimentResult, rules: string | undefined) {
  const file = rules ?? (existsSync(USUAL_GATE_FILE) ? USUAL_GATE_FILE : undefined);
  const read = file === undefined ? { gate: DEFAULT_GATE, mistakes: [] } : await gateIn(file, candidate);
  return { ...read, file };
}

async function gateIn(file: string, { experiment }: ExperimentResult) {
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    return { problem: unreadable(file, error) };
  }
  return readGate(text, file, experiment.suites);
}
