import { expectTypeOf, test } from 'vitest';
import type { Transport } from 'voice-agent-integrations';
import { createBillingClient } from 'voice-agent-integrations/billing';
import type { Credential } from 'voice-agent-integrations/auth';
import {
  type UndiciTransport,
  type UndiciTransportOptions,
  undiciTransport,
} from 'voice-agent-integrations/transport/undici';

declare const authenticate: Credential;

test('the transport can be closed', () => {
  expectTypeOf(undiciTransport).returns.toEqualTypeOf<UndiciTransport>();
  expectTypeOf<UndiciTransport>().toExtend<Transport & AsyncDisposable>();
  createBillingClient({
    transport: undiciTransport(),
    baseUrl: 'https://billing.example.com',
    authenticate,
    version: { path: 'v1' },
    payments: { below: 100 },
  });
});

test('key material comes from functions', () => {
  undiciTransport({ tls: { certificate: () => 'PEM', key: async () => 'PEM', ca: ['PEM', 'PEM'] } });
  // @ts-expect-error: never a literal
  undiciTransport({ tls: { certificate: () => 'PEM', key: 'PEM' } });
  // @ts-expect-error: certificates are always checked
  undiciTransport({ tls: { rejectUnauthorized: false } });
  expectTypeOf<UndiciTransportOptions['proxy']>().toEqualTypeOf<'environment' | 'none' | undefined>();
});
