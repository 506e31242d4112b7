/** All that was counted since the start, as plain data. */
export interface MetricsSnapshot {
  /** Milliseconds since 1970. */
  readonly since: number;
  /** When it was read. */
  readonly at: number;
  /** By API and operation. */
  readonly calls: readonly CallMetrics[];
  /** By tool. */
  readonly tools: readonly ToolMetrics[];
  /** By receiver and event. */
  readonly webhooks: readonly WebhookMetrics[];
  /** By destination and event. */
  readonly deliveries: readonly DeliveryMetrics[];
  /** By destination, read from the outboxes at this moment. */
  readonly destinations: readonly DestinationMetrics[];
  /** By API, or by destination of an outbox: what stands between the application and it. */
  readonly circuits: readonly CircuitMetrics[];
  /** By credential. */
  readonly credentials: readonly CredentialMetrics[];
}

/** How long something took. Percentiles are to two digits; `undefined` while there is none. */
export interface Latency {
  readonly count: number;
  readonly sumMs: number;
  readonly p50Ms: number | undefined;
  readonly p95Ms: number | undefined;
  readonly p99Ms: number | undefined;
  /** How many took no longer, each including the one before. */
  readonly buckets: readonly { readonly upToMs: number; readonly count: number }[];
}

/** How the uses of one endpoint went. */
export interface EndpointMetrics {
  /** Given when the metrics are kept per tenant. */
  readonly tenant?: string;
  readonly count: number;
  /** Of those that say something about the endpoint: a caller who hung up does not. 0 to 1. */
  readonly successRate: number | undefined;
  /** By the word for how they ended, such as `ok`, `rejected` or `handled`. */
  readonly outcomes: Readonly<Record<string, number>>;
  /** By type, such as `client_error` or `max_retries_exceeded/timeout`. */
  readonly errors: Readonly<Record<string, number>>;
  readonly latency: Latency;
}

/** How the calls of one operation went. */
export interface CallMetrics extends EndpointMetrics {
  readonly api: string;
  readonly operation: string;
  /** By what was waited for: `backoff`, `retry_after`, or `credential` after a 401. */
  readonly retries: Readonly<Record<string, number>>;
  /** Second attempts of slow reads. */
  readonly hedges: number;
  /** Reads that had their answer from another's request. */
  readonly shared: number;
  /** Calls that their deadline ended. */
  readonly deadlineMisses: number;
  /** Waits before requests, all together, by reason. */
  readonly waitedMs: Readonly<Record<string, number>>;
  /** The waits at the rate limit. */
  readonly rateLimitWait: Latency;
  /** How often a 429 kept everybody waiting. */
  readonly rateLimitPauses: number;
  /** Answers with fields that were not as typed. */
  readonly schemaDrifts: number;
  readonly versionWarnings: number;
}

/** How the runs of one tool went. */
export interface ToolMetrics extends EndpointMetrics {
  readonly tool: string;
  /** Results that were given again. */
  readonly replayed: number;
  /** Left out of answers by cutting them to size; estimated at three characters of JSON per token. */
  readonly tokensSaved: number;
}

/** How one event of one receiver was answered. */
export interface WebhookMetrics extends EndpointMetrics {
  readonly receiver: string;
  readonly event: string;
  /** Answered after more than 500 ms. */
  readonly slow: number;
}

/** How one event reached one destination of an outbox; the latency is of each attempt. */
export interface DeliveryMetrics extends EndpointMetrics {
  readonly destination: string;
  readonly event: string;
  /** Messages that were stored. */
  readonly published: number;
  /** Deliveries beyond the first of their message. */
  readonly retries: number;
  /** Messages that became dead letters. */
  readonly dead: number;
}

/** What waits for one destination, at this moment. Destinations of one name are counted together. */
export interface DestinationMetrics {
  readonly destination: string;
  /** Messages that are due. */
  readonly ready: number;
  /** Messages that are not due yet. */
  readonly delayed: number;
  /** Messages that a worker is delivering. */
  readonly leased: number;
  /** The depth of the dead letters. */
  readonly dead: number;
  /** Since the message that has waited longest was stored; 0 when none waits. */
  readonly oldestAgeMs: number;
  /** Since the oldest dead letter died; 0 when there is none. */
  readonly oldestDeadAgeMs: number;
  /** Nothing is sent until it is enabled. */
  readonly isDisabled: boolean;
}

/** How often the circuit breakers of one API opened, and how many are open at this moment. */
export interface CircuitMetrics {
  /** `billing`, or `outbox.crm` for a destination. */
  readonly circuit: string;
  /** How many are open right now: one per tenant. */
  readonly open: number;
  readonly halfOpen: number;
  /** How often one opened. */
  readonly opened: number;
}

/** How often one credential was fetched anew, and how often that failed. */
export interface CredentialMetrics {
  readonly api: string;
  /** Its id, such as `oauth-client-credentials`. */
  readonly credential: string;
  readonly renewals: number;
  readonly renewalFailures: number;
}
