import { LRUCache } from 'lru-cache';
import { completeError, IntegrationError, InvalidArgumentError } from '../core/errors.ts';
import type { RequestOptions } from './operation.ts';

/** An idempotency key whose work may be done, with what is known of it. */
export interface OpenKey {
  /** A digest of what was sent under it. */
  readonly fingerprint: string;
  /** Payments: what the API last answered under it. */
  answer?: { readonly value: unknown } | undefined;
}

/** The keys of one client whose work may be done. What is known of a try lives as long as its key. */
export type OpenKeys = Pick<LRUCache<string, OpenKey>, 'get' | 'set' | 'delete'>;

export const createOpenKeys = (): OpenKeys =>
  new LRUCache<string, OpenKey>({ maxSize: mostKeys, sizeCalculation: () => 1 });

const mostKeys = 10_000;

/**
 * Makes a payment and keeps its answer under its key. A repetition that fails gives that answer. Without one its error
 * has the outcome `unknown`, whatever it says itself: it says nothing about the first try.
 */
export const keepAnswer = async <Answer>(
  openKeys: OpenKeys,
  call: RequestOptions,
  send: (call: RequestOptions) => Promise<Answer>,
): Promise<Answer> => {
  const { idempotencyKey: key, onSettled } = call;
  if (key === undefined) return send(call);
  const isRepetition = openKeys.get(key) !== undefined;
  const keep = (value: unknown) => {
    const open = openKeys.get(key);
    if (open) open.answer = { value };
  };
  try {
    const answer = await send({
      ...call,
      onSettled: (settled) => {
        if (settled.ok) keep(settled.result);
        onSettled?.(settled);
      },
    });
    keep(answer);
    return answer;
  } catch (error) {
    const isOther = error instanceof InvalidArgumentError && error.field === 'idempotencyKey';
    if (!isRepetition || isOther) throw error;
    const answered = openKeys.get(key)?.answer;
    // What was kept under this key was read by the same operation.
    if (answered) return answered.value as Answer;
    throw error instanceof IntegrationError ? completeError(error, { outcome: 'unknown' }) : error;
  }
};

/** A key belongs to one piece of work: that of a phone call begins with the call's id. */
export const keyOfOtherWork = ({
  operation,
  callId,
}: {
  readonly operation: string;
  readonly callId?: string | undefined;
}): InvalidArgumentError => {
  const where = callId === undefined ? '' : ` in call ${callId}`;
  const advice = callId === undefined ? '' : ', and one id for one phone call';
  return new InvalidArgumentError(
    'idempotencyKey',
    `was already used with other parameters${where}: use one key for one piece of work${advice}`,
    { operation },
  );
};
