import fc from 'fast-check';
import { expect, test } from 'vitest';
import { firstBy } from '../../src/tools/first-by.ts';

const byAge = (a: { readonly age: number }, b: { readonly age: number }) => a.age - b.age;

test('gives what sorting the whole list would give, equals in their order', () => {
  const people = fc.array(fc.record({ age: fc.integer({ min: 0, max: 5 }), name: fc.string() }));
  fc.assert(
    fc.property(people, fc.integer({ min: 0, max: 8 }), (list, count) => {
      expect(firstBy(list, count, byAge)).toEqual(list.toSorted(byAge).slice(0, count));
    }),
  );
});
