/** Pictures and files that the user sent with a turn: in the last message of the user, as the first step that has one got it. */
import type { Message, Part } from './step.ts';
import type { Turn } from './turn.ts';

type MediaPart = Extract<Part, { readonly type: 'media' }>;

export function mediaAskedWith({ steps }: Pick<Turn, 'steps'>): readonly MediaPart[] {
  const isUser = ({ role }: Message) => role === 'user';
  const asked = steps.find(({ messagesIn }) => messagesIn.some(isUser))?.messagesIn.findLast(isUser);
  return asked?.parts.filter((part) => part.type === 'media') ?? [];
}
