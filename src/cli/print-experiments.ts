/** Experiments as a person reads them: the table of all, and what is known of one. */
import { counted } from '../model/counted.ts';
import type { Outcome } from '../model/evaluation.ts';
import type { ExperimentResult } from '../model/experiment.ts';
import { OUTCOMES_IN_ORDER } from '../model/severity.ts';
import { earlyEndOf, earlyEndText } from '../model/until-decided.ts';
import { wordsOf } from '../model/suite-words.ts';
import type { SuiteSummary } from '../report/documents/summary.ts';
import { headRow, printTable } from './print-table.ts';
import { percent, safe, type Terminal } from './terminal.ts';
import { summaryOf } from './experiment-summary.ts';

/** `interrupted`: nobody writes it, and cases are left. */
export type RunState = 'ended' | 'running' | 'interrupted';

export interface ListedExperiment {
  readonly folder: string;
  readonly result: ExperimentResult;
  readonly state: RunState;
}

const NAME_MAX = 40;
const COMMIT_LENGTH = 10;
const HEAD = [
  'id',
  'name',
  'started',
  'version',
  'commit',
  'runs',
  'suite',
  'score',
  'decided',
  'good',
  'failures',
  '',
];
const ALIGN = 'lllllrlrrrl';

/** A line for each suite of each; what is the same as above is not said again. */
export function printExperiments(terminal: Terminal, listed: readonly ListedExperiment[]): void {
  const rows = listed.flatMap((one) => {
    const { experiment } = one.result;
    const { suites } = summaryOf(one.result);
    const first = [
      { text: experiment.id, max: 130 },
      { text: experiment.name, max: NAME_MAX },
      minuteOf(experiment.startedAt),
      { text: experiment.agent.version ?? '', max: NAME_MAX },
      commitOf(one),
      `${experiment.dataset.cases} × ${experiment.repeats}`,
    ];
    const scored = Object.entries(suites).map(([suite, summary]) => [
      { text: suite, max: NAME_MAX },
      ...figuresOf(summary),
    ]);
    const lines = scored.length === 0 ? [['', '', '', '', '']] : scored;
    return lines.map((figures, index) => [
      ...(index === 0 ? first : first.map(() => '')),
      ...figures,
      index === 0 ? describeState(one) : '',
    ]);
  });
  printTable(terminal, [headRow(...HEAD), ...rows], { align: ALIGN, indent: 0 });
}

export function printExperiment(terminal: Terminal, listed: ListedExperiment): void {
  const { out, paint } = terminal;
  const { experiment } = listed.result;
  const { agent, dataset, git } = experiment;
  const version = agent.version === undefined ? '' : `, version ${safe(agent.version, 60)}`;
  const lines: readonly (readonly [string, string])[] = [
    ['started', `${minuteOf(experiment.startedAt)}  ${describeState(listed)}`.trimEnd()],
    ['agent', `${safe(agent.target, 200)}${version}`],
    ...(git === undefined
      ? []
      : [['commit', `${commitOf(listed)}${git.branch === undefined ? '' : ` on ${safe(git.branch, 80)}`}`] as const]),
    [
      'dataset',
      `${safe(dataset.name, 80)} ${safe(dataset.version, 40)}: ${counted(dataset.cases, 'case')} × ${experiment.repeats}, seed ${experiment.seed}`,
    ],
    ['suites', experiment.suites.map(({ name, version: of }) => `${safe(name, 80)}@${safe(of, 40)}`).join(', ')],
    ...looksOf(listed.result.experiment),
    ['folder', listed.folder],
  ];
  out(`\n  ${paint('bold', safe(experiment.name, 80))}  ${paint('dim', safe(experiment.id, 130))}`);
  const rows = lines.map(([what, text]) => [
    { text: what, style: 'dim' as const },
    { text, max: 4000 },
  ]);
  printTable(terminal, rows);
}

/** Why an experiment that ends when it is decided has as many cases as it has. */
function looksOf(experiment: ExperimentResult['experiment']): readonly (readonly [string, string])[] {
  const { untilDecided } = experiment;
  if (untilDecided === undefined) return [];
  const { answers, looks } = untilDecided;
  const early = earlyEndText(experiment);
  const held = `${answers.length} of ${looks.length} looks held`;
  return [['looks', early === undefined ? held : `${held}: ${safe(early, 300)}`]];
}

function figuresOf(summary: SuiteSummary): readonly string[] {
  const { tcr, success_rate: successes, no_fault_rate: faultless, decided_share: decided, outcomes } = summary;
  const good = successes ?? faultless;
  return [
    tcr === null ? 'none' : tcr.toFixed(3),
    decided === null ? 'none' : percent(decided),
    good === null ? 'none' : `${percent(good)} ${wordsOf(summary.about).good}`,
    OUTCOMES_IN_ORDER.flatMap((outcome) => {
      const word = OTHER_THAN_SUCCESS[outcome];
      return word === undefined || outcomes[outcome] === 0 ? [] : [`${outcomes[outcome]} ${word}`];
    }).join(', '),
  ];
}

const OTHER_THAN_SUCCESS = {
  successful_completion: undefined,
  no_fault_found: 'no fault found',
  handed_over: 'handed over',
  graceful_failure: 'graceful',
  partial_failure: 'partial',
  hard_failure: 'hard',
  unscored: 'unscored',
} satisfies Record<Outcome, string | undefined>;

function describeState({ result, state }: ListedExperiment): string {
  const { experiment, runs } = result;
  const failed = runs.filter(({ end }) => end !== 'completed').length;
  const early = earlyEndOf(experiment)?.look;
  const notes = [
    ...(state === 'ended'
      ? []
      : [`${state}: ${runs.length} of ${counted(experiment.dataset.cases * experiment.repeats, 'run')}`]),
    ...(early === undefined ? [] : [`ended early at ${early.cases} of ${early.ofCases} cases`]),
    ...(failed === 0 ? [] : [`${counted(failed, 'run')} failed`]),
  ];
  return notes.join(', ');
}

function commitOf({ result: { experiment } }: ListedExperiment): string {
  const { git } = experiment;
  // A plus: there were changes that are in no commit.
  return git === undefined ? '' : `${safe(git.commit.slice(0, COMMIT_LENGTH))}${git.isDirty ? '+' : ''}`;
}

/** The same text for everybody, wherever the experiment was made. */
function minuteOf(iso: string): string {
  return `${safe(iso).slice(0, 16).replace('T', ' ')} UTC`;
}
