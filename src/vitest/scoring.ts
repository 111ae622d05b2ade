/**
 * Loads the part of Assay that scores, when a test first needs it. Tests run on the Node of their project, which may be
 * too old for it; to import a module that Node does not have fails without a word about the reason.
 */
import { isBuiltin } from 'node:module';

export async function scoring() {
  if (!isBuiltin('node:sqlite')) {
    throw new Error(
      `assay/vitest needs Node 22.13 or newer, because it scores in a database that Node ${process.versions.node} does not have: run Vitest on a newer Node`,
    );
  }
  const [{ passesSuite, failsSuite, followsGolden }, { SubjectOfTest }, { conversationOf }] = await Promise.all([
    import('./matchers.ts'),
    import('./subject-of-test.ts'),
    import('./conversation-of.ts'),
  ]);
  return { passesSuite, failsSuite, followsGolden, SubjectOfTest, conversationOf };
}
