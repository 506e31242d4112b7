import { hash } from 'node:crypto';
import { InvalidArgumentError } from '../../core/errors.ts';

/**
 * An open connection to Redis (6.2 or later) or Valkey, made and closed by you. It's a `Redis` or `Cluster` of ioredis,
 * or a client of node-redis. A key prefix that is set in the driver may or may not apply: use the option `prefix` of
 * the store.
 */
export type RedisClient =
  | {
      /** The method of ioredis. */
      call(command: string, ...args: string[]): Promise<unknown>;
    }
  | {
      /** The method of node-redis. */
      sendCommand(args: string[]): Promise<unknown>;
    };

/** Sends one command, whatever the driver. */
export type SendCommand = (command: string, ...args: string[]) => Promise<unknown>;

/** Throws `InvalidArgumentError` for something that is no client. */
export const commandsOf = (client: RedisClient): SendCommand => {
  if (typeof client === 'object' && client !== null) {
    // ioredis has a method `sendCommand` too, which takes something else.
    if ('call' in client) return async (command, ...args) => client.call(command, ...args);
    if ('sendCommand' in client) return async (...args) => client.sendCommand(args);
  }
  throw new InvalidArgumentError('client', 'must be a connection of ioredis or node-redis');
};

/** A script that runs as one atomic step in the server. */
export type RunScript = (keys: readonly string[], args: readonly (string | number)[]) => Promise<unknown>;

/** Sends the text of the script only to a server that does not know it yet. */
export const createScript = (send: SendCommand, text: string): RunScript => {
  const digest = hash('sha1', text, 'hex');
  return async (keys, args) => {
    const rest = [String(keys.length), ...keys, ...args.map(String)];
    try {
      return await send('EVALSHA', digest, ...rest);
    } catch (error) {
      if (!(error instanceof Error && error.message.startsWith('NOSCRIPT'))) throw error;
      return send('EVAL', text, ...rest);
    }
  };
};
