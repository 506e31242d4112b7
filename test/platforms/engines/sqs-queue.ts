// sqs-queue.ts
import { hash } from 'node:crypto';
import type { Message, SQS } from '@aws-sdk/client-sqs';
import { StoreError } from 'voice-agent-integrations';
import type { Consumer, MessageQueue, QueuedMessage } from 'voice-agent-integrations/outbox';

/** Each group has a FIFO queue, and all have one standard queue for dead letters. */
export const sqsQueue = (sqs: SQS, urlOf: (group: string) => string, deadLetters: string): MessageQueue => {
  const consumers: Consumer[] = [];
  let isClosed = false;
  const assertOpen = () => {
    if (isClosed) throw new StoreError('the queue is closed');
  };

  const send = async (QueueUrl: string, messages: readonly QueuedMessage[]) => {
    const entries = messages.map((message, index) => {
      const key = hash('sha256', message.id); // one group per message, so that none waits for another
      const MessageBody = JSON.stringify(message);
      return { Id: `${index}`, MessageBody, MessageGroupId: key, MessageDeduplicationId: key };
    });
    for (let at = 0; at < entries.length; at += 10) {
      const { Failed } = await sqs.sendMessageBatch({ QueueUrl, Entries: entries.slice(at, at + 10) });
      if (Failed?.length) throw new StoreError('SQS refused a message', { outcome: 'unknown' });
    }
  };

  return {
    longestDelayMs: 11 * 3_600_000, // SQS hides a message for 12 hours at most
    enqueue: async (messages) => {
      assertOpen();
      const groups = [...Map.groupBy(messages, ({ group }) => group)];
      await Promise.all(groups.map(([group, ofGroup]) => send(urlOf(group), ofGroup)));
    },
    consume: ({ groups, leaseMs, maximumAttempts, onError = () => {} }, handle) => {
      assertOpen();
      const receiving = new AbortController();
      const handling = new AbortController();

      const run = async (QueueUrl: string, { ReceiptHandle, Body = '', Attributes: seen = {} }: Message) => {
        const { dueAt = 0, ...message }: QueuedMessage = JSON.parse(Body);
        const received = { QueueUrl, ReceiptHandle };
        const hideUntil = (at: number) => {
          const VisibilityTimeout = Math.max(0, Math.ceil((at - Date.now()) / 1000));
          return sqs.changeMessageVisibility({ ...received, VisibilityTimeout });
        };
        const giveUp = async (reason: string) => {
          await sqs.sendMessage({ QueueUrl: deadLetters, MessageBody: JSON.stringify({ ...message, reason }) });
          return sqs.deleteMessage(received);
        };
        if (dueAt > Date.now()) return hideUntil(dueAt); // FIFO queues have no delay per message
        const wasEarly = Number(seen.ApproximateFirstReceiveTimestamp) < dueAt;
        const attempt = Number(seen.ApproximateReceiveCount) - (wasEarly ? 1 : 0);
        if (attempt > maximumAttempts) return giveUp('attempts_exhausted');

        const lease = new AbortController();
        const timer = setTimeout(() => lease.abort(), leaseMs);
        const signal = AbortSignal.any([lease.signal, handling.signal]);
        const over = new Promise<void>((end) => signal.addEventListener('abort', () => end()));
        const work = handle(message, { attempt, enqueuedAt: Number(seen.SentTimestamp), signal });
        const handled = await Promise.race([work, over]).finally(() => clearTimeout(timer));
        if (handled?.type === 'retry-at') return hideUntil(handled.at);
        if (handled?.type === 'dead') return giveUp(handled.reason);
        if (handled?.type === 'done') return sqs.deleteMessage(received);
        return handling.signal.aborted ? hideUntil(0) : undefined; // SQS ends the lease by itself
      };

      const receive = async (QueueUrl: string, MaxNumberOfMessages: number) => {
        const VisibilityTimeout = Math.ceil(leaseMs / 1000);
        const how = { WaitTimeSeconds: 20, VisibilityTimeout, MessageSystemAttributeNames: ['All' as const] };
        const input = { QueueUrl, MaxNumberOfMessages, ...how };
        return (await sqs.receiveMessage(input, { abortSignal: receiving.signal })).Messages ?? [];
      };

      const work = async (url: string, atOnce: number) => {
        const running = new Set<Promise<unknown>>();
        while (!receiving.signal.aborted)
          try {
            if (running.size >= atOnce) await Promise.race(running);
            for (const message of await receive(url, Math.min(10, atOnce - running.size))) {
              const ended = run(url, message).catch(onError);
              running.add(ended);
              void ended.finally(() => running.delete(ended));
            }
          } catch (error) {
            if (receiving.signal.aborted) break;
            onError(error);
            await new Promise((resolve) => setTimeout(resolve, 1000));
          }
        await Promise.all(running);
      };

      const ended = Promise.all(Object.entries(groups).map(([group, atOnce]) => work(urlOf(group), atOnce)));
      const close = async (drainMs = 5_000) => {
        receiving.abort();
        const timer = setTimeout(() => handling.abort(), drainMs);
        await ended.finally(() => clearTimeout(timer));
      };
      consumers.push({ close });
      return { close };
    },
    close: async (drainMs) => {
      isClosed = true;
      await Promise.all(consumers.map(({ close }) => close(drainMs)));
    },
  };
};
