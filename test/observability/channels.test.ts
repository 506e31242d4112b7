import { channel } from 'node:diagnostics_channel';
import { expect, test } from 'vitest';
import { channelNames, subscribeToEvents } from '../../src/observability/channels.ts';
import type { IntegrationEvent } from '../../src/observability/events.ts';
import { createTeller } from '../../src/observability/teller.ts';
import { createVirtualClock } from '../support/virtual-clock.ts';
import { connect, getContact } from '../support/connect.ts';
import { answer, startFaultServer } from '../support/fault-server.ts';

const clock = createVirtualClock({ wallNow: 1_700_000_000_000 });
const drift = { type: 'schema-drift', operation: 'crm.leads.search', fields: ['Phone'] } as const;
const told = { ...drift, api: 'crm', tenant: 'org-1', at: 1_700_000_000_000 };

test('an event reaches the observer and the channel of its type', () => {
  const observed: unknown[] = [];
  const published: unknown[] = [];
  const listener = (event: unknown) => void published.push(event);
  channel(channelNames['schema-drift']).subscribe(listener);
  createTeller((event) => void observed.push(event), { api: 'crm', tenant: 'org-1', clock })(drift);
  channel(channelNames['schema-drift']).unsubscribe(listener);
  expect([observed, published]).toEqual([[told], [told]]);
});

test('an event is heard when somebody listens to its type, from that moment on', () => {
  const tell = createTeller(undefined, { api: 'crm', clock });
  expect(tell.isHeard('call')).toBe(false);
  const heard: IntegrationEvent[] = [];
  const stop = subscribeToEvents((event) => void heard.push(event));
  expect(tell.isHeard('call')).toBe(true);
  tell(drift);
  stop();
  expect(tell.isHeard('call')).toBe(false);
  tell(drift);
  expect(heard).toEqual([{ ...drift, api: 'crm', at: 1_700_000_000_000 }]);
});

test('a subscriber hears the calls and attempts of every client, with tenant and phone call', async () => {
  await using server = await startFaultServer(answer({ body: '{}' }));
  const { client } = connect(server, { tenant: 'ws-1' });
  const heard: IntegrationEvent[] = [];
  const stop = subscribeToEvents((event) => void heard.push(event));
  await client.request(getContact, { callId: 'CA1' });
  stop();
  expect(heard.map(({ type, operation, tenant, callId }) => ({ type, operation, tenant, callId }))).toEqual(
    ['credential-used', 'attempt', 'call'].map((type) => ({
      type,
      operation: 'messaging.contacts.get',
      tenant: 'ws-1',
      callId: 'CA1',
    })),
  );
});

test('every type of event has a channel of its own', () => {
  const names = Object.values(channelNames);
  expect(new Set(names).size).toBe(names.length);
  for (const [type, name] of Object.entries(channelNames)) expect(name).toBe(`voice-agent-integrations:${type}`);
});
