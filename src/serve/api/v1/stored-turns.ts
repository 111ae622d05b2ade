/**
 * The turns of a stored conversation, understood again from its spans, as far as they are kept and one answer can hold
 * them. Missing spans are reported and are no error, because a conversation outlives its spans.
 */
import { buildConversation } from '../../../assemble/build-conversation.ts';
import { turnsOfTrace } from '../../../engine/turns-of-trace.ts';
import { counted } from '../../../model/counted.ts';
import type { ConversationDetail } from '../../../api/conversation-detail.ts';
import type { Turn } from '../../../model/turn.ts';
import type { ConversationReader, TraceRow } from '../../../store/conversation-reader.ts';
import type { ConversationRow } from '../../../store/conversation-row.ts';
import { intactContent } from '../../../store/intact-content.ts';
import type { V1Side } from './v1-side.ts';

/** Spans that are understood for one answer, in bytes. */
const BYTES_MAX = 48 << 20;

interface StoredTurns {
  readonly turns: readonly Turn[];
  readonly traces: readonly TraceRow[];
  readonly content: ConversationDetail['content'];
  /** Missing parts and the reason; undefined where it is whole. */
  readonly note: string | undefined;
}

interface Side {
  readonly reader: Pick<ConversationReader, 'traces' | 'content'>;
  readonly onDamage: V1Side['onDamage'];
}

export async function storedTurns({ reader, onDamage }: Side, row: ConversationRow): Promise<StoredTurns> {
  const traces = await reader.traces(row);
  const parts: Turn[] = [];
  const lacking = { damaged: 0, notUnderstood: 0, deleted: 0, tooMuch: 0 };
  const what = `conversation ${row.conversationId}`;
  let bytes = 0;
  for (const trace of traces) {
    if (bytes > BYTES_MAX) {
      lacking.tooMuch += 1;
      continue;
    }
    const content = await intactContent(reader, trace, (reason) => onDamage({ what, reason }));
    if (content === 'damaged') lacking.damaged += 1;
    else if (content === undefined) lacking.deleted += 1;
    else {
      bytes += content.traces.length + (content.logs?.length ?? 0);
      const understood = tryTurns(content);
      if (understood === undefined) lacking.notUnderstood += 1;
      else parts.push(...understood);
    }
  }
  if (traces.length === 0) lacking.deleted = Math.max(1, row.turns);
  return {
    turns: parts.length === 0 ? [] : buildConversation(row.conversationId, parts).turns,
    traces,
    ...standing(lacking),
  };
}

/** Undefined where a defect keeps them from being understood; scoring has reported it. */
function tryTurns(content: Parameters<typeof turnsOfTrace>[0]): readonly Turn[] | undefined {
  try {
    const turns = turnsOfTrace(content);
    // Read here, because a step is understood only when it is looked at.
    for (const { steps, toolCalls } of turns) for (const one of [...steps, ...toolCalls]) void one.name;
    return turns;
  } catch {
    return undefined;
  }
}

function standing({
  damaged,
  notUnderstood,
  deleted,
  tooMuch,
}: {
  readonly [reason in 'damaged' | 'notUnderstood' | 'deleted' | 'tooMuch']: number;
}): Pick<StoredTurns, 'content' | 'note'> {
  const notes = [
    [damaged, 'damaged on disk'],
    [notUnderstood, 'not understood by this version of Assay'],
    [deleted, 'deleted by retention (store.keep)'],
    [tooMuch, `left out, because one answer reads at most ${BYTES_MAX >> 20} MiB of spans`],
  ] as const;
  const said = notes.flatMap(([traces, why]) =>
    traces === 0 ? [] : [`the spans of ${counted(traces, 'trace')}: ${why}`],
  );
  if (said.length === 0) return { content: 'whole', note: undefined };
  return { content: damaged > 0 ? 'damaged' : 'missing', note: `${said.join('; ')}.` };
}
