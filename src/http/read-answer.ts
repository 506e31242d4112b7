import { UnexpectedResponseError } from '../core/errors.ts';
import { maskSecrets } from '../observability/redaction/secrets.ts';
import { nextTurn } from '../core/timers.ts';
import { callLog } from './call-log.ts';
import type { HttpRequest } from './request.ts';

/** The id that the API gave its answer. Leaves out one that repeats a secret, since ids end up in errors and events. */
export const requestIdOf = (
  header: (name: string) => string | null | undefined,
  request: HttpRequest,
): string | undefined => {
  const requestId = requestIdHeaders.map(header).find((value) => value);
  const isSafe = requestId && maskSecrets(requestId, callLog(request).credential?.secrets ?? []) === requestId;
  return isSafe ? requestId.slice(0, longestRequestId) : undefined;
};

const requestIdHeaders = ['x-request-id', 'request-id', 'x-correlation-id'];

const longestRequestId = 200;

/** The error of a body over the cap, whatever the status says. What the request did is then unknown. */
export const answerTooLarge = (
  request: HttpRequest,
  {
    status,
    header,
    maximumBodyBytes,
  }: { status: number; header: (name: string) => string | null | undefined; maximumBodyBytes: number },
): UnexpectedResponseError =>
  new UnexpectedResponseError(`${request.operation}: the answer is larger than ${maximumBodyBytes} bytes`, {
    operation: request.operation,
    status,
    requestId: requestIdOf(header, request),
    outcome: 'unknown',
  });

export interface ReadStreamOptions {
  readonly maximumBytes: number;
  /** Makes the error of a body above `maximumBytes`. */
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

/** The chunks that are read before other work gets its turn: a few milliseconds' worth. */
const chunksPerTurn = 1_000;

const ignore = () => undefined;

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
