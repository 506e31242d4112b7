import { createServer, type AddressInfo, type Socket } from 'node:net';
import { createSecureContext, TLSSocket } from 'node:tls';
import type { Identity } from './certificates.ts';

/** A request as its bytes said it. */
export interface ReceivedRequest {
  readonly method: string;
  readonly url: string;
  /** Names in lower case; of a doubled one the last. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** 1 for the first connection of this server. */
  readonly connection: number;
}

/** The server's behaviour towards one request. It may write anything, late, partly, or nothing at all. */
export type Reply = (socket: Socket, request: ReceivedRequest) => void | Promise<void>;

/** A server that speaks HTTP as badly as a test asks, on a free port of the loopback interface. */
export interface FaultServer extends AsyncDisposable {
  readonly origin: string;
  /** Everything that came in completely, in order. */
  readonly requests: readonly ReceivedRequest[];
  /** Resolves with the nth request (from 1) when it has come in completely. */
  readonly request: (n: number) => Promise<ReceivedRequest>;
  /** Resolves when the nth connection (from 1) is gone, from whichever end. */
  readonly closed: (n: number) => Promise<void>;
  /** Connections made so far. */
  readonly connections: () => number;
  readonly close: () => Promise<void>;
}

/**
 * Starts a {@link FaultServer}. Request after request gets the next reply; the last reply stays.
 *
 * @example
 * await using server = await startFaultServer(resetBeforeAnswer, answer({ body: '{}' }));
 */
export const startFaultServer: StartFaultServer = (...replies) => start(replies, { scheme: 'http', wrap: asItIs });

export type StartFaultServer = (...replies: readonly [Reply, ...Reply[]]) => Promise<FaultServer>;

/** The same behind TLS. */
export const faultServerOverTls =
  ({ certificate, key }: Identity): StartFaultServer =>
  (...replies) =>
    start(replies, { scheme: 'https', wrap: (raw) => overTls(raw, { certificate, key }) });

const asItIs = (socket: Socket): Socket => socket;

const overTls = (raw: Socket, { certificate, key }: Identity): Socket => {
  raw.on('error', () => undefined);
  const secureContext = createSecureContext({ cert: certificate, key });
  const secure = new TLSSocket(raw, { isServer: true, secureContext });
  secure.resetAndDestroy = () => {
    raw.resetAndDestroy();
    return secure;
  };
  return secure;
};

const start = async (
  replies: readonly [Reply, ...Reply[]],
  { scheme, wrap }: { scheme: string; wrap: (socket: Socket) => Socket },
): Promise<FaultServer> => {
  const requests: ReceivedRequest[] = [];
  const sockets: Socket[] = [];
  const gone = new Set<number>();
  const waiting = new Set<() => void>();

  const changed = () => {
    for (const check of waiting) check();
  };
  const until = <T>(find: () => T | undefined): Promise<T> =>
    new Promise((resolve) => {
      const check = () => {
        const found = find();
        if (found === undefined) return;
        waiting.delete(check);
        resolve(found);
      };
      waiting.add(check);
      check();
    });

  const server = createServer((raw) => {
    const socket = wrap(raw);
    const connection = sockets.push(socket);
    socket.setNoDelay(true);
    // The other end resetting the connection is what many tests are about.
    socket.on('error', () => undefined);
    socket.on('close', () => {
      gone.add(connection);
      changed();
    });
    readRequests(socket, (received) => {
      const request = { ...received, connection };
      const reply = replies[Math.min(requests.length, replies.length - 1)] ?? replies[0];
      requests.push(request);
      changed();
      void reply(socket, request);
    });
  });

  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      for (const socket of sockets) socket.destroy();
    });

  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;

  return {
    origin: `${scheme}://127.0.0.1:${port}`,
    requests,
    request: (n) => until(() => requests[n - 1]),
    closed: (n) => until(() => (gone.has(n) ? true : undefined)).then(() => undefined),
    connections: () => sockets.length,
    close,
    [Symbol.asyncDispose]: close,
  };
};

export interface Answer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
}

/** The bytes of a complete and correct answer. */
export const answerBytes = ({ status = 200, headers = {}, body = '' }: Answer = {}): Buffer => {
  const bytes = typeof body === 'string' ? Buffer.from(body) : body;
  const hasBody = status >= 200 && status !== 204 && status !== 304;
  return Buffer.concat([
    head(status, {
      'content-type': 'application/json',
      ...(hasBody ? { 'content-length': `${bytes.length}` } : {}),
      ...headers,
    }),
    bytes,
  ]);
};

/** Status line and headers, with the empty line behind them. */
export const head = (status: number, headers: Readonly<Record<string, string>> = {}): Buffer =>
  Buffer.from(
    `HTTP/1.1 ${status} Any\r\n${Object.entries(headers)
      .map(([name, value]) => `${name}: ${value}\r\n`)
      .join('')}\r\n`,
    'latin1',
  );

