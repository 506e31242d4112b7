import { http } from 'msw';
import { setupServer } from 'msw/node';
import type { RecordedRequest, RecordingServer, ScriptedAnswer } from './recording-server.ts';

/**
 * An API that msw answers for: a client reaches it on the default path, through ky and fetch, and without a socket. It
 * answers what the test says and keeps what it was sent.
 */
export const startMswServer = async (): Promise<RecordingServer> => {
  const requests: RecordedRequest[] = [];
  let script: readonly ScriptedAnswer[] = [{}];

  const server = setupServer(
    http.all(`${baseUrl}/*`, async ({ request }) => {
      const text = await request.text();
      const isJson = request.headers.get('content-type')?.includes('json');
      requests.push({
        line: `${request.method} ${request.url.slice(baseUrl.length)}`,
        headers: Object.fromEntries(request.headers),
        body: text === '' ? undefined : isJson ? JSON.parse(text) : text,
      });
      const { status = 200, json = status === 204 ? '' : {}, bytes } = script[0] ?? {};
      if (script.length > 1) script = script.slice(1);
      const body = bytes ?? (typeof json === 'string' ? json : JSON.stringify(json));
      const headers = { 'content-type': 'application/json' };
      return new Response(body.length === 0 ? null : new Uint8Array(Buffer.from(body)), { status, headers });
    }),
  );
  server.listen({ onUnhandledFrame: 'error' });

  return {
    baseUrl,
    requests,
    answer: (...answers) => {
      script = answers;
    },
    [Symbol.asyncDispose]: async () => server.close(),
  };
};

const baseUrl = 'https://api.test';
