/** The identity of a producer at the brokers: it numbers its batches, so that one that is sent again is recognised. */
import { type Brokers, throwIfRefused } from './brokers.ts';

export interface ProducerIdentity {
  readonly producerId: string;
  readonly producerEpoch: number;
}

export async function newIdentity(brokers: Brokers, node: number): Promise<ProducerIdentity> {
  const answer = (await brokers.request(node, 'InitProducerId', { transactionalId: null })) as Answer;
  throwIfRefused(answer.errorCode);
  return { producerId: answer.producerId, producerEpoch: answer.producerEpoch };
}

interface Answer extends ProducerIdentity {
  readonly errorCode: number;
}
