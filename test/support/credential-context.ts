import type { CredentialContext, CredentialRenewal, IssuedCredential } from '../../src/http/credential.ts';
import { deadlineIn } from '../../src/http/deadline.ts';

/** What a request tells the credential source, with whatever a test wants to be different. */
export const aContext = (different: Partial<CredentialContext> = {}): CredentialContext => ({
  operation: 'crm.leads.create',
  deadline: deadlineIn(8_000),
  signal: new AbortController().signal,
  ...different,
});

/** A context that writes down which renewals it began. */
export const aListener = (): { readonly context: CredentialContext; readonly heard: CredentialRenewal[] } => {
  const heard: CredentialRenewal[] = [];
  return { context: aContext({ onRenewal: (renewal) => heard.push(renewal) }), heard };
};

/** The token as it goes onto a request. */
export const tokenOf = ({ headers }: IssuedCredential): string | undefined =>
  headers.authorization?.replace(/^Bearer /, '');
