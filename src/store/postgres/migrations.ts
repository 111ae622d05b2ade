/**
 * The tables of the first release in PostgreSQL, as the ordered list of its migrations. They are released: never edit
 * one, and add new ones to `schema.ts`.
 *
 * Large tables are partitioned by the day of writing (`days.ts`), so that deleting old rows is a drop. Row numbers come
 * from sequences and grow with time, so that new rows are adjacent in the indexes. Random keys (a trace's id, the hash
 * of a conversation's id) are indexed only where rows are looked up by them.
 *
 *   conversations   heads: one row each, whatever day it is
 *   arrivals        what the lanes filed; the bytes are written here and, unless late spans change them, nowhere else
 *   open_turns      turns that lanes have not closed yet and that name a conversation: small rows, gone when the turn is filed
 *   pending         the arrivals that wait to be scored: small rows, gone when that is done
 *   traces          the engine's view: which conversation a trace is in, at which revision; the bytes are its arrival's or its own
 *   evaluations     what was said, with the names of the criteria that failed in the row: searches come by conversation, and a
 *                   table of failed verdicts would be a row and an index entry for each
 *   evidence        by what turns without an id refer to one another, as filed: for whoever moves the cluster's time
 *   conversation_keys   the same as the engine has noted it, a row for each turn
 */
