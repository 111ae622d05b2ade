/**
 * Reading on a terminal: one conversation of the queue at a time, as its user saw it and with the calls of tools in their
 * place. Nothing that was said of it is shown. The keys are those of the page.
 */
import { once } from 'node:events';
import { createInterface } from 'node:readline/promises';
import { buildConversation } from '../assemble/build-conversation.ts';
import { estimateAnswer, type ReadingQueue, readingQueue } from '../api/estimate.ts';
import type { Settings } from '../config/settings.ts';
import { turnsOfTrace } from '../engine/turns-of-trace.ts';
import { READING_ANSWERS, type ReadingAnswer } from '../model/readings.ts';
import { idKeysOf } from '../normalize/id-keys.ts';
import { transcriptOf } from '../report/documents/transcript.ts';
import { spansOfService } from './conversation-of-service.ts';
import { printTranscript } from './print-transcript.ts';
import { ask, type AskedService, reading, writing } from './running-service.ts';
import { safe, type Terminal } from './terminal.ts';

export interface Keys {
  /** One character; `q` where there are no more. */
  next(): Promise<string>;
  line(question: string): Promise<string>;
}

interface Reading {
  readonly service: AskedService & { readonly writeToken: string | undefined };
  readonly by: string;
  readonly idKeys: Settings['conversation']['idKeys'];
  /** The agent and the window, as parameters of the API. */
  readonly query: string;
}

type Item = ReadingQueue['items'][number];

/** One for each answer, in their order. */
const KEYS = ['1', '2', '3'];
const QUESTION = 'Did it go well for its user?   1 well   2 badly   3 cannot tell   u undo   n note   k kind   q quit';

/** Returns when the reader quits, or when no conversation is left for this reader. */
export async function readConversations(terminal: Terminal, keys: Keys, of: Reading): Promise<void> {
  const { out, paint } = terminal;
  const waiting: Item[] = [];
  const done: Item[] = [];
  for (;;) {
    if (waiting.length === 0) waiting.push(...(await queueOf(of)));
    const [item] = waiting;
    if (item === undefined) {
      out('No conversation is left for you to read.');
      return;
    }
    await show(terminal, item, of);
    const said = await answerOf(terminal, keys);
    if (said === 'quit') return;
    if (said === 'undo') {
      const last = done.pop();
      if (last === undefined) out('Nothing to undo.');
      else {
        await put(of, { conversation_id: last.conversation_id, answer: null });
        waiting.unshift(last);
      }
      continue;
    }
    await put(of, { conversation_id: item.conversation_id, ...said });
    waiting.shift();
    done.push(item);
    out(`\n${paint('bold', safe(await headlineOf(of), 600))}`);
  }
}

async function answerOf(
  { out, paint }: Terminal,
  keys: Keys,
): Promise<{ readonly answer: ReadingAnswer; readonly note?: string; readonly kind?: string } | 'undo' | 'quit'> {
  let [note, kind] = ['', ''];
  for (;;) {
    out(`\n${paint('bold', QUESTION)}`);
    const key = await keys.next();
    const answer = READING_ANSWERS[KEYS.indexOf(key)];
    if (answer !== undefined) {
      const named = answer === 'bad' && kind !== '' ? { kind } : {};
      return { answer, ...(note === '' ? {} : { note }), ...named };
    }
    if (key === 'u') return 'undo';
    if (key === 'q' || key === CTRL_C) return 'quit';
    if (key === 'n') note = (await keys.line('Note, kept with your answer: ')).trim();
    if (key === 'k') kind = (await keys.line('Kind of failure, kept if it went badly: ')).trim();
  }
}

const CTRL_C = '\u0003';

async function show(terminal: Terminal, { conversation_id: id }: Item, of: Reading): Promise<void> {
  const { service, idKeys } = of;
  const turns = (await spansOfService(id, service)).flatMap((trace) => turnsOfTrace(trace, idKeysOf(idKeys)));
  // The brand of the id is put on by the service that named it.
  const built =
    turns.length === 0 ? { turns } : buildConversation(id as Parameters<typeof buildConversation>[0], turns);
  terminal.out(`\n${terminal.paint('dim', `conversation ${safe(id)}`)}\n`);
  // Calls of a model say nothing that is not in the texts.
  const shown = transcriptOf(built).map((turn) => ({
    ...turn,
    steps: turn.steps.filter(({ kind }) => kind !== 'llm'),
  }));
  printTranscript(terminal, shown, { indent: '  ', isWhole: true });
}

async function queueOf({ service, by, query }: Reading): Promise<readonly Item[]> {
  const asked = new URL(`/api/v1/readings/queue?${query}`, service.url);
  asked.searchParams.set('by', by);
  return readingQueue.parse(await ask(asked, reading(service.token))).items;
}

async function put({ service: { url, writeToken }, by }: Reading, said: object): Promise<void> {
  await ask(new URL('/v1/readings', url), writing('PUT', { ...said, by }, writeToken));
}

async function headlineOf({ service: { url, token }, query }: Reading): Promise<string> {
  const answer = await ask(new URL(`/api/v1/estimate?${query}`, url), reading(token));
  return estimateAnswer.pick({ says: true }).loose().parse(answer).says;
}

/** Keys act without the return key. Keys pressed ahead of a question are dropped, because they would answer unseen ones. */
export function keysOfTerminal({ stdin, stdout } = process): Keys {
  return {
    next: async () => {
      stdin.setRawMode(true);
      stdin.resume();
      try {
        const [data] = await Promise.race([once(stdin, 'data'), once(stdin, 'end').then(() => ['q'])]);
        return String(data).slice(0, 1);
      } finally {
        stdin.setRawMode(false);
        stdin.pause();
      }
    },
    line: async (question) => {
      const lines = createInterface({ input: stdin, output: stdout });
      try {
        return await lines.question(question);
      } finally {
        lines.close();
      }
    },
  };
}
