"""Answers of the API, as they arrive. A key that is absent means that its value is not known.

The service may add keys: read the ones you need. A test compares these with `/api/v1/openapi.json` of the service.
"""

from __future__ import annotations

from typing import Any, Literal, TypedDict

Outcome = Literal[
    "successful_completion",
    "no_fault_found",
    "handed_over",
    "graceful_failure",
    "partial_failure",
    "hard_failure",
    "unscored",
]
VerdictKind = Literal["pass", "fail", "not_applicable", "error", "skipped"]
LabelKind = Literal["pass", "fail", "not_applicable"]
State = Literal["scored", "open", "waiting", "unscored"]
Polarity = Literal["positive", "negative", "neutral"]
#: Outcome of a conversation in the world.
CameOut = Literal["good", "bad", "unknown"]
ReadAs = Literal["good", "bad"]
ReadingAnswer = Literal["good", "bad", "cannot_tell"]


class _FailingRequired(TypedDict):
    criterion: str
    reason: str


class Failing(_FailingRequired, total=False):
    #: Share of the score that it took away.
    lost: float
    critical: bool


class _ListedEvaluationRequired(TypedDict):
    suite: str
    #: From 0 to 1. None where nothing could be decided.
    score: float | None
    outcome: Outcome
    explanation: str
    failing: list[Failing]


class ListedEvaluation(_ListedEvaluationRequired, total=False):
    turn_id: str
    #: Kind of the failure, as its suite names it.
    because: str
    ending: str
    decided_share: float
    about: str
    waits_for: list[str]


class _ConversationKnown(TypedDict):
    conversation_id: str
    agent: str
    agent_version: str
    environment: str
    #: The time that lists and figures go by.
    began_at: str
    updated_at: str
    turns: int
    revision: int
    state: State


class _ConversationMaybe(_ConversationKnown, total=False):
    segment: str
    #: A time of its spans could not be true, so that of arrival counts.
    clock_wrong: bool
    ended_at: str
    duration_ms: float
    #: First words of the user.
    asked: str
    #: First words of the last answer.
    answered: str
    tokens: int
    cost_usd: float
    unscored_because: str
    waiting_for: str
    #: Opinion of its users, taken together.
    feedback: Polarity


class _ConversationItemRequired(_ConversationMaybe):
    evaluations: list[ListedEvaluation]


class ConversationItem(_ConversationItemRequired, total=False):
    evaluations_left_out: int


class JudgedBy(TypedDict, total=False):
    judge: str
    version: str
    model: str


class _VerdictRequired(TypedDict):
    criterion: str
    verdict: VerdictKind
    #: One sentence.
    reason: str
    #: Ids of spans.
    evidence: list[str]


class Verdict(_VerdictRequired, total=False):
    weight: float
    critical: bool
    question: str
    judged_by: JudgedBy
    undecided: str
    steps: list[dict[str, Any]]
    #: Sub-agents whose spans are in the evidence.
    sub_agents: list[str]


class Finding(TypedDict):
    finding: str
    reason: str
    evidence: list[str]


class _EvaluationRequired(TypedDict):
    suite: str
    suite_version: str
    revision: int
    scope: Literal["conversation", "turn"]
    score: float | None
    outcome: Outcome
    explanation: str
    shadow: bool
    latest: bool
    verdicts: list[Verdict]
    findings: list[Finding]


class Evaluation(_EvaluationRequired, total=False):
    turn_id: str
    #: Kind of the failure, as its suite names it.
    because: str
    ending: str
    decided_share: float
    about: str
    evaluated_at: str
    waits_for: list[str]


class _TokensOfStep(TypedDict):
    input: int
    output: int


class _StepRequired(TypedDict):
    step_id: str
    trace_id: str
    #: `llm`, `tool`, `agent` and others.
    kind: str
    name: str
    began_at: str
    ended_at: str
    status: Literal["ok", "error"]


class Step(_StepRequired, total=False):
    span_id: str
    parent: str
    agent: str
    says_failed: bool
    error: str
    arguments: Any
    result: Any
    input: str
    output: str
    model: str
    tokens: _TokensOfStep
    cost_usd: float
    dialect: str
    cut: bool
    provenance: list[dict[str, str]]


class _TurnRequired(TypedDict):
    turn_id: str
    trace_ids: list[str]
    began_at: str
    ended_at: str
    asked: str
    answered: str
    dialects: list[str]
    steps: list[Step]


class Turn(_TurnRequired, total=False):
    attached: list[str]
    ended: str
    cut: bool
    error: str


class _LabelRequired(TypedDict):
    label_id: str
    suite: str
    criterion: str
    label: LabelKind
    by: str
    at: str


class Label(_LabelRequired, total=False):
    turn_id: str
    note: str
    #: The verdict was in sight when it was given.
    seen: bool


