/** A time in the reader's zone; its title has UTC. */
import { serviceNow } from '../api/service-clock.ts';
import { timeText, utcText } from './format.ts';

export function Time({ at }: { readonly at: string }) {
  return (
    <time dateTime={at} title={utcText(at)}>
      {timeText(at, new Date(serviceNow()))}
    </time>
  );
}
