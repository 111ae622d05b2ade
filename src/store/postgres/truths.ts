/** Ground truth that people attach to conversations, on the shared store. */
import type { Json } from '../../model/json.ts';
import type { TruthStore } from '../truth-store.ts';
import type { Link } from './link.ts';
import { textKey } from './row-keys.ts';
import { toStorable } from './storable-text.ts';

export class TruthRows implements TruthStore {
  readonly #link: Link;

  constructor(link: Link) {
    this.#link = link;
  }

  async put(conversationId: string, truth: Json | undefined): Promise<boolean> {
    const key = textKey(conversationId);
    const changed = await this.#link.transaction((session) =>
      truth === undefined
        ? session.run(REMOVE, [key])
        : session.run(PUT, [key, toStorable(conversationId), JSON.stringify(truth), Date.now()]),
    );
    // Behind the commit, so that whoever scores the conversation meanwhile either sees the truth or is asked again; and also where it was known,
    // since a client that was not answered puts it again.
    await this.#link.use((session) => session.run(REVISIT, [key]));
    return changed > 0;
  }
}

const PUT = {
  name: 'put-truth',
  sql: `INSERT INTO truths (key, conversation_id, truth, put_at) VALUES ($1, $2, $3, $4)
    ON CONFLICT (key) DO UPDATE SET truth = excluded.truth, put_at = excluded.put_at WHERE truths.truth <> excluded.truth`,
};
const REMOVE = { name: 'remove-truth', sql: 'DELETE FROM truths WHERE key = $1' };
const REVISIT = {
  name: 'revisit-for-truth',
  sql: `INSERT INTO revisits (conversation) SELECT id FROM conversations WHERE key = $1
    ON CONFLICT (conversation) DO UPDATE SET number = excluded.number, due_at = 0`,
};
