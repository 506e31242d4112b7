// restate-steps.ts
import { type Context, service, TerminalError } from '@restatedev/restate-sdk';
import { finishCall, type Integration, type UnfinishedCall } from 'voice-agent-integrations';
import type { AcceptedEvent, WebhookReceiver } from 'voice-agent-integrations/webhooks';

/** For the process that takes calls and webhooks: its `send` is `call` or `event`. */
export const restateAt = (ingress: string) => {
  const start = async (handler: string, key: string, input: object) => {
    const answer = await fetch(`${ingress}/agent/${handler}/send`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'idempotency-key': encodeURIComponent(key) },
      body: JSON.stringify(input),
    });
    if (!answer.ok) throw new Error(`Restate answered ${answer.status}`);
  };
  return {
    call: (call: UnfinishedCall) => start('finish', call.callId, call),
    event: (event: AcceptedEvent) => start('handle', event.key, event),
  };
};

const pausesMs = [0, 60_000, 600_000, 3_600_000];

/** For the worker. A step whose answer is lost runs again: both functions bear that. */
export const agentSteps = (integration: Integration, receive: WebhookReceiver) =>
  service({
    name: 'agent',
    handlers: {
      handle: async (context: Context, event: AcceptedEvent) => {
        await context.run('handle', () => receive.handle(event), { maxRetryAttempts: 10 });
      },
      finish: async (context: Context, call: UnfinishedCall) => {
        let left = call;
        for (const ms of pausesMs) {
          await context.sleep(ms);
          const { complete, unfinished } = await context.run('finish', async () => {
            const finished = await finishCall(integration, left, { lane: 'background' });
            return { complete: finished.complete, unfinished: finished.unfinished };
          });
          if (complete) return;
          if (!unfinished) break;
          left = unfinished;
        }
        throw new TerminalError(`${call.callId}: a person has to look`);
      },
    },
  });
