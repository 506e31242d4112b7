import { expect, test } from 'vitest';
import * as z from '../../src/schema.ts';

const lead = z.toStandardSchema(
  () => z.strictObject({ name: z.string().check(z.minLength(1)), employees: z.optional(z.int().check(z.minimum(0))) }),
  { type: 'object', properties: { name: { type: 'string' } } },
);

test('gives what the schema reads', () => {
  expect(lead['~standard'].validate({ name: 'Ada', employees: 3 })).toEqual({ value: { name: 'Ada', employees: 3 } });
});

test('says what is wrong in our own words, and where', () => {
  expect(lead['~standard'].validate({ name: '', employees: 1.5, size: 1 })).toEqual({
    issues: [
      { message: 'must not be empty', path: ['name'] },
      { message: 'must be an integer', path: ['employees'] },
      { message: 'is not a field that is known here', path: [] },
    ],
  });
});

test('knows its JSON Schema where one was given, and says nothing of it where none was', () => {
  expect(lead['~standard']).toMatchObject({
    jsonSchema: { input: expect.any(Function), output: expect.any(Function) },
  });
  expect(z.toStandardSchema(() => z.object({}))['~standard']).not.toHaveProperty('jsonSchema');
});

test('an object leaves out, keeps or refuses the fields that it does not name', () => {
  const shape = { id: z.string() };
  const given = { id: 'a', more: 1 };
  expect(z.object(shape).safeParse(given).data).toEqual({ id: 'a' });
  expect(z.looseObject(shape).safeParse(given).data).toEqual(given);
  expect(z.strictObject(shape).safeParse(given).success).toBe(false);
});
