import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';

export interface Served extends AsyncDisposable {
  readonly url: string;
  /** Posts JSON, or a text as it is, and reads the answer. */
  post(body: unknown, options?: PostOptions): Promise<Posted>;
}

export interface PostOptions {
  readonly path?: string;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface Posted {
  readonly status: number;
  /** Parsed; the text when it is no JSON. */
  readonly body: unknown;
}

/** A web-standard handler behind a real HTTP server on loopback. The signal of a request aborts when its caller is gone. */
export const serve = async (handle: (request: Request) => Promise<Response>): Promise<Served> => {
  const server = createServer(async (incoming, outgoing) => {
    const gone = new AbortController();
    outgoing.once('close', () => gone.abort());
    const response = await handle(toRequest(incoming, gone.signal));
    outgoing.writeHead(response.status, Object.fromEntries(response.headers));
    outgoing.end(Buffer.from(await response.arrayBuffer()));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  return {
    url,
    post: async (body, { path = '/', method = 'POST', headers = {} } = {}) => {
      const text = typeof body === 'string' ? body : JSON.stringify(body);
      const response = await fetch(url + path, {
        method,
        headers: { 'content-type': 'application/json', ...headers },
        ...(method === 'GET' ? {} : { body: text }),
      });
      const answer = await response.text();
      return { status: response.status, body: parseOrText(answer) };
    },
    [Symbol.asyncDispose]: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
};

const toRequest = (incoming: IncomingMessage, signal: AbortSignal): Request => {
  const { method = 'GET', url = '/', headers } = incoming;
  const hasBody = method !== 'GET' && method !== 'HEAD';
  return new Request(new URL(url, 'http://127.0.0.1'), {
    method,
    signal,
    headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)])),
    ...(hasBody && { body: Readable.toWeb(incoming) as ReadableStream, duplex: 'half' }),
  });
};

const parseOrText = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
};
