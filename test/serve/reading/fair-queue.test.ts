import { expect, test } from 'vitest';
import { addressGroup } from '../../../src/listen/address-group.ts';
import { FairQueue } from '../../../src/serve/threads/fair-queue.ts';

function takeAll(queue: FairQueue<string>): readonly (string | undefined)[] {
  return Array.from({ length: queue.size }, () => queue.take());
}

test('senders take turns, whoever came first with much', () => {
  const queue = new FairQueue<string>(10);
  for (const item of ['a1', 'a2', 'a3']) queue.add('a', item);
  queue.add('b', 'b1');
  queue.add('c', 'c1');

  expect(takeAll(queue)).toEqual(['a1', 'b1', 'c1', 'a2', 'a3']);
  expect(queue.take()).toBeUndefined();
});

test('one sender may take all places, and gives the newest of them to others until they have as many', () => {
  const queue = new FairQueue<string>(4);
  for (const item of ['a1', 'a2', 'a3', 'a4'])
    expect(queue.add('a', item)).toEqual({ added: true, displaced: undefined });

  expect(queue.add('a', 'a5')).toEqual({ added: false });
  expect(queue.add('b', 'b1')).toEqual({ added: true, displaced: 'a4' });
  expect(queue.add('b', 'b2')).toEqual({ added: true, displaced: 'a3' });
  expect(queue.add('b', 'b3')).toEqual({ added: false });
  expect(queue.add('c', 'c1')).toEqual({ added: true, displaced: 'a2' });
  expect(queue.size).toBe(4);
  expect(takeAll(queue)).toEqual(['a1', 'b1', 'c1', 'b2']);
});

test('an item that is not wanted any more leaves its place', () => {
  const queue = new FairQueue<string>(2);
  queue.add('a', 'a1');
  queue.add('b', 'b1');

  expect(queue.remove('a1')).toBe(true);
  expect(queue.remove('a1')).toBe(false);
  expect(queue.add('c', 'c1')).toEqual({ added: true, displaced: undefined });
  expect(queue.takeAll()).toEqual(['b1', 'c1']);
  expect(queue.size).toBe(0);
});

test.each([
  ['192.0.2.7', '192.0.2.7', 'an address of IPv4 is one client'],
  ['::ffff:192.0.2.7', '192.0.2.7', 'also on a socket of IPv6'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64', 'a network of IPv6 is one client'],
  ['2001:db8:1:2::9', '2001:db8:1:2::/64', 'however it is written'],
  ['2001:db8::9', '2001:db8:0:0::/64', 'with zeros left out'],
  ['fe80::1%eth0', 'fe80:0:0:0::/64', 'without the name of the interface'],
  ['::1', '0:0:0:0::/64', 'the loopback address'],
  [undefined, '', 'a connection that is gone'],
])('%s counts as %s: %s', (address, group, _because) => {
  expect(addressGroup(address)).toBe(group);
});
