import { createBodyBuffer } from './body-buffer.ts';

export interface ReadStreamOptions {
  readonly maximumBytes: number;
  /** What to throw for a body above `maximumBytes`. */
  readonly tooLarge: () => Error;
  /** Ends the reading at once, with its reason. */
  readonly signal: AbortSignal;
}

/** Reads a whole stream. Cancels it when it's too large or the signal aborts, and lets other work run in between. */
export const readStream = async (
  stream: ReadableStream<Uint8Array>,
  { maximumBytes, tooLarge, signal }: ReadStreamOptions,
): Promise<Uint8Array> => {
  const reader = stream.getReader();
  // Ends a pending read too.
  const cancel = () => void reader.cancel().catch(ignore);
  if (signal.aborted) cancel();
  else signal.addEventListener('abort', cancel, { once: true });
  const body = createBodyBuffer();
  try {
    for (let chunks = 1; ; chunks += 1) {
      const { done, value } = await reader.read();
      signal.throwIfAborted();
      if (done) return body.bytes();
      if (body.length + value.byteLength > maximumBytes) throw tooLarge();
      body.append(value);
      if (chunks % chunksPerTurn === 0) await nextTurn();
    }
  } catch (error) {
    cancel();
    throw error;
  } finally {
    signal.removeEventListener('abort', cancel);
  }
};

/** How many chunks are read before other work gets its turn. A few milliseconds' worth. */
const chunksPerTurn = 1_000;

const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

const ignore = () => undefined;
