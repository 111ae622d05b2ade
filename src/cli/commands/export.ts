/** `assay export`: conversations, evaluations or verdicts as a file for pandas, DuckDB and their kind. */
import { once } from 'node:events';
import path from 'node:path';
import type { Command } from 'commander';
import { outlineOf } from '../../engine/suite-outline.ts';
import {
  EXPORT_FORMATS,
  EXPORT_TABLES,
  type ExportFormat,
  type ExportQuery,
  type ExportTable,
  exportQuery,
} from '../../api/export.ts';
import { exportedBytes } from '../../serve/exporting/exported-bytes.ts';
import { spansOfService } from '../conversation-of-service.ts';
import { contentsOf } from '../conversation-of-store.ts';
import { filesAs, idsIn, storedAs, WRITERS } from '../conversations-as.ts';
import { openedStore } from '../opened-store.ts';
import { apiOfService, apiOfStore } from '../api-of-service.ts';
import { CommandFailure, EXIT } from '../exit-codes.ts';
import { fileWhenDone } from '../file-when-done.ts';
import type { Loaded } from '../load.ts';
import { refuseUnknownSuites } from '../refuse-unknown-suites.ts';
import { type AskedService, askResponse, isThere, reading } from '../running-service.ts';
import { addServiceOrStore, serviceOrStore, type ServiceOrStoreFlags } from '../service-or-store.ts';
import { sinceOf } from '../since.ts';
import { safe, type Terminal } from '../terminal.ts';

interface ExportFlags extends ServiceOrStoreFlags {
  readonly table?: string;
  readonly format?: string;
  readonly as?: string;
  readonly since?: string;
  readonly until?: string;
  readonly agent?: readonly string[];
  readonly agentVersion?: readonly string[];
  readonly environment?: readonly string[];
  readonly suite?: readonly string[];
  readonly out?: string;
  readonly force?: boolean;
}

const AS = Object.keys(WRITERS);
const MEBIBYTE = 1 << 20;

const HELP = `
Examples:
  assay export --table evaluations --since 30d --out evaluations.parquet
  assay export --table verdicts --suite support --out verdicts.parquet
  assay export --since 24h | jq .conversation_id
  assay export --as atif --since 24h --out runs.jsonl
  assay export --as messages recorded.jsonl`;

export function addExport(program: Command, terminal: Terminal): void {
  addServiceOrStore(
    program
      .command('export')
      .description('write conversations, evaluations or verdicts as JSON lines or Parquet, of any number')
      .argument('[files...]', 'with --as: recordings to convert, in place of what is stored; - is standard input')
      .option('--table <table>', `${EXPORT_TABLES.join(', ')}: a row for each (default: conversations)`)
      .option('--as <format>', `${AS.join(', ')}: what was said and done, a line for each conversation`)
      .option('--format <format>', `${EXPORT_FORMATS.join(' or ')} (default: as --out ends)`)
      .option('--since <time>', 'only conversations that began since then: a duration such as 7d, or a time')
      .option('--until <time>', 'only conversations that changed before then')
      .option('--agent <name...>', 'only conversations of these agents')
      .option('--agent-version <version...>', 'only conversations of these versions')
      .option('--environment <name...>', 'only conversations of these environments')
      .option('--suite <name...>', 'only conversations that one of these suites evaluated, and only its evaluations')
      .option('--out <file>', 'the file, which is there once it is whole; without it, or for -, standard output')
      .option('--force', 'overwrite an existing file'),
  )
    .addHelpText('after', HELP)
    .action(async (files: readonly string[], { out, ...given }: ExportFlags) => {
      const flags: ExportFlags = out === undefined || out === '-' ? given : { ...given, out };
      const write = writerOf(flags, files);
      const query = queryOf(flags);
      const { loaded, service } = await serviceOrStore(flags);
      const isOfFiles = write !== undefined && files.length > 0;
      const pieces = isOfFiles
        ? filesAs(write, files, loaded.settings)
        : await ofStored(query, { loaded, service, flags, write });
      const written = await writeAll(pieces, flags, terminal);
      if (flags.out !== undefined)
        terminal.out(`${safe(flags.out)}: ${flags.as ?? query.table}, ${(written / MEBIBYTE).toFixed(1)} MiB`);
    });
}

async function ofStored(
  query: ExportQuery,
  {
    loaded,
    service,
    flags,
    write,
  }: Awaited<ReturnType<typeof serviceOrStore>> & {
    readonly flags: ExportFlags;
    readonly write: ReturnType<typeof writerOf>;
  },
): Promise<AsyncGenerator<Uint8Array>> {
  const isAsked = flags.url !== undefined || (flags.dataDir === undefined && (await isThere(service.url)));
  if (isAsked) await refuseUnknownSuites(query.suite ?? [], apiOfService(service));
  else {
    const store = apiOfStore(loaded);
    await refuseUnknownSuites(query.suite ?? [], store).finally(() => store.close());
  }
  const tables = isAsked ? ofService(query, service) : ofStore(query, loaded);
  if (write === undefined) return tables;
  const contents = isAsked ? spansIn(tables, service) : contentsIn(tables, loaded);
  return storedAs(write, contents, loaded.settings);
}

