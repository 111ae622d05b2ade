/**
 * Did it change something before it tried again? Fails where a call failed, the same call with the same arguments was
 * made later in the conversation, and failed again. Temporary failures (a timeout, a rate limit, a service that is
 * down) may be retried unchanged.
 */
import { toExcerpt } from '../subject/sentences.ts';
import { builtInCheck } from './built-in-check.ts';
import { messageOf } from './failed-calls.ts';
import { canonicalJson } from './canonical-json.ts';

const MAY_PASS =
  /timed?[ -]?out|rate.?limit|too many requests|\b(?:408|425|429|5\d\d)\b|unavailable|overloaded|busy|temporar|try again|connection|network|econn|reset by peer|deadline|throttl|internal server error|gateway/i;

export const noUnchangedRetry = builtInCheck({
  summary: 'no failed call was repeated unchanged, and failed again',
  needs: ['tools'],
  make: () => (subject) => {
    const failed = new Map<string, string>();
    for (const call of subject.toolCalls) {
      if (!subject.hasFailed(call) || call.args.state !== 'whole') continue;
      const message = messageOf(call);
      if (MAY_PASS.test(`${call.error?.type ?? ''} ${message}`)) continue;
      const key = `${call.name}\n${canonicalJson(call.args.json)}`;
      const before = failed.get(key);
      if (before !== undefined) {
        return {
          pass: false,
          reason: `${toExcerpt(call.name)} failed (${before}), was called again with the same arguments, and failed again.`,
          evidence: [call.spanId ?? call.requestedBy],
        };
      }
      failed.set(key, message);
    }
    return { pass: true, reason: 'No call that is known to have failed was repeated unchanged.' };
  },
});
