import { randomUUID } from 'node:crypto';
import type { Readable, Writable } from 'node:stream';
import { LRUCache } from 'lru-cache';
import { admit } from '../../console/admission.ts';
import { listen } from '../../console/listen.ts';
import { createSecrets } from '../../console/secrets.ts';
import { createIntegration, type IntegrationOptions } from '../../../integration.ts';
import type { PhoneCall } from '../../../phone-call/start-phone-call.ts';
import { mcp } from '../../../tools/providers/mcp.ts';
import { version } from '../../../core/version.ts';
import { cannotBeDone } from '../command-error.ts';

/** The customer that an assistant works for. */
interface Customer {
  readonly callId: string | undefined;
  readonly phone: string | undefined;
  readonly email: string | undefined;
}

/** The tools of an integration as an MCP server. */
interface ToolServer extends AsyncDisposable {
  /** Resolves when the host closes the standard input. */
  readonly serveStdio: (output: Writable) => Promise<void>;
  /** Serves streamable HTTP on 127.0.0.1, with sessions to older hosts and without to newer ones. */
  readonly listen: (port: number) => Promise<{ readonly url: string; readonly token: string }>;
}

/** Throws `CommandError` if the package of the protocol is missing. */
export const openToolServer = async (options: IntegrationOptions, customer: Customer): Promise<ToolServer> => {
  const sdk = await loadPackage();
  const integration = createIntegration(options);
  const ends: (() => Promise<void>)[] = [() => integration.close()];
  const startCall = () =>
    integration.startPhoneCall({
      ...customer,
      callId: customer.callId ?? `desk-${randomUUID()}`,
      direction: 'inbound',
    });
  const openServer = (phoneCall: PhoneCall): McpServer => {
    const server = new sdk.McpServer({ name: 'voice-agent-integrations', version });
    mcp.serve(server, phoneCall);
    return server;
  };
  return {
    serveStdio: async (output) => {
      const phoneCall = startCall();
      const ended = new Promise<void>((resolve) => process.stdin.once('end', resolve));
      sdk.serveStdio(() => openServer(phoneCall), { transport: new sdk.StdioServerTransport(process.stdin, output) });
      await ended;
    },
    listen: async (port) => {
      const secrets = createSecrets();
      const sessions = createSessions(sdk, () => openServer(startCall()));
      const requests = createRequests(sdk, { startCall, openServer });
      const handle = async (request: Request, peer?: { readonly address?: string | undefined }) => {
        const admission = admit(request, secrets, peer?.address);
        if (admission.type === 'refused') return new Response(admission.reason, { status: admission.status });
        // The token belongs in a header: an address is written into logs.
        if (admission.type === 'sign-in') return new Response('no_token', { status: 401 });
        return (await sdk.isLegacyRequest(request)) ? sessions.handle(request) : requests.fetch(request);
      };
      const server = await listen(handle, { base, token: secrets.token, port, print: () => {} }).catch(portTaken);
      ends.unshift(server.close, sessions.close, requests.close);
      return { url: `${server.origin}${base}`, token: secrets.token };
    },
    [Symbol.asyncDispose]: async () => {
      for (const end of ends) await end();
    },
  };
};

/** Hosts before MCP 2026-07-28: each session is a phone call. */
const createSessions = (sdk: McpPackage, openServer: () => McpServer) => {
  const sessions = new LRUCache<string, SessionTransport>({
    max: mostSessions,
    dispose: (session) => void session.close(),
  });
  const open = async () => {
    const transport: SessionTransport = new sdk.WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (id) => void sessions.set(id, transport),
      onsessionclosed: (id) => void sessions.delete(id),
    });
    await openServer().connect(transport);
    return transport;
  };
  return {
    handle: async (request: Request): Promise<Response> => {
      const id = request.headers.get('mcp-session-id');
      const session = id === null ? await open() : sessions.get(id);
      return session?.handleRequest(request) ?? new Response('There is no such session.', { status: 404 });
    },
    close: async () => sessions.clear(),
  };
};

interface RequestParts {
  readonly startCall: () => PhoneCall;
  readonly openServer: (phoneCall: PhoneCall) => McpServer;
}

/** Hosts since MCP 2026-07-28: there are no sessions, so their requests share a phone call until they pause for long. */
const createRequests = (sdk: McpPackage, { startCall, openServer }: RequestParts): HttpHandler => {
  const calls = new LRUCache<'current', PhoneCall>({ max: 1, ttl: longestPauseMs });
  return sdk.createMcpHandler(
    () => {
      const phoneCall = calls.get('current') ?? startCall();
      calls.set('current', phoneCall);
      return openServer(phoneCall);
    },
    { legacy: 'reject' },
  );
};

const base = '/mcp';

/** A desk has a few; a host that never ends its sessions can't fill the memory. */
const mostSessions = 100;

/** Longer than any question of a tool is open. */
const longestPauseMs = 30 * 60_000;

const portTaken = (error: NodeJS.ErrnoException): never => {
  if (error.code !== 'EADDRINUSE' && error.code !== 'EACCES') throw error;
  throw cannotBeDone(`can't listen on the port: ${error.message}`, 'leave --port out, or name another one', error);
};

type McpServer = Parameters<typeof mcp.serve>[0] & { readonly connect: (transport: object) => Promise<void> };

interface SessionTransport {
  readonly handleRequest: (request: Request) => Promise<Response>;
  readonly close: () => Promise<void>;
}

interface HttpHandler {
  readonly fetch: (request: Request) => Promise<Response>;
  readonly close: () => Promise<void>;
}

/** The parts of `@modelcontextprotocol/server` that are used. */
interface McpPackage {
  readonly McpServer: new (info: { readonly name: string; readonly version: string }) => McpServer;
  readonly createMcpHandler: (create: () => McpServer, options: { readonly legacy: 'reject' }) => HttpHandler;
  readonly isLegacyRequest: (request: Request) => Promise<boolean>;
  readonly WebStandardStreamableHTTPServerTransport: new (options: {
    readonly sessionIdGenerator: () => string;
    readonly onsessioninitialized: (id: string) => void;
    readonly onsessionclosed: (id: string) => void;
  }) => SessionTransport;
  readonly StdioServerTransport: new (input: Readable, output: Writable) => object;
  readonly serveStdio: (create: () => McpServer, options: { readonly transport: object }) => unknown;
}

const loadPackage = async (): Promise<McpPackage> => {
  try {
    const parts: readonly object[] = await Promise.all([
      import('@modelcontextprotocol/server' as string),
      import('@modelcontextprotocol/server/stdio' as string),
    ]);
    return Object.assign({}, ...parts) as McpPackage;
  } catch (cause) {
    throw cannotBeDone(
      'the package @modelcontextprotocol/server is needed to serve tools',
      'npm install @modelcontextprotocol/server',
      cause,
    );
  }
};
