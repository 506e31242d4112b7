import { describe, expect, it } from 'vitest';
import { createCrmClient } from '../../src/crm/index.ts';
import { hubspot } from '../../src/crm/hubspot/index.ts';
import { bearer } from '../../src/auth/index.ts';
import { startPhoneCall } from '../../src/phone-call/start-phone-call.ts';
import type { Fault } from '../../src/dev/testing/index.ts';
import { failureOf } from '../support/connect.ts';
import { connectSalesforce, queriesOf, sentTo } from '../support/connected-salesforce.ts';
import { startRecordingServer } from '../support/recording-server.ts';

const task = { Subject: 'Inbound call', CallType: 'Inbound' };
const key = { idempotencyKey: 'CA1:task' };
const reference = "SELECT Id FROM Task WHERE CallObject = 'CA1:task' LIMIT 1";

/** Ends that leave open whether the Task was made. */
const ends: readonly (readonly [name: string, fault: Fault])[] = [
  ['a 503 although it was made', { status: 503, executed: true }],
  ['a 500 although it was made', { status: 500, executed: true }],
  ['a 503, and it was not made', { status: 503 }],
  ['a connection that was reset after it was made', { executeThenDrop: true }],
  ['a connection that was reset before', { reset: 'before-headers' }],
  ['an answer that was cut', { truncate: true }],
  ['no answer in time', { stall: 'headers' }],
];

describe('a Task in Salesforce', () => {
  it.each(ends)('is one after %s: it is looked up by its reference', async (_name, fault) => {
    await using org = await connectSalesforce();
    org.platform.fault('crm.tasks.create', [fault]);

    const { id } = await org.crm.tasks.create(task, { ...key, attemptTimeoutMs: 500 });

    expect(org.platform.crm.tasks).toMatchObject([{ Id: id, Subject: 'Inbound call', CallObject: 'CA1:task' }]);
    expect(queriesOf(org.platform)).toEqual([reference]);
  });

  it('that could not be looked up is unknown, and is looked up first when it is asked for again', async () => {
    await using org = await connectSalesforce();
    org.platform.fault('crm.tasks.create', [{ executeThenDrop: true }]);
    org.platform.fault('crm.tasks.search', [{ status: 400 }]);
    expect(await failureOf(org.crm.tasks.create(task, key))).toMatchObject({ outcome: 'unknown', attempts: 1 });

    const { id } = await org.crm.tasks.create(task, key);

    expect(org.platform.crm.tasks.map(({ Id }) => Id)).toEqual([id]);
    expect(sentTo(org.platform).filter((line) => line.startsWith('POST'))).toHaveLength(1);
  });

  it('that still cannot be looked up is not sent', async () => {
    await using org = await connectSalesforce();
    org.platform.fault('crm.tasks.create', [{ executeThenDrop: true }]);
    org.platform.fault('crm.tasks.search', [{ status: 400 }, { status: 400 }]);
    await failureOf(org.crm.tasks.create(task, key));

    expect(await failureOf(org.crm.tasks.create(task, key))).toMatchObject({
      outcome: 'unknown',
      reason: 'may_be_done',
    });
    expect(org.platform.crm.tasks).toHaveLength(1);
  });

  it('of a phone call is there once when finish is called again', async () => {
    await using org = await connectSalesforce();
    org.platform.fault('crm.tasks.create', [{ status: 503, executed: true }]);
    org.platform.fault('crm.tasks.search', [{ status: 400 }]);
    const phoneCall = startPhoneCall({ crm: org.crm }, { callId: 'CA1', direction: 'Inbound' });

    const first = await phoneCall.finish({ outcome: 'resolved', summary: 'Asked.' });
    const second = await phoneCall.finish({ transcript: 'Hello.' });

    expect([first.complete, second.complete]).toEqual([false, true]);
    expect(org.platform.crm.tasks).toMatchObject([
      { Subject: 'Inbound call: resolved', Description: 'Asked.\n\nHello.', CallObject: 'CA1:task' },
    ]);
  });

  it.each([
    ['whose CallObject is yours', { ...task, CallObject: 'Northwind call center' }, key],
    ['without a key', task, {}],
  ])('%s is not looked up, and its end stays unknown', async (_name, fields, call) => {
    await using org = await connectSalesforce();
    org.platform.fault('crm.tasks.create', [{ executeThenDrop: true }]);

    expect(await failureOf(org.crm.tasks.create(fields, call))).toMatchObject({ outcome: 'unknown', attempts: 1 });
    expect(queriesOf(org.platform)).toEqual([]);
    expect(org.platform.crm.tasks.map(({ CallObject }) => CallObject)).toEqual([
      'CallObject' in fields ? fields.CallObject : undefined,
    ]);
  });

  it('with an external id has no reference besides', async () => {
    await using org = await connectSalesforce({ preset: { externalIdField: 'Call_Id__c' } });

    await org.crm.tasks.create(task, key);

    expect(org.platform.crm.tasks[0]).not.toHaveProperty('CallObject');
  });
});

it('an API of the default kind with a search of Tasks can say so', async () => {
  await using server = await startRecordingServer();
  server.answer({ status: 503 }, { json: [{ Id: '00T1' }] });
  const crm = createCrmClient({
    baseUrl: server.baseUrl,
    authenticate: bearer(() => 't'),
    version: '60.0',
    backoff: { minimumMs: 0, maximumMs: 0 },
    dialect: { referenceField: (object) => (object === 'Task' ? 'Reference__c' : undefined) },
  });

  expect(await crm.tasks.create(task, key)).toEqual({ id: '00T1' });
  expect(server.requests.map(({ line, body }) => [line.split('/sobjects/')[1], body])).toEqual([
    ['Task/', { ...task, Reference__c: 'CA1:task' }],
    ['Task/search', { q: "SELECT Id FROM Task WHERE Reference__c = 'CA1:task'", limit: 1 }],
  ]);
});

it('a Task in HubSpot stays unknown: its searches are behind', async () => {
  await using server = await startRecordingServer();
  server.answer({ status: 503 });
  const crm = createCrmClient({ ...hubspot(), baseUrl: server.baseUrl, authenticate: bearer(() => 't') });

  expect(await failureOf(crm.tasks.create({ Subject: 'x' }, key))).toMatchObject({ outcome: 'unknown', attempts: 1 });
  expect(crm.tasks.canLookUp).toBe(false);
});
