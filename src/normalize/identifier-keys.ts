/** The attributes that redaction treats by what they identify: the user, or what belongs together. */
import type { RedactionRules, UserIdKeys } from '../model/redaction.ts';
import { DIALECTS } from './dialects.ts';
import type { Field } from './draft.ts';
import type { Row } from './rows.ts';

const FEEDBACK_USER = 'assay.feedback.user';
const FEEDBACK_ID = 'assay.feedback.id';
const IDENTIFIERS: readonly Field[] = ['conversationId', 'toolCallId', 'responseId', 'previousResponseId', 'agentId'];

/** Ids of users that are not hashed are identifiers like others. */
export function identifierKeys({
  hashUserIds,
}: {
  readonly hashUserIds: boolean;
}): Pick<RedactionRules, 'userIds' | 'identifiers'> {
  const userIds = userIdKeys();
  const identifiers = [...keysOf(IDENTIFIERS), FEEDBACK_ID];
  return hashUserIds
    ? { userIds, identifiers }
    : { userIds: undefined, identifiers: [...identifiers, ...userIds.keys] };
}

function userIdKeys(): UserIdKeys {
  const members = rowsOf(['userId']).flatMap(({ key, members: names }) =>
    names === undefined ? [] : [{ key, names }],
  );
  return { keys: [...keysOf(['userId']), FEEDBACK_USER], members };
}

function keysOf(fields: readonly Field[]): readonly string[] {
  return rowsOf(fields).flatMap(({ key, members }) => (members === undefined ? [key] : []));
}

function rowsOf(fields: readonly Field[]): readonly Row[] {
  return DIALECTS.flatMap(({ rows = [], resourceRows = [] }) => [...rows, ...resourceRows]).filter(({ field }) =>
    fields.includes(field),
  );
}
