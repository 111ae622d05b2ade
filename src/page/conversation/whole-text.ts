/** The address of a text of which an answer has the beginning only. */
import type { TEXT_FIELDS } from '../../api/conversation-detail.ts';

export function wholeTextAddress(conversation: string, of: string, field: (typeof TEXT_FIELDS)[number]): string {
  return `/api/v1/text/${encodeURIComponent(conversation)}?${new URLSearchParams({ of, field }).toString()}`;
}
