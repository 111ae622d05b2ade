/** Keys: which press is whose, and which is none. */
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { addKeys, knownKeys, leaveField, listenToKeys } from '../../src/page/shell/keys.ts';

/** As much of an element as keys look at. */
class FakeElement {
  readonly #tag: string;
  isBlurred = false;
  constructor(tag: string) {
    this.#tag = tag;
  }
  closest(selector: string): FakeElement | null {
    return selector.split(', ').includes(this.#tag) ? this : null;
  }
  blur(): void {
    this.isBlurred = true;
  }
}

let listener: (event: object) => void = () => undefined;
let pressed: string[] = [];
let removed: readonly (() => void)[] = [];
beforeAll(() => {
  vi.stubGlobal('Element', FakeElement);
  vi.stubGlobal('HTMLElement', FakeElement);
  vi.stubGlobal('document', {
    addEventListener: (_type: string, listen: (event: object) => void) => {
      listener = listen;
    },
  });
  listenToKeys();
  const key = (name: string, says = name) => ({ key: name, does: name, press: () => void pressed.push(says) });
  removed = [
    addKeys([key('j', 'frame j'), key('g o'), key('?')]),
    addKeys([key('j'), key('o'), key('enter'), key('esc')]),
  ];
});
afterAll(() => {
  for (const remove of removed) remove();
  expect(knownKeys()).toEqual([]);
  vi.unstubAllGlobals();
});
beforeEach(() => {
  pressed = [];
  // Nothing before it makes a pair with the first key of a test.
  press('x', { timeStamp: 0 });
  press('x', { timeStamp: 0 });
});

function press(key: string, event: object = {}): boolean {
  let isPrevented = false;
  const preventDefault = () => {
    isPrevented = true;
  };
  listener({ key, target: new FakeElement('body'), timeStamp: 10_000, preventDefault, ...event });
  return isPrevented;
}

test('the view that was shown last has a key before the frame', () => {
  expect(press('j')).toBe(true);
  expect(pressed).toEqual(['j']);
});

test('a key that nobody knows is left to the browser', () => {
  expect(press('q')).toBe(false);
  expect(pressed).toEqual([]);
});

test('a pair is pressed within its time, and goes before its second key alone', () => {
  press('g', { timeStamp: 10_000 });
  press('o', { timeStamp: 11_000 });
  press('g', { timeStamp: 20_000 });
  press('o', { timeStamp: 22_000 });

  expect(pressed).toEqual(['g o', 'o']);
});

test.each([
  ['ctrlKey', { ctrlKey: true }],
  ['metaKey', { metaKey: true }],
  ['altKey', { altKey: true }],
  ['a press that something else took', { defaultPrevented: true }],
  ['a field', { target: new FakeElement('input') }],
  ['a text area', { target: new FakeElement('textarea') }],
])('a key is none of the page with %s', (_, event) => {
  expect(press('j', event)).toBe(false);
  expect(pressed).toEqual([]);
});

test('escape leaves a field, and enter is a link’s where the link has the focus', () => {
  press('Escape', { target: new FakeElement('input') });
  press('Enter', { target: new FakeElement('a') });
  press('Enter');

  expect(pressed).toEqual(['esc', 'enter']);
});

test.each([
  ['Enter', true],
  ['Escape', true],
  ['a', false],
])('%s in a field gives the keys back to the view: %s', (key, isLeft) => {
  const field = new FakeElement('input');
  // The cast holds for what is called of it.
  leaveField({ key, currentTarget: field as unknown as EventTarget });

  expect(field.isBlurred).toBe(isLeft);
});
