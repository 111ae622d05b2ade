/** `assay learn`: from conversations that people read to criteria, each with what is known of it. */
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Command } from 'commander';
import { KIND_MIN, type Learned, learnedFrom } from '../../learn/learned.ts';
import { learnedSuite } from '../../learn/learned-suite.ts';
import { measuredCriteria } from '../../learn/measured.ts';
import type { ReadCase } from '../../learn/read-case.ts';
import { type Certificate, isCertified } from '../../model/certificate.ts';
import { visibleJson } from '../../model/visible-text.ts';
import { type ReadRecording, readCases } from '../../offline/read-cases.ts';
import { readRecordings } from '../../offline/recording.ts';
import { certificateFile, certificatesText, chosenKey } from '../../score/certificates.ts';
import { loadSuites } from '../../score/load-suites.ts';
import { CommandFailure, EXIT } from '../exit-codes.ts';
import { casesOfService } from '../cases-of-service.ts';
import { testsOf } from '../learned-tests.ts';
import { BUILTIN_SUITES, failOn, load } from '../load.ts';
import { addOutcomeOptions, type OutcomeFlags } from '../outcome-options.ts';
import { withFaults } from '../noticed-faults.ts';
import { printLearned, printMeasured } from '../print-learned.ts';
import { readingsIn } from '../read-annotations.ts';
import { askedPort, type ServiceFlags, tokenOption } from '../running-service.ts';
import { addScoringOptions, type ScoringFlags, scoreFiles } from '../score-files.ts';
import type { Terminal } from '../terminal.ts';

type LearnFlags = ScoringFlags &
  OutcomeFlags &
  ServiceFlags & {
    readonly readings?: string;
    readonly agent?: string;
    readonly agentVersion?: string;
    readonly since?: string;
    readonly out?: string;
    readonly force?: boolean;
    readonly certify?: boolean;
  };

const HELP = `
Readings are answers to "did it go well for its user?", with a kind for those that went badly:
  conversation_id,answer,kind
  c-17,bad,refunded twice

Read in the order that \`assay score\` gives (\`to_read\`): other conversations suggest criteria, and measure none.

Without files, conversations and readings are those of the running service.

Examples:
  assay learn --agent shop --since 30d
  assay learn spans.jsonl --readings readings.csv
  assay learn spans.jsonl --readings readings.csv --suite default --out learned.yaml`;

export function addLearn(program: Command, terminal: Terminal): void {
  const command = program
    .command('learn')
    .description('look for criteria that tell failures which people found, and measure each on other readings');
  addScoringOptions(command, '[files...]').option(
    '--readings <file>',
    'with files: {conversation_id, answer, kind}, or annotations of another tool',
  );
  addOutcomeOptions(command, 'the annotation that says whether a conversation went well')
    .option('--agent <name>', 'without files: the agent')
    .option('--agent-version <version>', 'without files: conversations of this version only')
    .option('--since <time>', 'without files: conversations that began since then (default: 7d)')
    .option('--url <url>', 'the service to ask (default: that of the configuration, on this machine)')
    .option('--out <file>', 'write the best certified criterion of each kind as a suite, with tests and certificates')
    .option('--force', 'overwrite these files')
    .option('--certify', 'with files: write what is known of the criteria of --suite beside these suites')
    .option('--json', 'print {readings, learned, measured} as JSON')
    .addOption(tokenOption())
    .addOption(askedPort())
    .addHelpText('after', HELP)
    .action(async (files: readonly string[], flags: LearnFlags) => {
      const read = files.length > 0 ? await ofRecording(files, flags, terminal) : await ofService(flags, terminal);
      terminal.progress('trying criteria');
      const at = new Date().toISOString();
      const learned = learnedFrom(read.cases, { at, traffic: read.traffic });
      const measured = measuredCriteria(read.cases, { at, hasChosen: read.hasChosen });
      terminal.progressDone();
      if (measured.size === 0) refuseTooFew(learned, read);
      if (flags.json === true)
        terminal.out(visibleJson({ readings: read.cases.length, learned, measured: Object.fromEntries(measured) }, 2));
      else {
        printLearned(terminal, learned, read);
        printMeasured(terminal, measured);
      }
      if (flags.certify === true) await writeMeasured({ measured, cases: read.cases }, flags, terminal);
      if (flags.out !== undefined)
        await writeLearned(flags.out, { learned, read, force: flags.force === true }, terminal);
    });
}

async function ofRecording(files: readonly string[], flags: LearnFlags, terminal: Terminal): Promise<Read> {
  if (flags.readings === undefined)
    throw new CommandFailure('--readings <file> is missing: how the conversations of the files went', EXIT.usage);
  if (files.includes('-'))
    throw new CommandFailure('the recording is read twice: give a file in place of -', EXIT.usage);
  const { readings } = readingsIn(flags.readings, { by: 'reader', ...flags });
  const scored = await scoreFiles(files, flags, terminal, readings);
  const location = { config: flags.config, dataDir: flags.dataDir };
  const { settings, suites } = await load(location, {
    suites: flags.suite ?? [],
    byName: true,
    secrets: "the store's",
  });
  const chosenBy = new Map(suites.map(({ name, certificates }) => [name, certificates?.chosenBy]));
  const hasChosen = (suite: string, id: string) => chosenBy.get(suite)?.has(chosenKey(id)) === true;
  return { ...(await readCases(readRecordings(files), scored, settings)), hasChosen };
}

