import type { FakeRequest, Handled } from './fake-request.ts';
import type { ApiName } from './operations.ts';
import type { ApiContext, IssuedTokens } from './pipeline.ts';

/**
 * Answers requests for tokens, with the faults that wait for `crm.oauth.token` or `messaging.oauth.token`; `undefined` for
 * every other request.
 */
export const createTokenHandler = (
  api: ApiName,
  { isAsked, answer }: IssuedTokens,
  { faults, onRequest }: ApiContext,
): ((request: FakeRequest) => Promise<Handled> | undefined) => {
  const operation = `${api === 'messaging' ? api : 'crm'}.oauth.token` as const;
  const handle = async (request: FakeRequest): Promise<Handled> => {
    const fault = faults.take(api, operation, '');
    const isAnswered = !fault || fault.executes;
    const usual = isAnswered ? await answer(request) : undefined;
    const status = fault?.status ?? usual?.status ?? 500;
    const body = fault?.status === undefined ? usual?.body : fault.body;
    onRequest({
      api,
      operation,
      method: request.method,
      path: request.url,
      headers: Object.fromEntries(Object.entries(request.headers).filter(([name]) => name !== 'authorization')),
      credential: 'missing',
      idempotencyKey: undefined,
      // Everything else in it is a secret.
      body: { grant_type: grantIn(request.body) },
      status,
      executed: usual?.status === 200,
      replayed: false,
      at: Date.now(),
    });
    return {
      status,
      headers: { 'content-type': 'application/json;charset=UTF-8', ...fault?.headers },
      body: body === undefined ? '' : JSON.stringify(body),
      latencyMs: fault?.latencyMs ?? 0,
      delivery: fault?.delivery ?? 'whole',
    };
  };
  return (request) => (isAsked(request) ? handle(request) : undefined);
};

/** Reads the grant of a form or of JSON. */
const grantIn = (body: string): string =>
  /"grant_type"\s*:\s*"(\w+)"/.exec(body)?.[1] ?? new URLSearchParams(body).get('grant_type') ?? '';
