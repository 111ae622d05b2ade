/** Says that the clock of the device is off, because times that somebody types or remembers are by that one. */
import { useEffect, useState } from 'preact/hooks';
import { CLOCK_FOUND_OFF, clockOffMs } from '../api/service-clock.ts';
import { durationText } from '../text/format.ts';

export function ClockNote() {
  const [offMs, setOffMs] = useState(clockOffMs);
  useEffect(() => {
    const onFound = () => setOffMs(clockOffMs());
    window.addEventListener(CLOCK_FOUND_OFF, onFound);
    return () => window.removeEventListener(CLOCK_FOUND_OFF, onFound);
  }, []);
  if (offMs === 0) return null;
  const words = `${durationText(Math.abs(offMs))} ${offMs > 0 ? 'behind' : 'ahead of'}`;
  return (
    <p
      class="away"
      role="status"
    >{`The clock of this device is ${words} that of the service. Times and ages here are the service's.`}</p>
  );
}
