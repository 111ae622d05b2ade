/** When turns close and conversations are due. */
import { z } from 'zod';
import { HAND_OVER_TOOLS } from '../model/hand-over-tools.ts';
import { formatDuration } from './quantities.ts';
import { expectAtLeast, section } from './section.ts';
import { count, duration, setting, size } from './setting.ts';

const SPANS_MAX = 5000;
/** Spans of this size on average fill 16 MiB at that number. Larger turns have more spans as well. */
const SPAN_BYTES = 3355;
/** Late spans count for this long. Exporters keep hardly anything for longer, and each trace is remembered until then. */
const REOPEN_MS = 24 * 3_600_000;

export const TURN = section('start', 'A user request and all that the agent did to answer it.', {
  settleMs: duration(
    { key: 'turn.settle', variable: 'ASSAY_TURN_SETTLE', default: '10s', min: '0ms', max: '1h' },
    'A complete turn closes this long after its last span.',
  ),
  idleMs: duration(
    { key: 'turn.idle', variable: 'ASSAY_TURN_IDLE', default: '60s', min: '1ms', max: '1d' },
    'A turn whose root never arrived closes this long after its last span.',
  ),
  maxAgeMs: duration(
    { key: 'turn.max_age', default: '15m', min: '1s', max: '7d', rare: true },
    'A turn closes at this age.',
  ),
  maxBytes: size(
    { key: 'turn.max_bytes', default: '16MiB', min: '1KiB', max: '1GiB', rare: true },
    'A turn closes at this size, or at 5000 spans; above 16 MiB at as many more spans.',
  ),
}).build((turn, sources) => {
  const maxAge = ['turn.max_age', turn.maxAgeMs] as const;
  expectAtLeast(sources, maxAge, ['turn.settle', turn.settleMs], formatDuration);
  expectAtLeast(sources, maxAge, ['turn.idle', turn.idleMs], formatDuration);
  const maxSpans = Math.max(SPANS_MAX, Math.floor(turn.maxBytes / SPAN_BYTES));
  return { ...turn, maxSpans, reopenMs: REOPEN_MS };
});

const ID_KEYS_MAX = 32;
const HAND_OVER_TOOLS_MAX = 100;
const keyList = z
  .array(z.string('attribute keys').min(1, 'attribute keys that are not empty'), 'a list of attribute keys')
  .max(ID_KEYS_MAX, `at most ${ID_KEYS_MAX} attribute keys`)
  .readonly();

const globList = z
  .array(
    z.string('names of tools').min(1, 'names that are not empty').max(200, 'names of at most 200 characters'),
    'a list of globs',
  )
  .max(HAND_OVER_TOOLS_MAX, `at most ${HAND_OVER_TOOLS_MAX} globs`)
  .readonly();

export const CONVERSATION = section('reload', 'Turns that share a conversation id.', {
  idleMs: duration(
    { key: 'conversation.idle', variable: 'ASSAY_CONVERSATION_IDLE', default: '5m', min: '1ms', max: '30d' },
    'A conversation is scored this long after its last turn, unless its end is marked.',
  ),
  maxAgeMs: duration(
    { key: 'conversation.max_age', default: '24h', min: '1s', max: '365d', rare: true },
    'A conversation is scored at this age, ended or not.',
  ),
  maxTurns: count(
    { key: 'conversation.max_turns', default: 200, min: 1, max: 100_000, rare: true },
    'A conversation is scored at this number of turns, ended or not.',
  ),
  idKeys: setting(
    {
      key: 'conversation.id_keys',
      default: [],
      example: ['chat.id'],
      // Redaction keeps what joins conversations, and its rules are those of the start.
      reload: false,
    },
    'Attributes that hold the id of the conversation; they go before those of the conventions.',
    keyList,
  ),
  handOverTools: setting(
    { key: 'conversation.hand_over_tools', default: HAND_OVER_TOOLS, example: ['transfer_to_front_desk'], rare: true },
    'Globs for the tools by which an agent hands a conversation over to a person.',
    globList,
  ),
}).build((conversation, sources) => {
  const { maxAgeMs, idleMs } = conversation;
  expectAtLeast(sources, ['conversation.max_age', maxAgeMs], ['conversation.idle', idleMs], formatDuration);
  return conversation;
});
