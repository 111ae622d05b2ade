/** `assay gate`: may this version be released? Answers by its exit code, and says why for people, pull requests and CI services. */
import { type Command, Option } from 'commander';
import { gateBetween, USUAL_GATE_FILE } from '../../statistics/compare/gate/gate-between.ts';
import { detailsCommand } from '../../statistics/compare/gate/gate-commands.ts';
import type { GateFile } from '../../statistics/compare/gate/gate-rules.ts';
import type { ExperimentResult } from '../../model/experiment.ts';
import { type GateResult, mayRelease } from '../../model/gate.ts';
import { errorMessage } from '../../model/error-message.ts';
import { formatMistakes } from '../../model/mistake.ts';
import { documentMarkdown } from '../../report/documents/document-markdown.ts';
import { gateJson, gateJUnit } from '../../report/documents/gate-report.ts';
import { experimentsLike, findExperiment, readExperiment } from '../../store/experiment/read-experiment.ts';
import { commentOnChange } from '../comment-on-change.ts';
import { CommandFailure, failUndecided, GATE_EXIT, undecidedUnlessHelp } from '../exit-codes.ts';
import { initGate } from '../init-gate.ts';
import { planOfGate } from '../plan-gate.ts';
import { load } from '../load.ts';
import { settingOption } from '../setting-option.ts';
import { fullGate, printGate } from '../print-gate.ts';
import { visibleJson } from '../../model/visible-text.ts';
import type { Terminal } from '../terminal.ts';
import { writeReport } from '../write-report.ts';

interface GateFlags {
  readonly baseline?: string;
  readonly earlier?: string;
  readonly rules?: string;
  readonly experiments?: string;
  readonly config?: string;
  readonly json?: boolean;
  readonly markdown?: string;
  readonly junit?: string;
  readonly comment?: boolean;
  readonly init?: boolean;
  readonly plan?: boolean;
  readonly cases?: string;
  readonly repeats?: string;
  readonly loss?: string;
  readonly details?: boolean;
}

const GATE_HELP = `
Rules are read from gate.yaml, where there is one:
  rules:
    cases_worse: by chance       # no more than chance explains; or a number of cases that \`assay compare\` lists as worse
    newly_hard_failing: 0        # cases that passed in the baseline and fail hard now
    newly_critical: 0            # cases that newly fail a critical criterion
    critical_failures: 0         # cases that fail a critical criterion
    missing_cases: 0             # cases of the baseline not run, or changed; 0 also where it is not written
    tcr: { floor: 0.8, max_drop: 5 points }
    success_rate: { max_drop: 5% of baseline }
    cost_efficiency: { max_drop: 10% }
    criteria: { max_drop: 10 points }
    critical: { floor: 0.95 }
\`cases_worse: by chance\` and all limits have one error together: an unchanged agent is called a regression in at most 5
of 100 gates. A number of cases makes no allowance for chance. Limits are decided on intervals, and need 60 cases of an
agent that never fails, and hundreds of one that often does: \`assay gate --plan\` says how many. \`assay gate --init\`
writes the rules that hold without a file, with a comment on each.

Exit codes: 0 pass, or not enough evidence; 1 regression; 2 not enough evidence, with \`on_not_enough_evidence: fail\` in
the file or if a case was not run or not scored; 3 an error: nothing was decided.`;

