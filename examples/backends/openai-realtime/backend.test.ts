import { expect, test, vi } from 'vitest';
import { ann, startFakeSystems } from '../support/fake-systems.ts';
import { describeBackend } from '../support/suite.ts';
import { startOffline } from './fake-openai.ts';

describeBackend({ name: 'OpenAI Realtime', start: startOffline, forged: [401] });

const caller = { callId: 'rtc_1', phone: ann.phone };

test('a phone call is accepted once with its tools, also when it is announced again', async () => {
  await using systems = await startFakeSystems();
  await using backend = await startOffline(systems.env);

  await backend.ring(caller);
  expect(await backend.announce(caller)).toBe(204);

  expect(backend.asked()).toEqual(['accept rtc_1']);
  expect(backend.tools()).toEqual(
    expect.arrayContaining(['identify_caller', 'lookup_customer_invoices', 'create_payment']),
  );
});

test('a phone call that OpenAI does not let be answered is hung up and written down, once', async () => {
  await using systems = await startFakeSystems();
  await using backend = await startOffline(systems.env);

  backend.refuse(3);
  expect(await backend.announce(caller)).toBe(204);
  expect(await backend.announce(caller)).toBe(204);

  const { conversations, tasks } = await systems.finished(1, 0);
  expect(conversations).toEqual([]);
  expect(tasks).toEqual([expect.objectContaining({ subject: expect.stringContaining('could not be answered') })]);
  expect(backend.asked()).toEqual(['accept rtc_1', 'accept rtc_1', 'accept rtc_1', 'hangup rtc_1']);
});

test('a WebSocket that is never answered ends the phone call', async () => {
  await using systems = await startFakeSystems();
  await using backend = await startOffline(systems.env);

  backend.holdLines();
  expect(await backend.announce(caller)).toBe(204);

  const { tasks } = await systems.finished(1, 0);
  expect(tasks).toEqual([expect.objectContaining({ subject: expect.stringContaining('connection lost') })]);
  await vi.waitUntil(() => backend.asked().includes('hangup rtc_1'));
});

test('when the WebSocket breaks, the caller is not left with a model that can do nothing', async () => {
  await using systems = await startFakeSystems();
  await using backend = await startOffline(systems.env);
  const line = await backend.ring(caller);
  line.drop();

  await systems.finished(1);
  expect(await backend.stop()).toBe(0);
  expect(backend.asked()).toEqual(['accept rtc_1', 'hangup rtc_1']);
});

test('a caller who speaks while a tool runs is answered before the result of the tool is', async () => {
  await using systems = await startFakeSystems();
  await using backend = await startOffline(systems.env);
  const line = await backend.ring(caller);

  expect(await line.sayAtOnce('What do I owe you?', 'Goodbye.')).toEqual(['waited', 'Goodbye.']);
});
