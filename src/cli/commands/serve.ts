/** `assay serve`: runs the service until it is told to stop. */
import type { Command } from 'commander';
import { describeRedaction } from '../../engine/redaction-rules.ts';
import type { Service } from '../../serve/service.ts';
import { Log } from '../../report/log/log.ts';
import { greeting } from '../greeting.ts';
import { type Flags, type Loaded, load } from '../load.ts';
import { settingOption } from '../setting-option.ts';
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

/** The flags by which a run differs from the configuration file; each has an environment variable as well. */
export function withServiceFlags(command: Command): Command {
  for (const key of ['config', 'data_dir', 'host', 'otlp_grpc_port', 'otlp_http_port', 'http_port'])
    command.addOption(settingOption(key));
  return command;
}

/** SIGHUP is how one asks a service to read its configuration again. What comes of it is in the log. */
export async function startWithLog(loaded: Loaded): Promise<{ readonly service: Service; readonly log: Log }> {
  // Loaded when it is needed: the other commands should not wait for the receivers' libraries.
  const { startService } = await import('../../serve/service.ts');
  const log = new Log({ level: loaded.settings.logLevel, write: (line) => void process.stderr.write(line) });
  // Asked for before it has started, it would end the process: what is read then is new anyway.
  let started: Service | undefined;
  process.on('SIGHUP', () => void started?.reload());
  const service = await endingOnSignals(() => startService({ ...loaded, log, version }));
  started = service;
  const { ports } = service;
  log.line('info', 'started', {
    version,
    otlp_grpc_port: ports.otlpGrpc,
    otlp_http_port: ports.otlpHttp,
    http_port: ports.http,
    redacted: describeRedaction(loaded.settings.redaction),
  });
  return { service, log };
}

/**
 * While it starts there is nothing to finish, and starting may wait for a store for long. The first process of a container hears
 * only the signals that it has asked for.
 */
async function endingOnSignals<T>(start: () => Promise<T>): Promise<T> {
  const end = () => process.exit(130);
  for (const name of SIGNALS) process.on(name, end);
  try {
    return await start();
  } finally {
    for (const name of SIGNALS) process.off(name, end);
  }
}

const SIGNALS = ['SIGINT', 'SIGTERM'] as const;

/** Until Ctrl-C or SIGTERM; a second one does not wait. */
export async function untilStopped(service: Service, log: Log): Promise<void> {
  const signal = await new Promise<string>((resolve) => {
    for (const name of SIGNALS) process.once(name, () => resolve(name));
  });
  log.line('info', 'stopping', { signal });
  for (const name of SIGNALS) process.once(name, () => process.exit(130));
  await service.stop();
  log.flush(Date.now(), { all: true });
  log.line('info', 'stopped');
}
