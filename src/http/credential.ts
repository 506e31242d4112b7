import type { Deadline } from './request.ts';

/** What a credential is asked for. */
export interface CredentialContext {
  /** Such as `billing.payments.create`. */
  readonly operation: string;
  /** The client's `tenant`. */
  readonly tenant?: string | undefined;
  /** Of the call that needs it: asking for a token takes time from it. */
  readonly deadline: Deadline;
  /** Ends the wait of this caller; others may wait for the same token. */
  readonly signal: AbortSignal;
  /** Gets how a renewal ended that this request started. Absent without listeners. */
  readonly onRenewal?: ((renewal: CredentialRenewal) => void) | undefined;
}

/** How a credential was got, or was not. Nothing of it is secret. */
export interface CredentialRenewal {
  /** Why it was asked for: there was none, the old one comes to its end, or the API refused it. */
  readonly because: 'absent' | 'expiring' | 'rejected';
  readonly durationMs: number;
  /** How long the new one lives, if its issuer said so. */
  readonly expiresInMs?: number | undefined;
  /** Why there is no new one, such as `invalid_grant`. Absent when there is. */
  readonly failure?: string | undefined;
  /** How long no request asks again. */
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

/** Where requests get their credential from. Made by the functions of `voice-agent-integrations/auth`. */
export interface Credential {
  /** Its name in the audit events; not secret. @defaultValue 'custom' */
  readonly id?: string;
  /** Read before every attempt, so that a rotated secret is used at once. */
  read(context: CredentialContext): Promise<IssuedCredential>;
  /** After a 401: another credential than the rejected one, or `undefined` when there is none. */
  renew(rejected: IssuedCredential, context: CredentialContext): Promise<IssuedCredential | undefined>;
}
