/** Options that are settings: their names, variables, defaults and texts are declared with the settings. */
import { Option } from 'commander';
import { settingsIn } from '../config/section.ts';
import { ALL_SECTIONS, CONFIG_FILE } from '../config/settings.ts';
import type { Setting } from '../config/setting.ts';

const SETTINGS = [CONFIG_FILE, ...ALL_SECTIONS.flatMap(({ declared }) => settingsIn(declared))];

/** Throws where no such setting has a flag. */
export function settingOption(key: string): Option {
  const setting = SETTINGS.find((one) => one.key === key);
  if (setting?.flag === undefined) throw new Error(`no setting '${key}' has a flag`);
  return new Option(setting.flag, describe(setting));
}

/** `address to listen on (ASSAY_HOST; default 127.0.0.1)`. */
function describe({ help, variable, default: usual }: Setting<unknown>): string {
  const notes = [variable, usual === undefined ? undefined : `default ${usual}`].filter((note) => note !== undefined);
  const text = help.replace(/\.$/, '').replace(/^[A-Z](?![A-Z])/, (first) => first.toLowerCase());
  return `${text} (${notes.join('; ')})`;
}
