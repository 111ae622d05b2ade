/**
 * The sink of the default project in a process that has several: spans and log records whose resource names another
 * project, as a Collector for all of them sends, go to that project as if they had been sent there. Its own redaction
 * and limits hold. A request is answered once every project has its part durably. Where one has not, the others have
 * theirs nevertheless, and the client sends all of it again: what is there is dropped by the ids of its spans.
 */
import { BatchTable } from '../../otlp/batch-table.ts';
import { GroupViews } from '../../otlp/group-views.ts';
import { asBuffer } from '../../otlp/request-reader.ts';
import { type RecordGroup, writeRequest } from '../../otlp/request-writer.ts';
import { RETRY_AFTER_SECONDS } from '../../model/retry-after.ts';
import { DEFAULT_PROJECT, type SharedPort, turnedAway } from '../../listen/shared-port.ts';
import type { HttpReceiver } from '../../receive/otlp-http.ts';
import type { Admission, BatchSink, ReceivedBatch, RejectedRecords } from '../../receive/sink.ts';
import { understandRequest } from '../../receive/understand-request.ts';

const PROJECT_ATTRIBUTE = 'assay.project';

type Answered =
  | Extract<Admission, { admitted: false }>
  | { readonly admitted: true; readonly rejected?: RejectedRecords | undefined };

export class SinkByAttribute implements BatchSink {
  readonly #own: BatchSink;
  readonly #shared: Pick<SharedPort<HttpReceiver>, 'named'>;

  constructor(own: BatchSink, shared: Pick<SharedPort<HttpReceiver>, 'named'>) {
    this.#own = own;
    this.#shared = shared;
  }

  async accept(batch: ReceivedBatch): Promise<Admission> {
    if (!asBuffer(batch.bytes).includes(PROJECT_ATTRIBUTE)) return await this.#own.accept(batch);
    const parts = byProject(batch);
    if (parts.size === 1 && parts.has(DEFAULT_PROJECT)) return await this.#own.accept(batch);
    const rejected: RejectedRecords[] = [];
    let refused: Extract<Admission, { admitted: false }> | undefined;
    for (const [project, groups] of parts) {
      const answer =
        project === DEFAULT_PROJECT ? await this.#keep(batch, groups) : await this.#pass(project, batch, groups);
      if (!answer.admitted) refused ??= answer;
      else if (answer.rejected !== undefined) rejected.push(answer.rejected);
    }
    if (refused !== undefined) return refused;
    const [first] = rejected;
    if (first === undefined) return { admitted: true };
    const records = rejected.reduce((sum, one) => sum + one.records, 0);
    const message = rejected.map((one) => one.message).join('; ');
    return { admitted: true, rejected: { reason: first.reason, records, message } };
  }

  async #keep({ signal, sender }: ReceivedBatch, groups: readonly RecordGroup[]): Promise<Answered> {
    const understood = understandRequest({ signal, format: 'protobuf', bytes: writeRequest(groups) }, undefined);
    if ('malformed' in understood) throw new Error(`a part of a request that was whole: ${understood.malformed}`);
    return await this.#own.accept({ ...understood.batch, sender });
  }

  async #pass(project: string, { signal, sender = 0 }: ReceivedBatch, groups: RecordGroup[]): Promise<Answered> {
    const records = groups.reduce((sum, group) => sum + group.records.length, 0);
    const found = this.#shared.named(project);
    if (!('side' in found)) {
      const { status, message } = turnedAway(found);
      if (status !== 503) return { admitted: true, rejected: { reason: 'unknown_project', records, message } };
      return { admitted: false, reason: message, retryAfterSeconds: RETRY_AFTER_SECONDS };
    }
    const { reception } = found.side;
    const reservation = reception.reserve();
    try {
      const bytes = asBuffer(writeRequest(groups));
      if (!reservation.tryGrow(bytes.length)) return overloaded(project);
      const what = { transport: 'http', signal, format: 'protobuf', encoding: 'identity' } as const;
      const answer = await reception.take({ ...what, bytes, sender, reservation, isGone: () => false });
      switch (answer.answer) {
        case 'accepted':
          return { admitted: true, rejected: answer.rejection && { reason: 'too_large', ...answer.rejection } };
        case 'not-admitted':
          return { admitted: false, reason: answer.message, retryAfterSeconds: answer.retryAfterSeconds };
        case 'overloaded':
        case 'gone':
          return overloaded(project);
        default: {
          const why = answer.answer === 'malformed' ? answer.message : 'the request is over a limit of the project';
          return { admitted: true, rejected: { reason: 'too_large', records, message: `${project}: ${why}` } };
        }
      }
    } finally {
      reservation.release();
    }
  }
}

/** Groups of records by the project that their resource names. */
function byProject({ bytes, table: encoded }: ReceivedBatch): ReadonlyMap<string, RecordGroup[]> {
  const table = BatchTable.read(encoded);
  const request = asBuffer(bytes);
  const views = new GroupViews({
    bytes: request,
    resourceStart: (group) => table.resourceStart(group),
    resourceEnd: (group) => table.resourceEnd(group),
    scopeStart: (group) => table.scopeStart(group),
    scopeEnd: (group) => table.scopeEnd(group),
  });
  const records = new Map<number, Uint8Array[]>();
  for (let row = 0; row < table.rowCount; row += 1) {
    const group = table.group(row);
    const record = request.subarray(table.start(row), table.end(row));
    const others = records.get(group);
    if (others === undefined) records.set(group, [record]);
    else others.push(record);
  }
  const parts = new Map<string, RecordGroup[]>();
  for (const [group, of] of records) {
    // A value of another type is no name, and is refused as one.
    const project = String(views.resource(group).get(PROJECT_ATTRIBUTE) ?? DEFAULT_PROJECT);
    const resource = request.subarray(table.resourceStart(group), table.resourceEnd(group));
    const scope = request.subarray(table.scopeStart(group), table.scopeEnd(group));
    const groups = parts.get(project) ?? [];
    groups.push({ resource, scope, records: of });
    parts.set(project, groups);
  }
  return parts;
}

function overloaded(project: string): Answered {
  const reason = `too many requests to the project ${project} are in flight: retry later`;
  return { admitted: false, reason, retryAfterSeconds: RETRY_AFTER_SECONDS };
}
