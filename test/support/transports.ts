import ky from 'ky';
import { createKyTransport } from '../../src/http/ky-transport.ts';
import type { Transport } from '../../src/http/request.ts';
import { undiciTransport } from '../../src/http/transport/undici.ts';
import { createAuthority } from './certificates.ts';
import { connect } from './connect.ts';
import { faultServerOverTls, type StartFaultServer, startFaultServer } from './fault-server.ts';

/** A transport, and the servers it talks to: what the tests of all transports are run with. */
export interface TransportUnderTest {
  readonly name: string;
  /** The transport of a client without options: everything is tried on it, and on the others what depends on a transport. */
  readonly isDefault: boolean;
  /** One of each kind: fetch, and sockets of our own. The others share their code. */
  readonly isKind: boolean;
  readonly startFaultServer: StartFaultServer;
  readonly createTransport: (options: { maximumBodyBytes: number }) => Transport;
  /** A client on this transport. */
  readonly connect: typeof connect;
}

const authority = await createAuthority();
const identity = await authority.issue();
/** It would retry, follow redirects and throw by itself, if it were let. */
const ownKy = ky.create({
  retry: { limit: 5, methods: ['get', 'post'], delay: () => 1 },
  redirect: 'follow',
  timeout: 50,
  hooks: { afterResponse: [({ response }) => response] },
});

/** A busy machine takes its time to connect. */
const patient = { connectTimeoutMs: 60_000 };
const trusting = { ...patient, tls: { ca: authority.certificate } };

export const onFetch: TransportUnderTest = {
  name: 'ky on fetch',
  isDefault: true,
  isKind: true,
  startFaultServer,
  createTransport: createKyTransport,
  connect,
};

const onUndici: TransportUnderTest = {
  name: 'transport/undici',
  isDefault: false,
  isKind: true,
  startFaultServer,
  createTransport: (options) => undiciTransport({ ...options, ...patient }),
  connect: (server, options) => connect(server, { transport: undiciTransport(patient), ...options }),
};

export const transports: readonly TransportUnderTest[] = [
  onFetch,
  {
    name: 'a ky of the application',
    isDefault: false,
    isKind: false,
    startFaultServer,
    createTransport: (options) => createKyTransport({ ...options, ky: ownKy }),
    connect: (server, options) => connect(server, { ky: ownKy, ...options }),
  },
  onUndici,
  {
    name: 'transport/undici over TLS',
    isDefault: false,
    isKind: false,
    startFaultServer: faultServerOverTls(identity),
    createTransport: (options) => undiciTransport({ ...options, ...trusting }),
    connect: (server, options) => connect(server, { transport: undiciTransport(trusting), ...options }),
  },
];

export const unlikeTransports = [onFetch, onUndici];
