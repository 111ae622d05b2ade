/** `assay doctor --accept`: writes what traffic showed of an exporter into the configuration file, beside what people wrote. */
import { existsSync, readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { isMap, isSeq, parseDocument } from 'yaml';
import { configFile } from '../config/settings.ts';
import type { KnownExporter } from '../model/exporters.ts';
import { CommandFailure, EXIT } from './exit-codes.ts';
import type { Flags } from './load.ts';
import { safe } from './terminal.ts';

const PLACE = ['exporters', 'known'];

/** Gives the name of the file. Comments stay, and so does the order of what is there. */
export async function acceptExporter(entry: KnownExporter, flags: Flags): Promise<string> {
  const file = configFile({ flags, env: process.env, cwd: process.cwd() });
  const document = parseDocument(existsSync(file) ? readFileSync(file, 'utf8') : '');
  const section = isMap(document.contents) ? document.get('exporters') : undefined;
  const known = isMap(section) ? section.get('known') : undefined;
  const isEmpty = (value: unknown) => value === undefined || value === null;
  if (
    (document.contents !== null && !isMap(document.contents)) ||
    (!isEmpty(section) && !isMap(section)) ||
    (!isEmpty(known) && !isSeq(known))
  )
    throw new CommandFailure(`${safe(file, 200)}: exporters.known is no list: write the entry by hand`, EXIT.input);
  if (isEmpty(section)) document.set('exporters', document.createNode({ known: [entry] }));
  else if (isEmpty(known)) document.setIn(PLACE, document.createNode([entry]));
  else document.addIn(PLACE, document.createNode(entry));
  try {
    // In place: a file that is mounted into a container cannot be replaced.
    await writeFile(file, document.toString({ lineWidth: 0 }));
  } catch (error) {
    throw new CommandFailure(`write ${safe(file, 200)}: ${error instanceof Error ? error.message : ''}`, EXIT.input);
  }
  return file;
}
