/** Describes problems with Kafka in words that say what to do. Total: it has words for any error from anywhere. */
import { KafkaError } from '../kafka-client.ts';

interface Attempt {
  /** The attempted operation: "read topic spans". */
  readonly doing: string;
  readonly group?: string;
  readonly topic?: string;
}

export function kafkaError(error: unknown, attempt: Attempt): KafkaError {
  if (error instanceof KafkaError) return error;
  return new KafkaError(problemWords(error, attempt), { retriable: isRetriable(error), cause: error });
}

export function problemWords(error: unknown, attempt: Attempt): string {
  if (error instanceof KafkaError) return error.message;
  return `cannot ${attempt.doing}: ${reason(error, attempt)}`;
}

function reason(error: unknown, attempt: Attempt): string {
  const { name, type, message, code } = seen(error);
  const topic = attempt.topic === undefined ? 'the topic' : `topic ${attempt.topic}`;
  switch (type) {
    case 'UNKNOWN_TOPIC_OR_PARTITION':
      return `${topic} does not exist. Create it, or correct its name; it is looked for again`;
    case 'TOPIC_AUTHORIZATION_FAILED':
      return `no right to ${topic}. Grant this user Read and Describe on it to consume, Write and Describe to produce`;
    case 'GROUP_AUTHORIZATION_FAILED':
      return `no right to consumer group ${attempt.group ?? ''}. Grant this user Read on the group`;
    case 'CLUSTER_AUTHORIZATION_FAILED':
      return 'no right to produce with idempotence. Grant this user IdempotentWrite on the cluster';
    case 'MESSAGE_TOO_LARGE':
    case 'RECORD_LIST_TOO_LARGE':
      return `a record is larger than ${topic} takes. Raise its max.message.bytes`;
    case 'INCONSISTENT_GROUP_PROTOCOL':
      return `other members of group ${attempt.group ?? ''} are not Assay, or divide partitions otherwise. Give Assay a group of its own`;
    case 'INVALID_SESSION_TIMEOUT':
      return 'the session timeout is not within the limits of the brokers (group.min/max.session.timeout.ms)';
    case 'NOT_ENOUGH_REPLICAS':
    case 'NOT_ENOUGH_REPLICAS_AFTER_APPEND':
      return `${topic} has fewer replicas in sync than it demands (min.insync.replicas). A broker is probably down`;
    case 'LEADER_NOT_AVAILABLE':
      return `${topic} has partitions without a leader. The brokers that have them are probably down`;
    case 'UNSUPPORTED_SASL_MECHANISM':
      return 'the brokers do not offer this SASL mechanism at this port';
    case 'SASL_AUTHENTICATION_FAILED':
      return `the brokers refuse user name and password, or the token: ${message}`;
  }
  if (name === 'KafkaJSSASLAuthenticationError') return `the brokers refuse to let us in: ${message}`;
  if (name === 'KafkaJSRequestTimeoutError' || name === 'KafkaJSLockTimeout')
    return 'the broker does not answer. It is overloaded or cut off, or its port wants TLS';
  if (code === 'ECONNREFUSED')
    return `nothing listens there (${message}). The broker is down, or host and port are wrong`;
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return `the host name is unknown (${message})`;
  if (isOf(TLS_CODES, code) || /certificate|altname/i.test(message))
    return `the broker's TLS certificate is not accepted: ${message}. Set the right ca, or serverName`;
  if (/wrong version number|packet length too long|EPROTO|ssl3_|tls_/i.test(message))
    return `this port does not speak TLS, or not as we do (${message})`;
  if (name === 'KafkaJSConnectionClosedError' || /closed by the server|disconnected before secure TLS/i.test(message))
    return `the broker closes the connection (${message}). It may have been stopped, or its port wants TLS or SASL`;
  return message;
}

/** The brokers' name of it, such as `UNKNOWN_MEMBER_ID`; empty if it is not their answer. */
export function refusalType(error: unknown): string {
  return error instanceof KafkaError ? refusalType(error.cause) : seen(error).type;
}

const TLS_CODES = [
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'CERT_HAS_EXPIRED',
  'ERR_TLS_CERT_ALTNAME_INVALID',
];

function isOf(codes: readonly string[], code: string): boolean {
  return codes.includes(code);
}

function isRetriable(error: unknown): boolean {
  const { name, type } = seen(error);
  if (name === 'KafkaJSSASLAuthenticationError') return false;
  if (type === '') return true;
  return typeof error === 'object' && error !== null && 'retriable' in error && error.retriable === true;
}

function seen(error: unknown): { name: string; type: string; message: string; code: string } {
  if (typeof error !== 'object' || error === null) return { name: '', type: '', message: String(error), code: '' };
  const text = (key: string) => {
    const value: unknown = key in error ? Reflect.get(error, key) : undefined;
    return typeof value === 'string' ? value : '';
  };
  return {
    name: text('name'),
    type: text('type'),
    message: text('message') || 'it gave no reason',
    code: text('code'),
  };
}
