/** Gemini's generateContent. Its candidate tokens exclude thoughts, and the script has no thoughts. */
import { type Answer, type ModelApi, pieces } from './api.ts';

export const gemini: ModelApi = {
  name: 'gemini',
  requestedModel: 'gemini-2.5-flash',
  respondedModel: 'gemini-2.5-flash',
  reportsReasoning: false,
  isAsked: (path) => path.includes(':generateContent') || path.includes(':streamGenerateContent'),
  isStreamed: (path) => path.includes(':streamGenerateContent'),
  whole: (answer) => response(answer, partsOf(answer), 'STOP'),
  stream: (answer) => {
    const parts = [...pieces(answer.text).map((text) => ({ text })), ...answer.calls.map(callPart)];
    return parts.map((part, at) => ({
      data: response(answer, [part], at === parts.length - 1 ? 'STOP' : undefined),
    }));
  },
  error: (code, message) => ({ error: { code, message, status: 'INTERNAL' } }),
};

function partsOf(answer: Answer): readonly unknown[] {
  return [...(answer.text === '' ? [] : [{ text: answer.text }]), ...answer.calls.map(callPart)];
}

function callPart({ id, name, args }: Answer['calls'][number]) {
  return { functionCall: { id, name, args } };
}

function response({ id, model, usage }: Answer, parts: readonly unknown[], finishReason: string | undefined) {
  return {
    candidates: [
      { index: 0, content: { role: 'model', parts }, ...(finishReason === undefined ? {} : { finishReason }) },
    ],
    usageMetadata: {
      promptTokenCount: usage.input,
      candidatesTokenCount: usage.output,
      totalTokenCount: usage.input + usage.output,
      ...(usage.cached === 0 ? {} : { cachedContentTokenCount: usage.cached }),
    },
    modelVersion: model,
    responseId: id,
  };
}
