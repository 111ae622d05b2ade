/** `assay prefer`: whose answers a judge prefers, of two experiments or of more. */
import type { Command } from 'commander';
import { counted } from '../../model/counted.ts';
import { weighPreferences } from '../../statistics/compare/preference/weigh-preferences.ts';
import type { JudgeSettings } from '../../config/judge-settings.ts';
import type { ExperimentResult } from '../../model/experiment.ts';
import type { WeighedPair, WeighedPreferences } from '../../model/preference.ts';
import { exchangeOfRun } from '../../offline/preference/exchange-of-run.ts';
import { type PreferenceProgress, preferences } from '../../offline/preference/prefer.ts';
import { preferenceJson } from '../../report/documents/preference-report.ts';
import { PREFERENCES, type PreferenceQuestion, preferenceInWords } from '../../score/judge/preference.ts';
import { findExperiment, readExperiment } from '../../store/experiment/read-experiment.ts';
import { CommandFailure, EXIT } from '../exit-codes.ts';
import { judgeProgress, startJudges } from '../judges-offline.ts';
import { load } from '../load.ts';
import { settingOption } from '../setting-option.ts';
import { visibleJson } from '../../model/visible-text.ts';
import { fixed, percent, safe, type Terminal } from '../terminal.ts';
import { wholeNumber } from '../whole-number.ts';

interface PreferFlags {
  readonly more: string;
  readonly judge?: string;
  readonly oneOrder?: boolean;
  readonly seed: string;
  readonly experiments?: string;
  readonly config?: string;
  readonly dataDir?: string;
  readonly json?: boolean;
}

const CONFIDENCE = 0.95;
const TAIL = (1 - CONFIDENCE) / 2;
const EXAMPLES = 5;

export function addPrefer(program: Command, terminal: Terminal): void {
  program
    .command('prefer')
    .description('ask a judge which answers it prefers, case by case, and rank two or more experiments')
    .argument('<experiments...>', 'two or more: ids, names or folders')
    .option(
      '--more <respect>',
      `${Object.keys(PREFERENCES).join(', ')}, or words of your own such as "friendlier"`,
      'helpful',
    )
    .option('--judge <name>', 'name of the configured judge; may be left out if there is only one')
    .option('--one-order', 'ask about each pair in one random order only, for half the cost')
    .option('--seed <n>', 'seed for that choice', '1')
    .addOption(settingOption('experiments'))
    .addOption(settingOption('config'))
    .addOption(settingOption('data_dir'))
    .option('--json', 'print the result as JSON')
    .action(async (references: readonly string[], flags: PreferFlags) => {
      if (new Set(references).size < 2)
        throw new CommandFailure('name at least two experiments, each once', EXIT.usage);
      const { settings } = await load(
        { config: flags.config, experiments: flags.experiments, dataDir: flags.dataDir },
        { suites: ['default'] },
      );
      const folders = references.map((reference) => findExperiment(settings.experimentsDir, reference));
      const results = folders.map((folder) => readExperiment(folder));
      const judge = judgeNamed(
        flags.judge,
        settings.judging.judges.map(({ name }) => name),
      );
      const judges = await startJudges(settings, terminal);
      const judging = judgeProgress(judges, terminal);
      try {
        const configured = judges.settings(judge);
        if (configured === undefined || configured === 'not asked')
          throw new CommandFailure(`no judge ${safe(judge)} is configured`, EXIT.usage);
        const folderOf = new Map(results.map((result, index) => [result, folders[index] ?? '']));
        const asked = await preferences({
          experiments: results,
          exchangeOf: async (result, run) => await exchangeOfRun(folderOf.get(result) ?? '', run, settings),
          question: questionOf(flags.more),
          judge: { name: judge, settings: configured },
          orders: flags.oneOrder === true ? 'one' : 'both',
          seed: wholeNumber('--seed', flags.seed),
          ask: (requests) => judges.ask(requests),
          onProgress: (progress) => report(terminal, progress, settings.judging.judges, judge),
        }).finally(() => judging.end());
        if (asked.length === 0)
          throw new CommandFailure('the experiments share no unchanged case: run them on the same dataset', EXIT.input);
        const weighed = weighPreferences(asked, CONFIDENCE);
        if (flags.json === true) terminal.out(visibleJson(preferenceJson(weighed, CONFIDENCE)));
        else print(terminal, weighed, results, questionOf(flags.more));
      } finally {
        await judges.close();
      }
    });
}

