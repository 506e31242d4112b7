import { expect, test } from 'vitest';
import { createDueHeap } from '../../src/stores/due-heap.ts';
import fc from '../support/fast-check.ts';

test('whatever was put in comes out in the order of its time, equal times in the order they came', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 20 })), (times) => {
      const heap = createDueHeap<number>();
      times.forEach((at, index) => heap.push(at, index));
      const out: [number, number][] = [];
      for (let top = heap.peek(); top; top = heap.peek()) {
        out.push([top.at, top.item]);
        heap.pop();
      }

      const expected = times.map((at, index): [number, number] => [at, index]).toSorted((a, b) => a[0] - b[0]);
      expect(out).toEqual(expected);
      expect(heap.peek()).toBeUndefined();
    }),
  );
});
