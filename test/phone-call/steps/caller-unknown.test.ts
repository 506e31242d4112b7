import { describe, expect, test } from 'vitest';
import { startFinishWorker } from '../../../src/phone-call/finish-later.ts';
import { startPhoneCall } from '../../../src/phone-call/start-phone-call.ts';
import { createMemoryMessageQueue } from '../../../src/stores/memory-message-queue.ts';
import { connectPlatform } from '../../support/connected-platform.ts';

const call = { callId: 'CA1', direction: 'inbound' } as const;
const said = { outcome: 'resolved', summary: 'Asked for the opening hours.', note: 'Sounded in a hurry.' };

describe('a caller who withholds their number', () => {
  test('leaves a Task with the summary and the note, and nothing to try again', async () => {
    await using connected = await connectPlatform();
    const { platform, clients } = connected;

    const { complete, unfinished, steps } = await startPhoneCall(clients, call).finish(said);

    expect({ complete, unfinished }).toEqual({ complete: true, unfinished: undefined });
    expect(steps).toContainEqual({ step: 'contact', status: 'skipped', reason: 'needs_phone_or_email' });
    expect(steps).toContainEqual({ step: 'note', status: 'skipped', reason: 'needs_conversation' });
    expect(platform.crm.tasks).toMatchObject([
      { Description: 'Sounded in a hurry.\n\nAsked for the opening hours.', CallType: 'Inbound' },
    ]);
    expect(platform.messaging.conversations).toEqual([]);
  });

  test('becomes no dead letter', async () => {
    await using connected = await connectPlatform();
    const { platform, clients } = connected;
    const queue = createMemoryMessageQueue();
    await startPhoneCall(clients, { ...call, finishLater: { queue } }).finish(said);

    const worker = startFinishWorker(clients, { queue });
    await expect.poll(() => platform.crm.tasks.length).toBe(1);
    await worker.close(1_000);

    expect((await queue.admin.stats()).groups).toEqual({});
  });

  test('is tried again while the Task is not written', async () => {
    await using connected = await connectPlatform();
    const { platform, clients } = connected;
    platform.fault('crm.tasks.create', [{ status: 400 }]);
    const phoneCall = startPhoneCall(clients, call);

    const first = await phoneCall.finish(said);
    const second = await phoneCall.finish(said);

    expect(first.complete).toBe(false);
    expect(first.unfinished).toMatchObject({ callId: 'CA1', summary: said.summary, note: said.note });
    expect(second.complete).toBe(true);
    expect(platform.crm.tasks).toHaveLength(1);
  });

  test('is unfinished where only a messaging platform could hold what was said', async () => {
    await using connected = await connectPlatform();
    const { messaging } = connected.clients;

    const { complete, unfinished } = await startPhoneCall({ messaging }, call).finish(said);

    expect(complete).toBe(false);
    expect(unfinished).toMatchObject({ summary: said.summary, note: said.note });
  });
});

describe('a caller who is one of several contacts', () => {
  const phone = '+14155550100';

  test('leaves the note on the Task, and nothing to try again', async () => {
    await using connected = await connectPlatform();
    const { platform, clients } = connected;
    for (const name of ['Ann', 'Bo']) platform.messaging.addContact({ name, phone });

    const { complete, unfinished } = await startPhoneCall(clients, { ...call, phone }).finish(said);

    expect({ complete, unfinished }).toEqual({ complete: true, unfinished: undefined });
    expect(platform.crm.tasks).toMatchObject([{ Description: 'Sounded in a hurry.\n\nAsked for the opening hours.' }]);
  });
});

test('a messaging platform that hangs takes no time from the Task', async () => {
  await using connected = await connectPlatform();
  const { platform, clients } = connected;
  platform.fault('messaging', [{ stall: 'headers', times: Number.POSITIVE_INFINITY }]);

  const { complete, steps } = await startPhoneCall(clients, { ...call, phone: '+14155550100' }).finish(said, {
    deadline: 400,
  });

  expect(complete).toBe(false);
  expect(steps).toContainEqual(expect.objectContaining({ step: 'task', status: 'done' }));
});

test('without a messaging platform the note is on the Task', async () => {
  await using connected = await connectPlatform();
  const { platform, clients } = connected;

  await startPhoneCall({ crm: clients.crm }, { ...call, phone: '+14155550100' }).finish(said);

  expect(platform.crm.tasks[0]?.Description).toContain(said.note);
});
