/**
 * Keeps the exporters' requests, in order of arrival: any path that ends in `traces` or `logs`; metrics are accepted
 * and dropped.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { gunzipSync } from 'node:zlib';
import { type Json, jsonOfRequest } from './otlp-json.ts';

export interface ReceivedRequest {
  readonly signal: 'traces' | 'logs';
  readonly path: string;
  readonly encoding: 'protobuf' | 'json';
  readonly body: Json;
  /** As it was sent, decompressed. */
  readonly bytes: Buffer;
}

export class Receiver {
  readonly requests: ReceivedRequest[] = [];

  receive(incoming: IncomingMessage, path: string, body: Buffer, response: ServerResponse): boolean {
    const signal = /\/(traces|logs|metrics)$/.exec(path)?.[1];
    if (signal === undefined || incoming.method !== 'POST') return false;
    const contentType = incoming.headers['content-type'] ?? '';
    const plain = incoming.headers['content-encoding'] === 'gzip' ? gunzipSync(body) : body;
    const encoding = contentType.includes('json') ? 'json' : 'protobuf';
    if (signal === 'traces' || signal === 'logs') {
      this.requests.push({ signal, path, encoding, body: jsonOfRequest(signal, contentType, plain), bytes: plain });
    }
    response.writeHead(200, { 'content-type': encoding === 'json' ? 'application/json' : 'application/x-protobuf' });
    response.end(encoding === 'json' ? '{}' : '');
    return true;
  }
}
