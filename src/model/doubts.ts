/** Words for each doubt about a turn, and a remedy that does not depend on what wrote its spans. */
import type { Doubt } from './turn.ts';

interface DoubtWords {
  /** Continues "not read as it happened:". */
  readonly what: string;
  readonly remedy: string;
}

const INSPECT = '`assay inspect --why` shows each field beside the attribute that it was read from';

export const DOUBT_WORDS: Readonly<Record<Doubt, DoubtWords>> = {
  'question-misread': {
    what: 'its question is an object as a program prints it',
    remedy: `${INSPECT}; give the instrumentation words, or map the attribute in a Collector`,
  },
  'question-unseen': {
    what: 'its answer is there, and its question is not',
    remedy: `${INSPECT}; record the input where the answer is recorded`,
  },
  'answer-misread': {
    what: 'its answer is an object as a program prints it, or holds the instructions',
    remedy: `${INSPECT}; give the instrumentation words, or map the attribute in a Collector`,
  },
  'tool-misread': {
    what: 'a tool is called after a method, or its arguments are wrapped',
    remedy: `${INSPECT}; set gen_ai.tool.name and gen_ai.tool.call.arguments on the spans of tools`,
  },
  'tools-unseen': {
    what: 'a model called tools, and nothing shows what they gave',
    remedy: 'instrument the tools as well, or record the messages that models are shown',
  },
  'counted-twice': {
    what: 'the same tokens stand on two spans',
    remedy: 'leave out the spans that repeat the use of a model call, in a filter of a Collector',
  },
  fragment: {
    what: 'it is one model call out of a turn, and the others are elsewhere',
    remedy: 'send an id of the conversation with each call, or instrument the agent around them',
  },
  'answer-unseen': {
    what: 'a model answered, and the answer is not there, or not the one of the turn',
    remedy: `${INSPECT}; record the output of model calls`,
  },
  'not-understood': {
    what: 'spans with content of an agent, of which nobody knows what they are',
    remedy: `${INSPECT}; set gen_ai.operation.name on them (frameworks.md, "Your own code")`,
  },
};

/** One sentence for every surface, of so many turns: `2 of 3 turns`. */
export function doubtText(doubt: Doubt, turns: string): string {
  return `${turns} not read as it happened: ${DOUBT_WORDS[doubt].what}`;
}
