/** Options of commands that ask a running service, or read a store without one. */
import type { Command } from 'commander';
import { CommandFailure, EXIT } from './exit-codes.ts';
import { type Loaded, load } from './load.ts';
import { type AskedService, askedPort, askedService, tokenOption } from './running-service.ts';
import { settingOption } from './setting-option.ts';

export interface ServiceOrStoreFlags {
  readonly url?: string;
  readonly token?: string;
  readonly config?: string;
  readonly dataDir?: string;
  readonly httpPort?: string;
}

export function addServiceOrStore(command: Command): Command {
  return command
    .option('--url <url>', 'the service to ask (default: that of the configuration, if it runs on this machine)')
    .addOption(settingOption('config'))
    .addOption(
      settingOption('data_dir', 'Folder of a store to read without its service; unless given, the service is asked.'),
    )
    .addOption(tokenOption())
    .addOption(askedPort());
}

/** The configuration, and the service that the flags mean. */
export async function serviceOrStore(
  flags: ServiceOrStoreFlags,
): Promise<{ readonly loaded: Loaded; readonly service: AskedService }> {
  const { url, token, config, dataDir, httpPort } = flags;
  if (url !== undefined && dataDir !== undefined)
    throw new CommandFailure('--url asks a service and --data-dir reads a store: use only one of them', EXIT.usage);
  const loaded = await load({ config, dataDir, httpPort }, { secrets: "the store's" });
  const service = askedService(
    { ...(url === undefined ? {} : { url }), ...(token === undefined ? {} : { token }) },
    loaded.settings,
  );
  return { loaded, service };
}
