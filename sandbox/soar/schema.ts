/** Version of the tables below; a database of another version is refused, never guessed at. */
export const SCHEMA_VERSION = 1;

/** Times are epoch milliseconds; columns named `…_json` hold one JSON value. */
export const SCHEMA = `
CREATE TABLE packages (
  id TEXT PRIMARY KEY, identifier TEXT NOT NULL, version TEXT NOT NULL, sha256 TEXT NOT NULL,
  manifest_json TEXT NOT NULL, installed_at INTEGER NOT NULL
);
CREATE TABLE instances (
  id TEXT PRIMARY KEY, package_id TEXT NOT NULL REFERENCES packages (id), name TEXT NOT NULL,
  parameters_json TEXT NOT NULL, created_at INTEGER NOT NULL
);
CREATE TABLE connectors (
  id TEXT PRIMARY KEY, package_id TEXT NOT NULL REFERENCES packages (id), name TEXT NOT NULL,
  fields_json TEXT NOT NULL, state_json TEXT NOT NULL DEFAULT 'null',
  current_run TEXT, created_at INTEGER NOT NULL
);
CREATE TABLE runs (
  id TEXT PRIMARY KEY, kind TEXT NOT NULL, name TEXT NOT NULL, owner_id TEXT NOT NULL, test INTEGER NOT NULL,
  started_at INTEGER NOT NULL, ended_at INTEGER, status TEXT NOT NULL DEFAULT 'running', message TEXT NOT NULL DEFAULT '',
  alerts INTEGER NOT NULL DEFAULT 0, events INTEGER NOT NULL DEFAULT 0, repeated INTEGER NOT NULL DEFAULT 0
);
CREATE TABLE cases (
  id INTEGER PRIMARY KEY, title TEXT NOT NULL, status TEXT NOT NULL DEFAULT 'open', rule TEXT NOT NULL,
  source_grouping_identifier TEXT NOT NULL, environment_name TEXT NOT NULL, severity_rank INTEGER NOT NULL,
  opened_at INTEGER NOT NULL, updated_at INTEGER NOT NULL
);
CREATE INDEX cases_to_join ON cases (rule, source_grouping_identifier) WHERE status = 'open';
CREATE TABLE case_entities (
  case_id INTEGER NOT NULL REFERENCES cases (id), type TEXT NOT NULL, identifier TEXT NOT NULL, kind TEXT NOT NULL,
  PRIMARY KEY (case_id, type, identifier)
) WITHOUT ROWID;
CREATE TABLE alerts (
  key INTEGER PRIMARY KEY, connector_id TEXT NOT NULL REFERENCES connectors (id), id TEXT NOT NULL,
  run_id TEXT NOT NULL REFERENCES runs (id), case_id INTEGER NOT NULL REFERENCES cases (id),
  name TEXT NOT NULL, title TEXT NOT NULL, severity TEXT NOT NULL, severity_rank INTEGER NOT NULL, priority INTEGER NOT NULL,
  environment_id TEXT NOT NULL, environment_name TEXT NOT NULL, finding_type TEXT NOT NULL,
  start_time INTEGER NOT NULL, end_time INTEGER NOT NULL, alert_json TEXT NOT NULL, received_at INTEGER NOT NULL,
  UNIQUE (connector_id, id)
);
CREATE INDEX alerts_of_case ON alerts (case_id);
CREATE INDEX alerts_of_run ON alerts (run_id);
CREATE TABLE events (
  alert_key INTEGER NOT NULL REFERENCES alerts (key), position INTEGER NOT NULL, finding_id TEXT, event_json TEXT NOT NULL,
  PRIMARY KEY (alert_key, position)
) WITHOUT ROWID;
`;
