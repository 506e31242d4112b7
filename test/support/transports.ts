import { createKyTransport } from '../../src/http/ky-transport.ts';
import type { Transport } from '../../src/http/request.ts';
import { undiciTransport } from '../../src/transport/undici.ts';
import { createAuthority } from './certificates.ts';
import { connect } from './connect.ts';
import { faultServerOverTls, type StartFaultServer, startFaultServer } from './fault-server.ts';

/** A transport, and the servers it talks to: what the tests of all transports are run with. */
export interface TransportUnderTest {
  readonly name: string;
  readonly startFaultServer: StartFaultServer;
  readonly createTransport: (options: { maximumBodyBytes: number }) => Transport;
  /** A client on this transport. */
  readonly connect: typeof connect;
}

const authority = await createAuthority();
const identity = await authority.issue();
const trusting = { tls: { ca: authority.certificate } };

export const transports: readonly TransportUnderTest[] = [
  {
    name: 'ky on fetch',
    startFaultServer,
    createTransport: createKyTransport,
    connect,
  },
  {
    name: 'transport/undici',
    startFaultServer,
    createTransport: undiciTransport,
    connect: (server, options) => connect(server, { transport: undiciTransport(), ...options }),
  },
  {
    name: 'transport/undici over TLS',
    startFaultServer: faultServerOverTls(identity),
    createTransport: (options) => undiciTransport({ ...options, ...trusting }),
    connect: (server, options) => connect(server, { transport: undiciTransport(trusting), ...options }),
  },
];
