/**
 * `assay send`: gives recordings to the running service, as an agent would. Spans that it has already are recognised by
 * their ids, so a command that broke off can be given again.
 */
import { setTimeout as wait } from 'node:timers/promises';
import type { Command } from 'commander';
import { counted } from '../../model/counted.ts';
import { readRecordings } from '../../offline/recording.ts';
import { CommandFailure, EXIT } from '../exit-codes.ts';
import { Heartbeat } from '../heartbeat.ts';
import {
  askedPort,
  askResponse,
  otlpFrom,
  reading,
  serviceOf,
  type ServiceFlags,
  tokenOption,
} from '../running-service.ts';
import { settingOption } from '../setting-option.ts';
import type { Terminal } from '../terminal.ts';

type Signal = 'traces' | 'logs';

/** Status of a service that is full; it says when to retry. */
const BUSY = 503;
const ANSWER_MS = 60_000;
const TRIES = 20;
/** Exporters send about as much at once. */
const REQUEST_BYTES = 1 << 20;

const HELP = `
Reads what \`assay score\` reads: OTLP as JSON lines or protobuf, conversations as messages, a journal folder, an archive.
The service redacts and scores it as usual. Its conversations begin when they were recorded. Messages without
\`started_at\` begin at the modification time of their file, in the order of its lines; those of standard input now.

Example:
  assay send spans.jsonl`;

export function addSend(program: Command, terminal: Terminal): void {
  program
    .command('send')
    .description('send recorded conversations to the running service, to be scored and read there')
    .argument('<files...>', 'recordings; - is standard input')
    .option('--url <url>', 'the service (default: that of the configuration, on this machine)')
    .addOption(tokenOption())
    .addOption(askedPort())
    .addOption(settingOption('config'))
    .addHelpText('after', HELP)
    .action(async (files: readonly string[], flags: ServiceFlags) => {
      const { url, token, writeToken } = serviceOf(flags);
      const otlp = await otlpFrom(url, token);
      const sent = { traces: 0, logs: 0 };
      const heartbeat = new Heartbeat(terminal, () => `${sentText(sent)} so far`);
      heartbeat.begin();
      try {
        for await (const { signal, bytes, rows } of requestsOf(files)) {
          await post(new URL(`/v1/${signal}`, otlp), bytes, writeToken);
          sent[signal] += rows;
        }
      } finally {
        heartbeat.end();
      }
      if (sent.traces + sent.logs === 0)
        throw new CommandFailure(`${files.join(', ')}: nothing is in it to send`, EXIT.input);
      terminal.out(`${sentText(sent)} sent to ${otlp}. \`assay doctor\` says how they are read.`);
    });
}

function sentText({ traces, logs }: Record<Signal, number>): string {
  const records = logs === 0 ? '' : ` and ${counted(logs, 'log record')}`;
  return `${counted(traces, 'span')}${records}`;
}

interface Request {
  readonly signal: Signal;
  readonly bytes: Uint8Array;
  readonly rows: number;
}

/** Messages of one signal that follow each other, as one: protobuf that is put together is the protobuf of both. */
async function* requestsOf(files: readonly string[]): AsyncGenerator<Request> {
  let open: { readonly signal: Signal; readonly parts: Uint8Array[]; bytes: number; rows: number } | undefined;
  const closed = ({ signal, parts, rows }: NonNullable<typeof open>) => ({ signal, bytes: Buffer.concat(parts), rows });
  for await (const { signal, bytes, rows } of readRecordings(files, { untimed: 'begin with the file' })) {
    if (open !== undefined && (open.signal !== signal || open.bytes + bytes.length > REQUEST_BYTES)) {
      yield closed(open);
      open = undefined;
    }
    open ??= { signal, parts: [], bytes: 0, rows: 0 };
    open.parts.push(bytes);
    open.bytes += bytes.length;
    open.rows += rows;
  }
  if (open !== undefined) yield closed(open);
}

async function post(url: URL, body: Uint8Array, token: string | undefined): Promise<void> {
  const headers = { 'content-type': 'application/x-protobuf', ...reading(token).headers };
  for (let tried = 1; ; tried += 1) {
    const asking = { method: 'POST', headers, body: Buffer.from(body), signal: AbortSignal.timeout(ANSWER_MS) };
    const answer = await askResponse(url, { ...asking, ...(tried < TRIES && { accept: BUSY }), waitMs: ANSWER_MS });
    await answer.arrayBuffer();
    if (answer.ok) return;
    await wait(1000 * Number(answer.headers.get('retry-after') ?? 1));
  }
}
