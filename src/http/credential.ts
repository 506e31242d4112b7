import type { Deadline } from './deadline.ts';

/** What a credential is asked for. */
export interface CredentialContext {
  readonly operation: string;
  readonly tenant?: string;
  readonly deadline: Deadline;
  readonly signal: AbortSignal;
}

/** A credential as it goes onto one request. */
export interface IssuedCredential {
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** The parts to mask wherever the API might repeat them. */
  readonly secrets: readonly string[];
}

/** Where requests get their credential from. Made by the functions of `voice-agent-integrations/auth`. */
export interface Credential {
  /** Read before every attempt, so that a rotated secret is used at once. */
  read(context: CredentialContext): Promise<IssuedCredential>;
  /** After a 401: another credential than the rejected one, or `undefined` when there is none. */
  renew(rejected: IssuedCredential, context: CredentialContext): Promise<IssuedCredential | undefined>;
}
