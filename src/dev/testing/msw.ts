/**
 * The fake platform as handlers of msw. Needs `msw`.
 *
 * @module
 */
import { type HttpHandler, HttpResponse, http } from 'msw';
import { setTimer } from '../../core/timers.ts';
import type { Fault } from './faults.ts';
import type { Handled } from './fake-request.ts';
import type { ApiName } from './operations.ts';
import type { BaseUrls, FakePlatform } from './platform.ts';

/**
 * The addresses at which {@link handlers} answer by default. No such hosts exist (RFC 6761).
 *
 * @example
 * const version = { path: 'v1' };
 * const billing = createBillingClient({ baseUrl: mswBaseUrls.billing, authenticate, version, payments: { below: 5000 } });
 */
export const mswBaseUrls: BaseUrls = {
  messaging: 'https://messaging.test',
  crm: 'https://crm.test',
  billing: 'https://billing.test',
};

/**
 * Handlers for `setupServer` of `msw/node`, over the same contract and state as `platform.listen()`.
 *
 * msw replaces `fetch` and has no connection: of the faults it can do statuses, headers, `latencyMs`, a reset
 * before the headers, `executeThenDrop` and `unauthorizedUntilOtherCredential`. `platform.fault` throws for the others
 * once handlers were made; use `platform.listen()` for them. All resets look alike: a network error.
 *
 * @example
 * const platform = createFakePlatform();
 * const server = setupServer(...handlers(platform));
 * server.listen({ onUnhandledFrame: 'error' });
 */
export const handlers = (platform: FakePlatform, baseUrls: Partial<BaseUrls> = {}): HttpHandler[] => {
  platform.refuseFaults(problemOf);
  return (['messaging', 'crm', 'billing'] as const).map((api) =>
    handlerFor(platform, api, (baseUrls[api] ?? mswBaseUrls[api]).replace(/\/+$/, '')),
  );
};

const handlerFor = (platform: FakePlatform, api: ApiName, baseUrl: string): HttpHandler =>
  http.all(`${baseUrl}/*`, async ({ request }) => {
    const handled = platform.handle(api, {
      method: request.method,
      url: request.url.slice(baseUrl.length),
      headers: Object.fromEntries(request.headers),
      body: await request.text(),
    });
    await waited(handled.latencyMs);
    return toResponse(handled);
  });

const waited = (ms: number): Promise<void> =>
  ms > 0 ? new Promise((resolve) => void setTimer(resolve, ms)) : Promise.resolve();

const toResponse = ({ delivery, body, status, headers }: Handled) => {
  // msw joins what a body is made of, so bytes would arrive as one piece anyway.
  if (delivery !== 'whole' && delivery !== 'bytes') return HttpResponse.error();
  return new HttpResponse(body === '' ? null : body, { status, headers });
};

const problemOf = (fault: Fault): string | undefined => {
  if (fault === 'ok') return undefined;
  const is = (what: string) => `msw cannot ${what}: use platform.listen() for it`;
  if ('stall' in fault) return is('fall silent within an answer');
  if ('truncate' in fault) return is('end an answer in the middle');
  return 'reset' in fault && fault.reset === 'after-headers' ? is('reset a connection after the headers') : undefined;
};
