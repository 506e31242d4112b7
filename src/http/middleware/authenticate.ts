import { AuthenticationError, isIntegrationError } from '../../errors.ts';
import type { Tell } from '../../observability/teller.ts';
import type { Credential, CredentialContext, CredentialRenewal, IssuedCredential } from '../credential.ts';
import { assertHeaderValue } from '../headers.ts';
import type { HttpRequest, Middleware } from '../request.ts';

export interface AuthenticateOptions {
  /** Whose credential it is. */
  readonly tenant?: string | undefined;
  /** Hears of each use and of each renewal; absent when nobody listens. */
  readonly tell?: Tell | undefined;
}

/** Signs each attempt with the credential of that moment, and tells the audit which one it was. */
export const authenticate = (credential: Credential, options: AuthenticateOptions = {}): Middleware => {
  const { tell } = options;
  let before: IssuedCredential | undefined;

  const tellUse = (request: HttpRequest, issued: IssuedCredential) => {
    const state = before === undefined ? 'first' : isSame(before, issued) ? 'same' : 'renewed';
    before = issued;
    tell?.({ type: 'credential-used', attempt: request.attempt, state, ...whose(credential, request) });
  };

  return async (request, next) => {
    let issued: IssuedCredential;
    try {
      issued = await credential.read(credentialContext(request, credential, options));
      for (const name of Object.keys(issued.headers)) assertHeaderValue(name, issued.headers[name]);
    } catch (error) {
      throw withoutCredential(request, error);
    }
    request.progress.credential = issued;
    request.sending.isSigned = true;
    tell?.hide(issued.secrets);
    if (tell?.isHeard('credential-used')) tellUse(request, issued);
    return await next({ ...request, headers: { ...request.headers, ...issued.headers } });
  };
};

/** What a credential source is told about the request that needs it. */
export const credentialContext = (
  request: HttpRequest,
  credential: Credential,
  { tenant, tell }: AuthenticateOptions,
): CredentialContext => {
  const { operation, deadline, signal } = request;
  return {
    operation,
    deadline,
    signal,
    ...(tenant === undefined ? {} : { tenant }),
    ...(tell === undefined ? {} : { onRenewal: (renewal) => tellRenewal(tell, credential, request, renewal) }),
  };
};

const tellRenewal = (
  tell: Tell,
  credential: Credential,
  request: HttpRequest,
  { because, durationMs, expiresInMs, failure, retryAfterMs }: CredentialRenewal,
): void => {
  const base = { ...whose(credential, request), because, durationMs };
  if (failure === undefined)
    tell({ type: 'credential-renewed', ...base, ...(expiresInMs === undefined ? {} : { expiresInMs }) });
  else
    tell({
      type: 'credential-renewal-failed',
      ...base,
      reason: failure,
      ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
    });
};

const whose = ({ id = 'custom' }: Credential, { operation, plan }: HttpRequest) => ({
  credential: id,
  operation,
  ...(plan.callId === undefined ? {} : { callId: plan.callId }),
});

const isSame = (one: IssuedCredential, other: IssuedCredential): boolean =>
  one === other ||
  (one.secrets.length === other.secrets.length &&
    one.secrets.every((secret, index) => secret === other.secrets[index]));

/** What the request ends with that has no credential. */
const withoutCredential = ({ operation, signal }: HttpRequest, error: unknown): unknown => {
  if (signal.aborted) return signal.reason;
  if (isIntegrationError(error) && error.code === AuthenticationError.code) return error;
  return new AuthenticationError(`${operation} was not sent: no usable credential could be had from its source`, {
    operation,
    original: error,
  });
};
