/** The data of `datapipe/status` (BloodHound API, docs/openapi.json). Instants are RFC 3339. */
export interface WireAnalysisStatus {
  /** `idle`, `ingesting` or `analyzing`. */
  status?: string;
  /** When the last analysis that ran to its end ended; year 1 when there was none. */
  last_complete_analysis_at?: string;
}

/** What the service says about its analysis, which is what makes findings. */
export interface AnalysisStatus {
  /** When the last analysis that ran to its end ended, as RFC 3339 text as received; null when there was none. */
  completedAt: string | null;
  /** Whether the service is neither ingesting nor analysing data. */
  idle: boolean;
}
