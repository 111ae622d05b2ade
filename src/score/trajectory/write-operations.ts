/**
 * Whether a tool changes something, by its name: the first of its words that is a verb on one of the lists decides. A name
 * without one, such as `weather`, is taken for a read. Where a name misleads, the step says `writes: true` or `false`, or
 * the suite names the tools.
 */
import { compileGlob, type Matcher } from '../../model/glob.ts';

const READS = new Set(
  'get list search find read fetch check lookup look query show describe count view inspect browse retrieve load select preview validate verify calculate compute estimate summarize translate ask confirm'.split(
    ' ',
  ),
);
const WRITES = new Set(
  'create add insert write update modify edit change set put post patch save store upsert delete remove drop destroy purge clear erase cancel close reopen archive restore rename move copy upload send email notify publish reply book reserve schedule reschedule order buy purchase pay charge refund transfer withdraw deposit submit approve reject grant revoke assign unassign invite enable disable activate deactivate start stop restart reset run execute exec deploy merge commit push register unregister subscribe unsubscribe issue escalate apply install uninstall kill terminate block unblock'.split(
    ' ',
  ),
);
const WORDS = /[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+/g;
const NAME_LENGTH_MAX = 200;
const KNOWN_MAX = 1000;

export type IsWrite = (tool: string) => boolean;

export interface WriteNames {
  /** Globs of tools that write, and of tools that do not, whatever they are called. */
  readonly writes?: readonly string[] | undefined;
  readonly reads?: readonly string[] | undefined;
}

export function writeOperations({ writes = [], reads = [] }: WriteNames = {}): IsWrite {
  const named = (globs: readonly string[]): Matcher => {
    const matchers = globs.map(compileGlob);
    return (tool) => matchers.some((matches) => matches(tool));
  };
  const [isNamedWrite, isNamedRead] = [named(writes), named(reads)];
  const known = new Map<string, boolean>();
  return (tool) => {
    let isWrite = known.get(tool);
    if (isWrite === undefined) {
      isWrite = isNamedWrite(tool) ? true : isNamedRead(tool) ? false : readsAsWrite(tool);
      // An agent has few tools. Whoever makes up names is not remembered.
      if (known.size < KNOWN_MAX) known.set(tool, isWrite);
    }
    return isWrite;
  };
}

function readsAsWrite(tool: string): boolean {
  for (const word of tool.slice(0, NAME_LENGTH_MAX).match(WORDS) ?? []) {
    const verb = word.toLowerCase();
    if (READS.has(verb)) return false;
    if (WRITES.has(verb)) return true;
  }
  return false;
}
