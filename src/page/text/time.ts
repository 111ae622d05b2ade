/** A time in the reader's zone; its title has UTC. */
import { h, type JSX } from 'preact';
import { serviceNow } from '../api/service-clock.ts';
import { timeText, utcText } from './format.ts';

export function Time({ at }: { readonly at: string }): JSX.Element {
  return h('time', { dateTime: at, title: utcText(at) }, timeText(at, new Date(serviceNow())));
}
