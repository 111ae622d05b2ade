/** Options that are settings: their names, variables, defaults and texts are declared with the settings. */
import { Option } from 'commander';
import { settingsIn } from '../config/section.ts';
import { ALL_SECTIONS } from '../config/sections.ts';
import { CONFIG_FILE } from '../config/settings.ts';
import type { Setting } from '../config/setting.ts';

const SETTINGS = [CONFIG_FILE, ...ALL_SECTIONS.flatMap(({ declared }) => settingsIn(declared))];

/** `help` is for a command to which the setting is something else. Throws where no such setting has a flag. */
export function settingOption(key: string, help?: string): Option {
  const setting = SETTINGS.find((one) => one.key === key);
  if (setting?.flag === undefined) throw new Error(`no setting '${key}' has a flag`);
  const option = new Option(setting.flag, describe({ ...setting, help: help ?? setting.help }));
  return setting.rare ? option.helpGroup('Rarely needed:') : option;
}

/** Options for all settings that have a flag. */
export function settingOptions({ except }: { readonly except: readonly string[] }): readonly Option[] {
  const unknown = except.find((key) => !SETTINGS.some((setting) => setting.key === key));
  if (unknown !== undefined) throw new Error(`there is no setting '${unknown}'`);
  const flagged = SETTINGS.filter(({ key, flag }) => flag !== undefined && !except.includes(key));
  return flagged.map(({ key }) => settingOption(key));
}

/** `address to listen on (ASSAY_HOST; default 127.0.0.1)`. */
function describe({ help, variable, default: usual }: Setting<unknown>): string {
  const notes = [variable, usual === undefined ? undefined : `default ${usual}`].filter((note) => note !== undefined);
  const text = help.replace(/\.$/, '').replace(/^[A-Z](?![A-Z])/, (first) => first.toLowerCase());
  return `${text} (${notes.join('; ')})`;
}
