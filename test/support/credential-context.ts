import type { CredentialContext, CredentialRenewal, IssuedCredential } from '../../src/http/credential.ts';
import { deadlineIn } from '../../src/http/deadline.ts';

/** The context of a credential source, with a test's changes. */
export const aContext = (different: Partial<CredentialContext> = {}): CredentialContext => ({
  operation: 'crm.leads.create',
  deadline: deadlineIn(8_000),
  signal: new AbortController().signal,
  ...different,
});

/** A context that writes down which renewals it began. */
export const aListener = (): { readonly context: CredentialContext; readonly renewals: CredentialRenewal[] } => {
  const renewals: CredentialRenewal[] = [];
  return { context: aContext({ onRenewal: (renewal) => renewals.push(renewal) }), renewals };
};

/** The token as it goes onto a request. */
export const tokenOf = ({ headers }: IssuedCredential): string | undefined =>
  headers.authorization?.replace(/^Bearer /, '');
