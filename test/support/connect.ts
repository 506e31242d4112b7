import { expect, onTestFinished, vi } from 'vitest';
import type { IntegrationError } from '../../src/core/errors.ts';
import { createHttpClient } from '../../src/http/client.ts';
import type { HttpClientOptions } from '../../src/http/client-options.ts';
import type { Operation } from '../../src/http/operation.ts';
import type { IntegrationEvent } from '../../src/observability/events.ts';
import * as timers from '../../src/core/timers.ts';
import { createVirtualClock } from './virtual-clock.ts';

/** The key that {@link connect} signs with; it must never be seen again. */
export const secret = 's3cr3t-api-key';

export const getContact: Operation<unknown> = {
  operation: 'messaging.contacts.get',
  method: 'GET',
  path: 'contacts/1',
  returns: (json) => json,
};

export const createContact: Operation<unknown> = {
  operation: 'messaging.contacts.create',
  method: 'POST',
  path: 'contacts',
  body: { email: 'ada@example.com', phone: '+14155550100' },
  returns: (json) => json,
};

/** A client on virtual time whose waits between attempts end at once and are collected, with the events it emits. */
export const connect = (server: { readonly origin: string }, options: Partial<HttpClientOptions> = {}) => {
  const clock = createVirtualClock({ wallNow: Date.UTC(2026, 10, 21, 12) });
  const waits: number[] = [];
  const sleep = vi.spyOn(timers, 'sleep').mockImplementation(async (ms, signal) => {
    signal.throwIfAborted();
    waits.push(ms);
  });
  onTestFinished(() => sleep.mockRestore());
  const events: IntegrationEvent[] = [];
  const audit: IntegrationEvent[] = [];
  const client = createHttpClient({
    api: 'messaging',
    version: '2.11',
    versionHeader: 'Acme-Version',
    baseUrl: server.origin,
    authenticate: {
      read: async () => ({ headers: { 'x-api-key': secret }, secrets: [secret] }),
      renew: async () => undefined,
    },
    // p-retry's own waits are for tests that advance the clock.
    backoff: { minimumMs: 0, maximumMs: 0 },
    circuit: false,
    // Each attempt uses its credential, which only the tests of the audit are about.
    onEvent: (event) => (event.type === 'credential-used' ? audit : events).push(event),
    ...options,
  });
  return { client, clock, waits, events, audit };
};

/** The error that a call ended with; a test fails when it did not. */
export const failureOf = (promise: Promise<unknown>): Promise<IntegrationError> =>
  promise.then(
    () => expect.unreachable('it should have failed'),
    (error: IntegrationError) => error,
  );
