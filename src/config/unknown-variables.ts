/**
 * Variables that look like a setting's and are none: most are misspelled, and the setting silently keeps its default. Only those that
 * resemble a known one are reported, because others may have their own variables with this prefix.
 */
import { didYouMean } from '../model/did-you-mean.ts';
import type { Variables } from './sources.ts';

const PREFIX = 'ASSAY_';
/** Variables of the command line and of the runs of an experiment, which are no settings. */
const OTHERS = ['ASSAY_TOKEN', 'ASSAY_CONVERSATION_ID', 'ASSAY_CASE', 'ASSAY_CONFIG'];
/** Kubernetes sets such ones for each Service, and one may be called assay. */
const OF_KUBERNETES = /_SERVICE_(?:HOST|PORT)(?:_|$)|_PORT_\d+_/;

/** A name that is no setting, or none any more. */
export interface Stranger {
  readonly name: string;
  /** The setting that was probably meant, or the effect of one that was removed. */
  readonly hint: string;
}

export function unknownVariables(env: Variables, settings: readonly string[]): readonly Stranger[] {
  const known = new Set([...settings, ...OTHERS]);
  const names = [...known].map(withoutPrefix);
  return Object.entries(env).flatMap(([variable, value]) => {
    if (!variable.startsWith(PREFIX) || known.has(variable)) return [];
    if (value === undefined || /^(?:tcp|udp|sctp):\/\//.test(value) || OF_KUBERNETES.test(variable)) return [];
    const nearest = didYouMean(withoutPrefix(variable), names);
    return nearest === undefined ? [] : [{ name: variable, hint: `did you mean ${PREFIX}${nearest}?` }];
  });
}

function withoutPrefix(name: string): string {
  return name.slice(PREFIX.length);
}
