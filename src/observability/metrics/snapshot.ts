/** Everything counted since the start, as plain data. */
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
  /** By API, or by destination of an outbox. */
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

/** How the calls of one endpoint went. */
export interface EndpointMetrics {
  readonly count: number;
  /** From 0 to 1. Callers who hung up don't count. */
  readonly successRate: number | undefined;
  /** By how they ended, such as `ok`, `rejected` or `handled`. */
  readonly outcomes: Readonly<Record<string, number>>;
  /** By type, such as `client_error` or `max_retries_exceeded/timeout`. */
  readonly errors: Readonly<Record<string, number>>;
  readonly latency: Latency;
}

/** Where metrics are counted per tenant. */
interface TenantLabel {
  readonly tenant?: string | undefined;
}

/** How the calls of one operation went. */
export interface CallMetrics extends EndpointMetrics, TenantLabel {
  readonly api: string;
  readonly operation: string;
  /** By what the retry waited for: `backoff`, `retry_after`, or `credential` after a 401. */
  readonly retries: Readonly<Record<string, number>>;
  /** Calls that their deadline ended. */
  readonly deadlineMisses: number;
  /** The sum of the waits before requests, by reason. */
  readonly waitedMs: Readonly<Record<string, number>>;
  /** The waits at the rate limit. */
  readonly rateLimitWait: Latency;
  /** How often a 429 paused all requests. */
  readonly rateLimitPauses: number;
  /** Answers with fields of another type. */
  readonly schemaDrifts: number;
  readonly versionWarnings: number;
}

/** How the runs of one tool went. */
export interface ToolMetrics extends EndpointMetrics, TenantLabel {
  readonly tool: string;
  /** Tool calls that got an earlier result. */
  readonly replayed: number;
  /** Left out of results to shorten them; an estimate of three characters of JSON per token. */
  readonly tokensSaved: number;
}

/** How one event at one receiver was answered. */
export interface WebhookMetrics extends EndpointMetrics, TenantLabel {
  readonly receiver: string;
  readonly event: string;
  /** Answered after more than 500 ms. */
  readonly slow: number;
}

/** How one event reached one destination of an outbox. The latency is per attempt. */
export interface DeliveryMetrics extends EndpointMetrics, TenantLabel {
  readonly destination: string;
  readonly event: string;
  /** Messages that were stored. */
  readonly published: number;
  /** Deliveries beyond the first of their message. */
  readonly retries: number;
  /** Messages that became dead letters. */
  readonly dead: number;
}

/** What waits for one destination now. Destinations with the same name are counted together. */
export interface DestinationMetrics {
  readonly destination: string;
  /** Messages that are due. */
  readonly ready: number;
  /** Messages that are not due yet. */
  readonly delayed: number;
  /** Messages that a worker is delivering. */
  readonly leased: number;
  /** Dead letters. */
  readonly dead: number;
  /** How long the oldest message has waited; 0 when none waits. */
  readonly oldestAgeMs: number;
  /** How long ago the oldest dead letter died; 0 when there is none. */
  readonly oldestDeadAgeMs: number;
  /** Nothing is sent until you enable it. */
  readonly isDisabled: boolean;
}

/** How often the circuit breakers of one API opened, and how many are open now. */
export interface CircuitMetrics {
  /** `billing`, or `outbox.crm` for a destination. */
  readonly circuit: string;
  /** How many are open now: one per tenant. */
  readonly open: number;
  readonly halfOpen: number;
  /** How often one opened. */
  readonly opened: number;
}

/** How often one credential was renewed, and how often that failed. */
export interface CredentialMetrics {
  readonly api: string;
  /** Its id, such as `oauth-client-credentials`. */
  readonly credential: string;
  readonly renewals: number;
  readonly renewalFailures: number;
}
