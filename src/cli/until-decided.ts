/** `assay run --until-decided`: which question is asked, its looks, and what they come to. */
import { isDeepStrictEqual } from 'node:util';
import { gateBy, gateOfPlan, problemsBeforeLooks, rulesFor } from '../statistics/compare/gate/gate-between.ts';
import type { GateFile } from '../statistics/compare/gate/gate-rules.ts';
import { detailsCommand } from '../statistics/compare/gate/gate-commands.ts';
import { nameOfRule } from '../statistics/compare/gate/gate-words.ts';
import { planLooks } from '../statistics/compare/gate/plan-looks.ts';
import { decideAtLook, keptOnlyAtTheEnd } from '../statistics/compare/gate/sequential-gate.ts';
import { counted } from '../model/counted.ts';
import type { Dataset, DatasetCase } from '../model/dataset.ts';
import type { Experiment, ExperimentResult } from '../model/experiment.ts';
import { type GateResult, isLastLook, type JudgedRule, mayRelease } from '../model/gate.ts';
import { formatMistakes } from '../model/mistake.ts';
import { earlyEndOf, lookAt, type UntilDecided } from '../model/until-decided.ts';
import { drawnOrder } from '../offline/run/run-plan.ts';
import { gateJson } from '../report/documents/gate-report.ts';
import type { ExperimentFolder } from '../store/experiment/experiment-folder.ts';
import { ExperimentUnreadable, findExperiment, readExperiment } from '../store/experiment/read-experiment.ts';
import { CommandFailure, EXIT, GATE_EXIT } from './exit-codes.ts';
import { printGate } from './print-gate.ts';
import { safe, type Terminal } from './terminal.ts';

export interface UntilFlags {
  readonly untilDecided?: boolean;
  readonly baseline?: string;
  readonly rules?: string;
}

export const UNTIL_HELP = `
With --until-decided, cases are run in an order drawn from --seed. After planned numbers of cases the release gate is
asked, as \`assay gate\` would be, and the experiment ends as soon as it passes or finds a regression. All looks together
err no more often than one gate. Later \`assay gate\` gives the same answer.

Exit codes: 0 all runs are kept; 130 interrupted, --resume goes on; 2 mistakes in the arguments; 3 the first runs all
failed without a span. With --until-decided: 0 pass; 1 regression; 2 not enough evidence; 3 an error: nothing was
decided; 130 interrupted.`;

/** Question of an experiment that ends when it is decided. */
interface Question {
  readonly plan: UntilDecided;
  readonly gate: GateFile;
  readonly baseline: ExperimentResult | undefined;
}

interface Asking {
  readonly root: string;
  readonly experiment: Experiment;
  readonly dataset: Dataset;
  /** Experiment that is gone on with. */
  readonly began: Experiment | undefined;
}

/** Undefined where all cases are run in any event. Mistakes that would keep a look from being held are refused before any run. */
export async function questionOf(flags: UntilFlags, asking: Asking): Promise<Question | undefined> {
  const { began, experiment } = asking;
  const plan = began?.untilDecided;
  if (plan !== undefined) return await questionThatWasAsked(plan, flags, asking);
  if (flags.untilDecided !== true) {
    if (flags.baseline !== undefined || flags.rules !== undefined)
      throw new CommandFailure('--baseline and --rules are for --until-decided', EXIT.usage);
    return undefined;
  }
  if (began !== undefined)
    throw new CommandFailure(
      `experiment ${began.id} can't be gone on with: it began without --until-decided, in the order of its file`,
      EXIT.usage,
    );
  const { gate, rules } = await rulesIn(flags, asking);
  const baseline = flags.baseline === undefined ? undefined : baselineIn(asking.root, flags.baseline);
  const problems = problemsBeforeLooks(experiment, { gate, baseline });
  if (problems.length > 0) throw new CommandFailure(problems.map((one) => safe(one, 1000)).join('\n'), EXIT.input);
  const { cases } = asking.dataset;
  const order = drawnOrder(cases, experiment.seed).map(({ id, fingerprint }) => ({ case: id, fingerprint }));
  const planned = { baseline: baseline?.experiment.id, rules, order, looks: planLooks(cases.length), answers: [] };
  return { plan: planned, gate, baseline };
}

/** Rules and baseline as at the beginning of the experiment, so that its flags need not be repeated. */
async function questionThatWasAsked(plan: UntilDecided, flags: UntilFlags, asking: Asking): Promise<Question> {
  const { id } = asking.experiment;
  const { gate } = gateOfPlan(plan, asking.experiment);
  if (gate === undefined)
    throw new CommandFailure(`the rules that ${id} began with are not understood by this version`, EXIT.input);
  if (flags.rules !== undefined && !isDeepStrictEqual((await rulesIn(flags, asking)).gate, gate))
    throw new CommandFailure(`experiment ${id} can't be gone on with: it began with other rules`, EXIT.usage);
  const named = flags.baseline ?? plan.baseline;
  const baseline = named === undefined ? undefined : baselineIn(asking.root, named);
  if (baseline?.experiment.id !== plan.baseline)
    throw new CommandFailure(
      `experiment ${id} can't be gone on with: it began ${plan.baseline === undefined ? 'without a baseline' : `with the baseline ${plan.baseline}`}`,
      EXIT.usage,
    );
  return { plan, gate, baseline };
}

async function rulesIn(flags: UntilFlags, { experiment }: Asking): Promise<Pick<Question, 'gate'> & RulesOf> {
  const read = await rulesFor({ experiment }, flags.rules);
  if ('problem' in read) throw new CommandFailure(read.problem, EXIT.input);
  if (read.gate === undefined) throw new CommandFailure(formatMistakes(read.mistakes), EXIT.usage);
  return { gate: read.gate, rules: read.file === undefined ? undefined : { file: read.file, text: read.text } };
}
type RulesOf = Pick<UntilDecided, 'rules'>;

