import { hash } from 'node:crypto';
import { AuthenticationError } from '../core/errors.ts';
import type { Middleware } from '../http/request.ts';
import type { Emitter } from '../observability/emitter.ts';
import { type SignatureScheme, xSignature } from '../signature/scheme.ts';
import { readSecrets } from '../core/secret.ts';
import { isDeliveryId, signBytes } from '../signature/sign.ts';
import type { Signing } from './destination.ts';

/** Signs the bytes of each attempt with the secrets of that moment. Throws `AuthenticationError` without any. */
export const signDelivery = (
  { secrets, scheme = xSignature }: Signing,
  { emitter }: { readonly emitter?: Emitter | undefined },
): Middleware => {
  const schemes: readonly SignatureScheme[] = 'header' in scheme ? [scheme] : scheme;
  return async function signDelivery(request, next) {
    const { operation, body = '', idempotencyKey = '' } = request;
    const id = deliveryId(idempotencyKey);
    const headers = await readHeaders(async () => {
      const current = await readSecrets('signing.secrets', secrets);
      emitter?.hide(current);
      return schemes.map((each) => signBytes(body, { secrets: current, scheme: each, id }));
    }, operation);
    return next({ ...request, headers: Object.assign({}, request.headers, ...headers) });
  };
};

/** The key itself, or its hash where a signed id can't hold it: one with a dot or a space. The same for each attempt. */
const deliveryId = (idempotencyKey: string): string =>
  isDeliveryId(idempotencyKey) ? idempotencyKey : `msg_${hash('sha256', idempotencyKey, 'hex').slice(0, 32)}`;

const readHeaders = async (
  read: () => Promise<readonly Readonly<Record<string, string>>[]>,
  operation: string,
): Promise<readonly Readonly<Record<string, string>>[]> => {
  try {
    return await read();
  } catch (original) {
    throw new AuthenticationError(`${operation} was not sent: there is no usable secret to sign it with`, {
      operation,
      original,
    });
  }
};
