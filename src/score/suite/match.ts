/** Which conversations a suite is for. Says why not rather than no: "why was this not scored?" has an answer. */
import type { Conversation } from '../../model/conversation.ts';
import { compileGlob, type Matcher } from '../../model/glob.ts';
import { describeThrown, toExcerpt } from '../subject/sentences.ts';
import type { Match } from './suite.ts';

type WhyNot = (conversation: Conversation) => string | undefined;

export function compileMatch(match: Match | undefined): WhyNot {
  if (match === undefined) return () => undefined;
  const tests: WhyNot[] = [];
  const field = (name: string, globs: string | readonly string[] | undefined, read: (c: Conversation) => unknown) => {
    if (globs !== undefined) tests.push(test(name, globs, read));
  };
  field('agent', match.agent, ({ agent }) => agent.name);
  field('version', match.version, ({ agent }) => agent.version);
  field('environment', match.environment, ({ environment }) => environment);
  for (const [key, wanted] of Object.entries(match.attributes ?? {})) {
    const globs = typeof wanted === 'number' || typeof wanted === 'boolean' ? String(wanted) : wanted;
    field(`attribute ${key}`, globs, ({ attributes }) => attributes.get(key));
  }
  if (match.whyNot !== undefined) tests.push(guarded(match.whyNot));
  return (conversation) => {
    for (const whyNot of tests) {
      const reason = whyNot(conversation);
      if (reason !== undefined) return reason;
    }
    return undefined;
  };
}

function test(name: string, globs: string | readonly string[], read: (conversation: Conversation) => unknown): WhyNot {
  const list = typeof globs === 'string' ? [globs] : globs;
  const matchers: readonly Matcher[] = list.map(compileGlob);
  return (conversation) => {
    const value = read(conversation);
    if (value === undefined) return `The ${name} is not known, and the suite is for ${list.join(', ')}.`;
    const text = String(value);
    if (matchers.some((matches) => matches(text))) return undefined;
    return `The ${name} is ${toExcerpt(text)}, and the suite is for ${list.join(', ')}.`;
  };
}

function guarded(whyNot: WhyNot): WhyNot {
  return (conversation) => {
    try {
      return whyNot(conversation);
    } catch (thrown) {
      return `Whether the suite applies could not be worked out: ${describeThrown(thrown)}`;
    }
  };
}
