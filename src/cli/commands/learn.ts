/** `assay learn`: from conversations that people read to criteria, each with what is known of it. */
import { existsSync } from 'node:fs';
import type { Command } from 'commander';
import { KIND_MIN, type Learned, learnedFrom } from '../../learn/learned.ts';
import { measuredCriteria } from '../../learn/measured.ts';
import { type Certificates, isCertified } from '../../model/certificate.ts';
import { visibleJson } from '../../model/visible-text.ts';
import { type ReadRecording, readCases } from '../../offline/read-cases.ts';
import { readRecordings } from '../../offline/recording.ts';
import { chosenKey } from '../../score/certificates.ts';
import type { CompiledCriterion } from '../../score/suite/suite.ts';
import { CommandFailure, EXIT } from '../exit-codes.ts';
import { casesOfService } from '../cases-of-service.ts';
import { load } from '../load.ts';
import { addOutcomeOptions, type OutcomeFlags } from '../outcome-options.ts';
import { printLearned, printMeasured } from '../print-learned.ts';
import { readingsIn } from '../read-annotations.ts';
import { askedPort, type ServiceFlags, tokenOption } from '../running-service.ts';
import { addScoringOptions, type ScoringFlags, scoreFiles } from '../score-files.ts';
import { safe, type Terminal } from '../terminal.ts';
import { ownFiles, SUITE_FILE, testFileOf, writeLearned, writeMeasured } from '../write-learned.ts';

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
      refuseFirst(flags);
      const read = files.length > 0 ? await ofRecording(files, flags, terminal) : await ofService(flags, terminal);
      terminal.progress('trying criteria');
      const at = new Date().toISOString();
      const learned = learnedFrom(read.cases, { at, traffic: read.traffic });
      const measured = measuredCriteria(read.cases, { ...read, at });
      terminal.progressDone();
      if (measured.size === 0) refuseTooFew(learned, read);
      if (flags.json === true)
        terminal.out(visibleJson({ readings: read.cases.length, learned, measured: Object.fromEntries(measured) }, 2));
      else {
        printLearned(terminal, learned, read);
        printMeasured(terminal, measured);
      }
      if (flags.certify === true) await writeMeasured(ownFiles(flags.suite), { measured, cases: read.cases }, terminal);
      if (flags.out !== undefined) await writeLearned(flags.out, { learned, read }, terminal);
    });
}

/** Before anything is computed. */
function refuseFirst({ out, force, certify, suite }: LearnFlags): void {
  if (certify === true && ownFiles(suite).length === 0)
    throw new CommandFailure('--certify needs --suite <file.yaml>: certificates lie beside the suite', EXIT.usage);
  if (out === undefined) return;
  if (!SUITE_FILE.test(out)) throw new CommandFailure(`${out}: a suite is a file that ends in .yaml`, EXIT.usage);
  const there = [out, testFileOf(out)].find((file) => existsSync(file));
  if (there !== undefined && force !== true)
    throw new CommandFailure(`${there} exists: --force overwrites it`, EXIT.input);
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
  const known = new Map(suites.map(({ name, certificates }) => [name, certificates]));
  const certified = new Set(suites.flatMap(({ name, certificates }) => certifiedIn(name, certificates)));
  const recording = await readCases(readRecordings(files), scored, settings);
  const ids = new Set<string>(recording.traffic.map(({ id }) => id));
  const [first] = readings;
  if (first !== undefined && !readings.some((one) => ids.has(one.conversation_id)))
    throw new CommandFailure(
      `${flags.readings}: none of its ids is a conversation of the recording: it has such as ${safe(first.conversation_id, 80)}, and the recording ${safe([...ids][0] ?? 'nothing', 80)}`,
      EXIT.input,
    );
  return {
    ...recording,
    asksNoTool: new Set(
      suites.flatMap(({ name, criteria }) => criteria.flatMap((one) => (asksNoTool(one) ? `${name}/${one.name}` : []))),
    ),
    hasChosen: (suite, id) => known.get(suite)?.chosenBy.has(chosenKey(id)) === true,
    hasCertificate: (criterion) => certified.has(criterion),
  };
}

async function ofService(flags: LearnFlags, terminal: Terminal): Promise<Read> {
  const { agent, agentVersion, since } = flags;
  if (flags.readings !== undefined)
    throw new CommandFailure('--readings goes with files; readings of the service are in the service', EXIT.usage);
  if (agent === undefined)
    throw new CommandFailure('name files, or an agent of the service: --agent <name>', EXIT.usage);
  const given = { agent, agent_version: agentVersion, since };
  const query = Object.entries(given).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]));
  const read = await casesOfService(flags, new URLSearchParams(query), terminal);
  // Suites of a service say nothing of conversations that were read before they ran.
  return { ...read, hasChosen: () => false, hasCertificate: () => false };
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
  /** A criterion of a suite, as `suite/criterion`, is certified. */
  readonly hasCertificate: (criterion: string) => boolean;
  /** Criteria, as `suite/criterion`, whose expressions ask for no tool, argument, result or ending. */
  readonly asksNoTool?: ReadonlySet<string>;
}

function asksNoTool({ readsFormOnly, needs, definition = '' }: CompiledCriterion): boolean {
  return readsFormOnly && !needs.includes('tools') && !/\bending\b/.test(definition);
}

function certifiedIn(suite: string, certificates: Certificates | undefined): readonly string[] {
  return [...(certificates?.of ?? [])].flatMap(([name, one]) => (isCertified(one) ? `${suite}/${name}` : []));
}
