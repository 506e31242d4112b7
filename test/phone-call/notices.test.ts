import { expect, test } from 'vitest';
import { createIntegration } from '../../src/integration.ts';
import { callCompleted } from '../../src/phone-call/finish-later.ts';
import { maskFields } from '../../src/phone-call/steps/mask-fields.ts';
import { createMemoryMessageQueue } from '../../src/stores/memory/index.ts';
import { connectPlatform } from '../support/connected-platform.ts';
import { until } from '../support/until.ts';

const phone = '+14155550100';
const aiNoticeAt = '2026-11-28T09:00:00.000Z';

const start = async () => {
  const connected = await connectPlatform();
  connected.platform.messaging.addContact({ phone, name: 'Ada' });
  const integration = createIntegration(connected.clientOptions);
  return { ...connected, integration };
};

const records = ({ platform }: Awaited<ReturnType<typeof start>>) => ({
  task: String(platform.crm.tasks[0]?.['Description']),
  conversation: JSON.stringify(platform.messaging.conversations[0]),
});

test('what the agent announced and the caller agreed to is in the Task and in the conversation', async () => {
  await using started = await start();
  const phoneCall = started.integration.startPhoneCall({ callId: 'CA1', phone, aiNoticeAt: new Date(aiNoticeAt) });
  phoneCall.setNotices({ recordingConsent: false });
  phoneCall.setNotices({ recordingConsent: true });

  await phoneCall.logCall({ outcome: 'begun' });
  expect(records(started).task).toContain(`AI notice: ${aiNoticeAt}\n\nRecording: agreed to`);
  const { complete } = await phoneCall.finish({ summary: 'Asked for a refund.' });

  expect(complete).toBe(true);
  const { task, conversation } = records(started);
  expect(task).toBe(`AI notice: ${aiNoticeAt}\n\nRecording: agreed to\n\nAsked for a refund.`);
  expect(conversation).toContain('Recording: agreed to');
  expect(conversation).toContain(aiNoticeAt);
});

test('in a conversation that was there before, they are in the note', async () => {
  await using started = await start();
  const phoneCall = started.integration.startPhoneCall({ callId: 'CA1', phone, recordingConsent: false });
  await phoneCall.ensureConversation();

  await phoneCall.finish({ summary: 'Bye.' });

  const [conversation] = started.platform.messaging.conversations;
  expect(conversation?.body).not.toContain('Recording');
  expect(conversation?.parts).toMatchObject([{ type: 'note', body: expect.stringContaining('Recording: refused') }]);
});

test('nothing is written about them if nothing was announced or asked', async () => {
  await using started = await start();
  await started.integration.startPhoneCall({ callId: 'CA1', phone }).finish({ summary: 'Bye.' });

  expect(records(started).task).toBe('Bye.');
});

test('a finish again with the same notices writes nothing twice', async () => {
  await using started = await start();
  const phoneCall = started.integration.startPhoneCall({ callId: 'CA1', phone, recordingConsent: true });
  await phoneCall.finish({ summary: 'Bye.' });
  await phoneCall.finish({ summary: 'Bye.' });

  expect(started.platform.crm.tasks).toHaveLength(1);
  expect(started.platform.messaging.conversations).toHaveLength(1);
  expect(started.platform.messaging.conversations[0]?.parts).toEqual([]);
});

test('they are in `call.completed`, and in what the worker writes', async () => {
  await using connected = await start();
  const published: unknown[] = [];
  const queue = createMemoryMessageQueue();
  const outbox = { publish: async ({ payload }: { payload: unknown }) => void published.push(payload) };
  await using integration = createIntegration({
    ...connected.clientOptions,
    finishLater: { queue, outbox: outbox as never },
  });
  const phoneCall = integration.startPhoneCall({ callId: 'CA1', phone });
  phoneCall.setNotices({ aiNoticeAt: Date.parse(aiNoticeAt), recordingConsent: false });

  await phoneCall.finish({ summary: 'Bye.' });

  expect(published).toMatchObject([{ ai_notice_at: aiNoticeAt, recording_consent: false }]);
  const checked = await callCompleted.versions[1]['~standard'].validate(JSON.parse(JSON.stringify(published[0])));
  expect(checked).not.toHaveProperty('issues');
  await until(() => connected.platform.crm.tasks.length === 1);
  expect(records(connected).task).toContain(`AI notice: ${aiNoticeAt}\n\nRecording: refused`);
});

test.each([
  ['recordingConsent', 'yes'],
  ['recordingConsent', 1],
  ['recordingConsent', null],
  ['recordingConsent', { approved: true }],
  ['aiNoticeAt', 'today'],
  ['aiNoticeAt', '2026-11-28T09:00:00'],
  ['aiNoticeAt', true],
  ['recordingconsent', true],
])('%s: %j is refused everywhere', async (field, value) => {
  await using started = await start();
  const wrong = { [field]: value } as object;
  const phoneCall = started.integration.startPhoneCall({ callId: 'CA1', phone });

  expect(() => phoneCall.setNotices(wrong)).toThrow(field);
  expect(() => started.integration.startPhoneCall({ callId: 'CA2', ...wrong })).toThrow(field);
  await expect(phoneCall.finish(wrong)).rejects.toThrow(field);
  await expect(phoneCall.logCall(wrong)).rejects.toThrow(field);
  expect(started.platform.requests).toEqual([]);
});

test('no moment is taken for a card number', () => {
  const moments = Array.from({ length: 2_000 }, (_, index) => new Date(Date.UTC(2026, 0, 1) + index * 7_919_317));

  for (const moment of moments)
    expect(maskFields({ aiNoticeAt: moment.toISOString() })).toEqual({ aiNoticeAt: moment.toISOString() });
});
