/**
 * The tables of the first release in SQLite, as the ordered list of its migrations. They are released: never edit one,
 * and add new ones to `migrate.ts`.
 *
 * Rows are append-only wherever they can be, keyed by rowid, with partial indexes: measured five times faster than
 * upserts on a text key. The spans themselves lie in files of their own (`content-files.ts`).
 */
export const TABLES_OF_FIRST_RELEASE: readonly string[] = [
  `
  CREATE TABLE meta (key TEXT PRIMARY KEY, value REAL NOT NULL) STRICT, WITHOUT ROWID;

  CREATE TABLE conversations (
    id INTEGER PRIMARY KEY,
    conversation_id TEXT NOT NULL UNIQUE,
    agent TEXT NOT NULL,
    agent_version TEXT NOT NULL,
    environment TEXT NOT NULL,
    first_closed_at INTEGER NOT NULL,
    last_closed_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    turns INTEGER NOT NULL,
    turns_evaluated INTEGER NOT NULL DEFAULT 0,
    due_at INTEGER,
    due_cause TEXT,
    revision INTEGER NOT NULL DEFAULT 0,
    cause TEXT,
    worst_outcome INTEGER NOT NULL DEFAULT 0,
    unscored_because TEXT
  ) STRICT;
  CREATE INDEX conversations_due ON conversations (due_at, id) WHERE due_at IS NOT NULL;
  CREATE INDEX conversations_updated ON conversations (updated_at);

  CREATE TABLE traces (
    id INTEGER PRIMARY KEY,
    trace_id BLOB NOT NULL UNIQUE,
    conversation INTEGER NOT NULL,
    revision INTEGER NOT NULL,
    position REAL NOT NULL,
    closed_at INTEGER NOT NULL,
    stored_at INTEGER NOT NULL,
    cause TEXT NOT NULL,
    spans INTEGER NOT NULL,
    sealed INTEGER NOT NULL DEFAULT 0,
    content_file INTEGER NOT NULL,
    content_offset INTEGER NOT NULL,
    spans_length INTEGER NOT NULL,
    logs_length INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX traces_conversation ON traces (conversation);

  CREATE TABLE content_files (
    file INTEGER PRIMARY KEY,
    end_offset INTEGER NOT NULL,
    live_bytes INTEGER NOT NULL
  ) STRICT;

  CREATE TABLE evaluations (
    id INTEGER PRIMARY KEY,
    conversation INTEGER NOT NULL,
    trace INTEGER NOT NULL,
    turn_id TEXT NOT NULL,
    suite TEXT NOT NULL,
    suite_version TEXT NOT NULL,
    scope TEXT NOT NULL,
    revision INTEGER NOT NULL,
    score INTEGER,
    outcome INTEGER NOT NULL,
    explanation TEXT NOT NULL,
    verdicts TEXT NOT NULL,
    labels TEXT NOT NULL,
    created_at INTEGER NOT NULL
  ) STRICT;
  CREATE UNIQUE INDEX evaluations_once ON evaluations (conversation, suite, turn_id, revision, suite_version);
  CREATE INDEX evaluations_failed ON evaluations (created_at) WHERE outcome BETWEEN 1 AND 3;

  CREATE TABLE failed_verdicts (
    criterion TEXT NOT NULL,
    evaluation INTEGER NOT NULL,
    PRIMARY KEY (criterion, evaluation)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE totals (
    metric TEXT NOT NULL,
    labels TEXT NOT NULL,
    value REAL NOT NULL,
    PRIMARY KEY (metric, labels)
  ) STRICT, WITHOUT ROWID;
  `,
  // Keys by which turns without a conversation id refer to one another (conversation-keys.ts).
  `
  CREATE TABLE conversation_keys (
    key BLOB NOT NULL,
    wanted INTEGER NOT NULL,
    conversation INTEGER NOT NULL,
    PRIMARY KEY (key, wanted, conversation)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX conversation_keys_conversation ON conversation_keys (conversation);
  CREATE TABLE postponed_turns (
    trace INTEGER PRIMARY KEY,
    closed_at INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX postponed_turns_closed ON postponed_turns (closed_at, trace);
  `,
  // Which part of the traffic a conversation is, and when something was seen first (first-times.ts).
  `
  ALTER TABLE conversations ADD COLUMN segment TEXT;
  CREATE TABLE first_times (
    metric TEXT NOT NULL,
    labels TEXT NOT NULL,
    at REAL NOT NULL,
    PRIMARY KEY (metric, labels)
  ) STRICT, WITHOUT ROWID;
  `,
  // Evaluations that wait to be observed, and the state of whoever observes them (rules/detection.ts).
  `
  CREATE TABLE detection_queue (
    id INTEGER PRIMARY KEY,
    at INTEGER NOT NULL,
    evaluation TEXT NOT NULL,
    payload TEXT NOT NULL
  ) STRICT;
  CREATE INDEX detection_queue_next ON detection_queue (at, evaluation, id);
  CREATE TABLE detection (
    one INTEGER PRIMARY KEY CHECK (one = 1),
    version INTEGER NOT NULL,
    snapshot BLOB NOT NULL
  ) STRICT;
  `,
  // Results of evaluations that wait for a backend (rules/results.ts).
  `
  CREATE TABLE result_queue (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    payload TEXT NOT NULL
  ) STRICT;
  `,
  // Questions to judges, who waits for them, and what was spent on them (rules/questions.ts). A question waits while it has no outcome.
  `
  CREATE TABLE questions (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    key BLOB NOT NULL UNIQUE,
    judge TEXT NOT NULL,
    priority REAL NOT NULL,
    asked_at INTEGER NOT NULL,
    request TEXT NOT NULL,
    outcome TEXT,
    answered INTEGER NOT NULL DEFAULT 0,
    ended_at INTEGER
  ) STRICT;
  CREATE INDEX questions_waiting ON questions (judge, priority DESC, id) WHERE outcome IS NULL;
  CREATE INDEX questions_asked ON questions (judge, asked_at) WHERE outcome IS NULL;
  CREATE TABLE judge_waits (
    waiter INTEGER NOT NULL,
    question INTEGER NOT NULL,
    PRIMARY KEY (waiter, question)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX judge_waits_question ON judge_waits (question);
  CREATE TABLE judge_votes (
    id INTEGER PRIMARY KEY,
    question INTEGER NOT NULL,
    vote TEXT NOT NULL
  ) STRICT;
  CREATE INDEX judge_votes_question ON judge_votes (question);
  CREATE TABLE judge_calls (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    question INTEGER NOT NULL,
    minute INTEGER NOT NULL,
    nanos INTEGER NOT NULL
  ) STRICT;
  CREATE TABLE judge_spending (
    minute INTEGER PRIMARY KEY,
    nanos INTEGER NOT NULL
  ) STRICT;
  `,
  // Truth from outside the spans, which conversations to evaluate again, and evaluations that wait for a verdict
  // (waiting-evaluations.ts).
  `
  CREATE TABLE truths (
    conversation_id TEXT PRIMARY KEY,
    truth TEXT NOT NULL,
    put_at INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE revisits (conversation INTEGER PRIMARY KEY) STRICT;
  CREATE TABLE waiting_evaluations (
    id INTEGER PRIMARY KEY,
    conversation INTEGER NOT NULL,
    trace INTEGER NOT NULL,
    turn_id TEXT NOT NULL,
    suite TEXT NOT NULL,
    suite_version TEXT NOT NULL,
    scope TEXT NOT NULL,
    revision INTEGER NOT NULL,
    score INTEGER,
    outcome INTEGER NOT NULL,
    explanation TEXT NOT NULL,
    verdicts TEXT NOT NULL,
    labels TEXT NOT NULL,
    counted TEXT NOT NULL,
    waits_for TEXT NOT NULL,
    created_at INTEGER NOT NULL
  ) STRICT;
  CREATE UNIQUE INDEX waiting_evaluations_one ON waiting_evaluations (conversation, suite, turn_id);
  CREATE INDEX waiting_evaluations_trace ON waiting_evaluations (trace);
  `,
  // People's labels of judged criteria, and the judges' verdicts on the same (rules/labels.ts).
  `
  CREATE TABLE labels (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    conversation_id TEXT NOT NULL,
    turn_id TEXT NOT NULL,
    suite TEXT NOT NULL,
    criterion TEXT NOT NULL,
    person TEXT NOT NULL,
    label TEXT NOT NULL,
    note TEXT,
    put_at INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX labels_of ON labels (conversation_id, turn_id, suite, criterion, person);
  CREATE TABLE labelled_verdicts (
    conversation_id TEXT NOT NULL,
    turn_id TEXT NOT NULL,
    suite TEXT NOT NULL,
    criterion TEXT NOT NULL,
    judge_version TEXT NOT NULL,
    revision INTEGER NOT NULL,
    judge TEXT NOT NULL,
    verdict TEXT NOT NULL,
    noted_at INTEGER NOT NULL,
    PRIMARY KEY (conversation_id, turn_id, suite, criterion, judge_version, revision)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX labelled_verdicts_noted ON labelled_verdicts (noted_at);
  `,
  // The basis for weighing evaluations again (basis-codec.ts), and evaluations of suites in shadow, which are found by
  // their name.
  `
  ALTER TABLE evaluations ADD COLUMN basis TEXT;
  ALTER TABLE evaluations ADD COLUMN scored_at INTEGER;
  ALTER TABLE evaluations ADD COLUMN steps INTEGER;
  ALTER TABLE evaluations ADD COLUMN cost_nanos INTEGER;
  CREATE INDEX evaluations_shadow ON evaluations (suite, id) WHERE suite >= 'shadow:' AND suite < 'shadow;';
  `,
  // How much of the weight was decided, in millionths, what the decided criteria are about and how it ended:
  // places in ABOUTS and ENDINGS. And what it took, by which it can be taken out of what was counted.
  `
  ALTER TABLE evaluations ADD COLUMN decided_share INTEGER;
  ALTER TABLE evaluations ADD COLUMN about INTEGER;
  ALTER TABLE evaluations ADD COLUMN ending INTEGER;
  ALTER TABLE evaluations ADD COLUMN tokens INTEGER;
  ALTER TABLE evaluations ADD COLUMN duration_ms INTEGER;
  `,
  // When the turn closed that ends a conversation, while that waits for turns that are open.
  `
  ALTER TABLE conversations ADD COLUMN ended_at INTEGER;
  `,
  // Traces whose conversation was deleted and whose spans may still be redelivered (pruned-traces.ts).
  `
  CREATE TABLE pruned_traces (
    trace_id BLOB PRIMARY KEY,
    position REAL NOT NULL,
    closed_at INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX pruned_traces_closed ON pruned_traces (closed_at);
  `,
  // Outcomes of conversations in the world (reading-store.ts).
  `
  CREATE TABLE outcome_labels (
    conversation_id TEXT NOT NULL,
    label TEXT NOT NULL,
    good INTEGER NOT NULL,
    value TEXT,
    of_case TEXT,
    put_at INTEGER NOT NULL,
    PRIMARY KEY (conversation_id, label)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX outcome_labels_label ON outcome_labels (label, conversation_id);
  `,
  // The log time from which on a conversation is to be evaluated again; 0 is at once (revisits.ts).
  `
  ALTER TABLE revisits ADD COLUMN due_at INTEGER NOT NULL DEFAULT 0;
  CREATE INDEX revisits_due ON revisits (due_at, conversation);
  `,
  // Checksums of pieces of content (content-piece.ts); rows of before have none.
  `
  ALTER TABLE traces ADD COLUMN content_crc INTEGER;
  `,
  // For work that recurs every minute: each of these searches walked its whole table. That of conversations looks at
  // those that failed and are kept longer without reading their rows.
  `
  DROP INDEX conversations_updated;
  CREATE INDEX conversations_updated ON conversations (updated_at, worst_outcome, due_at);
  CREATE INDEX traces_content ON traces (content_file);
  CREATE INDEX truths_put ON truths (put_at);
  CREATE INDEX outcome_labels_put ON outcome_labels (put_at);
  CREATE INDEX questions_ended ON questions (ended_at) WHERE answered = 1;
  CREATE INDEX questions_unanswered ON questions (id) WHERE answered = 0;
  `,
  // Shown in lists: when a conversation was, the beginning of the first question and of the last answer.
  `
  ALTER TABLE conversations ADD COLUMN began_at INTEGER;
  ALTER TABLE conversations ADD COLUMN ceased_at INTEGER;
  ALTER TABLE conversations ADD COLUMN asked TEXT;
  ALTER TABLE conversations ADD COLUMN answered TEXT;
  `,
  // Evaluations by time (history.ts), which are read by suite and go by age.
  `
  CREATE TABLE history (
    width INTEGER NOT NULL,
    begins INTEGER NOT NULL,
    suite TEXT NOT NULL,
    agent TEXT NOT NULL,
    agent_version TEXT NOT NULL,
    environment TEXT NOT NULL,
    segment TEXT NOT NULL,
    outcome INTEGER NOT NULL,
    evaluations INTEGER NOT NULL,
    scored INTEGER NOT NULL,
    scores INTEGER NOT NULL,
    squares INTEGER NOT NULL,
    shared INTEGER NOT NULL,
    shares INTEGER NOT NULL,
    PRIMARY KEY (suite, width, begins, agent, agent_version, environment, segment, outcome)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX history_begins ON history (width, begins);
  `,
  // Forgetting (forgotten-rows.ts): hashes of what was forgotten and may still arrive, traces whose bytes the journal
  // has to lose, and pieces of content that no row refers to and that are to be overwritten. Which conversations a
  // question was asked for: its answer, kept for others, quotes them.
  `
  CREATE TABLE forgotten (
    key BLOB PRIMARY KEY,
    position REAL NOT NULL,
    at INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  ALTER TABLE pruned_traces ADD COLUMN forgotten INTEGER NOT NULL DEFAULT 0;
  CREATE INDEX pruned_traces_forgotten ON pruned_traces (trace_id) WHERE forgotten = 1;
  CREATE TABLE journal_wipes (trace_id BLOB PRIMARY KEY) STRICT, WITHOUT ROWID;
  CREATE TABLE content_wipes (
    id INTEGER PRIMARY KEY,
    file INTEGER NOT NULL,
    offset INTEGER NOT NULL,
    length INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX content_wipes_file ON content_wipes (file);
  CREATE TABLE asked_for (
    conversation INTEGER NOT NULL,
    question INTEGER NOT NULL,
    PRIMARY KEY (conversation, question)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX asked_for_question ON asked_for (question);
  `,
  // Words that were said, by conversation (word-rows.ts). Deleting overwrites. With detail = none as well, SQLite 3.53
  // breaks the index when rows are deleted.
  `
  CREATE VIRTUAL TABLE spoken USING fts5 (words, detail = column);
  INSERT INTO spoken (spoken, rank) VALUES ('secure-delete', 1);
  `,
  // For reviews of one criterion (rules/labels.ts).
  `
  CREATE INDEX labels_asked ON labels (suite, criterion, id);
  CREATE INDEX labelled_verdicts_asked ON labelled_verdicts (suite, criterion, noted_at);
  `,
  // For searches by outcomes that are failures (candidate-rows.ts): conversations without one pay nothing.
  `
  CREATE INDEX conversations_failed ON conversations (worst_outcome, id) WHERE worst_outcome > 0;
  `,
  // Words of conversations that go on (word-rows.ts).
  `
  CREATE TABLE open_words (conversation INTEGER PRIMARY KEY, words TEXT NOT NULL) STRICT;
  `,
  // Feedback of the agent's users (rules/said.ts), the polarity of each conversation for searches, and hashes of
  // conversations that retention deleted, so that feedback for one can be answered.
  `
  CREATE TABLE feedback (
    conversation_id TEXT NOT NULL,
    id TEXT NOT NULL,
    body TEXT NOT NULL,
    user_id TEXT,
    counted INTEGER NOT NULL DEFAULT 0,
    put_at INTEGER NOT NULL,
    PRIMARY KEY (conversation_id, id)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX feedback_put ON feedback (put_at);
  CREATE INDEX feedback_user ON feedback (user_id) WHERE user_id IS NOT NULL;
  ALTER TABLE conversations ADD COLUMN feedback INTEGER;
  CREATE INDEX conversations_feedback ON conversations (feedback, id) WHERE feedback IS NOT NULL;
  CREATE TABLE gone_conversations (key BLOB PRIMARY KEY, at INTEGER NOT NULL) STRICT, WITHOUT ROWID;
  CREATE INDEX gone_conversations_at ON gone_conversations (at);
  `,
  // The values of totals apart from their names (total-rows.ts): each commit changes many of them, and a page holds
  // hundreds of numbers, but only a dozen rows with their labels.
  `
  CREATE TABLE total_series (
    id INTEGER PRIMARY KEY,
    metric TEXT NOT NULL,
    labels TEXT NOT NULL,
    UNIQUE (metric, labels)
  ) STRICT;
  CREATE TABLE total_values (series INTEGER PRIMARY KEY, value REAL NOT NULL) STRICT;
  INSERT INTO total_series (metric, labels) SELECT metric, labels FROM totals ORDER BY metric, labels;
  INSERT INTO total_values SELECT s.id, t.value FROM totals t JOIN total_series s USING (metric, labels);
  DROP TABLE totals;
  CREATE VIEW totals AS SELECT s.metric, s.labels, v.value FROM total_series s JOIN total_values v ON v.series = s.id;
  `,
];
