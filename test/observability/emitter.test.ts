import { channel } from 'node:diagnostics_channel';
import { expect, test } from 'vitest';
import { createEmitter, subscribeToEvents } from '../../src/observability/emitter.ts';
import type { IntegrationEvent } from '../../src/observability/events.ts';
import { connect, getContact } from '../support/connect.ts';
import { answer, startFaultServer } from '../support/fault-server.ts';
import { createVirtualClock } from '../support/virtual-clock.ts';

createVirtualClock({ wallNow: 1_700_000_000_000 });
const drift = { type: 'schema-drift', operation: 'crm.leads.search', fields: ['Phone'] } as const;
const event = { ...drift, api: 'crm', tenant: 'org-1', at: 1_700_000_000_000 };

test('an event reaches every listener and the channel of the process', () => {
  const [first, second, published]: unknown[][] = [[], [], []];
  const onMessage = (message: unknown) => void published?.push(message);
  channel('voice-agent-integrations').subscribe(onMessage);
  const listeners = [(one: unknown) => void first?.push(one), (one: unknown) => void second?.push(one)];
  createEmitter(listeners, { api: 'crm', tenant: 'org-1' }).emit(drift);
  channel('voice-agent-integrations').unsubscribe(onMessage);
  expect([first, second, published]).toEqual([[event], [event], [event]]);
});

test('an emitter has listeners as soon as something subscribes to the process', () => {
  const emitter = createEmitter(undefined, { api: 'crm' });
  expect(emitter.hasListeners()).toBe(false);
  const received: IntegrationEvent[] = [];
  const stop = subscribeToEvents((one) => void received.push(one));
  expect(emitter.hasListeners()).toBe(true);
  emitter.emit(drift);
  stop();
  expect(emitter.hasListeners()).toBe(false);
  emitter.emit(drift);
  expect(received).toEqual([{ ...drift, api: 'crm', at: 1_700_000_000_000 }]);
});

test('fields that are undefined are dropped, in errors too', () => {
  const received: IntegrationEvent[] = [];
  const { emit } = createEmitter((one) => void received.push(one), { api: 'crm' });
  emit({ ...drift, callId: undefined });
  emit({
    type: 'attempt',
    operation: 'crm.leads.search',
    attempt: 1,
    durationMs: 1,
    waits: [],
    requestId: undefined,
    error: { code: 'attempt_failed', reason: 'network', status: undefined },
  });
  expect(received.map((one) => Object.keys(one))).toEqual([
    ['type', 'operation', 'fields', 'api', 'at'],
    ['type', 'operation', 'attempt', 'durationMs', 'waits', 'error', 'api', 'at'],
  ]);
  expect(received.map((one) => 'error' in one && Object.keys(one.error ?? {}))).toEqual([false, ['code', 'reason']]);
});

test('a listener that throws keeps no other from its event, and one that changes it fails alone', () => {
  const received: IntegrationEvent[] = [];
  const listeners = [
    () => {
      throw new Error('a bug of the application');
    },
    (one: IntegrationEvent) => Object.assign(one, { api: 'changed' }),
    (one: IntegrationEvent) => void received.push(one),
  ];
  createEmitter(listeners, { api: 'crm', tenant: 'org-1' }).emit(drift);
  expect(received).toEqual([event]);
});

test('a subscriber gets the calls and attempts of every client, with tenant and phone call', async () => {
  await using server = await startFaultServer(answer({ body: '{}' }));
  const { client } = connect(server, { tenant: 'ws-1' });
  const received: IntegrationEvent[] = [];
  const stop = subscribeToEvents((one) => void received.push(one));
  await client.request(getContact, { callId: 'CA1' });
  stop();
  expect(received.map(({ type, operation, tenant, callId }) => ({ type, operation, tenant, callId }))).toEqual(
    ['credential-used', 'attempt', 'call'].map((type) => ({
      type,
      operation: 'messaging.contacts.get',
      tenant: 'ws-1',
      callId: 'CA1',
    })),
  );
});
