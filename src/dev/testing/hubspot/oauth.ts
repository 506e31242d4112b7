import type { FakeRequest } from '../fake-request.ts';
import { testConnectedApp } from '../salesforce/options.ts';
import type { Answer, IssuedTokens } from '../pipeline.ts';
import { newestVersion } from '../../../crm/hubspot/versions.ts';

/** HubSpot's token endpoint, with the refresh tokens of the test app, and the access tokens that it has issued. */
export const createHubSpotTokens = (): IssuedTokens => {
  const expiries = new Map<string, number>();

  const issue = (refreshToken: string): Answer => {
    const token = `hubspot-access-${expiries.size + 1}`;
    expiries.set(token, Date.now() + livesForSeconds * 1_000);
    return {
      status: 200,
      body: {
        token_type: 'bearer',
        refresh_token: refreshToken,
        access_token: token,
        expires_in: livesForSeconds,
        hub_id: 1234567,
        user_id: 7654321,
        scopes: ['oauth', 'crm.objects.contacts.read'],
      },
    };
  };

  return {
    isAsked: ({ url }) => url.split('?')[0] === `/oauth/${newestVersion}/token`,
    isValid: (token) => (expiries.get(token) ?? 0) > Date.now(),
    endAll: () => {
      for (const token of expiries.keys()) expiries.set(token, 0);
    },
    answer: (request) => {
      const form = new URLSearchParams(request.body);
      return refusalOf(request, form) ?? issue(form.get('refresh_token') ?? '');
    },
  };
};

const livesForSeconds = 1_800;

const refusalOf = ({ method, url, headers }: FakeRequest, form: URLSearchParams): Answer | undefined => {
  if (method !== 'POST') return refusal('invalid_request', 'METHOD_NOT_ALLOWED', 'only POST is allowed', 405);
  if (!/^application\/x-www-form-urlencoded\s*(;|$)/i.test(headers['content-type'] ?? ''))
    return refusal('invalid_request', 'UNSUPPORTED_MEDIA_TYPE', 'the body must be a form', 415);
  if (url.includes('?')) return refusal('invalid_request', 'BAD_REQUEST', 'parameters belong into the body');
  const unknown = [...form.keys()].find((name) => !parameters.includes(name));
  if (unknown !== undefined) return refusal('invalid_request', 'BAD_REQUEST', `unknown parameter ${unknown}`);
  if (form.get('client_id') !== testConnectedApp.clientId)
    return refusal('invalid_client', 'BAD_CLIENT_ID', 'missing or unknown client id');
  if (form.get('client_secret') !== testConnectedApp.clientSecret)
    return refusal('invalid_client', 'BAD_CLIENT_SECRET', 'missing or invalid client secret');
  if (form.get('grant_type') !== 'refresh_token')
    return refusal('unsupported_grant_type', 'BAD_GRANT_TYPE', 'missing or unknown grant type');
  return testConnectedApp.refreshTokens?.includes(form.get('refresh_token') ?? '')
    ? undefined
    : refusal('invalid_grant', 'BAD_REFRESH_TOKEN', 'refresh token is invalid, expired or revoked');
};

const parameters = [
  'client_id',
  'client_secret',
  'code',
  'code_verifier',
  'grant_type',
  'redirect_uri',
  'refresh_token',
  'scope',
];

/** The fields of RFC 6749, and HubSpot's own. */
const refusal = (error: string, status: string, message: string, code = 400): Answer => ({
  status: code,
  body: { error, error_description: message, status, message },
});
