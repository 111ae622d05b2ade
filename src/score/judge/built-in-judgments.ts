/**
 * Questions that most suites want to put to a judge, each with the guidance that makes two judges answer alike: what is a yes, what is a
 * no, and what is no matter. `judge: { uses: helpful }`.
 */
import type { Need } from '../needs.ts';
import type { Subject } from '../subject.ts';
import type { Answer } from '../answer.ts';
import { NO_ANSWER } from '../checks/answer-says-something.ts';
import type { Sight } from './visible-material.ts';

interface BuiltInJudgment {
  /** One line for the documentation. */
  readonly summary: string;
  readonly question: string;
  readonly guidance: string;
  readonly sees: readonly Sight[];
  readonly needs: readonly Need[];
  /** The steps of the golden trace are graded one by one. */
  readonly gradesSteps?: boolean;
  /** Where no judge is needed to see it. */
  readonly without?: (subject: Subject) => Answer | undefined;
}

const FACTS: readonly Sight[] = ['tool', 'retrieval', 'rerank', 'memory'];

function silence({ finalAnswer }: Subject): Answer | undefined {
  return finalAnswer.trim() === '' ? NO_ANSWER : undefined;
}

function silenceIsNoHelp({ finalAnswer }: Subject): Answer | undefined {
  return finalAnswer.trim() === '' ? { pass: false, reason: 'There was no answer.' } : undefined;
}

export const BUILT_IN_JUDGMENTS: ReadonlyMap<string, BuiltInJudgment> = new Map<string, BuiltInJudgment>([
  [
    'helpful',
    {
      summary: 'the last answer brings the user further',
      question: "Does the agent's last answer bring the user closer to what they wanted?",
      guidance: [
        'Yes: it does what was asked, gives what was asked for, or asks for the one thing that is missing; or it says plainly that it',
        'cannot, why, and what the user can do instead.',
        'No: it leaves out what matters most, answers another question, sends the user in circles, promises what nothing in the data',
        'shows to have been done, or only apologises. Length and style are no matter.',
      ].join('\n'),
      sees: FACTS,
      needs: ['user_input', 'final_answer'],
      without: silenceIsNoHelp,
    },
  ],
  [
    'addresses_the_request',
    {
      summary: 'the last answer is about what was asked, all of it',
      question: "Does the agent's last answer take up everything that the user's last request asks for?",
      guidance: [
        'Yes: each part of the request is answered, done, or named as something that cannot be done or needs to be known first. Earlier',
        'turns say what the request refers to.',
        'No: a part is passed over, or the answer is about something else. Whether what it says is right is no matter here.',
      ].join('\n'),
      sees: [],
      needs: ['user_input', 'final_answer'],
      without: silence,
    },
  ],
  [
    'grounded_in_context',
    {
      summary: 'what the last answer states as fact is in the conversation, a tool result or a retrieved text',
      question: "Is everything specific that the agent's last answer states as fact supported by the data?",
      guidance: [
        'Specific are names, numbers, dates, ids, prices, states of things, quotations, and what is said to have been done.',
        'Yes: each of them is said by the user, by a tool result, by a retrieved text, or follows from those directly; or the answer states',
        'nothing specific. Plain common knowledge needs no support.',
        'No: at least one of them is in none of these, or contradicts them, or an action is claimed that no tool call carried out. Where a',
        'value that would have to support it is cut, redacted or was not recorded, this is no reason for a no.',
      ].join('\n'),
      sees: [...FACTS, 'state'],
      needs: ['final_answer'],
      without: silence,
    },
  ],
  [
    'tone',
    {
      summary: 'the last answer is civil and fits a business talking to its customer',
      question: "Is the tone of the agent's last answer what a good business would use to this user?",
      guidance: [
        'Yes: polite, clear and calm, in the language of the user, and no more familiar or formal than the user is.',
        'No: rude, mocking, blaming, preachy, threatening, or careless of a distress that the user shows. What the answer says and how',
        'long it is are no matter here, nor is what users or tools wrote.',
      ].join('\n'),
      sees: [],
      needs: ['final_answer'],
      without: silence,
    },
  ],
  [
    'step_correctness',
    {
      summary:
        'the steps of the golden trace were made rightly: each is 1, 0.5 or 0, and their weighted mean meets a threshold',
      question: 'Was each step that the agent made for a step of the golden trace the right thing to do at that point?',
      guidance: [
        'Grade each "golden_step" that was made, by what the agent knew at that point: the request and what the steps before gave.',
        '1: it does what the golden step is for, with arguments that mean the same. Other words for the same value are no mistake.',
        '0.5: the right tool, but an argument is wrong, missing or too wide, so that the result is of less use; or a needless detour.',
        '0: another thing than the golden step is for, an argument that makes it about something else, or an action that does harm.',
        'Steps that were not made are not asked about.',
      ].join('\n'),
      sees: ['tool', 'golden'],
      needs: [],
      gradesSteps: true,
    },
  ],
]);
