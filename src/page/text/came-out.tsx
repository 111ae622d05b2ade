/** The good or the bad end of a conversation in the world, in a word with its mark. */
import { WordMark } from './word-mark.tsx';

export function CameOut({ isGood }: { readonly isGood: boolean }) {
  return isGood ? (
    <WordMark kind="successful_completion" mark="✓" words="good" />
  ) : (
    <WordMark kind="hard_failure" mark="✕" words="bad" />
  );
}
