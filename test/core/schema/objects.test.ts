import { expect, test } from 'vitest';
import * as z from '../../../src/core/schema.ts';

test('an object leaves out, keeps or refuses the fields that it does not name', () => {
  const shape = { id: z.string() };
  const given = { id: 'a', more: 1 };
  expect(z.object(shape).safeParse(given).data).toEqual({ id: 'a' });
  expect(z.looseObject(shape).safeParse(given).data).toEqual(given);
  expect(z.strictObject(shape).safeParse(given).success).toBe(false);
});