class _WorldOutcomeRequired(TypedDict):
    name: str
    good: bool


class WorldOutcome(_WorldOutcomeRequired, total=False):
    value: str
    case: str


class _ConversationReadingRequired(TypedDict):
    #: Name of the person or the program.
    by: str
    source: Literal["person", "agent"]
    answer: ReadingAnswer
    at: str


class ConversationReading(_ConversationReadingRequired, total=False):
    #: Span id of the first step that went wrong.
    first_wrong: str
    kind: str
    note: str


class _ShownFeedbackRequired(TypedDict):
    id: str
    name: str
    polarity: Polarity
    at: str
    #: How it arrived.
    way: str
    #: False if a later one of the same user about the same answer counts instead.
    counts: bool


class ShownFeedback(_ShownFeedbackRequired, total=False):
    #: Why it is neutral although it says something.
    unclear: str
    score: float
    label: str
    scale: list[float]
    comment: str
    user: str
    trace_id: str
    span_id: str


class _CostRequired(TypedDict):
    source: str
    models_without_price: list[str]


class Cost(_CostRequired, total=False):
    usd: float


class _ConversationDetailRequired(_ConversationItemRequired):
    evaluations_left_out: int
    turn_list: list[Turn]
    #: Steps, errors, tokens and cost of each sub-agent.
    sub_agents: list[dict[str, Any]]
    steps_left_out: int
    #: Every revision: the live ones, then those in shadow.
    evaluations_full: list[Evaluation]
    golden_suites: list[str]
    #: Events in the world that followed from the conversation.
    outcomes: list[WorldOutcome]
    #: Answers of people and programs that read it.
    readings: list[ConversationReading]
    labels: list[Label]
    feedback_list: list[ShownFeedback]
    cost: Cost
    content: Literal["whole", "missing", "damaged"]


class ConversationDetail(_ConversationDetailRequired, total=False):
    truth: Any
    content_note: str


class ExportedConversation(_ConversationMaybe):
    #: The last ones of live suites, with their verdicts.
    evaluations: list[Evaluation]


class _LabelToPutRequired(TypedDict):
    suite: str
    criterion: str
    #: None takes the label back.
    label: LabelKind | None


class LabelToPut(_LabelToPutRequired, total=False):
    #: The person who labels. Needed with a token.
    by: str
    turn_id: str
    note: str
    #: The verdict was in sight: the label is shown, and counts in no agreement.
    seen: bool


class _OutcomeToPutRequired(TypedDict):
    conversation_id: str
    #: Name of the outcome, such as `refunded`.
    label: str
    #: None takes it back.
    good: bool | None


class OutcomeToPut(_OutcomeToPutRequired, total=False):
    value: str
    case: str
    #: The outcome decides how the conversation went, and nobody has to read it.
    certain: bool


class _ReadingToPutRequired(TypedDict):
    conversation_id: str
    #: Whether it went well for its user. None takes it back.
    answer: ReadingAnswer | None


class ReadingToPut(_ReadingToPutRequired, total=False):
    #: The person who read it. Needed with a token.
    by: str
    #: A reading of `agent`, a program, counts in no estimate.
    source: Literal["person", "agent"]
    #: Span id of the first step that went wrong.
    first_wrong: str
    note: str
    #: Name of the kind of failure, with `bad` by a person. None takes it away.
    kind: str | None


class Share(TypedDict):
    value: float
    low: float
    high: float
    n: int


class _EstimateRequired(TypedDict):
    agent: str
    since: str
    until: str
    #: The headline as a sentence.
    says: str
    #: Advice, as a sentence.
    next: str
    conversations: dict[str, int]
    readings: dict[str, int]
    #: Conversations that came out good or bad in the world, and the bad ones that the suites call fine.
    outcomes: dict[str, int]
    #: The interval after more readings.
    worth: list[dict[str, float]]
    #: Ten more readings would hardly narrow the interval.
    enough: bool


class Estimate(_EstimateRequired, total=False):
    #: Share of the conversations spoken for that went well; absent while nothing was read.
    success: Share
    #: From the lower end of `success` alone; absent where it is below 0.70.
    band: Literal["production ready", "usable"]
    #: Share of all that went badly and that the suites call fine.
    missed: Share
    #: The same, as a share of all that went badly.
    miss_rate: Share
    #: All that the interval is computed from; only with `explain`.
    explained: dict[str, Any]


FindSource = Literal["came_out_bad", "feedback_negative", "read_bad", "criteria_failed", "new"]


class CountedShare(TypedDict):
    count: int
    of: int


class _LiftRequired(TypedDict):
    low: float


class Lift(_LiftRequired, total=False):
    #: How many times as often; absent, like the upper end, where none of the others has the fact.
    value: float
    high: float


