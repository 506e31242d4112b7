import { expect, test } from 'vitest';
import * as z from 'zod';
import { defineEvent } from '../../src/outbox/define-event.ts';
import { compareFingerprints, fingerprintSchemas } from '../../src/outbox/fingerprint.ts';
import { toVersions } from '../../src/outbox/to-version.ts';

const v1 = z.object({ callId: z.string(), duration: z.number() });
const v2 = z.object({ callId: z.string(), durationSeconds: z.number().min(0) });
const v3 = z.object({ callId: z.string(), durationSeconds: z.number().min(0), endedAt: z.date() });

const callCompleted = defineEvent('call.completed', {
  1: { schema: v1, down: ({ callId, durationSeconds }: z.infer<typeof v2>) => ({ callId, duration: durationSeconds }) },
  2: { schema: v2, down: ({ endedAt: _endedAt, ...rest }: z.infer<typeof v3>) => rest },
  3: v3,
});

const payload = { callId: 'CA1', durationSeconds: 5, endedAt: new Date(0) };

test('a payload is given in each version that is wanted', async () => {
  const forms = await toVersions(callCompleted, payload, { given: 3, wanted: [3, 1] });

  expect(forms.get(3)).toEqual({ callId: 'CA1', durationSeconds: 5, endedAt: '1970-01-01T00:00:00.000Z' });
  expect(forms.get(1)).toEqual({ callId: 'CA1', duration: 5 });
});

test('a payload that its schema refuses is named by its field, without its value', async () => {
  const wrong = { ...payload, durationSeconds: -415550100 };

  const published = toVersions(callCompleted, wrong, { given: 3, wanted: [1] });

  await expect(published).rejects.toThrow(
    'outbox.publish: payload.durationSeconds is not what version 3 of call.completed says it is',
  );
});

test('what a converter makes is checked too', async () => {
  const broken = defineEvent('broken', { 1: { schema: v1, down: () => ({ callId: 'CA1' }) }, 2: v2 });

  await expect(toVersions(broken, payload, { given: 2, wanted: [1] })).rejects.toThrow(
    'payload.duration is not what version 1 of broken says it is',
  );
});

test.each([
  ['a version that is not defined', callCompleted, { given: 3, wanted: [4] }],
  ['a version above the one that was given', callCompleted, { given: 2, wanted: [3] }],
  ['a version without a way down', defineEvent('call.completed', { 1: v1, 2: v2 }), { given: 2, wanted: [1] }],
])('there is no form for %s', async (_what, event, versions) => {
  await expect(toVersions(event, payload, versions)).rejects.toMatchObject({
    code: 'invalid_argument',
    field: 'event',
    problem: expect.stringContaining(`has no form for version ${versions.wanted[0]}`) as string,
  });
});

test.each([
  ['an empty name', '', { 1: v1 }],
  ['a name with spaces', 'call completed', { 1: v1 }],
  ['no version', 'call.completed', {}],
  ['version 0', 'call.completed', { 0: v1 }],
])('an event cannot have %s', (_what, name, versions) => {
  expect(() => defineEvent(name, versions)).toThrow('must');
});

test('a schema that changes without a new version is found', () => {
  const wasV2 = z.object({ callId: z.string(), durationSeconds: z.number() });
  const recorded = fingerprintSchemas([
    defineEvent('call.completed', { 1: v1, 2: wasV2 }),
    defineEvent('gone', { 1: v1 }),
  ]);

  const changes = compareFingerprints([defineEvent('call.completed', { 1: v1, 2: v2, 4: v1 })], recorded);

  expect(changes).toEqual({ changed: ['call.completed@2'], removed: ['gone@1'], added: ['call.completed@4'] });
});

test('the same schema in other words has the same fingerprint, and its fields may have any name', () => {
  const one = z.object({ title: z.string(), required: z.number() });
  const other = z.object({ required: z.number().describe('a number'), title: z.string() }).describe('a thing');
  const third = z.object({ required: z.number(), title: z.number() });
  const [a, b, c] = [one, other, third].map((schema) => fingerprintSchemas([defineEvent('e', { 1: schema })])['e@1']);

  expect(a).toMatch(/^[0-9a-f]{32}$/);
  expect(b).toBe(a);
  expect(c).not.toBe(a);
});

test('a schema that does not know its JSON Schema needs to be told', () => {
  const schema = { '~standard': { version: 1 as const, vendor: 'mine', validate: (value: unknown) => ({ value }) } };
  const events = [defineEvent('e', { 1: schema })];

  expect(() => fingerprintSchemas(events)).toThrow('a schema of mine does not know its JSON Schema');
  expect(fingerprintSchemas(events, { toJsonSchema: () => ({ type: 'object' }) })).toEqual({
    'e@1': expect.stringMatching(/^[0-9a-f]{32}$/) as string,
  });
});