/** Answers as a well-behaved server does, and keeps the connection. */
export const answer = (given?: Answer): Reply => bytes(answerBytes(given));

/** Writes exactly these bytes, whatever they are. */
export const bytes =
  (...parts: readonly (string | Uint8Array)[]): Reply =>
  (socket) =>
    void socket.write(Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : part))));

/** Answers when the test says so, and not before. */
export const held = (given?: Answer): { readonly reply: Reply; readonly release: () => void } => {
  let release = () => {};
  return {
    reply: (socket) => {
      release = () => void socket.write(answerBytes(given));
    },
    release: () => release(),
  };
};

/** Takes the request and says nothing. */
export const silence: Reply = () => undefined;

/** Resets the connection before a byte of the answer. */
export const resetBeforeAnswer: Reply = (socket) => void socket.resetAndDestroy();

/** Closes the connection in good order before a byte of the answer, as a server does whose keep-alive time is over. */
export const closeBeforeAnswer: Reply = (socket) => void socket.end();

/** Writes these bytes, and once they have left resets the connection. */
export const resetAfter =
  (part: string | Uint8Array): Reply =>
  (socket) =>
    void socket.write(part, () => socket.resetAndDestroy());

/** Writes these bytes and closes the connection in good order. */
export const closeAfter =
  (part: string | Uint8Array): Reply =>
  (socket) =>
    void socket.end(part);

/** Writes `first`, and then `again` over and over, until the connection is gone. */
export const drip =
  (first: string | Uint8Array, again: string | Uint8Array): Reply =>
  (socket) => {
    socket.write(first);
    const timer = setInterval(() => socket.write(again), 2);
    socket.once('close', () => clearInterval(timer));
  };

/** Writes a head and then chunk after chunk, as fast as the other end takes them, until all are sent or it is gone. */
export const stream =
  (first: Uint8Array, chunks: () => Iterable<Uint8Array> | AsyncIterable<Uint8Array>): Reply =>
  async (socket) => {
    socket.write(first);
    for await (const chunk of chunks()) {
      if (socket.destroyed) return;
      if (!socket.write(chunk)) await drainedOrGone(socket);
    }
  };

const drainedOrGone = (socket: Socket): Promise<void> =>
  new Promise((resolve) => {
    const done = () => {
      socket.off('drain', done);
      socket.off('close', done);
      resolve();
    };
    socket.once('drain', done);
    socket.once('close', done);
  });

/** Reads requests with a `content-length`, a chunked body or none, several on one connection too. */
const readRequests = (socket: Socket, onRequest: (request: Omit<ReceivedRequest, 'connection'>) => void): void => {
  let pending = '';
  socket.setEncoding('latin1');
  socket.on('data', (chunk: string) => {
    pending += chunk;
    for (let parsed = parseRequest(pending); parsed; parsed = parseRequest(pending)) {
      pending = pending.slice(parsed.length);
      onRequest(parsed.request);
    }
  });
};

const parseRequest = (text: string): { request: Omit<ReceivedRequest, 'connection'>; length: number } | undefined => {
  const endOfHead = text.indexOf('\r\n\r\n');
  if (endOfHead < 0) return undefined;
  const [line = '', ...lines] = text.slice(0, endOfHead).split('\r\n');
  const [method = '', url = ''] = line.split(' ');
  const headers = Object.fromEntries(
    lines.map((header) => {
      const colon = header.indexOf(':');
      return [header.slice(0, colon).toLowerCase(), header.slice(colon + 1).trim()];
    }),
  );
  const rest = text.slice(endOfHead + 4);
  const body = headers['transfer-encoding'] === 'chunked' ? chunkedBody(rest) : plainBody(rest, headers);
  if (!body) return undefined;
  const request = { method, url, headers, body: Buffer.from(body.text, 'latin1').toString() };
  return { request, length: endOfHead + 4 + body.length };
};

interface Body {
  readonly text: string;
  /** The number of bytes of the request. */
  readonly length: number;
}

const plainBody = (rest: string, headers: Readonly<Record<string, string>>): Body | undefined => {
  const length = Number(headers['content-length'] ?? 0);
  return rest.length < length ? undefined : { text: rest.slice(0, length), length };
};

const chunkedBody = (rest: string): Body | undefined => {
  let text = '';
  for (let at = 0; ; ) {
    const endOfLine = rest.indexOf('\r\n', at);
    if (endOfLine < 0) return undefined;
    const size = Number.parseInt(rest.slice(at, endOfLine), 16);
    const end = endOfLine + 2 + size + 2;
    if (rest.length < end) return undefined;
    if (size === 0) return { text, length: end };
    text += rest.slice(endOfLine + 2, end - 2);
    at = end;
  }
};
