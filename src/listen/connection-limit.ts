/**
 * Bounds the connections of each port, so that a flood on one takes no file descriptor from the others, nor from the
 * journal and the store. A connection beyond the limit is closed at once.
 */
import { readFileSync } from 'node:fs';
import type { Server } from 'node:net';

/** Kept for the journal, the store, Kafka, judges and webhooks. */
const FILES_KEPT = 256;
const PORTS = 3;
const CONNECTIONS_MIN = 50;
const CONNECTIONS_MAX = 10_000;
/** Every system allows a process as many. */
const FILES_USUAL = 1024;

export function limitConnections(server: Server, onDropped: () => void): void {
  server.maxConnections = connectionsFor(filesAllowed());
  server.on('drop', onDropped);
}

/** Connections of one port, where the process may open so many files. */
export function connectionsFor(files: number): number {
  return Math.min(Math.max(Math.floor((files - FILES_KEPT) / PORTS), CONNECTIONS_MIN), CONNECTIONS_MAX);
}

function filesAllowed(): number {
  try {
    const [, soft] = /^Max open files +(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? [];
    return soft === undefined ? FILES_USUAL : Number(soft);
  } catch {
    // Not Linux.
    return FILES_USUAL;
  }
}
