import type { LookupFunction } from 'node:net';
import type { SecureContext } from 'node:tls';
import { Agent, buildConnector, type Dispatcher, EnvHttpProxyAgent } from 'undici';
import type { ProxyAddresses } from './proxy-environment.ts';
import type { SecureContextSource } from './secure-context.ts';
import { withoutUndefined } from '../../core/without-undefined.ts';

export interface UndiciConnectionsOptions {
  readonly maximumSocketsPerOrigin: number;
  readonly idleMs: number;
  readonly connectTimeoutMs: number;
  /** `undefined`: connects directly. */
  readonly proxies: ProxyAddresses | undefined;
  readonly secureContext: SecureContextSource;
  readonly servername: string | undefined;
  readonly lookup: LookupFunction | undefined;
}

/** The control of a request that has a connection. */
export type RequestControl = Dispatcher.DispatchController;

/** The kept connections of one transport. */
export interface UndiciConnections {
  /** Returns what new connections for `protocol` show and trust at this moment; `undefined` without TLS. */
  contextFor(protocol: string, operation: string): SecureContext | undefined | Promise<SecureContext>;
  /** Hands a request to a connection with this context, and closes those with another one once they are free. */
  dispatch(
    context: SecureContext | undefined,
    request: Dispatcher.DispatchOptions,
    handler: Dispatcher.DispatchHandler,
  ): void;
  /** Counts one request to this origin. `isTaken`: it waits for a socket that another one has. */
  takePlace(origin: string): { readonly isTaken: boolean; readonly leave: () => void };
  /** Closes what is idle now, and what is in use once it is free. */
  drain(): void;
}

export const createUndiciConnections = ({
  maximumSocketsPerOrigin,
  idleMs,
  connectTimeoutMs,
  proxies,
  secureContext,
  servername,
  lookup,
}: UndiciConnectionsOptions): UndiciConnections => {
  const common = withoutUndefined({ timeout: connectTimeoutMs, autoSelectFamily: true, lookup });

  const agentWith = (context: SecureContext | undefined): Dispatcher => {
    // `rejectUnauthorized` is set, so that NODE_TLS_REJECT_UNAUTHORIZED can't give the credential to any other server.
    const tls = context ? { ...common, secureContext: context, rejectUnauthorized: true } : common;
    const options: Agent.Options = {
      connections: Number.isFinite(maximumSocketsPerOrigin) ? maximumSocketsPerOrigin : null,
      pipelining: 1,
      allowH2: false,
      keepAliveTimeout: idleMs,
      keepAliveMaxTimeout: idleMs,
      // The attempt's time covers the request.
      headersTimeout: 0,
      bodyTimeout: 0,
      connect: servername === undefined ? tls : expecting(servername, tls),
    };
    if (!proxies) return new Agent(options);
    return new EnvHttpProxyAgent({
      ...options,
      ...proxies,
      connectTimeout: connectTimeoutMs,
      requestTls: servername === undefined ? tls : { ...tls, servername },
    });
  };
  const plain = agentWith(undefined);
  let secure: { readonly context: SecureContext; readonly agent: Dispatcher } | undefined;

  /** Requests to each origin that haven't ended. */
  const underWay = new Map<string, number>();

  const agentFor = (context: SecureContext | undefined): Dispatcher => {
    if (context === undefined) return plain;
    if (secure?.context === context) return secure.agent;
    if (secure) drain(secure.agent);
    secure = { context, agent: agentWith(context) };
    return secure.agent;
  };

  return {
    contextFor: (protocol, operation) => (protocol === 'https:' ? secureContext(operation) : undefined),
    dispatch: (context, request, handler) => void agentFor(context).dispatch(request, handler),
    takePlace: (origin) => {
      const before = underWay.get(origin) ?? 0;
      underWay.set(origin, before + 1);
      const leave = () => {
        const left = (underWay.get(origin) ?? 1) - 1;
        if (left > 0) underWay.set(origin, left);
        else underWay.delete(origin);
      };
      return { isTaken: before >= maximumSocketsPerOrigin, leave };
    },
    drain: () => {
      drain(plain);
      if (secure) drain(secure.agent);
    },
  };
};

/** undici takes the name of the address before one among the options. */
const expecting = (servername: string, options: buildConnector.BuildOptions): buildConnector.connector => {
  const connect = buildConnector({ ...options, allowH2: false });
  return (target, connected) => connect({ ...target, servername }, connected);
};

/** Closing one that is closed is an error that doesn't matter. */
const drain = (agent: Dispatcher): void => void agent.close().catch(() => {});
