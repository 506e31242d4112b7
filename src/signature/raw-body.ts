import { types } from 'node:util';
import { InvalidArgumentError } from '../core/errors.ts';

/** A body as it went over the wire. A `Request` is read to its end. */
export type RawBody = string | NodeJS.ArrayBufferView | ArrayBuffer | SharedArrayBuffer | Request;

/** A body that can be hashed. */
export type Bytes = string | NodeJS.ArrayBufferView;

/** The bytes of a request; throws `InvalidArgumentError` when they were read before. */
export const readRequest = async (request: Request): Promise<Bytes> => {
  if (request.bodyUsed) throw new InvalidArgumentError('body', consumed);
  return new Uint8Array(await request.arrayBuffer());
};

/**
 * The bytes of a body. Throws `InvalidArgumentError` for everything that is not bytes any more. A parsed body can't be
 * turned back: spaces, the order of fields and the spelling of numbers are lost.
 */
export const toBytes = (body: unknown): Bytes => {
  if (typeof body === 'string' || isView(body)) return body;
  if (types.isAnyArrayBuffer(body)) return new Uint8Array(body);
  throw new InvalidArgumentError('body', body === undefined ? consumed : parsed);
};

const isView = (value: unknown): value is NodeJS.ArrayBufferView => ArrayBuffer.isView(value);

/** Recognises a body by its shape: a framework may bring a class of its own. */
export const isRequest = (value: unknown): value is Request =>
  typeof value === 'object' &&
  value !== null &&
  'bodyUsed' in value &&
  'arrayBuffer' in value &&
  typeof value.arrayBuffer === 'function';

const fix =
  'Give this route the raw bytes: express.raw({ type: () => true }) in place of express.json(), a content-type parser with parseAs: "buffer" in Fastify, bodyParser: false elsewhere';

const parsed = `must be the raw bytes that were sent, not what a body parser made of them: a signature covers bytes. ${fix}`;

const consumed = `was read already, by a body parser that ran first. ${fix}`;
