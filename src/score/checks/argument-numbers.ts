/**
 * Numbers, dates and ids in the arguments of a call, read as the values that they are: `[101, 102, 103]` are three numbers. And whether each
 * follows from what was known, in the unit of the argument:
 *
 *   19:00            from "7pm", "seven in the evening"; an end, from a start and a duration
 *   2026-03-04       from "tomorrow" (`language/day-words.ts`)
 *   seconds: 600     from "10 minutes"; amount_cents: 3000 from "$30"; rate: 0.15 from "15 %"; distance_m: 5000 from "5 km"
 *
 * Arguments that are named as made up by the caller, such as `idempotency_key`, hold no facts.
 */
import type { Json } from '../../model/json.ts';
import type { Content } from '../../model/step.ts';
import { readingsOf } from '../subject/written-number.ts';
import type { SourceText } from './source-text.ts';
import { numbersInWords } from '../../language/number-words.ts';
import { numberedIn, type Specific } from './specifics.ts';

export interface ArgumentSpecific {
  /** The name of the argument, or of the member that holds it. */
  readonly name: string;
  readonly specific: Specific;
}

const DEPTH_MAX = 12;
const VALUES_MAX = 500;
/** Names of arguments that the caller makes up for the call, and that have no source. */
const GENERATED =
  /^(?:x_)?(?:idempotency|idempotent|dedup(?:e|lication)?|correlation|nonce|uuid|guid|trace|span|client_(?:request|token|mutation)|request|operation)(?:_?(?:id|key|token|uuid|guid))?$/;
const TIME = /(?<![\d:-])([01]?\d|2[0-4]):([0-5]\d)(?::[0-5]\d)?(?![\d:])/g;

export function specificsOfArguments({ json, text }: Content): readonly ArgumentSpecific[] {
  if (typeof json !== 'object' || json === null) return numberedIn(text).map((specific) => ({ name: '', specific }));
  const found: ArgumentSpecific[] = [];
  let left = VALUES_MAX;
  const read = (value: Json, name: string, depth: number): void => {
    if (depth > DEPTH_MAX || left <= 0 || GENERATED.test(snakeCase(name))) return;
    left -= 1;
    if (typeof value === 'number') found.push({ name, specific: specificOf(value) });
    else if (typeof value === 'string') found.push(...numberedIn(value).map((specific) => ({ name, specific })));
    else if (Array.isArray(value)) for (const one of value as readonly Json[]) read(one, name, depth + 1);
    else if (typeof value === 'object' && value !== null)
      for (const [member, one] of Object.entries(value)) read(one as Json, member, depth + 1);
  };
  read(json, '', 0);
  return found.filter(({ specific }) => specific.kind !== 'number' || !/^\d$/.test(specific.forms[0] ?? ''));
}

function specificOf(value: number): Specific {
  const text = String(Math.abs(value));
  return { kind: 'number', text, forms: [...readingsOf(text)] };
}

/** Numbers that the arguments may hold because of numbers that are known. */
export class ArgumentSources {
  readonly #values: readonly number[];
  readonly #hours: ReadonlySet<number>;
  readonly #times: ReadonlySet<number>;

  /** `texts` in lower case, `args` as the calls were given them. */
  constructor(given: SourceText, texts: readonly string[], args: readonly string[]) {
    const words = texts.flatMap((text) => numbersInWords(text.slice(0, TEXT_READ_MAX)));
    this.#values = [...given.values, ...words];
    this.#hours = new Set(this.#values.filter((value) => value >= 0 && value <= 24));
    this.#times = new Set(args.flatMap(timesIn).filter((time) => this.#isTimeSaid(time)));
  }

  explains({ name, specific }: ArgumentSpecific, args: string): boolean {
    if (specific.kind !== 'number') return false;
    const value = Number(specific.forms[0]);
    if (this.#values.includes(value)) return true;
    return this.#isPartOfTime(value, args) || this.#isConverted(value, snakeCase(name));
  }

  /** Every time of the arguments that has this part is known, or follows from one that is. */
  #isPartOfTime(part: number, args: string): boolean {
    const times = timesIn(args).filter((time) => Math.floor(time / 60) === part || time % 60 === part);
    return (
      times.length > 0 &&
      times.every((time) => this.#isTimeSaid(time) || [...this.#times].some((start) => this.#isDuration(time - start)))
    );
  }

  #isTimeSaid(time: number): boolean {
    const [hour, minute] = [Math.floor(time / 60), time % 60];
    const isHour =
      [hour, hour - 12, hour + 12].some((one) => this.#hours.has(one)) ||
      (minute === 30 && this.#hours.has((hour % 12) + 1));
    return isHour && (minute === 0 || this.#values.includes(minute) || this.#values.includes(60 - minute));
  }

  #isDuration(minutes: number): boolean {
    return (
      minutes > 0 &&
      (USUAL_MINUTES.includes(minutes) || this.#values.some((value) => value === minutes || value * 60 === minutes))
    );
  }

  #isConverted(value: number, name: string): boolean {
    return CONVERSIONS.some(
      ([named, factors]) =>
        named.test(name) &&
        factors.some((factor) =>
          this.#values.some((known) => isSame(known * factor, value) || isSame(known / factor, value)),
        ),
    );
  }
}

const TEXT_READ_MAX = 100_000;
/** Meetings end after these where nobody says how long they are. */
const USUAL_MINUTES: readonly number[] = [15, 30, 45, 60, 90, 120];

/** Names of arguments with a unit, and the factors between its units. A bare `amount` of 3000 for $30 may be a mistake. */
const CONVERSIONS: readonly (readonly [RegExp, readonly number[]])[] = [
  [
    /(?:^|_)(?:s|secs?|seconds?|m|mins?|minutes?|hours?|hrs?|days?|weeks?|ms|millis|milliseconds|duration|delay|timeout|ttl|interval|in|after|until|expires?|expiry|lead|offset)(?:_|$)/,
    [60, 3600, 86_400, 604_800, 1000, 60_000, 3_600_000, 86_400_000, 24, 7, 1440, 10_080, 168],
  ],
  [/(?:^|_)(?:cents?|pence|minor|minor_units?)(?:_|$)/, [100]],
  [/(?:^|_)(?:percent|percentage|pct|rate|ratio|fraction|discount|share|tax|tip|factor)(?:_|$)/, [100]],
  [
    /(?:^|_)(?:km|m|cm|mm|meters?|metres?|kilometers?|kilometres?|distance|radius|g|kg|mg|grams?|weight|mass|length|height|width|depth|volume|ml|l|size|bytes|kb|mb|gb)(?:_|$)/,
    [10, 100, 1000, 1_000_000, 1024, 1_048_576],
  ],
];

/** Exact, except for how a machine writes fractions. */
function isSame(one: number, other: number): boolean {
  return Math.abs(one - other) <= 1e-9 * Math.max(1, Math.abs(other));
}

/** Minutes since midnight. */
function timesIn(text: string): readonly number[] {
  return [...text.slice(0, TEXT_READ_MAX).matchAll(TIME)].map(([, hour, minute]) => Number(hour) * 60 + Number(minute));
}

function snakeCase(name: string): string {
  return name
    .replaceAll(/([a-z\d])([A-Z])/g, '$1_$2')
    .replaceAll('-', '_')
    .toLowerCase();
}
