import { randomUUID } from 'node:crypto';
import type { Writable } from 'node:stream';
import { LRUCache } from 'lru-cache';
import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import type { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js';
import { admit } from '../../console/admission.ts';
import { listen } from '../../console/listen.ts';
import { createSecrets } from '../../console/secrets.ts';
import { createIntegration, type IntegrationOptions } from '../../../integration.ts';
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
  /** Serves streamable HTTP on 127.0.0.1. Each session is a phone call of its own. */
  readonly listen: (port: number) => Promise<{ readonly url: string; readonly token: string }>;
}

/** Throws `CommandError` if the package of the protocol is missing. */
export const openToolServer = async (options: IntegrationOptions, customer: Customer): Promise<ToolServer> => {
  const sdk = await loadSdk();
  const integration = createIntegration(options);
  const ends: (() => Promise<void>)[] = [() => integration.close()];
  const openSession = (): McpServer => {
    const callId = customer.callId ?? `desk-${randomUUID()}`;
    const phoneCall = integration.startPhoneCall({ ...customer, callId, direction: 'inbound' });
    const server = new sdk.McpServer({ name: 'voice-agent-integrations', version });
    mcp.serve(server, phoneCall.tools);
    return server;
  };
  return {
    serveStdio: async (output) => {
      const ended = new Promise<void>((resolve) => process.stdin.once('end', resolve));
      await openSession().connect(new sdk.StdioServerTransport(process.stdin, output));
      await ended;
    },
    listen: async (port) => {
      const secrets = createSecrets();
      const sessions = new LRUCache<string, WebStandardStreamableHTTPServerTransport>({
        max: mostSessions,
        dispose: (session) => void session.close(),
      });
      const openTransport = async () => {
        const transport = new sdk.WebStandardStreamableHTTPServerTransport({
          sessionIdGenerator: randomUUID,
          onsessioninitialized: (id) => void sessions.set(id, transport),
          onsessionclosed: (id) => void sessions.delete(id),
        });
        await openSession().connect(transport);
        return transport;
      };
      const handle = async (request: Request, peer?: { readonly address?: string | undefined }) => {
        const admission = admit(request, secrets, peer?.address);
        if (admission.type === 'refused') return new Response(admission.reason, { status: admission.status });
        // The token belongs in a header: an address is written into logs.
        if (admission.type === 'sign-in') return new Response('no_token', { status: 401 });
        const id = request.headers.get('mcp-session-id');
        const session = id === null ? await openTransport() : sessions.get(id);
        return session?.handleRequest(request) ?? new Response('There is no such session.', { status: 404 });
      };
      const server = await listen(handle, { base, token: secrets.token, port, print: () => {} }).catch(portTaken);
      ends.unshift(server.close, async () => sessions.clear());
      return { url: `${server.origin}${base}`, token: secrets.token };
    },
    [Symbol.asyncDispose]: async () => {
      for (const end of ends) await end();
    },
  };
};

const base = '/mcp';

/** A desk has a few; a host that never ends its sessions can't fill the memory. */
const mostSessions = 100;

const portTaken = (error: NodeJS.ErrnoException): never => {
  if (error.code !== 'EADDRINUSE' && error.code !== 'EACCES') throw error;
  throw cannotBeDone(`can't listen on the port: ${error.message}`, 'leave --port out, or name another one', error);
};

const loadSdk = async () => {
  try {
    const [{ McpServer }, { StdioServerTransport }, { WebStandardStreamableHTTPServerTransport }] = await Promise.all([
      import('@modelcontextprotocol/sdk/server/mcp.js'),
      import('@modelcontextprotocol/sdk/server/stdio.js'),
      import('@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js'),
    ]);
    return { McpServer, StdioServerTransport, WebStandardStreamableHTTPServerTransport };
  } catch (cause) {
    throw cannotBeDone(
      'the package @modelcontextprotocol/sdk is needed to serve tools',
      'npm install @modelcontextprotocol/sdk',
      cause,
    );
  }
};
