/**
 * Tool policy of an agent, whatever the request: allowed tools, forbidden tools and arguments, tools that need a
 * confirmation first, and the maximum number of calls. Every call is looked at, attempts that failed included.
 *
 * A confirmation is a call that ended well and was certainly over before the call in question (`confirmations.ts`), or
 * a request of the user, not the first, that says so.
 */
import type { SpanId } from '../../model/ids.ts';
import type { Json } from '../../model/json.ts';
import { compileGlob, type Matcher } from '../../model/glob.ts';
import type { ToolCall, Turn } from '../../model/turn.ts';
import { occurs } from '../cel/linear-regex.ts';
import { toExcerpt } from '../subject/sentences.ts';
import type { Subject } from '../subject/subject.ts';
import { callSpan } from './call-span.ts';
import { Confirmations } from './confirmations.ts';
import { type ArgumentScope, type ArgumentsMatcher, argumentOf } from './match-arguments.ts';

export interface ForbiddenCall {
  readonly tool: string;
  /** If it is given, only calls with such arguments are forbidden; the arguments that it does not name are free. */
  readonly args: ArgumentsMatcher | undefined;
  readonly because: string | undefined;
}

interface ConfirmFirst {
  readonly tool: string;
  /** A glob of the tools that confirm. */
  readonly by: string | undefined;
  /** A pattern in RE2 syntax, for what the user says in the turn of the call. */
  readonly byUser: string | undefined;
}

interface ToolPolicy {
  /** Globs; undefined where all tools are. */
  readonly allowed: readonly string[] | undefined;
  readonly forbidden: readonly ForbiddenCall[];
  readonly confirmFirst: readonly ConfirmFirst[];
  readonly maxCalls: number | undefined;
  /** Limits by glob: all calls that it matches count together. */
  readonly maxCallsOf: ReadonlyMap<string, number>;
}

interface Violation {
  readonly call: ToolCall;
  readonly reason: string;
}

export interface PolicyFindings {
  /** Violations in the order of the calls. */
  readonly violations: readonly Violation[];
  /** A call of which it can't be said, because its arguments were not recorded. */
  readonly unreadable: ToolCall | undefined;
}

export class PolicyGuard {
  readonly #policy: ToolPolicy;
  readonly #matchers = new Map<string, Matcher>();

  constructor(policy: ToolPolicy) {
    this.#policy = policy;
  }

  inspect(subject: Pick<Subject, 'turns' | 'once'>, scope: ArgumentScope): PolicyFindings {
    const { turns } = subject;
    let known: Confirmations | undefined;
    const confirmations = () => (known ??= this.#confirmationsIn(subject));
    const violations: Violation[] = [];
    let unreadable: ToolCall | undefined;
    let calls = 0;
    const counts = new Map<string, number>();
    for (const [index, turn] of turns.entries()) {
      for (const call of turn.toolCalls) {
        calls += 1;
        const name = toExcerpt(call.name);
        const reasons = [
          this.#notAllowed(call),
          calls === (this.#policy.maxCalls ?? -1) + 1
            ? `${name} is call ${calls}; at most ${this.#policy.maxCalls} are allowed`
            : undefined,
          this.#tooOften(call, counts),
          this.#unconfirmed(call, confirmations, index === 0 ? undefined : turn),
        ];
        const forbidden = this.#forbidden(call, scope);
        if (forbidden === 'unreadable') unreadable ??= call;
        else reasons.push(forbidden);
        const reason = reasons.find((candidate) => candidate !== undefined);
        if (reason !== undefined) violations.push({ call, reason });
      }
    }
    return { violations, unreadable };
  }

  #notAllowed({ name }: ToolCall): string | undefined {
    const { allowed } = this.#policy;
    if (allowed?.some((glob) => this.#matches(glob, name)) !== false) return undefined;
    return `${toExcerpt(name)} is none of the tools that are allowed`;
  }

  #tooOften({ name }: ToolCall, counts: Map<string, number>): string | undefined {
    let reason: string | undefined;
    for (const [glob, most] of this.#policy.maxCallsOf) {
      if (!this.#matches(glob, name)) continue;
      const count = (counts.get(glob) ?? 0) + 1;
      counts.set(glob, count);
      if (count > most) reason ??= `this is call ${count} of ${toExcerpt(glob)}; at most ${most} are allowed`;
    }
    return reason;
  }

  #forbidden(call: ToolCall, scope: ArgumentScope): string | 'unreadable' | undefined {
    let isUnreadable = false;
    for (const { tool, args, because } of this.#policy.forbidden) {
      if (!this.#matches(tool, call.name)) continue;
      const name = toExcerpt(call.name);
      const why = because === undefined ? '' : `: ${because}`;
      if (args === undefined) return `${name} is forbidden${why}`;
      if (call.args.state !== 'whole') isUnreadable = true;
      else if (areSuch(call.args.json, args, scope)) {
        return `${name} is forbidden with these arguments${why}`;
      }
    }
    return isUnreadable ? 'unreadable' : undefined;
  }

  #confirmationsIn(subject: Pick<Subject, 'turns' | 'once'>): Confirmations {
    const globs = this.#policy.confirmFirst.flatMap(({ tool, by }) => (by === undefined ? [] : [tool, by]));
    const calls = subject.turns.flatMap(({ toolCalls }) => toolCalls);
    return new Confirmations(
      calls.filter(({ name }) => globs.some((glob) => this.#matches(glob, name))),
      subject,
    );
  }

  #unconfirmed(call: ToolCall, confirmations: () => Confirmations, turn: Turn | undefined): string | undefined {
    for (const { tool, by, byUser } of this.#policy.confirmFirst) {
      if (!this.#matches(tool, call.name)) continue;
      const isConfirmed =
        (by !== undefined && confirmations().has(call, (name) => this.#matches(by, name))) ||
        (byUser !== undefined && turn !== undefined && occurs(byUser, turn.userInput.text));
      if (isConfirmed) continue;
      const how = [by, byUser === undefined ? undefined : 'the user'].filter((part) => part !== undefined).join(' or ');
      return `${toExcerpt(call.name)} needs a confirmation by ${toExcerpt(how)} first`;
    }
    return undefined;
  }

  #matches(glob: string, name: string): boolean {
    let matcher = this.#matchers.get(glob);
    if (matcher === undefined) {
      matcher = compileGlob(glob);
      this.#matchers.set(glob, matcher);
    }
    return matcher(name);
  }
}

/** A value of another type that reads the same is no way around a policy. */
function areSuch(given: Json, { expected }: ArgumentsMatcher, scope: ArgumentScope): boolean {
  return expected.every(({ key, matches }) => {
    const value = argumentOf(given, key);
    return value !== undefined && matches(value, given, scope) !== 'wrong';
  });
}

export function evidenceOf(violations: readonly Violation[]): readonly (SpanId | undefined)[] {
  return violations.map(({ call }) => callSpan(call));
}
