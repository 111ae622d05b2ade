/**
 * The parts of kafkajs that this client is built from: connections with TLS and SASL, and the encoding of requests and responses.
 * kafkajs's own consumer is not used; docs/decisions/0011 says why. They are not in its public types, so they are described
 * here; its version is pinned, and the tests against a real broker hold us to what it does.
 */
import { createRequire } from 'node:module';
import type { Socket } from 'node:net';

/** `decode` gives what the broker said; error codes are left to us, as one of many partitions may have failed. */
export interface ProtocolRequest {
  readonly request: unknown;
  readonly response: { decode(payload: Buffer): Promise<unknown>; parse(decoded: unknown): unknown };
  readonly requestTimeout?: number;
}

type RequestMaker = (parameters: object) => ProtocolRequest;
interface RequestDefinition {
  readonly versions: readonly string[];
  protocol(version: { readonly version: number }): RequestMaker;
}

export interface Logger {
  namespace(): Logger;
  info(message: string, extra?: object): void;
  warn(message: string, extra?: object): void;
  error(message: string, extra?: object): void;
  debug(message: string, extra?: object): void;
}

export interface SocketOptions {
  readonly host: string;
  readonly port: number;
  readonly ssl: object | null;
  readonly onConnect: () => void;
}

interface ConnectionPool {
  send(request: ProtocolRequest): Promise<unknown>;
}

interface ConnectionPoolOptions {
  readonly host: string;
  readonly port: number;
  readonly ssl: object | null;
  readonly sasl: object | null;
  readonly clientId: string;
  readonly logger: Logger;
  readonly socketFactory: (options: SocketOptions) => Socket;
  readonly connectionTimeout: number;
  readonly requestTimeout: number;
  readonly reauthenticationThreshold: number;
}

/** Two connections to one broker: one for fetches, which wait there, and one for everything else. */
export interface BrokerLink {
  readonly connectionPool: ConnectionPool;
  /** Connects, asks which versions the broker speaks, and authenticates. */
  connect(): Promise<void>;
  isConnected(): boolean;
  lookupRequest(apiKey: number, definition: RequestDefinition): RequestMaker;
}

/** A name in the protocol's own list of errors, such as `UNKNOWN_MEMBER_ID`. */
interface ProtocolError extends Error {
  readonly type: string;
  readonly code: number;
  readonly retriable: boolean;
}

interface RequestQueue {
  readonly pending: readonly unknown[];
  readonly throttledUntil: number;
  throttleCheckTimeoutId: NodeJS.Timeout | null;
  checkPendingRequests(): void;
  scheduleCheckPendingRequests(): void;
}

const require = createRequire(import.meta.url);
// The shapes above are what these modules of kafkajs 2.2.4 export.
const Broker = require('kafkajs/src/broker') as new (options: object) => BrokerLink;
const Pool = require('kafkajs/src/network/connectionPool') as new (options: ConnectionPoolOptions) => ConnectionPool;
const Queue = require('kafkajs/src/network/requestQueue') as { readonly prototype: RequestQueue };
const { requests } = require('kafkajs/src/protocol/requests') as { requests: Record<string, RequestDefinition> };
const apiKeys = require('kafkajs/src/protocol/requests/apiKeys') as Record<string, number>;
const { createErrorFromCode } = require('kafkajs/src/protocol/error') as {
  createErrorFromCode(code: number): ProtocolError;
};

export function openLink(options: ConnectionPoolOptions): BrokerLink {
  return new Broker({
    connectionPool: new Pool(options),
    logger: options.logger,
    allowAutoTopicCreation: false,
    authenticationTimeout: options.connectionTimeout,
  });
}

/** Used even if the broker has newer versions. */
export function requestOfVersion(version: number, name: string, parameters: object): ProtocolRequest {
  const definition = requests[name];
  if (definition === undefined) throw new Error(`kafkajs knows no request ${name}`);
  return definition.protocol({ version })(parameters);
}

/** Uses the newest version that both sides have. */
export function makeRequest(link: BrokerLink, name: string, parameters: object): ProtocolRequest {
  const definition = requests[name];
  if (definition === undefined) throw new Error(`kafkajs knows no request ${name}`);
  return link.lookupRequest(requestKey(name).apiKey, definition)(parameters);
}

/** The part of a request of ours that says which request it is. */
export function requestKey(apiName: string): { readonly apiKey: number; readonly apiName: string } {
  const apiKey = apiKeys[apiName];
  if (apiKey === undefined) throw new Error(`kafkajs knows no request ${apiName}`);
  return { apiKey, apiName };
}

export function protocolError(code: number): ProtocolError {
  return createErrorFromCode(code);
}

/**
 * kafkajs starts a timer after each response, of as many milliseconds as the Unix time is negative; newer versions of Node warn of
 * that on stderr. Here one is started only where requests wait.
 */
Queue.prototype.scheduleCheckPendingRequests = function schedule(this: RequestQueue): void {
  if (this.throttleCheckTimeoutId !== null || this.pending.length === 0) return;
  const wait = Math.max(10, this.throttledUntil - Date.now());
  this.throttleCheckTimeoutId = setTimeout(() => {
    this.throttleCheckTimeoutId = null;
    this.checkPendingRequests();
  }, wait);
};