/** Undefined where tables are asked for. */
function writerOf(flags: ExportFlags, files: readonly string[]) {
  const { as, table, format, out: _out, force: _force, config: _config, ...others } = flags;
  if (as === undefined && files.length > 0)
    throw new CommandFailure('files are converted, not put into tables: give --as, or no files', EXIT.usage);
  if (as === undefined) return undefined;
  if (!AS.includes(as)) throw new CommandFailure(`--as: ${safe(as, 60)} is none of ${AS.join(', ')}`, EXIT.usage);
  if (table !== undefined || format !== undefined)
    throw new CommandFailure('--as writes lines of whole conversations: leave --table and --format out', EXIT.usage);
  if (files.length > 0 && Object.keys(others).length > 0)
    throw new CommandFailure(
      'files are converted whole: filters, --url and --data-dir are for what is stored',
      EXIT.usage,
    );
  return WRITERS[as];
}

/** The spans of the conversations that an export names. */
async function* spansIn(exported: AsyncIterable<Uint8Array>, service: AskedService) {
  for await (const id of idsIn(exported)) yield await spansOfService(id, service);
}

const WHERE = 'its --data-dir, or the --url or --http-port of the service';

async function* contentsIn(exported: AsyncIterable<Uint8Array>, { settings }: Loaded) {
  const reader = await openedStore(settings, WHERE);
  try {
    for await (const id of idsIn(exported)) {
      const row = await reader.find(id);
      // Forgotten or too old meanwhile.
      if (row !== undefined) yield (await contentsOf(reader, row)).contents;
    }
  } finally {
    await reader.close();
  }
}

function queryOf(flags: ExportFlags): ExportQuery {
  const until = sinceOf(flags.until);
  const since = sinceOf(flags.since);
  if (since !== undefined && until !== undefined && until <= since)
    throw new CommandFailure(
      `--until ${safe(flags.until ?? '', 60)}: it has to be after --since ${safe(flags.since ?? '', 60)}`,
      EXIT.usage,
    );
  return {
    ...exportQuery.parse({}),
    table: tableOf(flags.table ?? 'conversations'),
    format: formatOf(flags),
    since,
    until,
    agent: flags.agent,
    agent_version: flags.agentVersion,
    environment: flags.environment,
    suite: flags.suite,
  };
}

function tableOf(text: string): ExportTable {
  const table = EXPORT_TABLES.find((one) => one === text);
  if (table !== undefined) return table;
  throw new CommandFailure(`--table: ${safe(text, 60)} is none of ${EXPORT_TABLES.join(', ')}`, EXIT.usage);
}

function formatOf({ format: text, out, as }: ExportFlags): ExportFormat {
  if (text === undefined) {
    if (out === undefined || as !== undefined) return 'jsonl';
    const byName = EXPORT_FORMATS.find((one) => out.endsWith(`.${one}`));
    if (byName !== undefined) return byName;
    throw new CommandFailure(
      `--out: ${safe(path.basename(out), 60)} ends in none of ${EXPORT_FORMATS.map((one) => `.${one}`).join(', ')}: give --format`,
      EXIT.usage,
    );
  }
  const format = EXPORT_FORMATS.find((one) => one === text);
  if (format !== undefined) return format;
  throw new CommandFailure(`--format: ${safe(text, 60)} is none of ${EXPORT_FORMATS.join(', ')}`, EXIT.usage);
}

async function* ofStore(query: ExportQuery, { settings, suites, shadows }: Loaded): AsyncGenerator<Uint8Array> {
  const reader = await openedStore(settings, WHERE);
  try {
    yield* exportedBytes({ reader, suites: [...suites, ...shadows].map(outlineOf) }, query);
  } finally {
    await reader.close();
  }
}

async function* ofService(query: ExportQuery, { url, token }: AskedService): AsyncGenerator<Uint8Array> {
  const asked = new URL('/api/v1/export', url);
  const { since, until, ...texts } = query;
  for (const [name, value] of Object.entries(texts))
    for (const one of Array.isArray(value) ? value : [value])
      if (one !== undefined) asked.searchParams.append(name, String(one));
  if (since !== undefined) asked.searchParams.set('since', new Date(since).toISOString());
  if (until !== undefined) asked.searchParams.set('until', new Date(until).toISOString());
  const { body } = await askResponse(asked, reading(token));
  if (body === null) return;
  try {
    for await (const piece of body) yield piece;
  } catch (error) {
    throw new CommandFailure(
      `the export broke off, so the file is not whole and was not kept: export again (${error instanceof Error ? error.message : String(error)})`,
      EXIT.failed,
    );
  }
}

/** The number of bytes. */
async function writeAll(
  pieces: AsyncGenerator<Uint8Array>,
  { out, force, format }: ExportFlags,
  terminal: Terminal,
): Promise<number> {
  let bytes = 0;
  if (out === undefined) {
    if (format === 'parquet' && process.stdout.isTTY)
      throw new CommandFailure('a Parquet file is not for a terminal: give --out', EXIT.usage);
    for await (const piece of pieces) {
      bytes += piece.length;
      if (!process.stdout.write(piece)) await once(process.stdout, 'drain');
    }
    return bytes;
  }
  const file = await fileWhenDone(out, { force: force === true });
  try {
    for await (const piece of pieces) {
      await file.write(piece);
      bytes += piece.length;
      terminal.progress(`${(bytes / MEBIBYTE).toFixed(1)} MiB`);
    }
    await file.done();
  } finally {
    terminal.progressDone();
    await file.close();
  }
  return bytes;
}
