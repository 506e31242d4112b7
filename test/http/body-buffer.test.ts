import { expect, test } from 'vitest';
import { createBodyBuffer } from '../../src/http/read-answer.ts';
import fc from '../support/fast-check.ts';

const sizes = fc.oneof(fc.constantFrom(0, 1, 65_535, 65_536, 65_537, 200_000), fc.nat(300));

test('gives back the bytes of all chunks in order', () => {
  fc.assert(
    fc.property(fc.array(sizes, { maxLength: 12 }), (chunkSizes) => {
      let next = 0;
      const chunks = chunkSizes.map((size) => Uint8Array.from({ length: size }, () => next++ % 251));
      const body = createBodyBuffer();
      for (const chunk of chunks) {
        body.append(chunk);
        // What it was given is its own: the next chunk may arrive in the same memory.
        if (body.length > chunk.byteLength) chunk.fill(0);
      }
      expect(body.length).toBe(next);
      const bytes = body.bytes();
      expect(bytes.byteLength).toBe(next);
      expect(bytes.every((byte, at) => byte === at % 251)).toBe(true);
    }),
    { numRuns: 50 },
  );
});
