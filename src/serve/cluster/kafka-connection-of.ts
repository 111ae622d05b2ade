/** How to reach Kafka, from how people write it to how clients take it. */
import type { KafkaSettings, SaslSettings } from '../../config/kafka-settings.ts';
import type { KafkaConnection, KafkaSasl } from '../../kafka/kafka-connection.ts';
import { present } from '../../model/present.ts';

export function kafkaConnectionOf({
  brokers,
  tls,
  sasl,
}: Pick<KafkaSettings, 'brokers' | 'tls' | 'sasl'>): KafkaConnection {
  return { brokers, ...(tls && { tls: present(tls) }), ...(sasl && { sasl: saslOf(sasl) }) };
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
    token: { tokenUrl, clientId, clientSecret, ...present({ scope }) },
  };
}