export const TABLES_OF_FIRST_RELEASE: readonly string[] = [
  `
  CREATE TABLE instances (
    id smallint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    name text NOT NULL UNIQUE,
    epoch bigint NOT NULL DEFAULT 0,
    judgings bigint NOT NULL DEFAULT 0
  ) WITH (fillfactor = 50);

  CREATE TABLE cluster (
    one boolean PRIMARY KEY DEFAULT true CHECK (one),
    id uuid NOT NULL DEFAULT gen_random_uuid(),
    log_time bigint,
    outbox_last bigint NOT NULL DEFAULT 0
  );
  INSERT INTO cluster DEFAULT VALUES;

  CREATE TABLE lanes (
    id int GENERATED ALWAYS AS IDENTITY UNIQUE,
    consumer_group text NOT NULL,
    lane int NOT NULL,
    topics text[] NOT NULL,
    epoch bigint NOT NULL DEFAULT 0,
    filings bigint NOT NULL DEFAULT 0,
    log_time bigint NOT NULL DEFAULT 0,
    positions text NOT NULL DEFAULT '{}',
    PRIMARY KEY (consumer_group, lane)
  ) WITH (fillfactor = 50);

  CREATE TABLE copies (
    instance smallint PRIMARY KEY,
    came_to bigint NOT NULL
  );

  CREATE TABLE days (
    day int PRIMARY KEY,
    lanes_time bigint NOT NULL
  );

  CREATE TABLE conversations (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    key uuid NOT NULL UNIQUE,
    conversation_id text NOT NULL,
    first_day int NOT NULL,
    agent text NOT NULL DEFAULT '',
    agent_version text NOT NULL DEFAULT '',
    environment text NOT NULL DEFAULT '',
    first_closed_at bigint,
    first_trace uuid,
    last_closed_at bigint NOT NULL DEFAULT 0,
    updated_at bigint NOT NULL,
    turns int NOT NULL DEFAULT 0,
    turns_evaluated int NOT NULL DEFAULT 0,
    due_at bigint,
    due_cause text,
    revision int NOT NULL DEFAULT 0,
    cause text,
    worst_outcome smallint NOT NULL DEFAULT 0,
    unscored_because text,
    home smallint
  ) WITH (fillfactor = 70);
  CREATE INDEX conversations_due ON conversations (due_at, id) WHERE due_at IS NOT NULL;

  CREATE TABLE conversation_groups (
    conversation bigint PRIMARY KEY,
    leader bigint NOT NULL
  );
  CREATE INDEX conversation_groups_leader ON conversation_groups (leader);

  CREATE SEQUENCE arrival_ids INCREMENT BY 1024;
  CREATE TABLE arrivals (
    day int NOT NULL,
    id bigint NOT NULL,
    trace_id uuid NOT NULL,
    conversation bigint NOT NULL,
    lane int NOT NULL,
    positions text NOT NULL,
    closed_at bigint NOT NULL,
    cause text NOT NULL,
    spans int NOT NULL,
    keys bytea,
    traces bytea NOT NULL,
    logs bytea
  ) PARTITION BY RANGE (day);
  CREATE INDEX arrivals_trace ON arrivals (trace_id);
  -- Compressed already where it pays.
  ALTER TABLE arrivals ALTER COLUMN traces SET STORAGE EXTERNAL, ALTER COLUMN logs SET STORAGE EXTERNAL;

  CREATE TABLE pending (
    home smallint NOT NULL,
    conversation bigint NOT NULL,
    closed_at bigint NOT NULL,
    day int NOT NULL,
    arrival bigint NOT NULL,
    trace_id uuid NOT NULL,
    bytes int NOT NULL,
    stands_alone boolean NOT NULL,
    is_named boolean NOT NULL,
    keys bytea,
    others bytea
  ) WITH (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 2000);
  CREATE INDEX pending_next ON pending (home, closed_at);
  CREATE INDEX pending_conversation ON pending (conversation);

  CREATE TABLE traces (
    day int NOT NULL,
    conversation bigint NOT NULL,
    trace_id uuid NOT NULL,
    arrival bigint NOT NULL,
    revision int NOT NULL,
    position double precision NOT NULL,
    first_closed_at bigint NOT NULL,
    closed_at bigint NOT NULL,
    spans int NOT NULL,
    bytes int NOT NULL,
    sealed boolean NOT NULL,
    cause text NOT NULL,
    traces bytea,
    logs bytea
  ) PARTITION BY RANGE (day);
  CREATE INDEX traces_conversation ON traces (conversation, trace_id);
  ALTER TABLE traces ALTER COLUMN traces SET STORAGE EXTERNAL, ALTER COLUMN logs SET STORAGE EXTERNAL;

  CREATE SEQUENCE evaluation_ids;
  CREATE TABLE evaluations (
    day int NOT NULL,
    id bigint NOT NULL DEFAULT nextval('evaluation_ids'),
    conversation bigint NOT NULL,
    trace_id uuid,
    turn_id text NOT NULL,
    suite text NOT NULL,
    suite_version text NOT NULL,
    revision int NOT NULL,
    score int,
    outcome smallint NOT NULL,
    explanation text NOT NULL,
    verdicts text NOT NULL,
    failed text[] NOT NULL,
    labels text NOT NULL,
    created_at bigint NOT NULL
  ) PARTITION BY RANGE (day);
  CREATE UNIQUE INDEX evaluations_once ON evaluations (conversation, turn_id, suite, revision, suite_version, day);

  -- What is kept for longer than its day has a negative day; what is written where nobody made a partition goes to the default.
  CREATE TABLE arrivals_kept PARTITION OF arrivals FOR VALUES FROM (MINVALUE) TO (0);
  CREATE TABLE arrivals_default PARTITION OF arrivals DEFAULT;
  CREATE TABLE traces_kept PARTITION OF traces FOR VALUES FROM (MINVALUE) TO (0);
  CREATE TABLE traces_default PARTITION OF traces DEFAULT;
  CREATE TABLE evaluations_kept PARTITION OF evaluations FOR VALUES FROM (MINVALUE) TO (0);
  CREATE TABLE evaluations_default PARTITION OF evaluations DEFAULT;
  CREATE INDEX arrivals_kept_conversation ON arrivals_kept (conversation);

  CREATE TABLE evidence (
    key bigint NOT NULL,
    wanted boolean NOT NULL,
    conversation bigint NOT NULL
  );
  CREATE INDEX evidence_key ON evidence (key);
  CREATE INDEX evidence_conversation ON evidence (conversation);

  CREATE TABLE conversation_keys (
    conversation bigint NOT NULL,
    has bytea NOT NULL,
    wants bytea NOT NULL
  );
  CREATE INDEX conversation_keys_conversation ON conversation_keys (conversation);

  CREATE TABLE totals (
    instance smallint NOT NULL,
    series uuid NOT NULL,
    metric text NOT NULL,
    labels text NOT NULL,
    value double precision NOT NULL,
    PRIMARY KEY (instance, series)
  ) WITH (fillfactor = 50);

  CREATE SEQUENCE outbox_ids;
  CREATE TABLE outbox_new (
    id bigint PRIMARY KEY DEFAULT nextval('outbox_ids'),
    key text NOT NULL,
    payload bytea NOT NULL
  );
  CREATE TABLE outbox (
    number bigint PRIMARY KEY,
    key text NOT NULL,
    payload bytea NOT NULL
  );
  `,
  // Which part of the traffic a conversation is, and when something was seen first, by whichever instance (first-times.ts).
  `
  ALTER TABLE conversations ADD COLUMN segment text;
  CREATE TABLE first_times (
    series uuid PRIMARY KEY,
    metric text NOT NULL,
    labels text NOT NULL,
    at double precision NOT NULL
  );
  `,
  // Evaluations that wait to be observed, and the state of whoever observes them (rules/detection.ts).
  `
  CREATE TABLE detection_queue (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    at bigint NOT NULL,
    evaluation text NOT NULL,
    payload text NOT NULL
  ) WITH (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 2000);
  CREATE INDEX detection_queue_next ON detection_queue (at, evaluation, id);
  CREATE TABLE detection (
    one boolean PRIMARY KEY DEFAULT true CHECK (one),
    version bigint NOT NULL DEFAULT 0,
    snapshot bytea
  );
  INSERT INTO detection DEFAULT VALUES;
  `,
  // Results of evaluations that wait for a backend (rules/results.ts).
  `
  CREATE TABLE result_queue (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    payload text NOT NULL
  ) WITH (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 2000);
  `,
  // Truth from outside the spans, which conversations to evaluate again, evaluations that wait for verdicts, and the
  // questions to judges that they wait for, with what was spent on them (rules/said.ts, waiting.ts, rules/questions.ts).
  `
  CREATE TABLE truths (
    key uuid PRIMARY KEY,
    conversation_id text NOT NULL,
    truth text NOT NULL,
    put_at bigint NOT NULL
  );
  CREATE SEQUENCE revisit_numbers;
  CREATE TABLE revisits (
    conversation bigint PRIMARY KEY,
    number bigint NOT NULL DEFAULT nextval('revisit_numbers')
  ) WITH (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 2000);
  CREATE INDEX revisits_number ON revisits (number);
  CREATE TABLE waiting_evaluations (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    conversation bigint NOT NULL,
    trace_id uuid,
    turn_id text NOT NULL,
    suite text NOT NULL,
    body text NOT NULL,
    UNIQUE (conversation, suite, turn_id)
  );
  CREATE TABLE questions (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    key bytea NOT NULL UNIQUE,
    judge text NOT NULL,
    priority double precision NOT NULL,
    asked_at bigint NOT NULL,
    request text NOT NULL,
    outcome text,
    answered boolean NOT NULL DEFAULT false,
    ended_at bigint
  );
  CREATE INDEX questions_waiting ON questions (judge, priority DESC, id) WHERE outcome IS NULL;
  CREATE TABLE judge_waits (
    waiter bigint NOT NULL,
    question bigint NOT NULL,
    PRIMARY KEY (waiter, question)
  );
  CREATE INDEX judge_waits_question ON judge_waits (question);
  CREATE TABLE judge_votes (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    question bigint NOT NULL,
    vote text NOT NULL
  );
  CREATE INDEX judge_votes_question ON judge_votes (question);
  CREATE TABLE judge_calls (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    question bigint NOT NULL,
    minute bigint NOT NULL,
    nanos bigint NOT NULL
  );
  CREATE TABLE judge_spending (
    minute bigint PRIMARY KEY,
    nanos bigint NOT NULL
  );
  `,
  // People's labels of judged criteria, and the judges' verdicts on the same (rules/labels.ts).
  `
  CREATE TABLE labels (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    conversation uuid NOT NULL,
    key uuid NOT NULL,
    conversation_id text NOT NULL,
    turn_id text NOT NULL,
    suite text NOT NULL,
    criterion text NOT NULL,
    person text NOT NULL,
    label text NOT NULL,
    note text,
    put_at bigint NOT NULL
  );
  CREATE INDEX labels_conversation ON labels (conversation);
  CREATE INDEX labels_key ON labels (key, id);
  CREATE TABLE labelled_verdicts (
    conversation uuid NOT NULL,
    key uuid NOT NULL,
    revision int NOT NULL,
    conversation_id text NOT NULL,
    turn_id text NOT NULL,
    suite text NOT NULL,
    criterion text NOT NULL,
    judge text NOT NULL,
    judge_version text NOT NULL,
    verdict text NOT NULL,
    noted_at bigint NOT NULL,
    PRIMARY KEY (key, revision)
  );
  CREATE INDEX labelled_verdicts_noted ON labelled_verdicts (noted_at);
  `,
  // The basis for weighing evaluations again (basis-codec.ts), and evaluations of suites in shadow, which are found by
  // their name.
  `
  ALTER TABLE evaluations ADD COLUMN basis text, ADD COLUMN scored_at bigint, ADD COLUMN steps int, ADD COLUMN cost_nanos bigint;
  CREATE INDEX evaluations_shadow ON evaluations (suite, id) WHERE left(suite, 7) = 'shadow:';
  `,
  // How much of the weight was decided, in millionths, what the decided criteria are about and how it ended:
  // places in ABOUTS and ENDINGS. And what it took, by which it can be taken out of what was counted.
  `
  ALTER TABLE evaluations ADD COLUMN decided_share int, ADD COLUMN about smallint, ADD COLUMN ending smallint,
    ADD COLUMN tokens bigint, ADD COLUMN duration_ms bigint;
  `,
  // When the turn closed that ends a conversation, and the turns that are open in any lane and name one: the end waits for them.
  `
  ALTER TABLE conversations ADD COLUMN ended_at bigint;
  ALTER TABLE pending ADD COLUMN named_at bigint;
  CREATE TABLE open_turns (
    trace_id uuid NOT NULL,
    conversation_hash int NOT NULL,
    named_at bigint NOT NULL,
    PRIMARY KEY (trace_id, conversation_hash)
  ) WITH (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 2000);
  CREATE INDEX open_turns_conversation ON open_turns (conversation_hash);
  `,
  // Traces whose conversation was deleted and whose spans may still be redelivered: an id and a time (retention.ts).
  `
  CREATE TABLE pruned_traces (
    trace_id uuid PRIMARY KEY,
    closed_at bigint NOT NULL
  );
  CREATE INDEX pruned_traces_closed ON pruned_traces (closed_at);
  `,
  // Outcomes of conversations in the world (rules/readings.ts).
  `
  CREATE TABLE outcome_labels (
    key uuid NOT NULL,
    label_key uuid NOT NULL,
    conversation_id text NOT NULL,
    label text NOT NULL,
    good boolean NOT NULL,
    value text,
    of_case text,
    put_at bigint NOT NULL,
    PRIMARY KEY (key, label_key)
  );
  CREATE INDEX outcome_labels_label ON outcome_labels (label_key, key);
  `,
  // The log time from which on a conversation is to be evaluated again; 0 is at once (working-revisits.ts).
  `
  ALTER TABLE revisits ADD COLUMN due_at bigint NOT NULL DEFAULT 0;
  DROP INDEX revisits_number;
  CREATE INDEX revisits_due ON revisits (due_at, number);
  `,
  // The clock of retention (retention-clock.ts).
  `
  CREATE TABLE retention_clock (
    one boolean PRIMARY KEY DEFAULT true CHECK (one),
    trusted bigint,
    held_wall bigint,
    held_ms bigint NOT NULL DEFAULT 0
  );
  INSERT INTO retention_clock DEFAULT VALUES;
  `,
  // Tokens of programs, of which only hashes are kept; what sessions of people are sealed with, and those that were ended (access.ts).
  `
  CREATE TABLE access_tokens (
    id text PRIMARY KEY,
    name text NOT NULL,
    role text NOT NULL,
    sha256 text NOT NULL,
    created_at bigint NOT NULL,
    created_by text NOT NULL,
    expires_at bigint,
    revoked_at bigint,
    revoked_by text
  );
  CREATE UNIQUE INDEX access_tokens_name ON access_tokens (name) WHERE revoked_at IS NULL;
  CREATE TABLE access_keys (
    name text PRIMARY KEY,
    value text NOT NULL
  );
  CREATE TABLE access_ended (
    what text PRIMARY KEY,
    at bigint NOT NULL
  );
  `,
  // Shown in lists: when a conversation was, the beginning of the first question and of the last answer.
  `
  ALTER TABLE conversations ADD COLUMN began_at bigint;
  ALTER TABLE conversations ADD COLUMN ceased_at bigint;
  ALTER TABLE conversations ADD COLUMN asked text;
  ALTER TABLE conversations ADD COLUMN answered text;
  `,
  // Evaluations by time (history.ts), each instance's own, so that none waits for another.
  `
  CREATE TABLE history (
    instance smallint NOT NULL,
    width bigint NOT NULL,
    begins bigint NOT NULL,
    suite text NOT NULL,
    agent text NOT NULL,
    agent_version text NOT NULL,
    environment text NOT NULL,
    segment text NOT NULL,
    outcome smallint NOT NULL,
    evaluations bigint NOT NULL,
    scored bigint NOT NULL,
    scores bigint NOT NULL,
    squares bigint NOT NULL,
    shared bigint NOT NULL,
    shares bigint NOT NULL,
    PRIMARY KEY (suite, width, begins, agent, agent_version, environment, segment, outcome, instance)
  );
  CREATE INDEX history_begins ON history (width, begins);
  `,
  // Ground truth and outcomes of conversations that never arrived are deleted by age (retention.ts).
  `
  CREATE INDEX truths_put ON truths (put_at);
  CREATE INDEX outcome_labels_put ON outcome_labels (put_at);
  `,
  // Conversations that were forgotten, as hashes, while spans of them may still arrive; and which conversations a
  // question was asked for, because its answer quotes them (forgetting.ts).
  `
  CREATE TABLE forgotten (key uuid PRIMARY KEY, at bigint NOT NULL);
  CREATE TABLE asked_for (conversation bigint NOT NULL, question bigint NOT NULL, PRIMARY KEY (conversation, question));
  CREATE INDEX asked_for_question ON asked_for (question);
  `,
  // Words that were said, by conversation (working-words.ts).
  `
  CREATE TABLE spoken (key uuid PRIMARY KEY, words tsvector NOT NULL);
  CREATE INDEX spoken_words ON spoken USING gin (words);
  `,
  // For reviews of one criterion (rules/labels.ts).
  `
  CREATE INDEX labels_asked ON labels (suite, criterion, id);
  CREATE INDEX labelled_verdicts_asked ON labelled_verdicts (suite, criterion, noted_at);
  `,
  // Feedback of the agent's users (rules/said.ts), the polarity of each conversation for searches, and conversations that
  // retention deleted, as hashes, so that feedback for one can be answered.
  `
  CREATE TABLE feedback (
    key uuid NOT NULL,
    conversation_id text NOT NULL,
    id text NOT NULL,
    body text NOT NULL,
    user_id text,
    counted boolean NOT NULL DEFAULT false,
    put_at bigint NOT NULL,
    PRIMARY KEY (key, id)
  );
  CREATE INDEX feedback_put ON feedback (put_at);
  CREATE INDEX feedback_user ON feedback (user_id) WHERE user_id IS NOT NULL;
  ALTER TABLE conversations ADD COLUMN feedback smallint;
  CREATE INDEX conversations_feedback ON conversations (feedback, id) WHERE feedback IS NOT NULL;
  CREATE TABLE gone_conversations (key uuid PRIMARY KEY, at bigint NOT NULL);
  CREATE INDEX gone_conversations_at ON gone_conversations (at);
  `,
];
