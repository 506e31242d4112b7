import { describe, expect, it } from 'vitest';
import { bearer } from '../../../src/auth/index.ts';
import type { CrmClient } from '../../../src/crm/index.ts';
import { createCrmClient } from '../../../src/crm/index.ts';
import { hubspot } from '../../../src/crm/hubspot/index.ts';
import { salesforce } from '../../../src/crm/salesforce/index.ts';
import { finishCall, type UnfinishedCall } from '../../../src/index.ts';
import { startFinishWorker } from '../../../src/phone-call/finish-later.ts';
import { startPhoneCall } from '../../../src/phone-call/start-phone-call.ts';
import { createMemoryMessageQueue } from '../../../src/stores/memory/index.ts';
import { type DocumentedCrm, startDocumentedCrm } from '../../support/documented-crm.ts';
import { until } from '../../support/until.ts';

const phone = '+14155550100';
const facts = { callId: 'CA1', direction: 'Inbound', phone, startedAt: '2026-03-01T10:00:00Z' } as const;
const lead = { LastName: 'Lee', Company: 'Lee Ltd' };

type PhoneCall = ReturnType<typeof startPhoneCall>;

/** Steps before `finish`, in any order, and what the one Task has of them. */
const calls: readonly (readonly [
  name: string,
  steps: (phoneCall: PhoneCall) => Promise<unknown>,
  description: string,
])[] = [
  ['nothing but finish', async () => {}, 'Hello.'],
  ['one log', (phoneCall) => phoneCall.logCall({ summary: 'Asked.' }), 'Asked.\n\nHello.'],
  [
    'two logs, the last of which counts',
    async (phoneCall) => {
      await phoneCall.logCall({ summary: 'Asked.', outcome: 'open' });
      await phoneCall.logCall({ summary: 'Asked twice.' });
    },
    'Asked twice.\n\nHello.',
  ],
  [
    'an open lead that is qualified',
    (phoneCall) => phoneCall.qualifyLead({ lead, summary: 'Wants 50 seats.' }),
    'Wants 50 seats.\n\nHello.',
  ],
  [
    'a lead that is qualified and logged',
    async (phoneCall) => {
      await phoneCall.qualifyLead({ lead, summary: 'Wants 50 seats.' });
      await phoneCall.logCall({ outcome: 'open', summary: 'Wants 60 seats.' });
    },
    'Wants 60 seats.\n\nHello.',
  ],
  [
    'logs at the same time',
    (phoneCall) => Promise.all([phoneCall.logCall({ outcome: 'open' }), phoneCall.logCall({ summary: 'Asked.' })]),
    'Asked.\n\nHello.',
  ],
  [
    'a log with the link of the transcript',
    (phoneCall) => phoneCall.logCall({ transcriptUrl: 'https://calls.example/CA1' }),
    'https://calls.example/CA1\n\nHello.',
  ],
];

const countOf = ({ requests }: DocumentedCrm, request: string): number =>
  requests.filter((one) => one === request).length;

describe.each([404, 405, 501])('a CRM that answers %i to what the interface document lacks', (missing) => {
  it.each(calls)('gets one Task of a call with %s', async (_name, steps, description) => {
    await using crm = await startDocumentedCrm({ missing });
    crm.leads.push({ Id: '00Q9', Phone: phone });
    const phoneCall = startPhoneCall({ crm: crm.crm }, facts);

    await steps(phoneCall);
    expect(crm.tasks).toEqual([]);
    const finished = await phoneCall.finish({ outcome: 'resolved', transcript: 'Hello.', durationSeconds: 60 });

    expect(finished).toMatchObject({ complete: true, taskId: '00T1' });
    expect(crm.tasks).toHaveLength(1);
    expect(crm.tasks[0]).toMatchObject({ Subject: 'Inbound call: resolved', WhoId: '00Q9', CallDurationInSeconds: 60 });
    expect(String(crm.tasks[0]?.['Description'])).toContain('Hello.');
    for (const words of description.split('\n\n')) expect(String(crm.tasks[0]?.['Description'])).toContain(words);
    expect(crm.requests.filter((request) => request.startsWith('PATCH Task'))).toEqual([]);
  });
});

