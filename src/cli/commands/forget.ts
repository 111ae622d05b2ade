/**
 * `assay forget`: removes a conversation, or all of a user, from everything that Assay keeps. A running service does it
 * itself; a stopped one's data folder is worked on here.
 */
import { existsSync } from 'node:fs';
import { userInfo } from 'node:os';
import type { Command } from 'commander';
import { z } from 'zod';
import { AuditLog } from '../../access/audit-log.ts';
import { loadSettings, type Settings } from '../../config/settings.ts';
import { counted } from '../../model/counted.ts';
import { auditLine, forgetJson } from '../../serve/api/forget-api.ts';
import { accessFilesIn, isInUse, openDataDirectory } from '../../serve/store-place/data-directory.ts';
import { askedConversation, type ForgetRequest } from '../../serve/forgetting/forget.ts';
import { userFormsOf } from '../../serve/forgetting/user-forms.ts';
import { LossUndecided } from '../../serve/store-place/loss-undecided.ts';
import { forgetStopped } from '../../serve/one-machine/forget-stopped.ts';
import { CommandFailure, EXIT } from '../exit-codes.ts';
import { failOn } from '../load.ts';
import { ask, askedService, tokenOption, writing } from '../running-service.ts';
import { settingOption } from '../setting-option.ts';
import type { Terminal } from '../terminal.ts';

interface Flags {
  readonly conversation?: string;
  readonly user?: string;
  readonly dryRun?: boolean;
  readonly dropSetAside?: boolean;
  readonly url?: string;
  readonly token?: string;
  readonly config?: string;
  readonly dataDir?: string;
  readonly httpPort?: string;
  readonly json?: boolean;
}

/** Searching everything for a user takes its time. */
const ANSWER_MS = 1_800_000;

const HELP = `
Gone afterwards: spans, evaluations with their reasons, ground truth, labels and notes, answers of judges, runs of
experiments. Counters stay. For a day, spans of it that still arrive are dropped. Topics of Kafka, files that were
exported and backups are not Assay's: remove it there yourself (docs/operate/security.md).

Examples:
  assay forget --conversation support-4711 --dry-run
  assay forget --user ana@example.com`;

const answerSchema = z.object({
  forgotten: z.boolean(),
  conversations: z.number(),
  // A service of an earlier version does not count them.
  ground_truths: z.number().default(0),
  readings: z.number().default(0),
  labels: z.number().default(0),
  experiment_runs: z.number(),
  set_aside_files: z.number(),
});

export function addForget(program: Command, terminal: Terminal): void {
  program
    .command('forget')
    .description('remove a conversation, or all conversations of a user, from everything that is kept')
    .option('--conversation <id>', 'the conversation')
    .option('--user <id>', 'the user, as agents name him in their spans, whether redaction hashes his id or not')
    .option('--dry-run', 'only say how many conversations would go')
    .option('--drop-set-aside', 'also remove the files that a start has set aside after damage')
    .option('--url <url>', 'the service to ask (default: that of the configuration, on this machine)')
    .option('--json', 'print the counts as JSON')
    .addOption(settingOption('config'))
    .addOption(settingOption('data_dir'))
    .addOption(settingOption('http_port', 'Port of the service, if it runs.'))
    .addOption(tokenOption())
    .addHelpText('after', HELP)
    .action(async (flags: Flags) => {
      const { conversation, user } = flags;
      if ((conversation === undefined) === (user === undefined))
        throw new CommandFailure('give either --conversation or --user', EXIT.usage);
      const { config, dataDir, httpPort } = flags;
      const from = { config, dataDir, httpPort };
      const { settings, mistakes } = loadSettings({ flags: from, env: process.env, cwd: process.cwd() });
      failOn(mistakes);
      print(terminal, await forgotten(settings, flags), flags);
    });
}

async function forgotten(settings: Settings, flags: Flags): Promise<z.output<typeof answerSchema>> {
  const { conversation, user, dryRun = false, dropSetAside = false } = flags;
  const named = {
    ...(flags.url !== undefined && { url: flags.url }),
    ...(flags.token !== undefined && { token: flags.token }),
  };
  const { url, token } = askedService(named, settings);
  if (flags.url !== undefined || settings.sharedStore !== undefined || !isStopped(settings)) {
    const body = { conversation, user, dry_run: dryRun, drop_set_aside: dropSetAside };
    const asking = { ...writing('POST', body, token), waitMs: ANSWER_MS };
    return answerSchema.parse(await ask(new URL('/api/v1/forget', url), asking));
  }
  const about = {
    conversation: conversation === undefined ? undefined : askedConversation(conversation),
    users: user === undefined ? [] : userFormsOf(settings)(user),
  };
  return answerSchema.parse(await inFolder(settings, { about, dryRun, dropSetAside }));
}

/** True if the service's folder is here and unlocked. Then no other service at that address must be asked. */
function isStopped({ dataDir }: Settings): boolean {
  return existsSync(dataDir) && !isInUse(dataDir);
}

async function inFolder(settings: Settings, request: ForgetRequest): Promise<unknown> {
  const directory = openDataDirectory(settings.dataDir);
  try {
    const result = await forgetStopped(settings, request);
    if (result.is === 'refused') {
      const said = 'read them back (assay journal recover), then give --drop-set-aside, which removes them';
      throw new CommandFailure(
        [`files were set aside after damage and may hold it: ${said}`, ...result.files].join('\n  '),
        EXIT.input,
      );
    }
    if (!request.dryRun)
      await audit(settings, auditLine(result, { who: who(), conversation: request.about.conversation }));
    if (result.is === 'unfinished')
      throw new CommandFailure(`deleted, but not gone from all files: ${result.why}; run it again`, EXIT.failed);
    return forgetJson(result);
  } catch (error) {
    throw error instanceof LossUndecided ? new CommandFailure(error.message, EXIT.loss) : error;
  } finally {
    directory.release();
  }
}

async function audit({ dataDir, access }: Settings, line: Parameters<AuditLog['write']>[0]): Promise<void> {
  let problem: string | undefined;
  const { auditFile: file } = accessFilesIn(dataDir);
  const log = new AuditLog({
    file,
    maxBytes: access.auditBytes,
    onEvent: (event) => {
      if (event.type === 'audit-failed') ({ problem } = event);
    },
  });
  log.write(line);
  await log.stop();
  if (problem !== undefined)
    throw new CommandFailure(`it is forgotten, and ${file} does not say so: ${problem}`, EXIT.failed);
}

/** The person at the command line, as the system knows him. */
function who(): string {
  try {
    return `command line ${userInfo().username}`;
  } catch {
    // The user of a container may have no name.
    return 'command line';
  }
}

function print(terminal: Terminal, counts: z.output<typeof answerSchema>, { json, dryRun }: Flags): void {
  if (json === true) {
    terminal.json(counts);
    return;
  }
  const {
    conversations,
    ground_truths: truths,
    readings,
    labels,
    experiment_runs: runs,
    set_aside_files: files,
  } = counts;
  const more = [
    ...(truths > 0 ? [counted(truths, 'ground truth')] : []),
    ...(readings > 0 ? [counted(readings, 'reading')] : []),
    ...(labels > 0 ? [counted(labels, 'label')] : []),
    ...(runs > 0 ? [counted(runs, 'run of an experiment', 'runs of experiments')] : []),
    ...(files > 0 ? [counted(files, 'file that was set aside', 'files that were set aside')] : []),
  ];
  const what = [counted(conversations, 'conversation'), ...more].join(', ');
  terminal.out(dryRun === true ? `${what} would be forgotten` : `${what} forgotten`);
}
