import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

/** Answers a request from the other end. */
export type ConsoleHandler = (request: Request, peer?: { readonly address?: string | undefined }) => Promise<Response>;

/** The address of a console, and the receiver of it. */
export interface ListenOptions {
  /** @defaultValue 0: one that is free */
  readonly port?: number | undefined;
  /** Receives the address that opens the console, with its token. @defaultValue prints it to standard output */
  readonly print?: ((line: string) => void) | undefined;
}

/** A server of the console. */
export interface Listening extends AsyncDisposable {
  /** Opens the console: it holds the token. */
  readonly url: string;
  /** The address without the token. */
  readonly origin: string;
  /** Ends all connections. */
  close(): Promise<void>;
}

interface Opening extends ListenOptions {
  readonly base: string;
  readonly token: string;
}

/** Serves a console on 127.0.0.1. Rejects when the port is taken. */
export const listen = async (
  handle: ConsoleHandler,
  { base, token, port = 0, print = printLine }: Opening,
): Promise<Listening> => {
  const server = createServer((incoming, outgoing) => {
    // A browser that disconnected needs no answer.
    respond(handle, incoming, outgoing).catch(() => outgoing.destroy());
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  });
  // A server that listens on a port has an address of this kind.
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const url = `${origin}${base}?token=${token}`;
  print(`The console is at ${url}`);
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  return { url, origin, close, [Symbol.asyncDispose]: close };
};

const printLine = (line: string) => void process.stdout.write(`${line}\n`);

const respond = async (handle: ConsoleHandler, incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> => {
  const request = toRequest(incoming);
  if (!request) return void outgoing.writeHead(400).end();
  const answer = await handle(request, { address: incoming.socket.remoteAddress });
  outgoing.writeHead(answer.status, Object.fromEntries(answer.headers));
  outgoing.flushHeaders();
  if (!answer.body) return void outgoing.end();
  await pipeline(Readable.fromWeb(answer.body), outgoing);
};

/** `undefined` for a request without a usable name of a host. */
const toRequest = (incoming: IncomingMessage): Request | undefined => {
  const { method = 'GET', url = '/', headers, rawHeaders } = incoming;
  const target = `http://${headers.host ?? ''}${url.replace(/^\/+/, '/')}`;
  if (!headers.host || !URL.canParse(target)) return undefined;
  const pairs: [string, string][] = [];
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) pairs.push([rawHeaders[at] ?? '', rawHeaders[at + 1] ?? '']);
  const hasBody = method !== 'GET' && method !== 'HEAD';
  const body = hasBody ? { body: Readable.toWeb(incoming), duplex: 'half' as const } : {};
  return new Request(target, { method, headers: pairs, ...body });
};
