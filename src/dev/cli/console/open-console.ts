import { createConsole } from '../../console/index.ts';
import { createIntegration } from '../../../integration.ts';
import { cannotBeDone } from '../command-error.ts';
import type { Configuration } from '../configuration.ts';
import { withoutUndefined } from '../../../core/without-undefined.ts';
import type { OutboxSource } from '../../console/sources.ts';
import { createDeadLetters } from '../../../outbox/dead-letters.ts';
import { groupOf } from '../../../outbox/destination.ts';
import { adminOf, type MessageQueue } from '../../../stores/ports/message-queue.ts';

export interface OpenConsoleOptions {
  /** @defaultValue only what this process does is shown */
  readonly configuration: Configuration | undefined;
  /** 0: a free one. */
  readonly port: number;
  readonly allowActions: boolean;
}

/** A console over what the configuration names, and how to end it. */
export interface OpenedConsole {
  /** Holds the token. */
  readonly url: string;
  readonly close: () => Promise<void>;
}

export const openConsole = async ({
  configuration,
  port,
  allowActions,
}: OpenConsoleOptions): Promise<OpenedConsole> => {
  const queue = await configuration?.queue();
  const options = await configuration?.options();
  const integration = options && createIntegration({ ...options, phoneCalls: { ...options.phoneCalls, prefetch: [] } });
  const tools = integration?.startPhoneCall({ callId: 'console', direction: 'inbound' }).tools;
  const toolboxes = tools && { 'phone call': tools };
  const outbox = queue && outboxOf(queue);
  const local = createConsole(withoutUndefined({ allowActions, integration, toolboxes, outbox }));
  const close = async () => {
    await local.close();
    await integration?.close();
    await queue?.close(0);
  };
  try {
    const { url } = await local.listen({ port, print: () => {} });
    return { url, close };
  } catch (error) {
    await close();
    const { code, message } = error as NodeJS.ErrnoException;
    if (code !== 'EADDRINUSE' && code !== 'EACCES') throw error;
    throw cannotBeDone(`can't listen on the port: ${message}`, 'leave --port out, or name another one', error);
  }
};

/** The outbox behind a queue, as far as the console looks at one: its destinations are those that hold something. */
export const outboxOf = (queue: MessageQueue): OutboxSource => {
  const prefix = groupOf('');
  const admin = () => adminOf(queue, 'console.outbox');
  const destinations = async () => {
    const { groups } = await admin().stats();
    return Object.entries(groups).flatMap(([group, stats]) =>
      group.startsWith(prefix) ? [{ name: group.slice(prefix.length), stats }] : [],
    );
  };
  const deadLetters = async () =>
    createDeadLetters(
      admin,
      (await destinations()).map(({ name }) => name),
    );

  return {
    status: async () =>
      Object.fromEntries(
        (await destinations()).map(({ name, stats: { isPaused, ...stats } }) => [
          name,
          { ...stats, isDisabled: isPaused },
        ]),
      ),
    deadLetters: {
      list: async (page) => (await deadLetters()).list(page),
      redrive: async (which) => (await deadLetters()).redrive(which),
      discard: async (which) => (await deadLetters()).discard(which),
    },
  };
};
