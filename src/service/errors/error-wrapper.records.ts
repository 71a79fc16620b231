/** The body of an error response (Attack Path Analysis Service API, section Errors). */
export interface ErrorWrapper {
  /** 100 to 600. */
  http_status?: number;
  /** RFC 3339 date-time of the answer. */
  timestamp?: string;
  /** UUID of the failed request. */
  request_id?: string;
  errors?: {
    /** Where the error happened. */
    context?: string;
    message?: string;
  }[];
}
