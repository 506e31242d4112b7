import type { TokenCredential } from '../../auth/token-credential.ts';
import { AuthenticationError } from '../../core/errors.ts';
import { oneOf } from '../../core/option-checks.ts';
import { parseBaseUrl } from '../../http/base-url.ts';

/**
 * The place to log in: `production`, a `sandbox`, or your org's My Domain (`https://acme.my.salesforce.com`), which the
 * client-credentials grant needs. Spread it into `jwtBearer` or `oauthClientCredentials`.
 * Throws `InvalidArgumentError` for what is no address.
 *
 * @example
 * const authenticate = jwtBearer({ ...salesforceLogin('sandbox'), clientId, subject, privateKey });
 */
export const salesforceLogin = (
  to: 'production' | 'sandbox' | `https://${string}`,
): { readonly tokenEndpoint: string; readonly audience: string } => {
  if (to === 'production') return at('https://login.salesforce.com', 'https://login.salesforce.com');
  if (to === 'sandbox') return at('https://test.salesforce.com', 'https://test.salesforce.com');
  try {
    parseBaseUrl(to, { allowInsecure: false });
  } catch {
    oneOf<string>(to ?? null, 'login', ['production', 'sandbox'], 'the https address of your org')();
  }
  const { origin, hostname } = new URL(to);
  const isSandbox = hostname.includes('.sandbox.') || hostname === 'test.salesforce.com';
  return at(origin, isSandbox ? 'https://test.salesforce.com' : 'https://login.salesforce.com');
};

const at = (origin: string, audience: string) => ({ tokenEndpoint: `${origin}/services/oauth2/token`, audience });

/**
 * The address of the org, as Salesforce returns it with the token: the `baseUrl` of the client. Asks for a token where
 * there is none yet. Throws `AuthenticationError` when none is available or it names no usable address.
 *
 * @example
 * const authenticate = jwtBearer(connectedApp);
 * const crm = createCrmClient({ ...salesforce(), authenticate, baseUrl: await instanceUrl(authenticate) });
 */
export const instanceUrl = async (
  { tokenDetails }: Pick<TokenCredential, 'tokenDetails'>,
  options?: Parameters<TokenCredential['tokenDetails']>[0],
): Promise<string> => {
  const { instance_url: url } = await tokenDetails(options);
  try {
    parseBaseUrl(String(url), { allowInsecure: false });
    return String(url);
  } catch {
    throw new AuthenticationError('the answer of the token endpoint names no instance_url that can be used');
  }
};