class CommonFind(TypedDict):
    #: `fact=` of `conversations` finds it; parts of it come from spans.
    fact: str
    #: How often it comes, as a sentence.
    says: str
    within: CountedShare
    others: CountedShare
    #: With its interval of 95 %.
    lift: Lift
    #: Chance of so many, by Fisher's exact test to one side.
    chance: float
    #: Facts of nearly the same conversations, which say no more.
    also: list[str]
    conversation_ids: list[str]
    #: A place of the page.
    link: str


class Find(CommonFind):
    #: Reason why the conversations were looked at.
    source: FindSource


class _Found(TypedDict):
    since: str
    until: str
    conversations: int
    #: Facts that were tested. A tenth of the finds is false at most.
    looked_at: int
    #: There are more conversations, and these are the latest.
    cut: bool


class Finds(_Found):
    agent: str
    sources: list[dict[str, Any]]
    #: The least likely ones first.
    finds: list[Find]


class Trouble(TypedDict):
    #: `fact=` of `conversations` finds them; parts of it come from spans.
    fact: str
    conversations: int


class _CommonRequired(_Found):
    #: Agents of the conversations. One of them is compared.
    agents: int
    says: str
    #: Conversations that are compared, and the others of the same agent and time.
    within: int
    others: int
    #: Troubles of those that are compared, the most frequent first.
    troubles: list[Trouble]
    finds: list[CommonFind]


class Common(_CommonRequired, total=False):
    #: The one with most of the conversations.
    agent: str


class _FailedConversationRequired(TypedDict):
    conversation_id: str
    #: The person who read it.
    by: str
    began_at: str


class FailedConversation(_FailedConversationRequired, total=False):
    #: The beginning of the user's first words.
    asked: str
    note: str


class _FailureKindRequired(TypedDict):
    name: str
    #: `back`: a conversation of the kind began after it was called mended.
    state: Literal["open", "watched", "mended", "back"]
    readings: int
    #: `kind=` of `conversations` finds them.
    conversations: int
    #: Up to five, the newest first.
    examples: list[FailedConversation]


class FailureKind(_FailureKindRequired, total=False):
    state_at: str
    first_at: str
    last_at: str
    #: Share of all conversations of the window.
    share: Share


class _FailuresRequired(TypedDict):
    agent: str
    since: str
    until: str
    #: The board as a sentence.
    says: str
    #: Advice, as a sentence.
    next: str
    kinds: list[FailureKind]
    without_kind: list[FailedConversation]
    without_kind_count: int
    #: Groups of readings without a kind whose notes share words.
    proposed: list[dict[str, Any]]


class Failures(_FailuresRequired, total=False):
    #: Chance that the next failure is of a new kind; absent under 5 failures with a kind.
    unseen: dict[str, Any]


class _FeedbackToPutRequired(TypedDict):
    conversation_id: str


class FeedbackToPut(_FeedbackToPutRequired, total=False):
    #: Chosen by the sender: sent twice, it counts once.
    id: str
    name: str
    score: float
    label: str
    comment: str
    scale: list[float]
    user: str
    trace_id: str
    span_id: str
    at: str


class _FeedbackResultRequired(TypedDict):
    id: str
    conversation_id: str
    polarity: Polarity
    #: `waiting`: its conversation is not known yet. `known`: it was there before, and stays as it was.
    result: Literal["kept", "waiting", "known", "gone", "too_many"]


class FeedbackResult(_FeedbackResultRequired, total=False):
    #: Why it is neutral although it says something.
    unclear: str
    why: str


class _CountedRow(TypedDict):
    #: Labels under which the evaluation was counted. A conversation may go on under others.
    conversation_id: str
    agent: str
    agent_version: str
    environment: str
    segment: str | None
    suite: str
    suite_version: str
    scope: Literal["conversation", "turn"]
    turn_id: str | None
    revision: int
    evaluated_at: str


class EvaluationRow(_CountedRow):
    """A row of the table `evaluations` of an export."""

    #: When its conversation or turn began: figures over time go by it.
    began_at: str | None
    #: Log time of the evaluation.
    scored_at: str | None
    outcome: Outcome
    #: Kind of the failure.
    because: str | None
    #: None where the rate of good outcomes leaves it out. Its mean is that rate.
    success: bool | None
    #: Its mean is the mean score: the TCR where the suite checks the task.
    score: float | None
    decided_share: float | None
    about: str | None
    ending: str | None
    explanation: str
    steps: int | None
    tokens: int | None
    cost_usd: float | None
    duration_ms: float | None


class VerdictRow(_CountedRow):
    """A row of the table `verdicts` of an export: a criterion of an evaluation."""

    criterion: str
    verdict: VerdictKind
    #: None where it was not decided. Its mean is the pass rate.
    passed: bool | None
    reason: str
    evidence_span_id: str | None
    judge: str | None
    judge_version: str | None
    judge_model: str | None
    undecided: str | None
