/** The marker that a transaction has ended, as its coordinator sends it to partitions: here at whatever time a test needs. */
import { Brokers } from '../../../src/kafka/kafkajs/brokers.ts';
import { Encoder } from '../../../src/kafka/kafkajs/internals.ts';
import type { ProducerIdentity } from '../../../src/kafka/kafkajs/producer-identity.ts';
import type { KafkaCluster } from './broker.ts';

/** The producer of the last transaction in this partition. */
export async function lastProducer(
  kafka: KafkaCluster,
  { topic, partition }: { readonly topic: string; readonly partition: number },
): Promise<ProducerIdentity> {
  const args = ['--bootstrap-server', kafka.brokers.join(','), 'describe-producers', '--topic', topic];
  const said = await kafka.tool('org.apache.kafka.tools.TransactionsCommand', [...args, '--partition', `${partition}`]);
  const [names = [], values = []] = said
    .trim()
    .split('\n')
    .slice(-2)
    .map((line) => line.split('\t').map((cell) => cell.trim()));
  const value = (name: string) => {
    const found = values[names.indexOf(name)];
    if (found === undefined) throw new Error(`no ${name} in: ${said}`);
    return found;
  };
  return { producerId: value('ProducerId'), producerEpoch: Number(value('ProducerEpoch')) };
}

/** Says that the transaction of this producer is committed, as often as it is asked to. */
export class CommitMarkers {
  readonly #brokers: Brokers;
  readonly #marker: { readonly topic: string; readonly partition: number; readonly producer: ProducerIdentity };

  constructor(
    kafka: KafkaCluster,
    marker: { readonly topic: string; readonly partition: number; readonly producer: ProducerIdentity },
  ) {
    this.#brokers = new Brokers({ brokers: kafka.brokers }, { requestTimeoutMs: 5_000 });
    this.#marker = marker;
  }

  async send(): Promise<void> {
    const { topic, partition, producer } = this.#marker;
    const [place] = await this.#brokers.places([topic]);
    const leader = place?.partitions.find((one) => one.partition === partition)?.leader ?? 0;
    await this.#brokers.send(leader, commitMarker(topic, partition, producer));
  }

  close(): void {
    this.#brokers.close();
  }
}

const WRITE_TRANSACTION_MARKERS = 27;
const NO_TAGS = 0;
/** As long as the coordinator's partition has one broker, which does not start again. */
const COORDINATOR_EPOCH = 0;

/** Version 1; the lengths of arrays are one more than what is in them. */
function commitMarker(topic: string, partition: number, { producerId, producerEpoch }: ProducerIdentity) {
  const encode = () =>
    Promise.resolve(
      new Encoder()
        .writeUVarInt(NO_TAGS)
        .writeUVarInt(2)
        .writeInt64(producerId)
        .writeInt16(producerEpoch)
        // A byte: it is committed, not aborted.
        .writeUVarInt(1)
        .writeUVarInt(2)
        .writeUVarIntString(topic)
        .writeUVarInt(2)
        .writeInt32(partition)
        .writeUVarInt(NO_TAGS)
        .writeInt32(COORDINATOR_EPOCH)
        .writeUVarInt(NO_TAGS)
        .writeUVarInt(NO_TAGS),
    );
  return {
    request: { apiKey: WRITE_TRANSACTION_MARKERS, apiName: 'WriteTxnMarkers', apiVersion: 1, encode },
    response: { decode: (payload: Buffer) => Promise.resolve(payload), parse: (answer: unknown) => answer },
  };
}