function baselineIn(root: string, reference: string): ExperimentResult {
  try {
    return readExperiment(findExperiment(root, reference));
  } catch (error) {
    throw error instanceof ExperimentUnreadable
      ? new CommandFailure(`--baseline: ${error.message}`, EXIT.input)
      : error;
  }
}

/** The looks at an experiment that is written. */
export class Looks {
  readonly #terminal: Terminal;
  readonly #folder: ExperimentFolder;
  readonly #question: Question;

  constructor(terminal: Terminal, folder: ExperimentFolder, question: Question) {
    this.#terminal = terminal;
    this.#folder = folder;
    this.#question = question;
  }

  /** Cases up to each look. */
  get sizes(): readonly number[] {
    return this.#question.plan.looks.map(({ cases }) => cases);
  }

  ordered(cases: readonly DatasetCase[]): readonly DatasetCase[] {
    const byId = new Map(cases.map((one) => [one.id, one]));
    return this.#question.plan.order.flatMap((one) => byId.get(one.case) ?? []);
  }

  begin(): void {
    const { plan, gate } = this.#question;
    const { err } = this.#terminal;
    const [last = 0] = this.sizes.slice(-1);
    const early = this.sizes.slice(0, -1);
    if (early.length === 0) {
      err(`Until decided: ${counted(last, 'case')} are too few for a look before the last, so all are run.`);
      return;
    }
    err(`Until decided: looks after ${early.join(', ')} and ${last} cases, in an order drawn from the seed.`);
    const atTheEnd = keptOnlyAtTheEnd(gate, this.#folder.experiment.suites, plan.looks);
    if (atTheEnd.length > 0)
      err(
        `It can end early only as a regression, because ${atTheEnd.join(', ')} ${atTheEnd.length === 1 ? 'is' : 'are'} known to be kept only when all cases are run.`,
      );
  }

  /** Holds the look after a part, unless it was held before; whether it is decided. */
  hold(part: number): boolean {
    const plan = this.#planned;
    const held = plan.answers[part];
    if (held !== undefined) return held !== 'not_enough_evidence';
    const look = lookAt(plan, part);
    if (look === undefined) throw new Error(`look ${part + 1} of ${plan.looks.length} is not planned`);
    const result = decideAtLook(this.#folder, { ...this.#question, look });
    this.#folder.update({ untilDecided: { ...plan, answers: [...plan.answers, result.decision] } });
    this.#terminal.progressDone();
    this.#terminal.err(answerText(result));
    return result.decision !== 'not_enough_evidence';
  }

  get exitCode(): number {
    const result = this.#result();
    return mayRelease(result, this.#question.gate.onNotEnoughEvidence) ? GATE_EXIT.pass : GATE_EXIT[result.decision];
  }

  json() {
    return gateJson(this.#result());
  }

  print(): void {
    const { out } = this.#terminal;
    const { gate, plan } = this.#question;
    const asked = { candidate: this.#folder.experiment.id, baseline: plan.baseline, rules: plan.rules?.file };
    printGate(this.#terminal, this.#result(), gate, { tableBy: detailsCommand(asked) });
    const early = earlyEndOf(this.#folder.experiment);
    if (early === undefined) return;
    const { cases, ofCases } = early.look;
    const saved = ofCases - cases;
    const runs = saved * this.#folder.experiment.repeats;
    out(
      `\n  Ended early: ${cases} of ${ofCases} cases were run, so ${counted(saved, 'case')} (${counted(runs, 'run')}) were saved.`,
    );
  }

  /** Result as `assay gate` gives it. */
  #result(): GateResult {
    const { gate, baseline, plan } = this.#question;
    const gated = gateBy({ candidate: this.#folder, baseline, gate, file: plan.rules?.file });
    if (gated.is === 'decided') return gated.result;
    throw new CommandFailure(gated.is === 'undecidable' ? gated.problems.join('\n') : '', GATE_EXIT.error);
  }

  get #planned(): UntilDecided {
    const { untilDecided } = this.#folder.experiment;
    if (untilDecided === undefined) throw new Error(`${this.#folder.folder} has no plan of looks`);
    return untilDecided;
  }
}

const NAMED_MAX = 6;
const ANSWERS = { pass: 'pass', regression: 'regression', not_enough_evidence: 'not decided' } as const;

/** A look in one line: which rules are decided, and which are open. */
function answerText({ decision, look, rules }: GateResult): string {
  if (look === undefined) return '';
  const withSuite = new Set(rules.map(({ suite }) => suite)).size > 1;
  const of = (wanted: JudgedRule['decision']) => rules.filter((rule) => rule.decision === wanted);
  const parts = [
    ...namesOf('broken', of('regression'), { withSuite }),
    ...namesOf('kept', of('pass'), { withSuite }),
    ...namesOf('open', of('not_enough_evidence'), { withSuite }),
  ];
  const answer = decision === 'not_enough_evidence' && isLastLook(look) ? 'not enough evidence' : ANSWERS[decision];
  return `Look ${look.number} of ${look.of}, ${look.cases} of ${look.ofCases} cases: ${answer} (${parts.join('; ')}).`;
}

function namesOf(
  word: string,
  rules: readonly JudgedRule[],
  { withSuite }: { readonly withSuite: boolean },
): readonly string[] {
  if (rules.length === 0) return [];
  const names = rules.map((rule) => {
    const name = nameOfRule(rule);
    return safe(withSuite ? `${rule.suite} ${name}` : name, 120);
  });
  const more = names.length - NAMED_MAX;
  return [`${word}: ${names.slice(0, NAMED_MAX).join(', ')}${more > 0 ? ` and ${more} more` : ''}`];
}
