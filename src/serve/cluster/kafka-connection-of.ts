/** How to reach Kafka, from how people write it to how clients take it. */
import type { KafkaSettings, SaslSettings } from '../../config/kafka-settings.ts';
import type { KafkaConnection, KafkaSasl, KafkaTls } from '../../kafka/kafka-connection.ts';

export function kafkaConnectionOf({
  brokers,
  tls,
  sasl,
}: Pick<KafkaSettings, 'brokers' | 'tls' | 'sasl'>): KafkaConnection {
  return { brokers, ...(tls && { tls: present(tls) }), ...(sasl && { sasl: saslOf(sasl) }) };
}

function present({ ca, cert, key, serverName }: NonNullable<KafkaSettings['tls']>): KafkaTls {
  return {
    ...(ca !== undefined && { ca }),
    ...(cert !== undefined && { cert }),
    ...(key !== undefined && { key }),
    ...(serverName !== undefined && { serverName }),
  };
}

const MECHANISMS = { plain: 'PLAIN', 'scram-sha-256': 'SCRAM-SHA-256', 'scram-sha-512': 'SCRAM-SHA-512' } as const;

function saslOf(sasl: SaslSettings): KafkaSasl {
  if (sasl.mechanism !== 'oauthbearer') {
    const { mechanism, username, password } = sasl;
    return { mechanism: MECHANISMS[mechanism], username, password };
  }
  if ('tokenFile' in sasl) return { mechanism: 'OAUTHBEARER', token: { file: sasl.tokenFile } };
  const { tokenUrl, clientId, clientSecret, scope } = sasl;
  return {
    mechanism: 'OAUTHBEARER',
    token: { tokenUrl, clientId, clientSecret, ...(scope !== undefined && { scope }) },
  };
}