async function ofService(flags: LearnFlags, terminal: Terminal): Promise<Read> {
  const { agent, agentVersion, since } = flags;
  if (flags.readings !== undefined)
    throw new CommandFailure('--readings goes with files; readings of the service are in the service', EXIT.usage);
  if (agent === undefined)
    throw new CommandFailure('name files, or an agent of the service: --agent <name>', EXIT.usage);
  const given = { agent, agent_version: agentVersion, since };
  const query = Object.entries(given).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]));
  // Suites of a service say nothing of conversations that were read before they ran.
  return { ...(await casesOfService(flags, new URLSearchParams(query), terminal)), hasChosen: () => false };
}

function refuseTooFew(learned: readonly Learned[], { cases }: ReadRecording): void {
  if (learned.length > 0) return;
  const bad = cases.filter(({ isBad }) => isBad).length;
  const wanted = `${KIND_MIN} readings of one kind, or ${KIND_MIN} that the suites call fine`;
  throw new CommandFailure(
    `${cases.length} of the conversations have a clear answer, and ${bad} went badly: a search takes ${wanted}`,
    EXIT.input,
  );
}

interface Read extends ReadRecording {
  /** The reading of a conversation has chosen criteria of a suite. */
  readonly hasChosen: (suite: string, conversationId: string) => boolean;
}

interface ToWrite {
  readonly learned: readonly Learned[];
  readonly read: ReadRecording;
  readonly force: boolean;
}

/** Certificates of suites that are files of their own; built-in ones belong to Assay. */
async function writeMeasured(
  { measured, cases }: { readonly measured: ReadonlyMap<string, Certificate>; readonly cases: readonly ReadCase[] },
  flags: LearnFlags,
  terminal: Terminal,
): Promise<void> {
  const files = (flags.suite ?? []).filter((one) => /\.ya?ml$/.test(one));
  if (files.length === 0)
    throw new CommandFailure('--certify needs --suite <file.yaml>: certificates lie beside the suite', EXIT.usage);
  for (const file of files) {
    const { suites, mistakes } = await loadSuites([file], { baseDir: process.cwd(), builtinDir: BUILTIN_SUITES });
    failOn(mistakes);
    for (const suite of suites) {
      const own = suite.criteria.flatMap(({ name }) => {
        const certificate = measured.get(`${suite.name}/${name}`);
        return certificate === undefined ? [] : [[name, certificate] as const];
      });
      const whole = await withFaults(suite, new Map(own), cases);
      await written(
        certificateFile(file),
        certificatesText(suite, { of: whole, chosenBy: suite.certificates?.chosenBy ?? new Set() }),
        'w',
      );
      terminal.out(`${certificateFile(file)}: ${own.length} of ${suite.criteria.length} criteria were measured`);
    }
  }
}

/** The best certified one of each kind, unless a suite has one that fails on the same conversations. */
async function writeLearned(out: string, { learned, read, force }: ToWrite, terminal: Terminal): Promise<void> {
  if (!/\.ya?ml$/.test(out)) throw new CommandFailure(`${out}: a suite is a file that ends in .yaml`, EXIT.usage);
  const best = learned.flatMap(({ kind, criteria }) => {
    const criterion = criteria.find((one) => isWorthWriting(one.certificate));
    return criterion === undefined ? [] : [{ kind, criterion }];
  });
  if (best.length === 0)
    throw new CommandFailure(
      `nothing is written to ${out}: no criterion is certified that the suites lack`,
      EXIT.failed,
    );
  const name = path.basename(out).replace(/\.ya?ml$/, '');
  const flag = force ? 'w' : 'wx';
  await written(out, learnedSuite(name, best), flag);
  const { suites, mistakes } = await loadSuites([path.resolve(out)], {
    baseDir: process.cwd(),
    builtinDir: BUILTIN_SUITES,
  });
  failOn(mistakes);
  const [suite] = suites;
  if (suite === undefined) throw new Error(`${out} holds no suite`);
  const certificates = new Map<string, Certificate>();
  for (const { criterion } of best)
    if (criterion.certificate !== undefined) certificates.set(criterion.name, criterion.certificate);
  const whole = await withFaults(suite, certificates, read.cases);
  const chosenBy = new Set(read.cases.map(({ conversation }) => chosenKey(conversation.id)));
  await written(certificateFile(out), certificatesText(suite, { of: whole, chosenBy }), 'w');
  const { text, tests, untold } = testsOf(suite, best, read.cases);
  if (tests > 0) await written(out.replace(/\.ya?ml$/, '.test.yaml'), text, flag);
  terminal.out(`\n${out}: ${best.length} certified criteria, ${tests} tests. Try them: assay suite test ${out}`);
  for (const one of untold) terminal.out(`No test shows ${one}: a few lines do not hold what was recorded of it.`);
}

const SAME = 0.8;

function isWorthWriting(certificate: Certificate | undefined): boolean {
  return certificate !== undefined && isCertified(certificate) && (certificate.like?.share ?? 0) < SAME;
}

async function written(file: string, text: string, flag: 'w' | 'wx'): Promise<void> {
  await writeFile(file, text, { flag }).catch(async (error: unknown) => {
    const isThere =
      flag === 'wx' &&
      (await readFile(file).then(
        () => true,
        () => false,
      ));
    const why = error instanceof Error ? error.message : String(error);
    throw new CommandFailure(isThere ? `${file} exists: --force overwrites it` : `write ${file}: ${why}`, EXIT.input);
  });
}
