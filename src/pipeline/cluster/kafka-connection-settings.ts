/** How to reach Kafka, from the words of the settings to those of the client. */
import type { KafkaSettings, SaslSettings } from '../../config/kafka-settings.ts';
import type { KafkaConnection, KafkaSasl, KafkaTls } from '../../kafka/kafka-connection.ts';

export function kafkaConnection({ brokers, clientId, tls, sasl }: KafkaSettings): KafkaConnection {
  return {
    brokers,
    clientId,
    ...(tls === undefined ? {} : { tls: withoutMissing<KafkaTls>(tls) }),
    ...(sasl === undefined ? {} : { sasl: saslOf(sasl) }),
  };
}

const MECHANISMS = {
  plain: 'PLAIN',
  'scram-sha-256': 'SCRAM-SHA-256',
  'scram-sha-512': 'SCRAM-SHA-512',
} as const satisfies Record<string, KafkaSasl['mechanism']>;

function saslOf(sasl: SaslSettings): KafkaSasl {
  if (sasl.mechanism !== 'oauthbearer') {
    return { mechanism: MECHANISMS[sasl.mechanism], username: sasl.username, password: sasl.password };
  }
  if ('tokenFile' in sasl) return { mechanism: 'OAUTHBEARER', token: { file: sasl.tokenFile } };
  const { tokenUrl, clientId, clientSecret, scope } = sasl;
  return {
    mechanism: 'OAUTHBEARER',
    token: { tokenUrl, clientId, clientSecret, ...(scope === undefined ? {} : { scope }) },
  };
}

/** The client tells a field that is missing from one that is undefined. */
function withoutMissing<T extends object>(fields: { readonly [K in keyof T]?: T[K] | undefined }): T {
  // The cast holds because every field of T that is required here is optional there.
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as T;
}
