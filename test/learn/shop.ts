/** Conversations of a shop's agent with three planted faults, as messages, and what a reader says of each. */
import { understandRecorded } from '../../src/engine/recorded/understand-recording.ts';
import type { ReadCase } from '../../src/learn/read-case.ts';
import { requestOfMessages } from '../../src/offline/messages/recorded-messages.ts';
import { recordedRequest } from '../../src/offline/recording.ts';
import { randomFrom } from '../../src/model/random.ts';

interface Said {
  readonly id: string;
  readonly user: string;
  readonly messages: readonly object[];
  readonly kind: string | undefined;
}

const STATUSES = ['processing', 'processing', 'shipped', 'delivered'];

export function shop(count: number, seed: number): readonly Said[] {
  const random = randomFrom(seed);
  return Array.from({ length: count }, (_, at) => {
    const order = 1000 + Math.floor(random() * 9000);
    const status = STATUSES[Math.floor(random() * STATUSES.length)] ?? '';
    const messages: object[] = [];
    const call = (name: string, args: object, result: object) => {
      const id = `call-${messages.length}`;
      const of = { name, arguments: JSON.stringify(args) };
      messages.push({ role: 'assistant', content: null, tool_calls: [{ id, type: 'function', function: of }] });
      messages.push({ role: 'tool', tool_call_id: id, content: JSON.stringify(result) });
    };
    const said = { id: `shop-${at}`, user: `user-${at % 60}`, messages };
    const asked = random();
    const kind = asked < 0.2 ? looks() : asked < 0.6 ? refunds() : cancels();
    return { ...said, kind };

    function looks() {
      messages.push({ role: 'user', content: 'Do you have red cups?' });
      call('search_products', { query: 'cup' }, { found: 2 });
      messages.push({ role: 'assistant', content: 'Yes, two of them.' });
      return undefined;
    }

    function refunds() {
      messages.push({ role: 'user', content: `Please refund order ${order}.` });
      const blind = random() < 0.25;
      if (!blind) call('get_order', { order_id: order }, { status, total: 20 });
      call('refund_order', { order_id: order }, { refund: 'done' });
      messages.push({ role: 'assistant', content: `Order ${order} is refunded.` });
      return blind ? 'refunds without looking' : undefined;
    }

    function cancels() {
      messages.push({ role: 'user', content: `Cancel order ${order}, thanks.` });
      call('get_order', { order_id: order }, { status, total: 20 });
      const hasLeft = status !== 'processing';
      if (!hasLeft || random() < 0.5) call('cancel_order', { order_id: order }, { cancelled: true });
      else messages.push({ role: 'assistant', content: `Order ${order} has left.` });
      const isWrong = hasLeft && messages.length > 4;
      if (messages.length > 4 || !hasLeft)
        messages.push({ role: 'assistant', content: `Order ${order} is cancelled.` });
      return isWrong ? 'cancels what has left' : undefined;
    }
  });
}

export function recordedLine({ id, user, messages }: Said): string {
  return JSON.stringify({ conversation_id: id, user, messages });
}

export async function casesOf(all: readonly Said[]): Promise<readonly ReadCase[]> {
  const batches = all.flatMap(({ id, messages }, at) => {
    // The cast holds: it is JSON.
    const value = { conversation_id: id, messages } as Parameters<typeof requestOfMessages>[0]['value'];
    const request = requestOfMessages({ value, place: 'a shop', lineNumber: at + 1 });
    return request === undefined ? [] : [...recordedRequest(request, 'a shop')];
  });
  const { conversations } = await understandRecorded(batches);
  const byId = new Map(conversations.map((one) => [one.id as string, one]));
  return all.flatMap(({ id, user, kind }) => {
    const conversation = byId.get(id);
    if (conversation === undefined) return [];
    const isBad = kind !== undefined;
    return [{ conversation, isBad, kind, weight: 1, cluster: user, isCalledFine: true, failed: [], notes: [] }];
  });
}
