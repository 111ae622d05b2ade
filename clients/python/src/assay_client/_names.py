"""Names of attributes and events that Assay reads. The same as `assay/instrument` writes for JavaScript."""

from __future__ import annotations

CONVERSATION_ID = "gen_ai.conversation.id"
USER_ID = "user.id"
SCENARIO_ID = "assay.scenario.id"
STATE_MARK = "assay.conversation.state"
TRUTH_MARK = "assay.truth"
END_MARK = "assay.conversation.end"
FEEDBACK_EVENT = "assay.feedback"
#: Name of the span that carries marks which came after the spans of the turn.
MARK_SPAN = "assay.mark"
#: Scope of the spans that this package starts. Not `assay`, whose spans Assay drops as its own.
SCOPE = "assay_client"