/** Announces the cost first: at the default of 60 requests a minute, a few hundred questions take minutes. */
function report(
  terminal: Terminal,
  progress: PreferenceProgress,
  judges: readonly Pick<JudgeSettings, 'name' | 'votes' | 'requestsPerMinute'>[],
  name: string,
): void {
  if (progress.is === 'reading') {
    terminal.progress(`${progress.pairs} pairs of answers read`);
    return;
  }
  terminal.progressDone();
  const { votes = 1, requestsPerMinute = 1 } = judges.find((judge) => judge.name === name) ?? {};
  const minutes = Math.ceil((progress.questions * (Math.floor(votes / 2) + 1)) / requestsPerMinute);
  const atLeast = minutes > 1 ? `; up to ${minutes} min at requests_per_minute: ${requestsPerMinute}` : '';
  terminal.err(`${progress.pairs} pairs of answers make ${progress.questions} questions to ${name}${atLeast}`);
}

function judgeNamed(named: string | undefined, known: readonly string[]): string {
  const [only] = known;
  if (only === undefined)
    throw new CommandFailure('no judge is configured; add one under `judges` (docs/score/judges.md)', EXIT.usage);
  if (named === undefined && known.length > 1)
    throw new CommandFailure(
      `several judges are configured: choose one with --judge ${known.join(' or ')}`,
      EXIT.usage,
    );
  if (named !== undefined && !known.includes(named))
    throw new CommandFailure(`no judge ${safe(named)} is configured: there are ${known.join(', ')}`, EXIT.usage);
  return named ?? only;
}

function questionOf(more: string): PreferenceQuestion {
  const known = Object.entries(PREFERENCES).find(([name]) => name === more)?.[1];
  return known ?? preferenceInWords(more);
}

function print(
  terminal: Terminal,
  { pairs, lean, ranking }: WeighedPreferences,
  results: readonly ExperimentResult[],
  question: PreferenceQuestion,
): void {
  const { out, paint } = terminal;
  const names = new Map(results.map(({ experiment: { id, name } }) => [id, `${safe(name, 40)} (${id})`]));
  const nameOf = (id: string) => names.get(id) ?? id;
  out(`\n  Which answer is ${paint('bold', safe(question.than, 80))}?`);
  for (const pair of pairs) printPair(terminal, pair, nameOf);
  if (ranking?.is === 'ranked') {
    out(`\n  ${paint('bold', 'Ranking')}   strength, 95 % interval, chance to win over one of the others`);
    for (const one of ranking.ranked) {
      const interval = `(${fixed(one.lower, 2)} to ${fixed(one.upper, 2)})`;
      out(`    ${one.rank}. ${nameOf(one.name)}   ${fixed(one.strength, 2)}  ${interval}  ${percent(one.winRate)}`);
    }
    for (const name of ranking.unbeaten)
      out(paint('dim', `    ${nameOf(name)} never lost: how much stronger it is can't be told`));
  } else if (ranking?.is === 'not_connected') {
    out('\n  No overall ranking is possible: some were never compared with each other.');
    for (const group of ranking.groups) out(`    ${group.map(nameOf).join(', ')}`);
  }
  if (lean.share === undefined) return;
  const { value } = lean.share;
  const interval = `${percent(lean.share.lower(TAIL))} to ${percent(lean.share.upper(TAIL))}`;
  out(`\n  Position: ${percent(value)} of ${lean.decided} decisions for the answer that stood first (${interval})`);
  if (lean.p !== undefined && lean.p < 1 - CONFIDENCE)
    out(
      paint(
        'yellow',
        `  The judge leans to the ${value > 0.5 ? 'first' : 'second'} place: trust only what holds in both orders.`,
      ),
    );
}

function printPair(terminal: Terminal, pair: WeighedPair, nameOf: (id: string) => string): void {
  const { out, paint } = terminal;
  const { a, b, winsA, winsB, ties, contradictions, unanswered, share, p } = pair;
  out(`\n    ${nameOf(a)} ${paint('bold', String(winsA))} : ${paint('bold', String(winsB))} ${nameOf(b)}`);
  const disagreed = contradictions === 0 ? '' : `, in ${contradictions} of which the two orders disagreed`;
  out(`      ${ties} ties${disagreed}${unanswered === 0 ? '' : `; ${unanswered} could not be told`}`);
  if (share !== undefined && p !== undefined) {
    const preferred = share.value > 0.5 ? nameOf(b) : nameOf(a);
    const word = p < 1 - CONFIDENCE ? paint('green', `${preferred} is preferred`) : 'no preference shown';
    const interval = `${percent(share.lower(TAIL))} to ${percent(share.upper(TAIL))}`;
    out(
      `      ${word}: ${percent(share.value)} for the second (${interval}), p = ${p.toPrecision(2)}, ${counted(share.cases, 'case')}`,
    );
  }
  for (const [id, cases] of [[a, pair.casesA] as const, [b, pair.casesB] as const])
    if (cases.length > 0)
      out(
        paint(
          'dim',
          `      for ${nameOf(id)}: ${cases
            .slice(0, EXAMPLES)
            .map((one) => safe(one, 60))
            .join(', ')}`,
        ),
      );
}
