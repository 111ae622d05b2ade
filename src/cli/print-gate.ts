/** The decision of a release gate as a person reads it: in full, or as a sentence with the command that prints the rest. */
import type { GateResult } from '../model/gate.ts';
import type { Document } from '../report/documents/document.ts';
import { gateDocument, gateSentence } from '../report/documents/gate-document.ts';
import { USUAL_GATE_FILE } from '../statistics/compare/gate/gate-between.ts';
import type { GateFile } from '../statistics/compare/gate/gate-rules.ts';
import { printDocument } from './print-document.ts';
import type { Terminal } from './terminal.ts';

interface PrintOptions {
  /** The command that prints each rule. Undefined prints them. */
  readonly tableBy: string | undefined;
}

export function printGate(terminal: Terminal, result: GateResult, gate: GateFile, { tableBy }: PrintOptions): void {
  printDocument(terminal, tableBy === undefined ? fullGate(result, gate) : gateSentence(result, tableBy));
}

export function fullGate(result: GateResult, { isDefault }: GateFile): Document {
  return gateDocument(
    result,
    isDefault ? `by the rules that hold where no ${USUAL_GATE_FILE} says otherwise` : undefined,
  );
}
