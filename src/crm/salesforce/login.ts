import { oneOf } from '../../core/option-checks.ts';
import { parseBaseUrl } from '../../http/base-url.ts';

/**
 * Where to log in: `production`, a `sandbox`, or your org's My Domain (`https://acme.my.salesforce.com`), which the
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
