import type { Agent as HttpAgent } from 'node:http';
import type { Agent as HttpsAgent } from 'node:https';
import type { LookupFunction } from 'node:net';
import type { SecureContext } from 'node:tls';
import { http, https } from '../node-http.ts';
import type { SecureContextSource } from './secure-context.ts';

export interface ConnectionsOptions {
  readonly maximumSocketsPerOrigin: number;
  readonly idleMs: number;
  readonly proxyEnv: Readonly<Record<string, string | undefined>> | undefined;
  readonly secureContext: SecureContextSource;
  readonly servername: string | undefined;
  readonly lookup: LookupFunction | undefined;
}

/** The kept connections of one transport. */
export interface Connections {
  readonly isProxied: boolean;
  /** Where connections for `protocol` come from; for TLS, those that show the certificate of this moment. */
  agentFor(protocol: string, operation: string): HttpAgent | Promise<HttpAgent>;
  /** Closes what is idle now, and what is in use once it is free. */
  drain(): void;
}

export const createConnections = ({
  maximumSocketsPerOrigin,
  idleMs,
  proxyEnv,
  secureContext,
  servername,
  lookup,
}: ConnectionsOptions): Connections => {
  const common = {
    keepAlive: true,
    maxSockets: maximumSocketsPerOrigin,
    // Of an idle connection: one that is in use is under the time of its attempt.
    timeout: idleMs,
    autoSelectFamily: true,
    ...(lookup ? { lookup } : {}),
    ...(proxyEnv ? { proxyEnv } : {}),
  };
  const plain = namedByAddress(new http.Agent(common));
  let secure: { readonly context: SecureContext; readonly agent: HttpsAgent } | undefined;

  const secureAgent = (context: SecureContext): HttpsAgent => {
    if (secure?.context === context) return secure.agent;
    if (secure) drain(secure.agent);
    const agent = namedByAddress(
      new https.Agent({
        ...common,
        secureContext: context,
        // Said, so that NODE_TLS_REJECT_UNAUTHORIZED cannot hand the credential to anybody.
        rejectUnauthorized: true,
        ...(servername === undefined ? {} : { servername }),
      }),
    );
    secure = { context, agent };
    return agent;
  };

  return {
    isProxied: proxyEnv !== undefined,
    agentFor: (protocol, operation) => {
      if (protocol !== 'https:') return plain;
      const context = secureContext(operation);
      return context instanceof Promise ? context.then(secureAgent) : secureAgent(context);
    },
    drain: () => {
      drain(plain);
      if (secure) drain(secure.agent);
    },
  };
};

/** Everything but the address is the same for all connections of an agent; Node would compare it for each request. */
const namedByAddress = <A extends HttpAgent>(agent: A): A => {
  agent.getName = ({ host, port } = {}) => `${host}:${port}`;
  return agent;
};

const drain = (agent: HttpAgent): void => {
  agent.keepSocketAlive = () => false;
  for (const sockets of Object.values(agent.freeSockets)) for (const socket of sockets ?? []) socket.destroy();
};
