/** `assay serve`: runs the service until it is told to stop. */
import { type Command, InvalidArgumentError, Option } from 'commander';
import { describeRedaction } from '../../engine/redaction-rules.ts';
import type { Service } from '../../serve/service.ts';
import { LossUndecided } from '../../serve/store-place/loss-undecided.ts';
import { errorMessage } from '../../model/error-message.ts';
import { FolderUnusable } from '../../model/make-folder.ts';
import { collectAfterStart } from '../../model/garbage-collection.ts';
import { Log } from '../../report/log/log.ts';
import { endAtOnce, onEndSignal } from '../end-signals.ts';
import { CommandFailure, EXIT } from '../exit-codes.ts';
import { greeting } from '../greeting.ts';
import { type Flags, type Loaded, load } from '../load.ts';
import { settingOptions } from '../setting-option.ts';
import { projectStarts } from '../project-starts.ts';
import type { Terminal } from '../terminal.ts';
import { version } from '../version.ts';

export function addServe(program: Command, terminal: Terminal): void {
  withServiceFlags(program.command('serve'))
    .description('run the service: take spans over OTLP, score conversations, serve metrics and the API')
    .action(async (flags: Flags) => {
      const loaded = await load(flags);
      const { service, log } = await startWithLog(loaded);
      terminal.out(greeting(loaded, service));
      await untilStopped(service, log);
    });
}

/** The service runs no experiments. */
const OF_OTHER_COMMANDS = ['experiments'];

/** Every setting that is declared with a flag has it here, unless the service has no use for it. */
export function withServiceFlags(command: Command): Command {
  for (const option of settingOptions({ except: OF_OTHER_COMMANDS })) command.addOption(option);
  command.addOption(new Option('--port <port>').hideHelp().argParser(refusePort));
  return command;
}

function refusePort(): never {
  throw new InvalidArgumentError(
    'There are three ports: --http-port for metrics and the API, --otlp-http-port and --otlp-grpc-port for spans.',
  );
}

/** SIGHUP is how one asks a service to read its configuration again. The log reports the result. */
export async function startWithLog(loaded: Loaded): Promise<{ readonly service: Service; readonly log: Log }> {
  // Files of the data folder are its owner's alone, those of libraries among them.
  process.umask(0o077);
  // Loaded when it is needed: the other commands should not wait for the receivers' libraries.
  const { startProjects } = await import('../../serve/projects.ts');
  const { NoTokens } = await import('../../serve/http/service-access.ts');
  const log = new Log({ level: loaded.settings.logLevel, write: (line) => void process.stderr.write(line) });
  const started = Promise.withResolvers<Service>();
  let isStarting = true;
  process.on('SIGHUP', () => {
    // The configuration of the start was read before.
    if (isStarting) log.line('info', 'config: reload requested during the start, reloading once it is complete');
    void started.promise.then((running) => running.reload());
  });
  // Starting may wait for a store for long.
  onEndSignal(endAtOnce);
  const starting = startProjects({ ...loaded, log, version }, projectStarts(loaded.settings));
  const service = await starting.catch((error: unknown) => {
    if (error instanceof LossUndecided) throw new CommandFailure(error.message, EXIT.loss);
    throw error instanceof NoTokens || error instanceof FolderUnusable
      ? new CommandFailure(error.message, EXIT.usage)
      : error;
  });
  isStarting = false;
  collectAfterStart();
  started.resolve(service);
  const { ports } = service;
  log.line('info', 'service: started, accepting data', {
    version,
    otlp_grpc_port: ports.otlpGrpc,
    otlp_http_port: ports.otlpHttp,
    http_port: ports.http,
    redacted: describeRedaction(loaded.settings.redaction),
  });
  for (const { name, hint } of loaded.strangers)
    log.line('warn', 'config: a name is no setting, going on as the hint says', { name, hint });
  for (const remark of loaded.remarks)
    log.line('warn', 'suites: a shadow has the version of the live suite but different content, running both', {
      remark,
    });
  for (const remark of loaded.truthRemarks)
    log.line('warn', 'truth: a file looks like truth of tasks but is not well formed, going on with it as it is', {
      remark,
    });
  return { service, log };
}

/** Until Ctrl-C or SIGTERM; a second one does not wait. `goesOn`: the next start finds the same data. */
export async function untilStopped(
  service: Service,
  log: Log,
  { goesOn }: { readonly goesOn: boolean } = { goesOn: true },
): Promise<void> {
  const signal = await new Promise<string>(onEndSignal);
  log.line('info', 'service: stopping, finishing the work in progress', { signal });
  onEndSignal(endAtOnce);
  try {
    await service.stop();
  } catch (error) {
    // A part that did not stop would keep the process. The next start recovers what it had, as after a crash.
    log.flush(Date.now(), { all: true });
    log.line('error', 'service: a part did not stop, ending without it', { error: errorMessage(error) });
    process.exit(EXIT.failed);
  }
  log.flush(Date.now(), { all: true });
  log.line('info', goesOn ? 'service: stopped, the next start continues' : 'service: stopped');
}
