/** `assay suite move`: from proposed to shadow, live and retired. A person does it; nothing else moves a suite. */
import { existsSync } from 'node:fs';
import path from 'node:path';
import { type Command, Option } from 'commander';
import { type Document, isScalar, isSeq } from 'yaml';
import { certificateWords } from '../../model/certificate.ts';
import { configFile } from '../../config/settings.ts';
import { editConfiguration } from '../edit-configuration.ts';
import { CommandFailure, EXIT } from '../exit-codes.ts';
import { load } from '../load.ts';
import { settingOption } from '../setting-option.ts';
import { safe, type Terminal } from '../terminal.ts';

const LISTS = { live: 'suites', shadow: 'shadow_suites' } as const;
const PLACES = ['shadow', 'live', 'retired'] as const;
type Place = (typeof PLACES)[number];

interface MoveFlags {
  readonly to: Place;
  readonly config?: string;
}

export function addSuiteMove(suite: Command, terminal: Terminal): void {
  suite
    .command('move')
    .description('let a suite run in shadow, run live, or no longer run: changes the configuration file')
    .argument('<file>', 'the suite')
    .addOption(new Option('--to <place>', 'where to').choices(PLACES).makeOptionMandatory())
    .addOption(settingOption('config'))
    .action(async (file: string, { to, config }: MoveFlags) => {
      if (!existsSync(file)) throw new CommandFailure(`there is no suite ${safe(file, 200)}`, EXIT.input);
      // A suite with a mistake moves nowhere.
      const { suites } = await load({ config }, { suites: [file] });
      const before = await load({ config });
      const folder = path.dirname(configFile({ flags: { config }, env: process.env, cwd: process.cwd() }));
      const changed = await editConfiguration({ config }, (document) =>
        moved(document, { file: path.resolve(file), folder, to, live: before.suiteReferences }),
      );
      terminal.out(
        `${safe(changed, 200)}: ${safe(file, 200)} is ${to === 'retired' ? 'retired' : `in ${LISTS[to]}`} now`,
      );
      if (to !== 'retired')
        for (const [name, certificate] of suites.flatMap(({ certificates }) => [...(certificates?.of ?? [])]))
          terminal.out(`  ${name}: ${certificateWords(certificate)}`);
      terminal.out(
        'A running service reads it again with SIGHUP, or by the API (docs/reference/configuration.md, "Change it while it runs").',
      );
    });
}

interface Moving {
  readonly file: string;
  /** The folder of the configuration, to which its paths are relative. */
  readonly folder: string;
  readonly to: Place;
  /** Suites that run, where the file does not say. */
  readonly live: readonly string[];
}

function moved(document: Document, { file, folder, to, live }: Moving): string | undefined {
  for (const name of Object.values(LISTS)) {
    const list = document.get(name);
    if (list !== undefined && list !== null && !isSeq(list)) return `${name} is no list: move the suite by hand`;
    if (!isSeq(list)) continue;
    list.items = list.items.filter((item) => path.resolve(folder, String(isScalar(item) ? item.value : item)) !== file);
    if (list.items.length === 0 && name === LISTS.shadow) document.delete(name);
  }
  if (to === 'retired') return undefined;
  const relative = path.relative(folder, file);
  const reference = relative.startsWith('..') ? file : `./${relative}`;
  const name = LISTS[to];
  if (isSeq(document.get(name))) document.addIn([name], reference);
  else document.set(name, document.createNode(to === 'live' ? [...live, reference] : [reference]));
  return undefined;
}
