/** Faults of agents, in the order in which reports show them. */
import type { Fault } from './fault.ts';
import { answerContradicts } from './faults/answer-contradicts.ts';
import { answerCut } from './faults/answer-cut.ts';
import { answerEmpty } from './faults/answer-empty.ts';
import { argumentChanged } from './faults/argument-changed.ts';
import { callDropped } from './faults/call-dropped.ts';
import { callRepeated } from './faults/call-repeated.ts';
import { callsSwapped } from './faults/calls-swapped.ts';
import { destructiveCall } from './faults/destructive-call.ts';
import { errorHidden } from './faults/error-hidden.ts';
import { failureIgnored } from './faults/failure-ignored.ts';
import { lastTurnMissing } from './faults/last-turn-missing.ts';
import { resultChanged } from './faults/result-changed.ts';
import { stateContradicts } from './faults/state-contradicts.ts';
import { wrongTool } from './faults/wrong-tool.ts';

export const FAULTS: readonly Fault[] = [
  callDropped,
  callsSwapped,
  callRepeated,
  wrongTool,
  destructiveCall,
  argumentChanged,
  errorHidden,
  failureIgnored,
  resultChanged,
  stateContradicts,
  answerCut,
  answerEmpty,
  answerContradicts,
  lastTurnMissing,
];
