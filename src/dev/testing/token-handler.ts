import type { FakeRequest, Handled, RecordedRequest } from './fake-request.ts';
import type { Faults } from './faults.ts';
import type { ApiName } from './operations.ts';

/** What a token endpoint says. */
export interface TokenAnswer {
  readonly status: number;
  readonly body: unknown;
}

/** Answers requests for tokens, with the faults that wait for `crm.oauth.token` or `messaging.oauth.token`. */
export const createTokenHandler =
  (
    answerTo: (request: FakeRequest) => TokenAnswer | Promise<TokenAnswer>,
    { faults, onRequest }: { readonly faults: Faults; readonly onRequest: (request: RecordedRequest) => void },
    api: Exclude<ApiName, 'billing'> = 'crm',
  ): ((request: FakeRequest) => Promise<Handled>) =>
  async (request) => {
    const operation = `${api}.oauth.token` as const;
    const fault = faults.take(api, operation, '');
    const isAnswered = !fault || fault.executes;
    const usual = isAnswered ? await answerTo(request) : undefined;
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

/** Of a form or of JSON. */
const grantIn = (body: string): string =>
  /"grant_type"\s*:\s*"(\w+)"/.exec(body)?.[1] ?? new URLSearchParams(body).get('grant_type') ?? '';
