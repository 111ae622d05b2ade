/** `assay suite mutate`: would a suite notice if the agent went wrong? Breaks conversations that pass, in known ways, and asks again. */
import { type Command, InvalidArgumentError } from 'commander';
import { didYouMean } from '../../model/did-you-mean.ts';
import type { SuiteMutation } from '../../model/mutation.ts';
import { FAULTS } from '../../mutate/all-faults.ts';
import type { Fault } from '../../mutate/fault.ts';
import {
  fromExperiment,
  fromGoldenTraces,
  fromRecordings,
  fromSuiteTests,
} from '../../offline/mutation/golden-conversations.ts';
import { mutateSuite } from '../../offline/mutation/mutate-suites.ts';
import { offlineRedaction } from '../../engine/redaction-rules.ts';
import { checkedTruth } from '../../engine/truth-files.ts';
import { mutationDocument, mutationJson } from '../../report/documents/mutation-report.ts';
import { findSuiteTests } from '../../score/suite-test/find-suite-tests.ts';
import { findExperiment } from '../../store/experiment/read-experiment.ts';
import { CommandFailure, EXIT } from '../exit-codes.ts';
import { BUILTIN_SUITES, failOn, load, type Loaded } from '../load.ts';
import { printReport } from '../print-report.ts';
import { settingOption } from '../setting-option.ts';
import { percent, type Terminal } from '../terminal.ts';

interface MutateFlags {
  readonly from?: readonly string[];
  readonly experiment?: string;
  readonly experiments?: string;
  readonly fault?: readonly string[];
  readonly seed: number;
  readonly places: number;
  readonly conversations: number;
  readonly failUnder?: number;
  readonly json?: boolean;
  readonly markdown?: string;
  readonly config?: string;
}

export function addSuiteMutate(suite: Command, terminal: Terminal): void {
  suite
    .command('mutate')
    .description(
      'break passing conversations in known ways, and report which criteria notice, and which faults none notices',
    )
    .argument('[suites...]', 'suites: files, folders, or names of built-in ones; without them, the configured suites')
    .option('--from <recordings...>', 'also break recorded conversations that pass')
    .option('--experiment <ref>', 'also break those of an experiment: its id, its name, `latest`, or its folder')
    .addOption(settingOption('experiments'))
    .option('--fault <names...>', `only these faults: ${FAULTS.map(({ name }) => name).join(', ')}`)
    .option('--seed <n>', 'seed for choosing the places; the same seed gives the same faults', wholeNumber(0), 1)
    .option('--places <n>', 'places of each fault in a conversation', wholeNumber(1), 3)
    .option('--conversations <n>', 'conversations (or turns) of each suite, at most', wholeNumber(1), 50)
    .option('--fail-under <share>', 'exit with 1 if a suite notices a smaller share: 0.8 or 80%', share)
    .option('--json', 'print {summary, suites} as JSON')
    .option('--markdown <file>', 'write the tables as Markdown as well; - is standard output')
    .addOption(settingOption('config'))
    .action(async (references: readonly string[], flags: MutateFlags) => {
      const faults = faultsNamed(flags.fault);
      const loaded = await load({ config: flags.config, experiments: flags.experiments }, { suites: references });
      const mutated = await mutateAll(loaded, faults, flags, terminal);
      terminal.progressDone();
      const json = mutationJson(mutated, flags);
      await printReport(terminal, flags, { document: mutationDocument(mutated), json, indent: 2 });
      if (mutated.every(({ tried }) => tried === 0)) {
        const hint = 'give recordings with --from, or write tests beside the suite (docs/score/suites.md)';
        throw new CommandFailure(`no conversation passes and can be broken: ${hint}`, EXIT.input);
      }
      failUnder(flags.failUnder, mutated);
    });
}

async function mutateAll(
  loaded: Loaded,
  faults: readonly Fault[],
  flags: MutateFlags,
  terminal: Terminal,
): Promise<readonly SuiteMutation[]> {
  const { settings, suites, suiteReferences, suitesBaseDirectory } = loaded;
  const options = {
    builtinDir: BUILTIN_SUITES,
    baseDir: process.cwd(),
    conversationKeys: settings.conversation.idKeys,
    redaction: offlineRedaction(settings),
    truth: checkedTruth(settings.truth),
  };
  const tests = findSuiteTests(suiteReferences, { baseDir: suitesBaseDirectory, builtinDir: BUILTIN_SUITES });
  const own = await fromSuiteTests(tests.files, options);
  failOn(own.mistakes);
  const others = [...(await fromRecordings(flags.from ?? [], options))];
  if (flags.experiment !== undefined) {
    const folder = findExperiment(settings.experimentsDir, flags.experiment);
    const { conversations, lacksTruth } = await fromExperiment(folder, options);
    if (lacksTruth) terminal.err('the dataset of the experiment is missing: the ground truth of its cases is unknown');
    others.push(...conversations);
  }
  const mutated: SuiteMutation[] = [];
  for (const suite of suites) {
    const candidates = [...(own.bySuite.get(suite.name) ?? []), ...(await fromGoldenTraces(suite)), ...others];
    mutated.push(
      await mutateSuite(suite, candidates, {
        faults,
        seed: flags.seed,
        placesMax: flags.places,
        goldensMax: flags.conversations,
        onProgress: (tried) => terminal.progress(`${suite.name}: ${tried} faults tried`),
      }),
    );
  }
  return mutated;
}

function faultsNamed(names: readonly string[] | undefined): readonly Fault[] {
  if (names === undefined) return FAULTS;
  const known = FAULTS.map(({ name }) => name);
  const stranger = names.find((name) => !known.includes(name));
  if (stranger !== undefined) {
    const nearest = didYouMean(stranger, known);
    const hint = nearest === undefined ? `one of ${known.join(', ')}` : `did you mean '${nearest}'?`;
    throw new CommandFailure(`there is no fault '${stranger}': ${hint}`, EXIT.usage);
  }
  return FAULTS.filter(({ name }) => names.includes(name));
}

function failUnder(least: number | undefined, mutated: readonly SuiteMutation[]): void {
  if (least === undefined) return;
  const under = mutated.filter(({ tried, noticed }) => tried === 0 || noticed / tried < least);
  if (under.length === 0) return;
  const told = under.map(({ suite, tried, noticed }) => `${suite} ${tried === 0 ? 'none' : percent(noticed / tried)}`);
  throw new CommandFailure(`less than ${percent(least)} noticed: ${told.join(', ')}`, EXIT.failed);
}

function wholeNumber(least: number): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (!/^\d{1,9}$/.test(text) || value < least) throw new InvalidArgumentError(`a whole number from ${least} on`);
    return value;
  };
}

function share(text: string): number {
  const value = text.endsWith('%') ? Number(text.slice(0, -1)) / 100 : Number(text);
  if (text.trim() === '' || !(value >= 0 && value <= 1)) throw new InvalidArgumentError('a share, such as 0.8 or 80%');
  return value;
}
