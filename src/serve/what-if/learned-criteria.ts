/** Criteria that tell the failures which people found in stored conversations (`src/learn`). */
import type { z } from 'zod';
import type { LearnedCriteria, learnedQuery } from '../../api/learned.ts';
import { ConversationSource } from '../../backtest/conversation-source.ts';
import { kindOf, readConversations } from '../../engine/estimate/read-conversations.ts';
import { answerOf } from '../../engine/estimate/sample.ts';
import { isKnownGood, learnedFrom, type Learned } from '../../learn/learned.ts';
import { learnedSuite } from '../../learn/learned-suite.ts';
import { clusterOf, type ReadCase } from '../../learn/read-case.ts';
import { type Certificate, certificateWords, isCertified } from '../../model/certificate.ts';
import { counted } from '../../model/counted.ts';
import { isGood } from '../../model/severity.ts';
import type { IdKeys } from '../../normalize/id-keys.ts';
import { failuresAmong } from '../../store/facts.ts';
import { frameQueryOf } from '../api/v1/frame-asked.ts';
import { isoTime } from '../api/v1/iso-time.ts';
import type { ServiceReader } from '../store-place/open-reader.ts';

/** More take longer than a question may. */
const READ_MAX = 400;
const SHOWN = 5;

export async function learnedCriteria(
  asked: z.output<typeof learnedQuery>,
  { reader, idKeys }: { readonly reader: ServiceReader; readonly idKeys: IdKeys | undefined },
): Promise<LearnedCriteria> {
  const query = frameQueryOf(asked);
  const source = new ConversationSource({ reader, idKeys, truth: undefined });
  const cases: ReadCase[] = [];
  for (const { candidate, chance } of await readConversations(reader.frame, query, READ_MAX)) {
    const answer = answerOf(candidate);
    const found = answer === 'unclear' ? undefined : await source.of(candidate.row);
    if (found === undefined || typeof found === 'string') continue;
    const isBad = answer === 'bad';
    cases.push({
      conversation: found.whole,
      isBad,
      kind: isBad ? kindOf(candidate) : undefined,
      weight: chance === undefined ? 0 : 1 / chance,
      cluster: clusterOf(found.whole),
      isCalledFine: isGood(candidate.known.called),
      failed: failuresAmong(candidate.row.facts),
      notes: [],
    });
  }
  const traffic = cases.map(({ conversation }) => conversation);
  const learned = learnedFrom(cases, { at: new Date().toISOString(), traffic });
  const bad = cases.filter(({ isBad }) => isBad).length;
  return {
    ...{ agent: asked.agent, since: isoTime(query.since), until: isoTime(query.until) },
    ...{ readings: cases.length, bad, says: saysOf(learned, cases, bad) },
    kinds: learned.map((one) => kindJson(one, cases)),
  };
}

function saysOf(learned: readonly Learned[], cases: readonly ReadCase[], bad: number): string {
  const outOfTurn = cases.filter(({ weight }) => weight === 0).length;
  const chosen = outOfTurn === 0 ? '' : `; ${outOfTurn} were not read in their turn, and measure nothing`;
  const read = `${counted(cases.length, 'conversation')} read, ${bad} of which went badly${chosen}`;
  if (learned.length === 0) return `${read}: a search takes four of one kind, or four that the suites call fine.`;
  const certified = learned.filter(({ criteria }) => criteria.some((one) => isKnownGood(one))).length;
  return `${read}. ${certified} of ${counted(learned.length, 'kind')} of failure can be told by a certified criterion.`;
}

function kindJson({ kind, readings, criteria }: Learned, cases: readonly ReadCase[]): LearnedCriteria['kinds'][number] {
  const [best] = criteria;
  return {
    ...(kind === undefined ? {} : { kind }),
    readings,
    criteria: criteria.map(({ name, question, when, check, foundIn, certificate, failsOn }) => ({
      ...{ name, question, check, found_in: foundIn },
      ...(when === undefined ? {} : { when }),
      ...(certificate === undefined ? {} : { certificate: certificateJson(certificate) }),
      conversations: failsOn.slice(0, SHOWN).flatMap((at) => cases[at]?.conversation.id ?? []),
    })),
    ...(best === undefined ? {} : { suite: learnedSuite('learned', [{ criterion: best, kind }]) }),
  };
}

function certificateJson(certificate: Certificate) {
  const { readings, fired, precision, bad, ofKind, missed, added, applies, fails, like } = certificate;
  return {
    ...{ says: certificateWords(certificate), certified: isCertified(certificate) },
    ...{ readings, fired, precision, bad, missed, added, applies, fails },
    ...(ofKind === undefined ? {} : { of_kind: ofKind }),
    ...(like === undefined ? {} : { like }),
  };
}