describe('a CRM that cannot change a Task', () => {
  it('says of each step that its words are kept', async () => {
    await using crm = await startDocumentedCrm();
    crm.leads.push({ Id: '00Q9', Phone: phone });
    const phoneCall = startPhoneCall({ crm: crm.crm }, facts);

    expect(await phoneCall.qualifyLead({ lead })).toMatchObject({
      outcome: 'open_lead',
      complete: true,
      steps: [{ step: 'task', status: 'skipped', reason: 'kept_for_finish' }],
    });
    expect(await phoneCall.logCall({ outcome: 'resolved' })).toEqual({ task: 'kept' });
  });

  it('says so to the model too', async () => {
    await using crm = await startDocumentedCrm();
    crm.leads.push({ Id: '00Q9', Phone: phone });
    const phoneCall = startPhoneCall({ crm: crm.crm }, facts);
    const { tools } = phoneCall;

    const qualified = await tools.run('qualify_lead', { last_name: 'Okafor', company: 'Northwind' });
    const logged = await tools.run('log_call', { outcome: 'resolved', summary: 'Asked.' });
    await phoneCall.finish({ transcript: 'Hello.' });

    expect(qualified.text).toContain('kept, and saved when the call ends');
    expect(logged.text).toBe('{"result":"kept, and logged when the call ends"}');
    expect(crm.tasks).toMatchObject([
      { Subject: 'Inbound call: resolved', Description: 'Asked.\n\nHello.', WhoId: '00Q9' },
    ]);
  });

  it('gets one Task when the phone call is finished again with the same words', async () => {
    await using crm = await startDocumentedCrm();
    const phoneCall = startPhoneCall({ crm: crm.crm }, facts);
    await phoneCall.logCall({ summary: 'Asked.' });

    await phoneCall.finish({ outcome: 'resolved' });
    const again = await phoneCall.finish({ outcome: 'resolved' });

    expect(again.complete).toBe(true);
    expect(crm.tasks).toHaveLength(1);
  });

  it('gets no second Task for words after the end: finish says that they are not written', async () => {
    await using crm = await startDocumentedCrm();
    const phoneCall = startPhoneCall({ crm: crm.crm }, facts);
    await phoneCall.finish({ outcome: 'resolved' });

    const again = await phoneCall.finish({ summary: 'One more thing.' });

    expect(again.complete).toBe(false);
    expect(again.steps).toContainEqual({
      step: 'task',
      status: 'failed',
      error: expect.objectContaining({ status: 404, operation: 'crm.tasks.update' }),
    });
    expect(crm.tasks).toHaveLength(1);
  });

  it('gets the words of all steps from another process, after JSON', async () => {
    await using crm = await startDocumentedCrm();
    const phoneCall = startPhoneCall({ crm: crm.crm }, facts);
    crm.leads.push({ Id: '00Q9', Phone: phone });
    await phoneCall.qualifyLead({ lead, summary: 'Wants 50 seats.' });
    await phoneCall.logCall({ outcome: 'resolved' });
    crm.fail('POST Task/', 400);

    const { unfinished } = await phoneCall.finish({ transcript: 'Hello.' });
    const later = await finishCall({ crm: crm.connect() }, JSON.parse(JSON.stringify(unfinished)) as UnfinishedCall);

    expect(later.complete).toBe(true);
    expect(crm.tasks).toMatchObject([
      { Subject: 'Inbound call: resolved', Description: 'Wants 50 seats.\n\nHello.', WhoId: '00Q9' },
    ]);
  });

  it('gets the words of all steps from the worker, card numbers masked in the queue', async () => {
    await using crm = await startDocumentedCrm();
    const queue = createMemoryMessageQueue();
    const stored: unknown[] = [];
    const enqueue: typeof queue.enqueue = async (messages) => {
      stored.push(messages);
      return queue.enqueue(messages);
    };
    const phoneCall = startPhoneCall({ crm: crm.crm }, { ...facts, finishLater: { queue: { ...queue, enqueue } } });
    await phoneCall.logCall({ outcome: 'resolved', summary: 'Card 4242424242424242.' });
    const worker = startFinishWorker({ crm: crm.connect() }, { queue });

    await phoneCall.finish({ transcript: 'Hello.' });
    await until(() => crm.tasks.length > 0);
    await worker.close(1_000);

    expect(crm.tasks).toMatchObject([
      { Subject: 'Inbound call: resolved', Description: 'Card ************4242.\n\nHello.' },
    ]);
    expect(countOf(crm, 'POST Task/')).toBe(1);
    expect(JSON.stringify(stored)).toContain('************4242');
    expect(JSON.stringify(stored)).not.toContain('4242424242424242');
  });
});

describe('a CRM that can change a Task', () => {
  const early = async (client: CrmClient, crm: DocumentedCrm) => {
    const phoneCall = startPhoneCall({ crm: client }, facts);
    const logged = await phoneCall.logCall({ outcome: 'open', summary: 'Asked.' });
    const tasks = crm.tasks.length;
    await phoneCall.finish({ outcome: 'resolved', transcript: 'Hello.' });
    return { logged, tasks };
  };

  it('gets it early, and changed at the end, where its dialect says so', async () => {
    await using crm = await startDocumentedCrm({ changesTasks: true });

    const { logged, tasks } = await early(crm.connect({ dialect: { changesTasks: true } }), crm);

    expect([logged, tasks]).toEqual([{ taskId: '00T1', task: 'created' }, 1]);
    expect(crm.tasks).toMatchObject([{ Subject: 'Inbound call: resolved', Description: 'Asked.\n\nHello.' }]);
  });

  it('gets it at the end where its dialect says nothing, and changed by a later finish', async () => {
    await using crm = await startDocumentedCrm({ changesTasks: true });
    const phoneCall = startPhoneCall({ crm: crm.crm }, facts);
    await phoneCall.logCall({ outcome: 'open' });
    await phoneCall.finish({ transcript: 'Hello.' });

    const again = await phoneCall.finish({ summary: 'One more thing.' });

    expect(again.complete).toBe(true);
    expect(crm.tasks).toMatchObject([{ Description: 'One more thing.\n\nHello.' }]);
  });

  it.each([
    ['salesforce', salesforce()],
    ['hubspot', hubspot()],
  ])('is %s', (_name, preset) => {
    const crm = createCrmClient({ ...preset, baseUrl: 'https://crm.example', authenticate: bearer(() => 't') });

    expect(crm.tasks.canUpdate).toBe(true);
  });
});
