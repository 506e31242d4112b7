/** The bytes of a body that arrives in chunks. */
export interface BodyBuffer {
  readonly length: number;
  append(chunk: Uint8Array): void;
  /** Everything so far. */
  bytes(): Uint8Array;
}

/**
 * Copies the chunks of a body into blocks. Keeping the chunks themselves costs hundreds of times the size of a body that
 * arrives byte by byte.
 */
export const createBodyBuffer = (): BodyBuffer => {
  let first: Uint8Array | undefined;
  const blocks: Uint8Array[] = [];
  let length = 0;

  const copy = (chunk: Uint8Array) => {
    for (let from = 0; from < chunk.byteLength; ) {
      const used = length % blockBytes;
      if (used === 0) blocks.push(new Uint8Array(blockBytes));
      const part = chunk.subarray(from, from + blockBytes - used);
      blocks.at(-1)?.set(part, used);
      length += part.byteLength;
      from += part.byteLength;
    }
  };

  return {
    get length() {
      return length;
    },
    append: (chunk) => {
      if (chunk.byteLength === 0) return;
      if (length === 0) {
        // Most bodies are one chunk, which needs no copy.
        first = chunk;
        length = chunk.byteLength;
        return;
      }
      if (first) {
        const before = first;
        first = undefined;
        length = 0;
        copy(before);
      }
      copy(chunk);
    },
    bytes: () => first ?? joined(blocks, length),
  };
};

const blockBytes = 65_536;

const joined = (blocks: readonly Uint8Array[], length: number): Uint8Array => {
  const bytes = new Uint8Array(length);
  for (const [at, block] of blocks.entries()) bytes.set(block.subarray(0, length - at * blockBytes), at * blockBytes);
  return bytes;
};
