import { expectTypeOf, test } from 'vitest';
import type { Transport } from 'voice-agent-integrations';
import { createBillingClient } from 'voice-agent-integrations/billing';
import type { Credential } from 'voice-agent-integrations/auth';
import { type NodeTransport, type NodeTransportOptions, nodeTransport } from 'voice-agent-integrations/transport/node';
import { undiciTransport } from 'voice-agent-integrations/transport/undici';

declare const authenticate: Credential;

test('it is a transport that can be closed', () => {
  expectTypeOf(nodeTransport).returns.toEqualTypeOf<NodeTransport>();
  expectTypeOf<NodeTransport>().toExtend<Transport & AsyncDisposable>();
  createBillingClient({
    transport: nodeTransport(),
    baseUrl: 'https://billing.example.com',
    authenticate,
    version: { path: 'v1' },
    maximumPayment: 100,
  });
});

test('key material comes from functions', () => {
  nodeTransport({ tls: { certificate: () => 'PEM', key: async () => 'PEM', ca: ['PEM', 'PEM'] } });
  // @ts-expect-error: never a literal
  nodeTransport({ tls: { certificate: () => 'PEM', key: 'PEM' } });
  // @ts-expect-error: certificates are always checked
  nodeTransport({ tls: { rejectUnauthorized: false } });
  expectTypeOf<NodeTransportOptions['proxy']>().toEqualTypeOf<'environment' | 'none' | undefined>();
});

test('the one over undici is a transport in the same way', () => {
  expectTypeOf(undiciTransport).returns.toEqualTypeOf<NodeTransport>();
  undiciTransport({ tls: { ca: 'PEM' }, maximumSocketsPerOrigin: 10 });
  // @ts-expect-error: it takes no proxies
  undiciTransport({ proxy: 'environment' });
});
