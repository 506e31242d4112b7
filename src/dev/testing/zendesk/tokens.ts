import type { FakeRequest } from '../fake-request.ts';
import { testConnectedApp } from '../salesforce/options.ts';
import type { Answer, IssuedTokens } from '../pipeline.ts';

/** The tokens that the fake account issues. */
export interface ZendeskTokens extends IssuedTokens {
  /** The scopes that a request needs and its token lacks; `undefined` if it has them, or has no scopes. */
  readonly missingScope: (token: string, method: string) => string | undefined;
}

interface Issued {
  readonly scopes: readonly string[];
  readonly endsAt: number;
}

/** The grant behind a refresh token. */
interface Refreshable {
  readonly scope: string;
  readonly accessToken?: string;
}

type Parameters = Readonly<Record<string, unknown>>;

/**
 * Zendesk's token endpoint for the test app. It takes JSON, as its page shows, and a form. It answers with `expires_in`
 * only if the request asks for a lifetime, and it takes each refresh token once.
 * Sources: developer.zendesk.com, OAuth tokens for grant types; NangoHQ/nango#6763 for `expires_in`; read 2026-11-27.
 */
export const createZendeskTokens = (): ZendeskTokens => {
  const issued = new Map<string, Issued>();
  const refreshable = new Map<string, Refreshable>(
    testConnectedApp.refreshTokens?.map((token) => [token, { scope: 'read write' }]),
  );
  let count = 0;

  const issue = (scope: string, { expires_in: asked }: Parameters) => {
    const accessToken = `zendesk-access-${++count}`;
    const seconds = asked === undefined ? usualSeconds : Number(asked);
    issued.set(accessToken, { scopes: scope.split(' '), endsAt: Date.now() + seconds * 1_000 });
    const expires_in = asked === undefined ? undefined : seconds;
    return { access_token: accessToken, token_type: 'bearer', scope, expires_in };
  };

  const refresh = (parameters: Parameters): Answer => {
    const { refresh_token: used } = parameters;
    const pair = typeof used === 'string' ? refreshable.get(used) : undefined;
    if (typeof used !== 'string' || !pair)
      return refusal(400, 'invalid_grant', 'The refresh token is invalid, expired, revoked or used already');
    refreshable.delete(used);
    if (pair.accessToken !== undefined) issued.delete(pair.accessToken);
    const token = issue(pair.scope, parameters);
    const refreshToken = `zendesk-refresh-${count}`;
    refreshable.set(refreshToken, { scope: pair.scope, accessToken: token.access_token });
    return { status: 200, body: { ...token, refresh_token: refreshToken, refresh_token_expires_in: 2_592_000 } };
  };

  return {
    isAsked: ({ url }) => url.split('?')[0] === '/oauth/tokens',
    answer: (request) => {
      const parameters = parametersIn(request);
      const refused = parameters ? refusalOf(request, parameters) : refusal(415, 'invalid_request', 'JSON or a form');
      if (!parameters || refused) return refused ?? refusal(400, 'invalid_request', 'no parameters');
      if (parameters['grant_type'] === 'refresh_token') return refresh(parameters);
      if (parameters['grant_type'] !== 'client_credentials')
        return refusal(400, 'unsupported_grant_type', 'The fake account knows client_credentials and refresh_token');
      const { scope } = parameters;
      if (typeof scope !== 'string' || !scope.split(' ').every((word) => knownScopes.includes(word)))
        return refusal(400, 'invalid_scope', 'The requested scope is invalid, unknown, or malformed.');
      return { status: 200, body: issue(scope, parameters) };
    },
    isValid: (token) => (issued.get(token)?.endsAt ?? 0) > Date.now(),
    missingScope: (token, method) => {
      const scopes = issued.get(token)?.scopes;
      if (!scopes) return undefined;
      // A token with write alone opens nothing.
      return ['read', ...(method === 'GET' ? [] : ['write'])].find((scope) => !scopes.includes(scope));
    },
    endAll: () => issued.clear(),
  };
};

const usualSeconds = 1_800;

/** Zendesk has finer ones, which the fake doesn't. */
const knownScopes = ['read', 'write', 'impersonate'];

const parametersIn = ({ headers, body }: FakeRequest): Parameters | undefined => {
  const type = headers['content-type'] ?? '';
  if (/^application\/x-www-form-urlencoded\s*(;|$)/i.test(type)) return Object.fromEntries(new URLSearchParams(body));
  if (!/^application\/json\s*(;|$)/i.test(type)) return undefined;
  try {
    return Object(JSON.parse(body)) as Parameters;
  } catch {
    return {};
  }
};

const refusalOf = ({ method, url }: FakeRequest, parameters: Parameters): Answer | undefined => {
  if (method !== 'POST') return refusal(405, 'invalid_request', 'only POST is allowed');
  if (url.includes('?')) return refusal(400, 'invalid_request', 'parameters belong into the body');
  const unknown = Object.keys(parameters).find((name) => !parameterNames.includes(name));
  if (unknown !== undefined) return refusal(400, 'invalid_request', `unknown parameter ${unknown}`);
  const { clientId, clientSecret } = testConnectedApp;
  if (parameters['client_id'] !== clientId || parameters['client_secret'] !== clientSecret)
    return refusal(401, 'invalid_client', 'Client authentication failed: unknown client, or no or a wrong secret');
  const wrong = Object.entries(lifetimes).find(([name, isAllowed]) => !isLifetime(parameters[name], isAllowed));
  return wrong && refusal(400, 'invalid_request', `${wrong[0]} is out of range`);
};

const parameterNames = [
  'client_id',
  'client_secret',
  'code',
  'code_verifier',
  'expires_in',
  'grant_type',
  'redirect_uri',
  'refresh_token',
  'refresh_token_expires_in',
  'scope',
];

/** In seconds. */
const lifetimes: Readonly<Record<string, (seconds: number) => boolean>> = {
  expires_in: (seconds) => seconds > 300 && seconds < 172_800,
  refresh_token_expires_in: (seconds) => seconds > 604_800 && seconds < 7_776_000,
};

const isLifetime = (value: unknown, isAllowed: (seconds: number) => boolean): boolean => {
  if (value === undefined) return true;
  const seconds = typeof value === 'string' && /^\d+$/.test(value) ? Number(value) : value;
  return typeof seconds === 'number' && Number.isInteger(seconds) && isAllowed(seconds);
};

const refusal = (status: number, error: string, error_description: string): Answer => ({
  status,
  body: { error, error_description },
});
