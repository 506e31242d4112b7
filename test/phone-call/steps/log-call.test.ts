import { describe, expect, it } from 'vitest';
import { createTaskClaim } from '../../../src/phone-call/steps/task-claim.ts';
import { logCall } from '../../../src/phone-call/steps/log-call.ts';
import type { CallFacts, LogCallInput } from '../../../src/phone-call/steps/task-fields.ts';
import { AbortedError, ClientError, InvalidArgumentError, RetriesExhaustedError } from '../../../src/core/errors.ts';
import { createCrmClient } from '../../../src/crm/index.ts';
import { connectPlatform, keysOf } from '../../support/connected-platform.ts';

const input: LogCallInput & CallFacts = {
  callId: 'CA1',
  direction: 'Inbound',
  startedAt: '2026-03-01T04:30:00Z',
  durationSeconds: 311.6,
  summary: 'Asked about invoice 7.',
  transcript: 'Card 4242424242424242.',
  outcome: 'resolved',
};

describe('logCall', () => {
  it('writes all eight fields of the Task', async () => {
    await using connected = await connectPlatform();
    const { platform, clients } = connected;
    const { Id: whoId } = platform.crm.addContact({ LastName: 'Lee' });
    const { Id: whatId } = platform.crm.addOpportunity({ Name: 'Deal' });

    const logged = await logCall(clients, { ...input, whoId, whatId }, { timeZone: 'America/New_York' });

    const [task] = platform.crm.tasks;
    expect(logged).toEqual({ taskId: task?.Id, task: 'created' });
    expect(task).toMatchObject({
      Subject: 'Inbound call: resolved',
      Status: 'Completed',
      ActivityDate: '2026-02-28',
      Description: 'Asked about invoice 7.\n\nCard ************4242.',
      WhoId: whoId,
      WhatId: whatId,
      CallType: 'Inbound',
      CallDurationInSeconds: 312,
    });
  });

  it.each(['Inbound', 'Outbound'] as const)('takes the direction %s as CallType', async (direction) => {
    await using connected = await connectPlatform();

    await logCall(connected.clients, { ...input, direction });

    expect(connected.platform.crm.tasks.map(({ CallType, Subject }) => [CallType, Subject])).toEqual([
      [direction, `${direction} call: resolved`],
    ]);
  });

  it('makes one Task however often it is asked without a shared claim', async () => {
    await using connected = await connectPlatform();
    const { platform, clients } = connected;

    const first = await logCall(clients, input);
    const second = await logCall(clients, input);

    expect(second).toEqual(first);
    expect(keysOf(platform, 'crm.tasks.create')).toEqual(['CA1:task', 'CA1:task']);
    expect(platform.crm.tasks).toHaveLength(1);
  });

  it('keeps a long transcript within the field', async () => {
    await using connected = await connectPlatform();

    await logCall(connected.clients, { ...input, transcript: 'word '.repeat(20_000), subject: 's'.repeat(300) });

    const [task] = connected.platform.crm.tasks;
    expect(String(task?.['Description'])).toMatch(/\n\[clipped: 68058 more characters\]$/);
    expect(String(task?.['Description'])).toHaveLength(31_999);
    expect(String(task?.['Subject'])).toHaveLength(254);
  });

  it.each([
    [{ durationSeconds: -1 }, new InvalidArgumentError('durationSeconds', 'must be a number of seconds, at least 0')],
    [
      { startedAt: 'today' },
      new InvalidArgumentError('startedAt', 'must be a date, or an ISO 8601 text with its offset'),
    ],
    [
      // As a JavaScript caller could.
      { direction: 'sideways' as 'Inbound' },
      new InvalidArgumentError('direction', "must be 'Inbound', 'Outbound' or 'Internal'"),
    ],
  ])('refuses %j and sends nothing', async (wrong, error) => {
    await using connected = await connectPlatform();

    await expect(logCall(connected.clients, { ...input, ...wrong })).rejects.toEqual(error);
    expect(connected.platform.requests).toEqual([]);
  });
});

