import { AuthenticationError, IntegrationError, InvalidArgumentError } from '../../core/errors.ts';
import type { Emitter } from '../../observability/emitter.ts';
import { attemptLog } from '../call-log.ts';
import type { Credential, CredentialContext, CredentialRenewal, IssuedCredential } from '../credential.ts';
import { assertHeaderValue, type HttpRequest, type Middleware } from '../request.ts';

export interface AuthenticateOptions {
  /** The tenant that the credential belongs to. */
  readonly tenant?: string | undefined;
  /** Emits each use and each renewal. */
  readonly emitter?: Emitter | undefined;
}

/** Signs each attempt with the credential of that moment, and emits which one it was for the audit. */
export const authenticate = (credential: Credential, options: AuthenticateOptions = {}): Middleware => {
  const { emitter } = options;
  let before: IssuedCredential | undefined;

  const emitUse = (request: HttpRequest, issued: IssuedCredential) => {
    const state = before === undefined ? 'first' : isSame(before, issued) ? 'same' : 'renewed';
    before = issued;
    emitter?.emit({ type: 'credential-used', attempt: request.attempt, state, ...fieldsOf(credential, request) });
  };

  return async function authenticate(request, next) {
    let issued: IssuedCredential;
    try {
      issued = await credential.read(credentialContext(request, credential, options));
      for (const name of Object.keys(issued.headers)) assertHeaderValue(name, issued.headers[name]);
    } catch (error) {
      throw withoutCredential(request, error);
    }
    attemptLog(request).signed(issued);
    emitter?.hide(issued.secrets);
    if (emitter?.hasListeners()) emitUse(request, issued);
    return await next({ ...request, headers: { ...request.headers, ...issued.headers } });
  };
};

/** Returns what a credential source gets about the request that needs it. */
export const credentialContext = (
  request: HttpRequest,
  credential: Credential,
  { tenant, emitter }: AuthenticateOptions,
): CredentialContext => {
  const { operation, deadline, signal } = request;
  return {
    operation,
    deadline,
    signal,
    tenant,
    onRenewal: emitter && ((renewal) => emitRenewal(emitter, credential, request, renewal)),
  };
};

const emitRenewal = (
  emitter: Emitter,
  credential: Credential,
  request: HttpRequest,
  { because, durationMs, expiresInMs, failure, retryAfterMs }: CredentialRenewal,
): void => {
  const base = { ...fieldsOf(credential, request), because, durationMs };
  if (failure === undefined) emitter.emit({ type: 'credential-renewed', ...base, expiresInMs });
  else
    emitter.emit({
      type: 'credential-renewal-failed',
      ...base,
      reason: failure,
      retryAfterMs,
    });
};

const fieldsOf = ({ id = 'custom' }: Credential, { operation, callId }: HttpRequest) => ({
  credential: id,
  operation,
  callId,
});

const isSame = (one: IssuedCredential, other: IssuedCredential): boolean =>
  one === other ||
  (one.secrets.length === other.secrets.length &&
    one.secrets.every((secret, index) => secret === other.secrets[index]));

/** Returns the error of a request without a credential. */
const withoutCredential = ({ operation, signal }: HttpRequest, error: unknown): unknown => {
  if (signal.aborted) return signal.reason;
  if (error instanceof IntegrationError && error.code === AuthenticationError.code) return error;
  // Says which secret is missing, and never what it is.
  const problem = error instanceof InvalidArgumentError ? error.message : 'its source gave no usable credential';
  return new AuthenticationError(`${operation} was not sent: ${problem}`, {
    operation,
    original: error,
  });
};
