import { createJwtVerifier, type VerifyJwt } from '../../../auth/jwt.ts';
import type { FakeRequest } from '../fake-request.ts';
import type { Answer } from '../pipeline.ts';
import type { FakeConnectedApp } from './options.ts';

export const isTokenRequest = ({ url }: FakeRequest): boolean => url.split('?')[0] === '/services/oauth2/token';

/** An assertion may not live longer than this. */
const longestAssertionMs = 5 * 60_000;

/**
 * The token endpoint with three grants: client credentials, refresh token, and an assertion (RFC 7523). Really checks the
 * assertion's RS256 signature, issuer, audience, user and expiry. Returns no expiry and no refresh token.
 */
export const createTokenEndpoint = ({
  app,
  sessions,
}: {
  readonly app: FakeConnectedApp;
  readonly sessions: Sessions;
}): ((request: FakeRequest) => Promise<Answer>) => {
  const { clientId, publicKey } = app;
  const verifiers = publicKey ? audiences.map((audience) => verifierFor({ clientId, publicKey, audience })) : [];

  const refusalOf = async (grant: string, form: URLSearchParams, headers: FakeRequest['headers']) => {
    switch (grant) {
      case 'client_credentials':
        return clientProblem(app, form, headers, { secretNeeded: true });
      case 'refresh_token': {
        const known = app.refreshTokens?.includes(form.get('refresh_token') ?? '');
        return (
          clientProblem(app, form, headers, { secretNeeded: false }) ??
          (known ? undefined : refusal('invalid_grant', 'expired access/refresh token'))
        );
      }
      case jwtBearer:
        return assertionProblem(form.get('assertion') ?? '');
      default:
        return refusal('unsupported_grant_type', 'grant type not supported');
    }
  };

  const assertionProblem = async (assertion: string) => {
    const verified = await Promise.all(verifiers.map((verify) => verify(assertion)));
    const claims = verified.find((each) => each !== undefined);
    if (!claims) return refusal('invalid_grant', 'invalid assertion');
    if (claims.sub !== app.username) return refusal('invalid_grant', 'user hasn’t approved this consumer');
    const livesForMs = (claims.exp ?? Infinity) * 1000 - Date.now();
    return livesForMs > longestAssertionMs ? refusal('invalid_grant', 'assertion is valid for too long') : undefined;
  };

  return async ({ method, headers, body }) => {
    const form = new URLSearchParams(body);
    const grant = form.get('grant_type') ?? '';
    if (method !== 'POST') return { status: 405, body: [{ errorCode: 'METHOD_NOT_ALLOWED', message: method }] };
    const isForm = /^application\/x-www-form-urlencoded\s*(;|$)/i.test(headers['content-type'] ?? '');
    const refused = isForm
      ? await refusalOf(grant, form, headers)
      : refusal('unsupported_grant_type', 'grant type not supported');
    if (refused) return { status: 400, body: refused };
    return {
      status: 200,
      body: {
        access_token: sessions.issue(),
        instance_url: `http://${headers['host'] ?? ''}`,
        id: 'https://login.salesforce.com/id/00D000000000001AAA/005000000000001AAA',
        token_type: 'Bearer',
        issued_at: String(Date.now()),
        signature: 'c2lnbmF0dXJl',
        scope: 'api',
      },
    };
  };
};

const jwtBearer = 'urn:ietf:params:oauth:grant-type:jwt-bearer';

const audiences = ['https://login.salesforce.com', 'https://test.salesforce.com'];

const verifierFor = ({
  clientId,
  publicKey,
  audience,
}: Required<Pick<FakeConnectedApp, 'clientId' | 'publicKey'>> & {
  readonly audience: string;
}): VerifyJwt =>
  createJwtVerifier({
    issuer: clientId,
    audience,
    keys: { keys: [publicKey] },
    algorithms: ['RS256'],
    clockToleranceMs: 0,
  });

const clientProblem = (
  { clientId, clientSecret }: FakeConnectedApp,
  form: URLSearchParams,
  headers: FakeRequest['headers'],
  { secretNeeded }: { readonly secretNeeded: boolean },
) => {
  const given = basicClient(headers['authorization']) ?? [form.get('client_id'), form.get('client_secret')];
  if (given[0] !== clientId) return refusal('invalid_client_id', 'client identifier invalid');
  const isMissing = given[1] === null || given[1] === undefined;
  if (isMissing && !secretNeeded) return undefined;
  return clientSecret !== undefined && given[1] === clientSecret
    ? undefined
    : refusal('invalid_client', 'invalid client credentials');
};

/** RFC 6749, section 2.3.1. */
const basicClient = (header: string | undefined): readonly string[] | undefined => {
  const encoded = /^Basic +(\S+)$/i.exec(header ?? '')?.[1];
  return encoded === undefined
    ? undefined
    : Buffer.from(encoded, 'base64')
        .toString('utf8')
        .split(':')
        .map((part) => decodeURIComponent(part.replaceAll('+', ' ')));
};

const refusal = (error: string, error_description: string) => ({ error, error_description });

/** The tokens that the org has issued. */
interface Sessions {
  readonly issue: () => string;
  /** Returns true if the token opens the org. Each use keeps it open for as long again. */
  readonly isOpen: (token: string) => boolean;
  readonly endAll: () => void;
}

/** A session ends after a time without a request, not at a time that its token contains. */
export const createSessions = ({ idleMs }: { readonly idleMs: number }): Sessions => {
  const lastUsed = new Map<string, number>();
  let issued = 0;
  return {
    issue: () => {
      issued += 1;
      const token = `00D000000000001!SESSION.${issued}`;
      lastUsed.set(token, performance.now());
      return token;
    },
    isOpen: (token) => {
      const at = lastUsed.get(token);
      if (at === undefined || performance.now() - at >= idleMs) return false;
      lastUsed.set(token, performance.now());
      return true;
    },
    endAll: () => lastUsed.clear(),
  };
};
