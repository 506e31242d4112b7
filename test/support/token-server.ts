import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { jwtVerify } from 'jose';
// Loaded when the first token is asked for; here before that, so that no test measures how long it takes.
import 'oauth4webapi';
import { until } from './until.ts';

/** A request for a token as it came in. */
export interface AskedForToken {
  readonly headers: IncomingMessage['headers'];
  readonly form: Readonly<Record<string, string>>;
}

/** The server's fault for one request. */
export type TokenFault = (response: ServerResponse) => void;

export interface TokenServerOptions {
  /** The secrets of the clients, by client id. @defaultValue `app-1` with `s3cret-client` */
  readonly clients?: Readonly<Record<string, string>>;
  /** A refresh token works once and gives the next one. @defaultValue false */
  readonly rotates?: boolean;
  /** `undefined`: it does not say. @defaultValue 3600 */
  readonly expiresIn?: unknown;
  /** Put into every answer. */
  readonly extra?: Readonly<Record<string, unknown>>;
  /** The field that holds the token. @defaultValue 'access_token' */
  readonly tokenField?: string;
  /** The claims of an assertion (RFC 7523, 3). */
  readonly assertion?: {
    readonly issuer: string;
    readonly subject: string;
    readonly audience: string;
    readonly now?: () => Date;
  };
}

/** A token endpoint on a real port of the loopback interface, with the grants that this package uses. */
export interface TokenServer extends AsyncDisposable {
  readonly endpoint: string;
  readonly origin: string;
  /** In order; also those that met a fault. */
  readonly asked: readonly AskedForToken[];
  /** Tokens that were given out, in order. */
  readonly issued: readonly string[];
  /** Resolves with the nth request, from 1. */
  readonly request: (n: number) => Promise<AskedForToken>;
  /** The next request meets it. */
  readonly fault: (...faults: readonly TokenFault[]) => void;
  /** Takes a refresh token back, or grants one. */
  readonly refreshTokens: Set<string>;
  readonly clients: Map<string, string>;
  readonly codes: Map<string, { readonly redirectUri: string; readonly codeChallenge?: string }>;
}

const keys = generateKeyPairSync('rsa', { modulusLength: 2048 });

/** The key that assertions are signed with; the server knows its public half. */
export const assertionKey: { readonly pem: string; readonly publicKey: KeyObject } = {
  pem: keys.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  publicKey: keys.publicKey,
};

/** @example await using server = await startTokenServer({ expiresIn: 60 }); */
export const startTokenServer = async (options: TokenServerOptions = {}): Promise<TokenServer> => {
  const { rotates = false, extra = {}, tokenField = 'access_token', assertion } = options;
  const expiresIn = 'expiresIn' in options ? options.expiresIn : 3600;
  const asked: AskedForToken[] = [];
  const issued: string[] = [];
  const faults: TokenFault[] = [];
  const clients = new Map(Object.entries(options.clients ?? { 'app-1': 's3cret-client' }));
  const refreshTokens = new Set(['refresh-1']);
  const codes: TokenServer['codes'] = new Map();
  let rotations = 1;

  const issue = (more: object = {}): object => {
    const token = `token-${issued.length + 1}`;
    issued.push(token);
    const expires = expiresIn === undefined ? {} : { expires_in: expiresIn };
    return { [tokenField]: token, token_type: 'Bearer', ...expires, ...extra, ...more };
  };

  const assertClient = ({ headers, form }: AskedForToken) => {
    const [id, secret] = headers.authorization?.startsWith('Basic ')
      ? Buffer.from(headers.authorization.slice(6), 'base64').toString().split(':').map(formDecode)
      : [form.client_id, form.client_secret];
    if (id === undefined || clients.get(id) !== (secret ?? '')) throw new Refusal('invalid_client', 401);
  };

  const grant = async (request: AskedForToken): Promise<object> => {
    const { form } = request;
    if (form.grant_type === 'urn:ietf:params:oauth:grant-type:jwt-bearer') {
      await jwtVerify(form.assertion ?? '', assertionKey.publicKey, {
        ...assertion,
        algorithms: ['RS256'],
        requiredClaims: ['exp'],
        ...(assertion?.now && { currentDate: assertion.now() }),
      }).catch(() => {
        throw new Refusal('invalid_grant');
      });
      return issue();
    }
    assertClient(request);
    if (form.grant_type === 'client_credentials') return issue();
    if (form.grant_type === 'refresh_token') {
      const token = form.refresh_token ?? '';
      if (!refreshTokens.has(token)) throw new Refusal('invalid_grant');
      if (!rotates) return issue();
      refreshTokens.delete(token);
      rotations += 1;
      refreshTokens.add(`refresh-${rotations}`);
      return issue({ refresh_token: `refresh-${rotations}` });
    }
    if (form.grant_type === 'authorization_code') {
      const code = codes.get(form.code ?? '');
      codes.delete(form.code ?? '');
      if (!code || code.redirectUri !== form.redirect_uri) throw new Refusal('invalid_grant');
      if (code.codeChallenge && code.codeChallenge !== (await challengeOf(form.code_verifier ?? '')))
        throw new Refusal('invalid_grant');
      return issue({ refresh_token: 'refresh-1' });
    }
    throw new Refusal('unsupported_grant_type');
  };

  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const form = Object.fromEntries(new URLSearchParams(Buffer.concat(chunks).toString()));
    const received = { headers: request.headers, form };
    asked.push(received);
    const fault = faults.shift();
    if (fault) return fault(response);
    try {
      json(200, await grant(received))(response);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      json(error.status, { error: error.message, error_description: `because of ${JSON.stringify(form)}` })(response);
    }
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  return {
    endpoint: `${origin}/oauth2/token`,
    origin,
    asked,
    issued,
    request: (n) => until(() => asked[n - 1]),
    fault: (...more) => void faults.push(...more),
    refreshTokens,
    clients,
    codes,
    [Symbol.asyncDispose]: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
};

class Refusal extends Error {
  readonly status: number;
  constructor(error: string, status = 400) {
    super(error);
    this.status = status;
  }
}

const formDecode = (text: string): string => decodeURIComponent(text.replaceAll('+', ' '));

const challengeOf = async (verifier: string): Promise<string> =>
  Buffer.from(await crypto.subtle.digest('SHA-256', Buffer.from(verifier))).toString('base64url');

/** Answers with this. */
export const json =
  (status: number, body: unknown, headers: Readonly<Record<string, string>> = {}): TokenFault =>
  (response) =>
    void response
      .writeHead(status, { 'content-type': 'application/json', ...headers })
      .end(typeof body === 'string' ? body : JSON.stringify(body));

/** Takes the request and never answers. */
export const hang: TokenFault = () => undefined;

/** Answers nothing and resets the connection. */
export const reset: TokenFault = (response) => void response.socket?.resetAndDestroy();

/** Begins an answer and never ends it. */
export const stall: TokenFault = (response) => void response.writeHead(200).write('{"access_token":');

/** Answers when the test says so. */
export const held = (
  answer: TokenFault,
): { readonly fault: TokenFault; readonly release: () => void; readonly isHolding: () => boolean } => {
  let waiting: ServerResponse | undefined;
  return {
    fault: (response) => {
      waiting = response;
    },
    isHolding: () => waiting !== undefined,
    release: () => waiting && answer(waiting),
  };
};