describe('a claim on the one Task', () => {
  it('is shared by askers at the same time: one creates, the next adds what it knows', async () => {
    await using connected = await connectPlatform();
    const { platform, clients } = connected;
    const { Id: whoId } = platform.crm.addContact({ LastName: 'Lee' });
    const task = createTaskClaim();

    const logged = await Promise.all([
      logCall(clients, { ...input, transcript: undefined, durationSeconds: undefined }, { task }),
      logCall(clients, { ...input, whoId }, { task }),
      logCall(clients, { ...input, summary: undefined, transcript: undefined }, { task }),
    ]);

    expect(logged.map(({ task }) => task)).toEqual(['created', 'updated', 'unchanged']);
    expect(new Set(logged.map(({ taskId }) => taskId)).size).toBe(1);
    expect(platform.crm.tasks).toEqual([
      expect.objectContaining({
        WhoId: whoId,
        CallDurationInSeconds: 312,
        Description: 'Asked about invoice 7.\n\nCard ************4242.',
      }),
    ]);
    expect(platform.requests.map(({ operation }) => operation)).toEqual(['crm.tasks.create', 'crm.tasks.update']);
    expect(platform.requests[1]?.body).toEqual({
      CallDurationInSeconds: 312,
      Description: 'Asked about invoice 7.\n\nCard ************4242.',
      WhoId: whoId,
    });
  });

  it('repeats exactly what it sent when the Task may stand, then adds the rest', async () => {
    await using connected = await connectPlatform();
    const { platform, clients } = connected;
    const task = createTaskClaim();
    platform.fault('crm.tasks.create', [{ executeThenDrop: true, times: 3 }]);
    const first = logCall(clients, { ...input, transcript: undefined }, { task });
    await expect(first).rejects.toBeInstanceOf(RetriesExhaustedError);

    const logged = await logCall(clients, input, { task });

    expect(logged.task).toBe('created');
    expect(new Set(keysOf(platform, 'crm.tasks.create'))).toEqual(new Set(['CA1:task']));
    expect(platform.crm.tasks).toEqual([
      expect.objectContaining({ Id: logged.taskId, Description: expect.stringContaining('Card') }),
    ]);
  });

  it('takes another key for other words after a definite refusal', async () => {
    await using connected = await connectPlatform();
    const { platform, clients } = connected;
    const task = createTaskClaim();
    const wrong = logCall(clients, { ...input, whoId: '003000000000000AAA' }, { task });
    await expect(wrong).rejects.toBeInstanceOf(ClientError);
    const { Id: whoId } = platform.crm.addContact({ LastName: 'Lee' });

    await logCall(clients, { ...input, whoId }, { task });

    expect(keysOf(platform, 'crm.tasks.create')).toEqual(['CA1:task', 'CA1:task:2']);
    expect(platform.crm.tasks).toHaveLength(1);
  });

  it('lets an asker who gives up go at once, and does not send for it', async () => {
    await using connected = await connectPlatform();
    const { platform, clients } = connected;
    const task = createTaskClaim();
    platform.fault('crm.tasks.create', [{ latencyMs: 100 }]);
    const hangUp = new AbortController();
    const first = logCall(clients, input, { task });
    const second = logCall(clients, { ...input, subject: 'Other' }, { task, signal: hangUp.signal });
    hangUp.abort();

    await expect(second).rejects.toBeInstanceOf(AbortedError);
    expect(task.taskId).toBeUndefined();
    expect((await first).task).toBe('created');
    expect(platform.requests.map(({ operation }) => operation)).toEqual(['crm.tasks.create']);
  });

  it('makes no second Task when another claim of the same process has used the key for other words', async () => {
    await using connected = await connectPlatform();
    const { platform, clients } = connected;
    await logCall(clients, input);
    const task = createTaskClaim();

    for (const summary of ['Other words.', 'Others again.']) {
      await expect(logCall(clients, { ...input, summary }, { task })).rejects.toMatchObject({
        field: 'idempotencyKey',
      });
    }

    expect(platform.crm.tasks).toHaveLength(1);
  });

  it('updates a Task that was made elsewhere', async () => {
    await using connected = await connectPlatform();
    const { platform, clients } = connected;
    const { Id: taskId } = platform.crm.addTask({ Subject: 'Call' });

    const logged = await logCall(clients, input, { task: createTaskClaim({ taskId }) });

    expect(logged).toEqual({ taskId, task: 'updated' });
    expect(platform.crm.tasks).toEqual([expect.objectContaining({ Id: taskId, Subject: 'Inbound call: resolved' })]);
  });

  it('never makes a second Task at a CRM that knows no keys', async () => {
    await using connected = await connectPlatform({ crm: { idempotency: 'none' } });
    const { platform, clientOptions } = connected;
    const crm = createCrmClient({ ...clientOptions.crm, idempotency: 'none' });
    const task = createTaskClaim();
    platform.fault('crm.tasks.create', [{ executeThenDrop: true }]);
    const first = await logCall({ crm }, input, { task }).catch((error: unknown) => error);

    const second = await logCall({ crm }, input, { task }).catch((error: unknown) => error);

    expect(second).toBe(first);
    expect(platform.crm.tasks).toHaveLength(1);
  });
});
