/** `assay doctor --accept`: writes what traffic showed of an exporter into the configuration file. */
import { type Document, isMap, isSeq } from 'yaml';
import type { KnownExporter } from '../model/exporters.ts';
import { editConfiguration } from './edit-configuration.ts';
import type { Flags } from './load.ts';

const PLACE = ['exporters', 'known'];

/** Gives the name of the file. */
export async function acceptExporter(entry: KnownExporter, flags: Flags): Promise<string> {
  return await editConfiguration(flags, (document: Document) => {
    const section = isMap(document.contents) ? document.get('exporters') : undefined;
    const known = isMap(section) ? section.get('known') : undefined;
    const isEmpty = (value: unknown) => value === undefined || value === null;
    if ((!isEmpty(section) && !isMap(section)) || (!isEmpty(known) && !isSeq(known)))
      return 'exporters.known is no list: write the entry by hand';
    if (isEmpty(section)) document.set('exporters', document.createNode({ known: [entry] }));
    else if (isEmpty(known)) document.setIn(PLACE, document.createNode([entry]));
    else document.addIn(PLACE, document.createNode(entry));
    return undefined;
  });
}
