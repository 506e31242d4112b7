import { createServer, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A test's settings of an answer; 200 and an empty object by default. */
export interface ScriptedAnswer {
  readonly status?: number;
  /** Sent as JSON; a text is sent as it is. Nothing for `undefined`. */
  readonly json?: unknown;
  /** Sent instead, as they are. */
  readonly bytes?: Uint8Array;
  /** The connection ends without an answer. */
  readonly drops?: boolean;
}

/** A received request. */
export interface RecordedRequest {
  /** Method and target as in the request line. */
  readonly line: string;
  readonly headers: IncomingHttpHeaders;
  /** Parsed where it says that it's JSON; `undefined` when there was none. */
  readonly body: unknown;
}

export interface RecordingServer extends AsyncDisposable {
  readonly baseUrl: string;
  readonly requests: readonly RecordedRequest[];
  /** The next requests get these, one each; the last one stays. */
  answer(...answers: readonly [ScriptedAnswer, ...ScriptedAnswer[]]): void;
}

/** A well-behaved server on loopback that answers what the test says and keeps what it was sent. */
export const startRecordingServer = async (): Promise<RecordingServer> => {
  const requests: RecordedRequest[] = [];
  let script: readonly ScriptedAnswer[] = [{}];

  const server = createServer(async (request, response) => {
    let text = '';
    for await (const chunk of request.setEncoding('utf8')) text += chunk;
    requests.push({
      line: `${request.method} ${request.url}`,
      headers: request.headers,
      body: text === '' ? undefined : isJson(request) ? JSON.parse(text) : text,
    });
    const { status = 200, json = status === 204 ? '' : {}, bytes, drops } = script[0] ?? {};
    if (script.length > 1) script = script.slice(1);
    if (drops) return void request.socket.destroy();
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(bytes ?? (typeof json === 'string' ? json : JSON.stringify(json)));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));

  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    answer: (...answers) => {
      script = answers;
    },
    [Symbol.asyncDispose]: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
};

const isJson = ({ headers }: IncomingMessage) =>
  (headers['content-type'] ?? 'application/json').startsWith('application/json');
