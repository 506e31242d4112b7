/** ky as a thin fetch: what makes a request of options (`json`, `searchParams`, hooks) is gone. */
import type { KyInstance, Options } from 'ky';

export * from 'ky';

const send = (url: string | URL | Request, { fetch = globalThis.fetch, method, headers, body, signal }: Options = {}) =>
  fetch(url, {
    method: method ?? 'GET',
    headers: new Headers(Object.entries(headers ?? {}).filter(([, value]) => typeof value === 'string')),
    body: body ?? null,
    signal: signal ?? null,
    redirect: 'manual',
  });

const withShortcuts = Object.assign(send, {
  ...Object.fromEntries(
    ['get', 'post', 'put', 'patch', 'delete', 'head'].map((method) => [
      method,
      (url: string, options?: Options) => send(url, { ...options, method }),
    ]),
  ),
  create: () => withShortcuts,
  extend: () => withShortcuts,
}) as unknown as KyInstance; // Only what src calls is there.

export default withShortcuts;
