// sqs-queue.ts
import { hash } from 'node:crypto';
import type { Message, SQS } from '@aws-sdk/client-sqs';
import { StoreError } from 'voice-agent-integrations';
import type { Consumer, MessageQueue, QueuedMessage } from 'voice-agent-integrations/outbox';

/** A FIFO queue for each group ignores an id for 5 minutes. Dead letters go to a standard one. */
export const sqsQueue = (
  sqs: SQS,
  { urlOf, deadLetters }: { urlOf: (group: string) => string; deadLetters: string },
): MessageQueue => {
  const consumers: Consumer[] = [];
  const closed = new AbortController();

  const send = async (QueueUrl: string, messages: readonly QueuedMessage[]) => {
    const all = messages.map((message, index) => {
      const key = hash('sha256', message.id); // a group of one: no message waits for another
      const MessageBody = JSON.stringify(message);
      return { Id: `${index}`, MessageBody, MessageGroupId: key, MessageDeduplicationId: key };
    });
    for (let at = 0; at < all.length; at += 10) {
      const { Failed } = await sqs.sendMessageBatch({ QueueUrl, Entries: all.slice(at, at + 10) });
      if (Failed?.length) throw new StoreError('SQS refused a message', { outcome: 'unknown' });
    }
  };

  return {
    longestDelayMs: 11 * 3_600_000, // SQS hides a message for 12 hours at most
    enqueue: async (messages) => {
      closed.signal.throwIfAborted();
      const groups = [...Map.groupBy(messages, ({ group }) => group)];
      await Promise.all(groups.map(([group, ofGroup]) => send(urlOf(group), ofGroup)));
    },
    consume: ({ groups, leaseMs, maximumAttempts, onError = () => {} }, handle) => {
      closed.signal.throwIfAborted();
      const [receiving, handling] = [new AbortController(), new AbortController()];

      const run = async (QueueUrl: string, { ReceiptHandle, Body, Attributes }: Message) => {
        const { dueAt = 0, ...message }: QueuedMessage = JSON.parse(`${Body}`);
        const received = { QueueUrl, ReceiptHandle };
        const hideUntil = (at: number) => {
          const VisibilityTimeout = Math.max(0, Math.ceil((at - Date.now()) / 1000));
          return sqs.changeMessageVisibility({ ...received, VisibilityTimeout });
        };
        const giveUp = async (reason: string) => {
          const MessageBody = JSON.stringify({ ...message, reason });
          await sqs.sendMessage({ QueueUrl: deadLetters, MessageBody });
          return sqs.deleteMessage(received);
        };
        if (dueAt > Date.now()) return hideUntil(dueAt); // FIFO queues have no delay per message
        const wasEarly = Number(Attributes?.ApproximateFirstReceiveTimestamp) < dueAt;
        const attempt = Number(Attributes?.ApproximateReceiveCount) - (wasEarly ? 1 : 0);
        if (attempt > maximumAttempts) return giveUp('attempts_exhausted');

        const lease = new AbortController();
        const timer = setTimeout(() => lease.abort(), leaseMs);
        const signal = AbortSignal.any([lease.signal, handling.signal]);
        const over = new Promise<void>((end) => signal.addEventListener('abort', () => end()));
        const enqueuedAt = Number(Attributes?.SentTimestamp);
        const work = handle(message, { attempt, enqueuedAt, signal });
        const handled = await Promise.race([work, over]).finally(() => clearTimeout(timer));
        if (handled?.type === 'done') return sqs.deleteMessage(received);
        if (handled?.type === 'retry-at') return hideUntil(handled.at);
        if (handled?.type === 'dead') return giveUp(handled.reason);
        return handling.signal.aborted ? hideUntil(0) : undefined; // SQS ends a lease by itself
      };

      const serve = async ([group, atOnce]: readonly [string, number]) => {
        const QueueUrl = urlOf(group);
        const VisibilityTimeout = Math.ceil(leaseMs / 1000);
        const running = new Set<Promise<unknown>>();
        while (!receiving.signal.aborted) {
          const asked = sqs.receiveMessage(
            {
              QueueUrl,
              MaxNumberOfMessages: Math.min(10, atOnce - running.size),
              WaitTimeSeconds: 20,
              VisibilityTimeout,
              MessageSystemAttributeNames: ['All'],
            },
            { abortSignal: receiving.signal },
          );
          const { Messages = [] } = await asked.catch(pause);
          for (const message of Messages) {
            const ended = run(QueueUrl, message).catch(onError);
            running.add(ended);
            void ended.finally(() => running.delete(ended));
          }
          if (running.size >= atOnce) await Promise.race(running);
        }
        await Promise.all(running);
      };
      const pause = async (error: unknown): Promise<{ Messages?: Message[] }> => {
        if (receiving.signal.aborted) return {};
        onError(error);
        return new Promise((resolve) => setTimeout(resolve, 1000, {}));
      };

      const ended = Promise.all(Object.entries(groups).map(serve));
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
