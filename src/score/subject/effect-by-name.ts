/**
 * Whether a tool changes something, by its name alone:
 *
 * 1. A name that passes the conversation on to another agent (`transfer_to_billing_agent`) changes nothing.
 * 2. The first of its words that is certainly a verb decides: `get_booking` reads, `cancel_order` writes, and so does `find_or_create_user`.
 * 3. Else a name that ends with a property reads: `order_status`, `exchange_rate`.
 * 4. Else a word that is a verb as often as a noun is taken for a verb, unless it ends the name: `book_flight` and `file_claim` write.
 * 5. The effect of a name without any of these, such as `weather` or `crm_sync`, is unknown.
 */
import { remembering } from '../../model/remembering.ts';

const READS = wordSet(`
  get list search find read fetch check lookup look query show describe count view inspect browse retrieve load select preview
  validate verify calculate compute estimate summarize summarise translate ask confirm think reason reflect plan compare diff
  analyze analyse explain evaluate assess classify detect predict forecast recommend suggest parse extract convert locate track
  trace monitor measure review ping test grep glob filter sort rank resolve download crawl scrape scan see is has can does whoami help
`);
const WRITES = wordSet(`
  create add insert write update modify edit change set put patch save upsert delete remove drop destroy purge clear erase cancel
  close reopen restore rename move copy upload send notify publish unpublish reply reserve reschedule rebook reorder buy purchase
  pay refund withdraw submit approve reject grant revoke assign unassign invite enable disable activate deactivate start stop
  restart reset reboot merge commit push register unregister subscribe unsubscribe apply install uninstall kill terminate
  unblock reactivate reinstate uncancel undelete unarchive unsuspend unfreeze unpause make replace swap amend append attach detach link unlink connect disconnect join leave toggle switch suspend resume
  pause revert rollback undo redo lock unlock mark complete finish redeem claim allocate provision renew upgrade downgrade extend
  checkout sms tweet import migrate disburse overwrite wipe empty reseat refuel adjust waive lend rent prescribe dispense enroll enrol discharge
`);
/** Verbs that are nouns as often. */
const WRITES_UNLESS_NOUN = wordSet(`
  order book schedule post charge email mail transfer deposit issue block deploy store archive exchange return run execute exec
  place sign ship dispatch escalate message text file log record note comment flag tag label credit debit
`);
const PROPERTIES = wordSet(`
  status state detail details info information history policy policies rate rates list summary balance count type types id ids
  number eligibility availability price prices quote hours fee fees limit limits content contents
`);
const AND = wordSet('and or then');
const PASSES_ON = wordSet('transfer hand handoff handover escalate route forward redirect');
const AGENTS = wordSet('agent agents assistant');
const WORDS = /[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+/g;
const NAME_LENGTH_MAX = 200;

/** Effects that `tool-effects.ts` knows; a name alone never shows a hand-over. */
export type ToolEffect = 'reads' | 'writes' | 'hands_over' | 'unknown';

export const effectByName = remembering((tool): 'reads' | 'writes' | 'unknown' => {
  const words = wordsOf(tool);
  return passesOn(words) ? 'reads' : (byVerb(words) ?? 'unknown');
});

/** Words of a tool's name in lower case, split at any separator. */
export const wordsOf = remembering((tool): readonly string[] =>
  (tool.slice(0, NAME_LENGTH_MAX).match(WORDS) ?? []).map((word) => word.toLowerCase()),
);

function passesOn(words: readonly string[]): boolean {
  const from = words.findIndex((word) => PASSES_ON.has(word));
  return from >= 0 && words.slice(from + 1).some((word) => AGENTS.has(word));
}

function byVerb(words: readonly string[]): 'reads' | 'writes' | undefined {
  for (const [at, word] of words.entries()) {
    // A guest or a passenger is checked in: that is no look.
    if (word === 'check' && ['in', 'out'].includes(words[at + 1] ?? '')) return 'writes';
    if (READS.has(word)) return alsoWrites(words.slice(at + 1)) ? 'writes' : 'reads';
    if (WRITES.has(word)) return 'writes';
  }
  if (PROPERTIES.has(words.at(-1) ?? '')) return 'reads';
  const verbs = words.length === 1 ? words : words.slice(0, -1);
  return verbs.some((word) => WRITES_UNLESS_NOUN.has(word)) ? 'writes' : undefined;
}

/** `find_or_create_user`, `read_then_write`. */
function alsoWrites(later: readonly string[]): boolean {
  return later.some((word, at) => AND.has(word) && isWritingVerb(later[at + 1] ?? ''));
}

function isWritingVerb(word: string): boolean {
  return WRITES.has(word) || WRITES_UNLESS_NOUN.has(word);
}

export function wordSet(words: string): ReadonlySet<string> {
  return new Set(words.trim().split(/\s+/));
}
