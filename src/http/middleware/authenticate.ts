import { AuthenticationError, isIntegrationError } from '../../errors.ts';
import type { Credential, CredentialContext } from '../credential.ts';
import { assertHeaderValue } from '../headers.ts';
import type { HttpRequest, Middleware } from '../request.ts';

/** Signs each attempt with the credential of that moment. */
export const authenticate =
  (credential: Credential, tenant?: string): Middleware =>
  async (request, next) => {
    const issued = await readCredential(credential, request, tenant);
    request.progress.credential = issued;
    return next({ ...request, headers: { ...request.headers, ...issued.headers } });
  };

/** What a credential source is told about the request that needs it. */
export const credentialContext = (
  { operation, deadline, signal }: HttpRequest,
  tenant: string | undefined,
): CredentialContext => ({ operation, deadline, signal, ...(tenant === undefined ? {} : { tenant }) });

const readCredential = async (credential: Credential, request: HttpRequest, tenant: string | undefined) => {
  const { operation } = request;
  try {
    const issued = await credential.read(credentialContext(request, tenant));
    for (const [name, value] of Object.entries(issued.headers)) assertHeaderValue(name, value);
    return issued;
  } catch (error) {
    if (request.signal.aborted) throw request.signal.reason;
    if (isIntegrationError(error) && error.code === AuthenticationError.code) throw error;
    throw new AuthenticationError(`${operation} was not sent: no usable credential could be had from its source`, {
      operation,
      original: error,
    });
  }
};
