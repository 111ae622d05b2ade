/**
 * The identity of a producer at the brokers: an id, and an epoch that tells those of one transactional id apart.
 *
 * The request for a transactional id is version 3 (Kafka 2.5 and newer), which kafkajs does not have: it can name the
 * identity that it replaces. One that somebody else has replaced is refused then, and a request that is sent again
 * because its answer was lost gets the same answer, as long as the coordinator is the same.
 *
 *   request  = tags, id of transactions (compact string), timeout ms i32, producer id i64, epoch i16, tags
 *   answer   = tags, throttle ms i32, error i16, producer id i64, epoch i16, tags
 */
import { type Brokers, throwIfRefused } from './brokers.ts';
import { Encoder, type ProtocolRequest, requestKey } from './internals.ts';

export interface ProducerIdentity {
  readonly producerId: string;
  readonly producerEpoch: number;
}

interface TransactionalProducer {
  readonly transactionalId: string;
  readonly transactionTimeoutMs: number;
  /** Without it, whoever had the id is refused from then on, and what was left open is aborted. */
  readonly replaces?: ProducerIdentity;
}

/** For a producer without transactions. */
export async function newIdentity(brokers: Brokers, node: number): Promise<ProducerIdentity> {
  return identityIn((await brokers.request(node, 'InitProducerId', { transactionalId: null })) as Answer);
}

export async function transactionalIdentity(
  brokers: Brokers,
  coordinator: number,
  producer: TransactionalProducer,
): Promise<ProducerIdentity> {
  return identityIn((await brokers.send(coordinator, requestFor(producer))) as Answer);
}

interface Answer extends ProducerIdentity {
  readonly errorCode: number;
}

const NONE: ProducerIdentity = { producerId: '-1', producerEpoch: -1 };
const NO_TAGS = 0;

function identityIn({ errorCode, producerId, producerEpoch }: Answer): ProducerIdentity {
  throwIfRefused(errorCode);
  return { producerId, producerEpoch };
}

function requestFor({
  transactionalId,
  transactionTimeoutMs,
  replaces = NONE,
}: TransactionalProducer): ProtocolRequest {
  const encode = () =>
    Promise.resolve(
      new Encoder()
        .writeUVarInt(NO_TAGS)
        .writeUVarIntString(transactionalId)
        .writeInt32(transactionTimeoutMs)
        .writeInt64(replaces.producerId)
        .writeInt16(replaces.producerEpoch)
        .writeUVarInt(NO_TAGS),
    );
  return {
    request: { ...requestKey('InitProducerId'), apiVersion: 3, encode },
    response: { decode: (payload) => Promise.resolve(decodeAnswer(payload)), parse: (answer) => answer },
  };
}

/** Nothing is defined that could stand in the tags before it: they are one byte, which says that there are none. */
function decodeAnswer(bytes: Buffer): Answer {
  return {
    errorCode: bytes.readInt16BE(5),
    producerId: String(bytes.readBigInt64BE(7)),
    producerEpoch: bytes.readInt16BE(15),
  };
}
