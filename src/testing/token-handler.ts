import type { FakeRequest, Handled, RecordedRequest } from './fake-request.ts';
import type { Faults } from './faults.ts';

/** What a token endpoint says. */
export interface TokenAnswer {
  readonly status: number;
  readonly body: unknown;
}

/** Answers requests for tokens, with the faults that wait for `crm.oauth.token`. */
export const createTokenHandler =
  (
    answerTo: (request: FakeRequest) => TokenAnswer | Promise<TokenAnswer>,
    { faults, onRequest }: { readonly faults: Faults; readonly onRequest: (request: RecordedRequest) => void },
  ): ((request: FakeRequest) => Promise<Handled>) =>
  async (request) => {
    const fault = faults.take('crm', 'crm.oauth.token', '');
    const isAnswered = !fault || fault.executes;
    const usual = isAnswered ? await answerTo(request) : undefined;
    const status = fault?.status ?? usual?.status ?? 500;
    const body = fault?.status === undefined ? usual?.body : fault.body;
    onRequest({
      api: 'crm',
      operation: 'crm.oauth.token',
      method: request.method,
      path: request.url,
      headers: Object.fromEntries(Object.entries(request.headers).filter(([name]) => name !== 'authorization')),
      credential: 'missing',
      idempotencyKey: undefined,
      // Everything else in it is a secret.
      body: { grant_type: new URLSearchParams(request.body).get('grant_type') ?? '' },
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
