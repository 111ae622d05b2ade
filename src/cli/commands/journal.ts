/** `assay journal recover`: what starts have set aside, read back into the service. */
import type { Command } from 'commander';
import { loadSettings, type Settings } from '../../config/settings.ts';
import { counted } from '../../model/counted.ts';
import { openDataDirectory } from '../../serve/store-place/data-directory.ts';
import { LossUndecided } from '../../serve/store-place/loss-undecided.ts';
import {
  filesSetAside,
  openStoppedJournal,
  type RecoveredFile,
  recoverFile,
  type TakeRequest,
} from '../../serve/one-machine/recover-set-aside.ts';
import { CommandFailure, EXIT } from '../exit-codes.ts';
import { failOn } from '../load.ts';
import { askedService, isThere, otlpOf, tokenOption } from '../running-service.ts';
import { settingOption } from '../setting-option.ts';
import type { Terminal } from '../terminal.ts';

interface Flags {
  readonly config?: string;
  readonly dataDir?: string;
  readonly httpPort?: string;
  readonly otlpHttpPort?: string;
  readonly token?: string;
  readonly dryRun?: boolean;
  readonly json?: boolean;
}

const ANSWER_MS = 30_000;

export function addJournal(program: Command, terminal: Terminal): void {
  program
    .command('journal')
    .description('maintain the journal, which holds accepted data until they are scored')
    .command('recover')
    .description(
      'read back the data that a start has set aside; the service may be running, and repeating it does no harm',
    )
    .option('--dry-run', 'only say what can be read')
    .option('--json', 'print what was found as JSON')
    .addOption(settingOption('config'))
    .addOption(settingOption('data_dir'))
    .addOption(settingOption('http_port', 'Port of the service, if it runs.'))
    .addOption(settingOption('otlp_http_port', 'Port on which it takes spans.'))
    .addOption(tokenOption())
    .action(async (flags: Flags) => {
      const { config, dataDir, httpPort, otlpHttpPort } = flags;
      const from = { config, dataDir, httpPort, otlpHttpPort };
      const { settings, mistakes } = loadSettings({ flags: from, env: process.env, cwd: process.cwd() });
      failOn(mistakes);
      const found = await recover(settings, flags);
      print(terminal, found, flags);
      if (found.some(({ problem }) => problem !== undefined))
        throw new CommandFailure('not all was taken', EXIT.failed);
    });
}

async function recover(settings: Settings, { dryRun = false, token }: Flags): Promise<readonly RecoveredFile[]> {
  const files = filesSetAside(settings.dataDir);
  if (files.length === 0) return [];
  if (dryRun) return recoverAll(files, async () => {});
  const service = askedService({ ...(token !== undefined && { token }) }, settings);
  if (await isThere(service.url)) return recoverAll(files, sendTo(otlpOf(service.url, settings), service.token));
  const directory = openDataDirectory(settings.dataDir);
  try {
    const journal = await openStoppedJournal(settings);
    try {
      return await recoverAll(files, journal.take);
    } finally {
      await journal.close();
    }
  } catch (error) {
    throw error instanceof LossUndecided ? new CommandFailure(error.message, EXIT.loss) : error;
  } finally {
    directory.release();
  }
}

async function recoverAll(files: readonly string[], take: TakeRequest): Promise<readonly RecoveredFile[]> {
  const found: RecoveredFile[] = [];
  for (const file of files) found.push(await recoverFile(file, take));
  return found;
}

function sendTo(otlp: string, token: string | undefined): TakeRequest {
  return async ({ signal, bytes }) => {
    const answer = await fetch(`${otlp}/v1/${signal}`, {
      method: 'POST',
      headers: {
        'content-type': 'application/x-protobuf',
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
      },
      body: Buffer.from(bytes),
      signal: AbortSignal.timeout(ANSWER_MS),
    });
    await answer.arrayBuffer();
    if (!answer.ok) throw new CommandFailure(`${otlp} answered ${answer.status}: run it again later`, EXIT.failed);
  };
}

function print(terminal: Terminal, found: readonly RecoveredFile[], { json, dryRun }: Flags): void {
  const sum = (of: (file: RecoveredFile) => number) => found.reduce((total, file) => total + of(file), 0);
  const records = sum((file) => file.records);
  const unreadable = sum((file) => file.unreadableBytes);
  if (json === true) {
    const files = found.map(({ unreadableBytes, problem, ...file }) => ({
      ...file,
      unreadable_bytes: unreadableBytes,
      problem: problem ?? null,
    }));
    terminal.json({ records, unreadable_bytes: unreadable, files });
    return;
  }
  for (const { file, ...one } of found) {
    const problem = one.problem === undefined ? '' : `; ${one.problem}`;
    const mended = one.mended === 0 ? '' : `; one wrong bit corrected in ${counted(one.mended, 'request')}`;
    terminal.out(
      `${file}: ${one.records} records, ${one.unreadableBytes} bytes that cannot be read${mended}${problem}`,
    );
  }
  if (found.length === 0) terminal.out('nothing was set aside');
  else if (dryRun === true) terminal.out(`${records} records can be read back`);
  else terminal.out(`${records} records read back; those that were there already change nothing. The files stay`);
}
