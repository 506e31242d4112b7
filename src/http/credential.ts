import type { Deadline } from './request.ts';

/** The request that needs a credential. */
export interface CredentialContext {
  /** Such as `billing.payments.create`. */
  readonly operation: string;
  /** The client's `tenant`. */
  readonly tenant?: string | undefined;
  /** The deadline of the call: asking for a token takes time from it. */
  readonly deadline: Deadline;
  /** Ends the wait of this caller; others may wait for the same token. */
  readonly signal: AbortSignal;
  /** Gets how a renewal ended that this request started. Absent without listeners. */
  readonly onRenewal?: ((renewal: CredentialRenewal) => void) | undefined;
}

/** The result of a renewal. Nothing of it is secret. */
export interface CredentialRenewal {
  /** The reason for it: there was none, the old one comes to its end, or the API refused it. */
  readonly because: 'absent' | 'expiring' | 'rejected';
  readonly durationMs: number;
  /** The lifetime of the new one, if its issuer said so. */
  readonly expiresInMs?: number | undefined;
  /** The reason why there is no new one, such as `invalid_grant`. Absent when there is. */
  readonly failure?: string | undefined;
  /** The time for which no request asks again. */
  readonly retryAfterMs?: number | undefined;
}

/** A credential as it goes onto one request. */
export interface IssuedCredential {
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** The parts to mask wherever the API might repeat them. */
  readonly secrets: readonly string[];
  /** The environment variables to check when the API refuses it. */
  readonly variables?: readonly string[] | undefined;
}

/** The source of a credential. Made by the functions of `voice-agent-integrations/auth`. */
export interface Credential {
  /** Its name in the audit events; not secret. @defaultValue 'custom' */
  readonly id?: string;
  /** Read before every attempt, so that a rotated secret is used at once. */
  read(context: CredentialContext): Promise<IssuedCredential>;
  /** After a 401: another credential than the rejected one, or `undefined` when there is none. */
  renew(rejected: IssuedCredential, context: CredentialContext): Promise<IssuedCredential | undefined>;
}
