import { expect, test, vi } from 'vitest';
import { readList } from '../../../src/core/envelope.ts';
import * as z from '../../../src/core/schema.ts';

const setUp = () => {
  const make = vi.fn(() => z.object({ id: z.string() }));
  const schema = z.lazily<{ id: string }>(make);
  return { make, schema, read: z.readRecord(schema, ['id']) };
};

test('a schema is made when it is first used, and once', () => {
  const { make, schema } = setUp();
  expect(make).not.toHaveBeenCalled();
  expect([schema().safeParse({ id: 'a' }).success, schema().safeParse({}).success]).toEqual([true, false]);
  expect(make).toHaveBeenCalledOnce();
});

test('readers can be built before the first answer, and then read as always', () => {
  const { make, read } = setUp();
  z.prepareReaders([read, readList(read)]);
  expect(make).toHaveBeenCalledOnce();
  expect(read({ id: 'a' }, { drift: () => undefined })).toEqual({ id: 'a' });
});

test('a reader that is broken says so when it is had ready', () => {
  const broken = () => {
    throw new TypeError('no such schema');
  };
  expect(() => z.prepareReaders([broken])).toThrow('no such schema');
});
