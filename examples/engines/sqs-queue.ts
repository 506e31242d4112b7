// sqs-queue.ts
import { hash } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import type { Message, SQS } from '@aws-sdk/client-sqs';
import { StoreError } from 'voice-agent-integrations';
import { type Consumer, type MessageQueue, type QueuedMessage, runHandler } from 'voice-agent-integrations/outbox';

/** `urlOf` is the FIFO queue of a group: it ignores an id for five minutes. `deadLetters` is a standard queue. */
type Urls = { readonly urlOf: (group: string) => string; readonly deadLetters: string };

export const sqsQueue = (sqs: SQS, { urlOf, deadLetters }: Urls): MessageQueue => {
  const consumers: Consumer[] = [];
  const closed = new AbortController();
  const send = (message: QueuedMessage) => {
    const key = hash('sha256', message.id); // a group of one: no message waits for another
    const ids = { MessageGroupId: key, MessageDeduplicationId: key };
    return sqs.sendMessage({ QueueUrl: urlOf(message.group), MessageBody: JSON.stringify(message), ...ids });
  };
  return {
    longestDelayMs: 11 * 3_600_000, // SQS hides a message for 12 hours at most
    enqueue: async (messages) => {
      closed.signal.throwIfAborted();
      await Promise.all(messages.map(send));
    },
    consume: (options, handle) => {
      closed.signal.throwIfAborted();
      const [receiving, handling] = [new AbortController(), new AbortController()];
      const run = async (QueueUrl: string, { ReceiptHandle, Body, Attributes }: Message) => {
        const { dueAt = 0, ...message }: QueuedMessage = JSON.parse(`${Body}`);
        const received = { QueueUrl, ReceiptHandle };
        const hideUntil = (at: number) => {
          const VisibilityTimeout = Math.max(0, Math.ceil((at - Date.now()) / 1000));
          return sqs.changeMessageVisibility({ ...received, VisibilityTimeout });
        };
        if (dueAt > Date.now()) return hideUntil(dueAt); // FIFO queues have no delay per message
        const wasEarly = Number(Attributes?.ApproximateFirstReceiveTimestamp) < dueAt;
        const attempt = Number(Attributes?.ApproximateReceiveCount) - (wasEarly ? 1 : 0);
        const enqueuedAt = Number(Attributes?.SentTimestamp);
        const handled = await runHandler(handle, message, { attempt, enqueuedAt, signal: handling.signal }, options);
        if (handled.type === 'retry-at') return hideUntil(handled.at);
        const { type, ...why } = handled;
        const MessageBody = JSON.stringify({ ...message, ...why });
        if (type === 'dead') await sqs.sendMessage({ QueueUrl: deadLetters, MessageBody });
        return sqs.deleteMessage(received);
      };
      const serve = async ([group, atOnce]: readonly [string, number]) => {
        const QueueUrl = urlOf(group);
        const VisibilityTimeout = Math.ceil(options.leaseMs / 1000) + 5;
        const running = new Set<Promise<unknown>>();
        while (!receiving.signal.aborted)
          try {
            const MaxNumberOfMessages = Math.min(10, atOnce - running.size);
            const { Messages = [] } = await sqs.receiveMessage(
              {
                QueueUrl,
                MaxNumberOfMessages,
                VisibilityTimeout,
                WaitTimeSeconds: 20,
                MessageSystemAttributeNames: ['All'],
              },
              { abortSignal: receiving.signal },
            );
            for (const message of Messages) {
              const ended = run(QueueUrl, message)
                .catch((error: unknown) => options.onError?.(error))
                .finally(() => running.delete(ended));
              running.add(ended);
            }
            if (running.size >= atOnce) await Promise.race(running);
          } catch (error) {
            if (receiving.signal.aborted) break;
            options.onError?.(error);
            await wait(1000, undefined, { signal: receiving.signal }).catch(() => {});
          }
        await Promise.all(running);
      };
      const ended = Promise.all(Object.entries(options.groups).map(serve));
      const close = async (drainMs = 5_000) => {
        receiving.abort();
        const timer = setTimeout(() => handling.abort(), drainMs);
        await ended.finally(() => clearTimeout(timer));
      };
      consumers.push({ close });
      return { close };
    },
    close: async (drainMs) => {
      closed.abort(new StoreError('the queue is closed'));
      await Promise.all(consumers.map(({ close }) => close(drainMs)));
    },
  };
};
