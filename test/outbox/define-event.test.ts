import { expect, test } from 'vitest';
import * as z from 'zod';
import type { InvalidArgumentError } from '../../src/core/errors.ts';
import { defineEvent, type EventVersions, versionsOf } from '../../src/outbox/define-event.ts';
import { compareFingerprints, fingerprintSchemas } from '../../src/dev/testing/event-fingerprints.ts';
import { downgradePayload } from '../../src/outbox/define-event.ts';

const v1 = z.object({ callId: z.string(), duration: z.number() });
const v2 = z.object({ callId: z.string(), durationSeconds: z.number().min(0) });
const v3 = z.object({ callId: z.string(), durationSeconds: z.number().min(0), endedAt: z.date() });

const callCompleted = defineEvent('call.completed', {
  1: { schema: v1, down: ({ callId, durationSeconds }: z.infer<typeof v2>) => ({ callId, duration: durationSeconds }) },
  2: { schema: v2, down: ({ endedAt: _endedAt, ...rest }: z.infer<typeof v3>) => rest },
  3: v3,
});

const payload = { callId: 'CA1', durationSeconds: 5, endedAt: new Date(0) };

test('a payload that its schema refuses is named by its field, without its value', async () => {
  const wrong = { ...payload, durationSeconds: -415550100 };

  const published = downgradePayload(callCompleted, wrong, { publishedVersion: 3, wanted: [1] });

  await expect(published).rejects.toThrow(
    'outbox.publish: payload.durationSeconds is not what version 3 of call.completed says it is',
  );
});

test('what a converter makes is checked too', async () => {
  const broken = defineEvent('broken', { 1: { schema: v1, down: () => ({ callId: 'CA1' }) }, 2: v2 });

  await expect(downgradePayload(broken, payload, { publishedVersion: 2, wanted: [1] })).rejects.toThrow(
    'payload.duration is not what version 1 of broken says it is',
  );
});

test.each([
  ['a version that is not defined', callCompleted, { publishedVersion: 3, wanted: [4] }],
  ['a version above the one that was given', callCompleted, { publishedVersion: 2, wanted: [3] }],
  [
    'a version without a way down',
    defineEvent('call.completed', { 1: v1, 2: v2 }),
    { publishedVersion: 2, wanted: [1] },
  ],
])('there is no form for %s', async (_what, event, versions) => {
  await expect(downgradePayload(event, payload, versions)).rejects.toMatchObject({
    code: 'invalid_argument',
    field: 'event',
    problem: expect.stringContaining(`has no form for version ${versions.wanted[0]}`) as string,
  });
});

const badName = { field: 'event', problem: 'must be a name of letters, digits, dots, dashes and colons' };
const badVersion = { field: 'event call.completed', problem: 'must have whole numbers above 0 as versions' };

test.each<[what: string, name: string, versions: EventVersions, problem: object]>([
  ['an empty name', '', { 1: v1 }, badName],
  ['a name with spaces', 'call completed', { 1: v1 }, badName],
  ['a name of 101 letters', 'a'.repeat(101), { 1: v1 }, badName],
  ['no version', 'call.completed', {}, { field: 'event call.completed', problem: 'must have at least one version' }],
  ['version 0', 'call.completed', { 0: v1 }, badVersion],
  ['a version of seven digits', 'call.completed', { 1_000_000: v1 }, badVersion],
  ['a version with a point', 'call.completed', { 1.5: v1 }, badVersion],
])('an event cannot have %s', (_what, name, versions, problem) => {
  expect(() => defineEvent(name, versions)).toThrow(expect.objectContaining({ code: 'invalid_argument', ...problem }));
});

test('an event may have a name of 100 letters, and versions of several digits', () => {
  const event = defineEvent('a'.repeat(100), { 10: v1, 123456: v1 });

  expect(versionsOf(event)).toEqual([123456, 10]);
});

test('a payload of an older version is checked by that version alone', async () => {
  const forms = await downgradePayload(
    callCompleted,
    { callId: 'CA1', duration: 5 },
    { publishedVersion: 1, wanted: [1] },
  );

  expect([...forms]).toEqual([[1, { callId: 'CA1', duration: 5 }]]);
});

test('the path of a field works with plain steps and with step objects', async () => {
  const issues = [{ message: 'no', path: [{ key: 'lines' }, 0, 'amount'] }];
  const schema = { '~standard': { version: 1 as const, vendor: 'mine', validate: () => ({ issues }) } };
  const rootless = {
    '~standard': { version: 1 as const, vendor: 'mine', validate: () => ({ issues: [{ message: 'no' }] }) },
  };
  const fieldOf = (version: EventVersions[number]) =>
    downgradePayload(defineEvent('e', { 1: version }), {}, { publishedVersion: 1, wanted: [1] }).catch(
      ({ field, operation }: InvalidArgumentError) => ({ field, operation }),
    );

  expect(await Promise.all([schema, rootless].map(fieldOf))).toEqual([
    { field: 'payload.lines.0.amount', operation: 'outbox.publish' },
    { field: 'payload', operation: 'outbox.publish' },
  ]);
});

test('what JSON cannot hold is no payload', async () => {
  const anything = defineEvent('e', { 1: z.unknown() });

  await expect(downgradePayload(anything, undefined, { publishedVersion: 1, wanted: [1] })).rejects.toMatchObject({
    field: 'payload',
    problem: 'must be something that JSON can hold: no cycle, no BigInt, no function, and no toJSON that throws',
  });
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

test.each<[what: string, one: unknown, other: unknown, isSame: boolean]>([
  ['required fields in another order', { required: ['b', 'a', 'c'] }, { required: ['c', 'a', 'b'] }, true],
  ['the parts of a tuple in another order', { prefixItems: ['b', 'a'] }, { prefixItems: ['a', 'b'] }, false],
  ['another title', { title: 'a', $comment: 'a', examples: [1] }, { title: 'b', $schema: 'c' }, true],
  ['null in place of nothing', { const: null }, {}, false],
  ['null in place of a text', { const: null }, { const: 'null' }, false],
  ['fields in another order', { b: 1, a: 2, c: 3 }, { c: 3, a: 2, b: 1 }, true],
])('%s is the same schema or another: %j, %j', (_what, one, other, isSame) => {
  const event = defineEvent('e', { 1: v1 });
  const [a, b] = [one, other].map(
    (jsonSchema) => fingerprintSchemas([event], { toJsonSchema: () => jsonSchema })['e@1'],
  );

  expect(a === b).toBe(isSame);
});

test('a schema that does not know its JSON Schema needs toJsonSchema', () => {
  const schema = { '~standard': { version: 1 as const, vendor: 'mine', validate: (value: unknown) => ({ value }) } };
  const events = [defineEvent('e', { 1: schema })];

  expect(() => fingerprintSchemas(events)).toThrow('a schema of mine does not know its JSON Schema');
  expect(fingerprintSchemas(events, { toJsonSchema: () => ({ type: 'object' }) })).toEqual({
    'e@1': expect.stringMatching(/^[0-9a-f]{32}$/) as string,
  });
});
