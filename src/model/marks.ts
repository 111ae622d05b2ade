/** Attributes by which an application marks what spans alone do not show. Also written by `assay/instrument`. */
export const END_MARK = 'assay.conversation.end';
/** The agent's final state, as JSON text or as a structured value. Later spans override earlier ones key by key. */
export const STATE_MARK = 'assay.conversation.state';
/** Ground truth of this conversation, as JSON text or as a structured value. */
export const TRUTH_MARK = 'assay.truth';
/** The case that a conversation is a run of: truth is found by it, and recordings become runs of a case. */
export const SCENARIO_ATTRIBUTE = 'assay.scenario.id';
/** Spans of this scope are Assay's own: they are never scored (the loop guard). */
export const OWN_SCOPE = 'assay';
