import type { TokenCredential } from '../../auth/token-credential.ts';
import { AuthenticationError } from '../../core/errors.ts';
import { parseBaseUrl } from '../../http/base-url.ts';

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
