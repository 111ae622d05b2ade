/** A flag that is a number of things. */
import { CommandFailure, EXIT } from './exit-codes.ts';

export function wholeNumber(flag: string, text: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw new CommandFailure(`${flag} ${text}: expected a whole number`, EXIT.usage);
}
