/** Version of the tables below; a database of another version is refused, never guessed at. */
export const SCHEMA_VERSION = 7;

/**
 * Times are epoch milliseconds; columns named `…_json` hold one JSON value. Numbers of alerts, events and entities stand in
 * the rows they belong to, so that no list has to count. Cases and runs are a record: they outlive the connector, the
 * instance and the package that they came from, so they refer to these by id only. The key of an event: see event-key.ts.
 */
export const SCHEMA = `
CREATE TABLE packages (
  id TEXT PRIMARY KEY, identifier TEXT NOT NULL, version TEXT NOT NULL, sha256 TEXT NOT NULL,
  manifest_json TEXT NOT NULL, installed_at INTEGER NOT NULL, in_use INTEGER NOT NULL DEFAULT 0
);
CREATE TABLE instances (
  id TEXT PRIMARY KEY, package_id TEXT NOT NULL REFERENCES packages (id), name TEXT NOT NULL,
  parameters_json TEXT NOT NULL, created_at INTEGER NOT NULL, last_test_json TEXT
);
CREATE TABLE connectors (
  id TEXT PRIMARY KEY, package_id TEXT NOT NULL REFERENCES packages (id), name TEXT NOT NULL, declared TEXT NOT NULL,
  fields_json TEXT NOT NULL, state_json TEXT NOT NULL DEFAULT 'null', enabled INTEGER NOT NULL DEFAULT 0,
  events INTEGER NOT NULL DEFAULT 0, current_run TEXT, created_at INTEGER NOT NULL
);
CREATE TABLE runs (
  id TEXT PRIMARY KEY, kind TEXT NOT NULL, name TEXT NOT NULL, owner_id TEXT NOT NULL, owner TEXT NOT NULL,
  package_id TEXT NOT NULL, test INTEGER NOT NULL, started_by TEXT NOT NULL, case_id INTEGER, alert_key INTEGER,
  started_at INTEGER NOT NULL, ended_at INTEGER, status TEXT NOT NULL DEFAULT 'running', message TEXT NOT NULL DEFAULT '',
  alerts INTEGER NOT NULL DEFAULT 0, events INTEGER NOT NULL DEFAULT 0, repeated INTEGER NOT NULL DEFAULT 0
);
CREATE INDEX runs_of_owner ON runs (owner_id);
CREATE INDEX runs_of_case ON runs (case_id) WHERE case_id IS NOT NULL;
CREATE TABLE run_details (
  run_id TEXT PRIMARY KEY REFERENCES runs (id), request_json TEXT NOT NULL DEFAULT 'null', outcome_json TEXT NOT NULL DEFAULT 'null'
) WITHOUT ROWID;
CREATE TABLE run_log (
  run_id TEXT NOT NULL, position INTEGER NOT NULL, at INTEGER NOT NULL, level TEXT NOT NULL, message TEXT NOT NULL,
  fields_json TEXT NOT NULL, PRIMARY KEY (run_id, position)
) WITHOUT ROWID;
CREATE TABLE run_requests (
  run_id TEXT NOT NULL, position INTEGER NOT NULL, trace_json TEXT NOT NULL, PRIMARY KEY (run_id, position)
) WITHOUT ROWID;
CREATE TABLE cases (
  id INTEGER PRIMARY KEY, title TEXT NOT NULL, status TEXT NOT NULL DEFAULT 'open', rule TEXT NOT NULL,
  because TEXT NOT NULL, source_grouping_identifier TEXT NOT NULL, environment_name TEXT NOT NULL,
  severity_rank INTEGER NOT NULL, priority INTEGER NOT NULL, priority_by_person INTEGER NOT NULL DEFAULT 0,
  alerts INTEGER NOT NULL DEFAULT 0,
  events INTEGER NOT NULL DEFAULT 0, entities INTEGER NOT NULL DEFAULT 0, opened_at INTEGER NOT NULL, updated_at INTEGER NOT NULL
);
CREATE INDEX cases_to_join ON cases (rule, source_grouping_identifier) WHERE status = 'open';
CREATE INDEX cases_by_severity ON cases (severity_rank, events);
CREATE INDEX cases_by_time ON cases (updated_at);
CREATE INDEX cases_by_events ON cases (events);
CREATE TABLE case_tags (
  case_id INTEGER NOT NULL REFERENCES cases (id), tag TEXT NOT NULL, PRIMARY KEY (case_id, tag)
) WITHOUT ROWID;
CREATE TABLE case_notes (
  id INTEGER PRIMARY KEY, case_id INTEGER NOT NULL REFERENCES cases (id), kind TEXT NOT NULL, by TEXT NOT NULL,
  at INTEGER NOT NULL, text TEXT NOT NULL
);
CREATE INDEX notes_of_case ON case_notes (case_id, kind);
CREATE TABLE case_entities (
  case_id INTEGER NOT NULL REFERENCES cases (id), type TEXT NOT NULL, identifier TEXT NOT NULL, kind TEXT NOT NULL,
  events INTEGER NOT NULL DEFAULT 0, PRIMARY KEY (case_id, type, identifier)
) WITHOUT ROWID;
CREATE INDEX entities_by_events ON case_entities (case_id, events);
CREATE TABLE alerts (
  key INTEGER PRIMARY KEY, connector_id TEXT NOT NULL, id TEXT NOT NULL,
  run_id TEXT NOT NULL REFERENCES runs (id), case_id INTEGER NOT NULL REFERENCES cases (id),
  name TEXT NOT NULL, title TEXT NOT NULL, severity TEXT NOT NULL, severity_rank INTEGER NOT NULL, priority INTEGER NOT NULL,
  environment_id TEXT NOT NULL, environment_name TEXT NOT NULL, finding_type TEXT NOT NULL,
  start_time INTEGER NOT NULL, end_time INTEGER NOT NULL, events INTEGER NOT NULL, alert_json TEXT NOT NULL,
  status TEXT NOT NULL DEFAULT 'open', closed_by TEXT, closed_at INTEGER, reopened_by TEXT,
  closed_with_case INTEGER NOT NULL DEFAULT 0,
  UNIQUE (connector_id, id)
);
CREATE INDEX alerts_of_case ON alerts (case_id, severity_rank);
CREATE INDEX alerts_of_run ON alerts (run_id);
CREATE INDEX alerts_by_status ON alerts (status, closed_at);
CREATE TABLE events (
  key INTEGER PRIMARY KEY, alert_key INTEGER NOT NULL REFERENCES alerts (key), position INTEGER NOT NULL,
  case_id INTEGER NOT NULL, finding_id TEXT, severity_rank INTEGER NOT NULL, title TEXT NOT NULL, source TEXT, target TEXT,
  risk_percentage REAL, created_at INTEGER, accepted INTEGER NOT NULL, UNIQUE (alert_key, position)
);
CREATE INDEX events_of_case ON events (case_id, key);
CREATE TABLE event_fields (event_key INTEGER PRIMARY KEY REFERENCES events (key), event_json TEXT NOT NULL);
CREATE VIRTUAL TABLE event_words USING fts5 (words, content = '', tokenize = 'unicode61', prefix = '1 2 3');
CREATE TABLE playbooks (identifier TEXT NOT NULL, name TEXT NOT NULL, enabled INTEGER NOT NULL, PRIMARY KEY (identifier, name));
CREATE TABLE playbook_queue (
  alert_key INTEGER NOT NULL REFERENCES alerts (key), identifier TEXT NOT NULL, name TEXT NOT NULL,
  PRIMARY KEY (alert_key, identifier, name)
) WITHOUT ROWID;
CREATE TABLE playbook_runs (
  id TEXT PRIMARY KEY, playbook TEXT NOT NULL, alert_key INTEGER NOT NULL, case_id INTEGER NOT NULL, started_by TEXT NOT NULL,
  status TEXT NOT NULL, started_at INTEGER NOT NULL, ended_at INTEGER, steps_json TEXT NOT NULL
);
CREATE INDEX playbook_runs_of_case ON playbook_runs (case_id);
`;