export function addGate(program: Command, terminal: Terminal): void {
  program
    .command('gate')
    .description(
      'decide whether a version may be released: compare an experiment with a baseline, or with fixed limits',
    )
    .argument('[candidate]', 'the experiment: its id, name or folder, or `latest`', 'latest')
    .option('--baseline <experiment>', 'experiment to compare with; needed for limits on drops and rises')
    .option('--earlier <glob>', 'experiments of builds before the baseline, by name: they say which cases are flaky')
    .option('--rules <file>', `file of rules (default: ${USUAL_GATE_FILE}, if it exists)`)
    .addOption(settingOption('experiments'))
    .addOption(settingOption('config'))
    .option('--details', 'print each rule with its figures, not only the sentence')
    .option('--json', 'print the result as JSON')
    .option('--markdown <file>', 'also write Markdown, for a pull request; - is standard output')
    .option('--junit <file>', 'also write JUnit XML; - is standard output')
    .option('--comment', 'in CI: also write the Markdown as a comment on the pull request or merge request of this job')
    .addOption(
      new Option(
        '--init',
        `write ${USUAL_GATE_FILE} (or --rules) with rules that this experiment passes, or for the suites of assay.yaml`,
      ).conflicts(['baseline', 'json', 'markdown', 'junit']),
    )
    .addOption(
      new Option(
        '--plan',
        'say before any run what the gate can tell: how often it passes a release like this experiment, and how often it finds a loss',
      ).conflicts(['baseline', 'init', 'markdown', 'junit']),
    )
    .option('--cases <n>', 'with --plan: this many cases (default: those of the experiment)')
    .option('--repeats <n>', 'with --plan: this many runs of each case (default: those of the experiment)')
    .option('--loss <points>', 'with --plan: the fall of the mean score that it should find, up to 50 (default: 5)')
    .addHelpText('after', GATE_HELP)
    .exitOverride(undecidedUnlessHelp)
    .action(async (reference: string, flags: GateFlags) => {
      if (flags.init === true) {
        await initGate(terminal, reference, flags.rules ?? USUAL_GATE_FILE, flags).catch(failUndecided);
        return;
      }
      if (flags.plan === true) {
        await planOfGate(terminal, reference, flags).catch(failUndecided);
        return;
      }
      const { result, gate } = await decide(reference, flags).catch(failUndecided);
      const { candidate, baseline } = result;
      const tableBy = detailsCommand({ candidate: candidate.id, baseline: baseline?.id, rules: flags.rules });
      const markdown = () => documentMarkdown(fullGate(result, gate));
      await writeReport(flags.markdown, markdown, terminal, GATE_EXIT.error);
      if (flags.comment === true) await comment(terminal, markdown(), flags.rules ?? USUAL_GATE_FILE);
      await writeReport(flags.junit, () => gateJUnit(result, gate), terminal, GATE_EXIT.error);
      if (flags.json === true) terminal.out(visibleJson(gateJson(result, gate.onNotEnoughEvidence)));
      else if (flags.markdown !== '-' && flags.junit !== '-')
        printGate(terminal, result, gate, { tableBy: flags.details === true ? undefined : tableBy });
      if (baseline === undefined && result.decision === 'not_enough_evidence')
        terminal.err(
          'note: without --baseline nothing is compared, and rules on drops, rises and cases cannot be told',
        );
      const code = mayRelease(result, gate.onNotEnoughEvidence) ? GATE_EXIT.pass : GATE_EXIT[result.decision];
      if (code !== 0) throw new CommandFailure('', code);
    });
}

/** A comment that cannot be written is said, and decides nothing. */
async function comment(terminal: Terminal, markdown: string, gate: string): Promise<void> {
  try {
    const { said } = await commentOnChange(markdown, gate, process.env);
    terminal.err(said);
  } catch (error) {
    terminal.err(`warning: ${errorMessage(error)}`);
  }
}

async function decide(
  reference: string,
  flags: GateFlags,
): Promise<{ readonly result: GateResult; readonly gate: GateFile }> {
  const { settings } = await load(
    { config: flags.config, experiments: flags.experiments },
    { suites: ['default'], secrets: "the store's" },
  );
  const read = (name: string) => readExperiment(findExperiment(settings.experimentsDir, name));
  const candidate = read(reference);
  const baseline = flags.baseline === undefined ? undefined : read(flags.baseline);
  const earlier =
    flags.earlier === undefined
      ? []
      : earlierLike(settings.experimentsDir, flags.earlier, baseline).filter(
          ({ experiment }) => experiment.id !== candidate.experiment.id,
        );
  const gated = await gateBetween({ candidate, baseline, earlier, rules: flags.rules });
  if (gated.is === 'mistaken') throw new Error(formatMistakes(gated.mistakes));
  if (gated.is === 'undecidable') throw new Error(gated.problems.join('\n'));
  return gated;
}

function earlierLike(root: string, glob: string, baseline: ExperimentResult | undefined): readonly ExperimentResult[] {
  if (baseline === undefined) throw new Error('--earlier: give --baseline, since it is about builds before that');
  const earlier = experimentsLike(root, glob, baseline.experiment.startedAt);
  if (earlier.length === 0)
    throw new Error(`--earlier: no experiment before the baseline is named ${JSON.stringify(glob)}`);
  return earlier;
}
