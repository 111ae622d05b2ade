/** The person under whose name something is put. Two people's agreement is worth nothing if one can speak as the other. */
import { type Caller, signedInAs } from '../../model/caller.ts';

interface Words {
  /** Plural of what is put: `labels`. */
  readonly things: string;
  /** The person does this: `label`. */
  readonly does: string;
}

/** A person who signed in has that name; a program names the person. Otherwise the answer that refuses it. */
export function saidBy(by: string | undefined, caller: Caller | undefined, { things, does }: Words) {
  const signedIn = caller === undefined ? undefined : signedInAs(caller);
  if (by !== undefined && signedIn !== undefined && by !== signedIn)
    return { status: 403, value: { error: `you are signed in as ${signedIn}, and ${does} under that name` } };
  const name = signedIn ?? by?.trim();
  if (name !== undefined && name !== '') return name;
  return { status: 400, value: { error: `the ${things} have mistakes`, problems: [`by: the name of who ${does}s`] } };
}
