/** A conversation that went well, broken by one fault: at some of the places where it can be, which the seed decides. */
import { Chance } from './chance.ts';
import type { Broken, Fault, Scene } from './fault.ts';

interface BreakOptions {
  /** Together with the conversation's name and the fault's it gives all chance there is. */
  readonly seed: number;
  readonly name: string;
  /** Places of one fault in one conversation. */
  readonly placesMax: number;
}

/** Empty where the fault does not apply. */
export function breakConversation(
  fault: Fault,
  scene: Scene,
  { seed, name, placesMax }: BreakOptions,
): readonly Broken[] {
  const chance = new Chance(`${seed}\n${name}\n${fault.name}`);
  const before = JSON.stringify(scene.excerpt);
  const broken: Broken[] = [];
  for (const place of chance.shuffled(fault.placesIn(scene))) {
    if (broken.length >= placesMax) break;
    const done = place(chance);
    // An edit that changed nothing is no fault.
    if (done !== undefined && JSON.stringify(done.excerpt) !== before) broken.push(done);
  }
  return broken;
}
