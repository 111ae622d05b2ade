/**
 * Puts spans or log records together to an export request, from the bytes in which they came. Only lengths are new.
 *
 *   request        = { 0x0a length group }*                                  ResourceSpans, ResourceLogs
 *   group          = { 0x0a length resource } 0x12 length scope-group        ScopeSpans, ScopeLogs
 *   scope-group    = { 0x0a length scope } { 0x12 length record }*           Span, LogRecord
 *
 * Traces and logs have the same numbers, and so the same bytes.
 */
import { varintLength } from './proto-writer.ts';

export interface RecordGroup {
  readonly resource: Uint8Array;
  readonly scope: Uint8Array;
  readonly records: readonly Uint8Array[];
}

export function writeTracesRequest(groups: readonly RecordGroup[]): Uint8Array {
  return writeRequest(groups);
}

export function writeLogsRequest(groups: readonly RecordGroup[]): Uint8Array {
  return writeRequest(groups);
}

/** An empty resource or scope is left out: it says the same as none. */
export function writeRequest(groups: readonly RecordGroup[]): Uint8Array {
  const sizes = groups.map(sizeOf);
  let total = 0;
  for (const { group } of sizes) total += fieldLength(group);
  const bytes = Buffer.allocUnsafeSlow(total);
  let at = 0;
  for (const [index, { resource, scope, records }] of groups.entries()) {
    const size = sizes[index];
    if (size === undefined) continue;
    at = writeHead(bytes, at, 0x0a, size.group);
    if (resource.length > 0) at = writeField(bytes, at, 0x0a, resource);
    at = writeHead(bytes, at, 0x12, size.scopeGroup);
    if (scope.length > 0) at = writeField(bytes, at, 0x0a, scope);
    for (const record of records) at = writeField(bytes, at, 0x12, record);
  }
  return bytes;
}

function sizeOf({ resource, scope, records }: RecordGroup): { readonly group: number; readonly scopeGroup: number } {
  let scopeGroup = scope.length > 0 ? fieldLength(scope.length) : 0;
  for (const record of records) scopeGroup += fieldLength(record.length);
  const group = (resource.length > 0 ? fieldLength(resource.length) : 0) + fieldLength(scopeGroup);
  return { group, scopeGroup };
}

function fieldLength(length: number): number {
  return 1 + varintLength(length) + length;
}

function writeField(bytes: Buffer, at: number, tag: number, content: Uint8Array): number {
  const start = writeHead(bytes, at, tag, content.length);
  bytes.set(content, start);
  return start + content.length;
}

function writeHead(bytes: Buffer, start: number, tag: number, length: number): number {
  let at = start;
  bytes[at++] = tag;
  let rest = length;
  while (rest > 0x7f) {
    bytes[at++] = (rest & 0x7f) | 0x80;
    rest >>>= 7;
  }
  bytes[at++] = rest;
  return at;
}
