import { expect, test } from 'vitest';
import * as z from 'zod';
import { type AttributeSchema, createAttributeRules } from '../../src/messaging/attributes.ts';

const refusal = (schema: AttributeSchema | undefined, attributes: Record<string, unknown>): string => {
  try {
    createAttributeRules(schema).assertWritable('messaging.contacts.update', attributes);
    return 'accepted';
  } catch (error) {
    return (error as Error).message.replace('messaging.contacts.update: ', '');
  }
};

test.each([
  ['text', 'x', 'accepted'],
  ['text', 1, 'custom_attributes.it must be a text'],
  ['number', 1.5, 'accepted'],
  ['number', '1.5', 'custom_attributes.it must be a number'],
  ['integer', 1, 'accepted'],
  ['integer', 2 ** 53, 'custom_attributes.it must be an integer'],
  ['boolean', true, 'accepted'],
  ['boolean', 'true', 'custom_attributes.it must be a boolean'],
  ['date', '2024-02-29', 'accepted'],
  ['date', '2026-02-29', 'custom_attributes.it must be a date, YYYY-MM-DD'],
  [['a', 'b'], 'b', 'accepted'],
  [['a', 'b'], 'c', 'custom_attributes.it must be one of a, b'],
  ['text', null, 'accepted'],
] as const)('of kind %j, %j is %s', (kind, value, expected) => {
  expect(refusal({ it: kind }, { it: value })).toBe(expected);
});

test('undefined values are left out', () => {
  expect(createAttributeRules({ it: 'text' }).assertWritable('x', { it: undefined, other: undefined })).toEqual({});
});

test('a Standard Schema accepts what it knows and refuses what it does not, without repeating a value', () => {
  const schema = z.object({ plan: z.enum(['free', 'pro']).optional(), seats: z.number().optional() });

  expect(refusal(schema, { plan: 'pro', seats: 3 })).toBe('accepted');
  expect(refusal(schema, { plan: 'secret' })).toBe(
    'custom_attributes.plan is not what the schema of the custom attributes says',
  );
  expect(refusal(schema, { plan: 'pro', colour: 'red' })).toBe(
    'custom_attributes.colour is not a declared custom attribute',
  );
  expect(refusal(z.strictObject({}), { colour: 'red' })).toBe(
    'custom_attributes is not what the schema of the custom attributes says',
  );
});

test('a schema that validates asynchronously is refused', () => {
  const schema = z.object({ plan: z.string() }).refine(async () => true);
  expect(refusal(schema, { plan: 'pro' })).toBe(
    'custom_attributes cannot be checked: the schema must not validate asynchronously',
  );
});

test('what a record holds besides its declaration is no drift', () => {
  const rules = createAttributeRules({ plan: ['free', 'pro'], seats: 'integer' });
  expect(rules.driftOf({ plan: 'gold', seats: 3, colour: {} })).toEqual(['plan']);
  expect(createAttributeRules(undefined).driftOf({ colour: {} })).toEqual([]);
  expect(createAttributeRules(z.object({ plan: z.string() })).driftOf({ plan: 1, colour: {} })).toEqual(['plan']);
  expect(createAttributeRules(z.object({}).refine(async () => true)).driftOf({ plan: 1 })).toEqual(['']);
});
