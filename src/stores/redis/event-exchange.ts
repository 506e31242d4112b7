import { InvalidArgumentError } from '../../core/errors.ts';
import type { EventExchange } from '../ports/event-exchange.ts';
import { createSharedEventExchange, type EventBoard } from '../shared-event-exchange.ts';
import { commandsOf, type RedisClient } from './client.ts';

/** A connection of its own to listen on, since a listening one can do nothing else: `client.duplicate()`. Closed by you. */
export type RedisSubscriber =
  | {
      /** Marks a connection of ioredis. */
      call(command: string, ...args: string[]): Promise<unknown>;
      subscribe(channel: string): Promise<unknown>;
      unsubscribe(channel: string): Promise<unknown>;
      on(event: 'message', listener: (channel: string, message: string) => void): unknown;
      off(event: 'message', listener: (channel: string, message: string) => void): unknown;
    }
  | {
      /** The method of node-redis. */
      subscribe(channel: string, listener: (message: string) => void): Promise<unknown>;
      unsubscribe(channel: string, listener: (message: string) => void): Promise<unknown>;
    };

/** The connections that carry callbacks between processes, and how they are used. */
export interface RedisEventExchangeOptions {
  /** A second connection, to listen on. */
  readonly subscriber: RedisSubscriber;
  /** Begins every key and the channel. @defaultValue 'voice-agent:events:' */
  readonly prefix?: string | undefined;
  /** The longest wait for an answer. Then `post` rejects with `StoreError`. @defaultValue 2000 */
  readonly timeoutMs?: number | undefined;
  /** The time between two looks for events whose announcement was lost, while a call waits. @defaultValue 1000 */
  readonly pollMs?: number | undefined;
  /** Gets what keeps it from listening; it tries again. What it throws is ignored. */
  readonly onError?: ((error: unknown) => void) | undefined;
}

export const createRedisEventExchange = ({
  client,
  subscriber,
  prefix = 'voice-agent:events:',
  timeoutMs = 2_000,
  pollMs = 1_000,
  onError,
}: RedisEventExchangeOptions & { readonly client: RedisClient }): EventExchange => {
  const send = commandsOf(client);
  if (typeof subscriber !== 'object' || subscriber === null || !('subscribe' in subscriber))
    throw new InvalidArgumentError('subscriber', 'must be a connection of its own, such as client.duplicate()');
  const channel = `${prefix}posted`;

  const board: EventBoard = {
    write: async (key, text, keepMs) => {
      await send('SET', `${prefix}key:${key}`, text, 'PX', String(Math.ceil(keepMs)));
      await send('PUBLISH', channel, key);
    },
    read: async (key) => {
      const text = await send('GET', `${prefix}key:${key}`);
      return typeof text === 'string' ? text : undefined;
    },
    // Both drivers subscribe again by themselves when the connection comes back.
    listen: async (onKey) => {
      if ('call' in subscriber) {
        const onMessage = (from: string, key: string) => {
          if (from === channel) onKey(key);
        };
        subscriber.on('message', onMessage);
        const end = async () => {
          subscriber.off('message', onMessage);
          await subscriber.unsubscribe(channel);
        };
        try {
          await subscriber.subscribe(channel);
        } catch (error) {
          subscriber.off('message', onMessage);
          throw error;
        }
        return end;
      }
      await subscriber.subscribe(channel, onKey);
      return async () => void (await subscriber.unsubscribe(channel, onKey));
    },
  };
  return createSharedEventExchange({ board, server: 'Redis', timeoutMs, pollMs, onError });
};
