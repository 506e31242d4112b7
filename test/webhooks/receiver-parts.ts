import * as z from 'zod';
import type { WebhookReceivedEvent } from '../../src/observability/events.ts';
import { createMemoryIdempotencyStore } from '../../src/stores/memory-idempotency-store.ts';
import { signBytes } from '../../src/signature/sign.ts';
import { createVirtualClock } from '../support/virtual-clock.ts';
import { hmac } from '../../src/webhooks/authentication/hmac.ts';
import type { ReceivedEvent } from '../../src/webhooks/event-schemas.ts';
import { createWebhookReceiver } from '../../src/webhooks/receiver.ts';
import type { EventContext, EventHandler, WebhookReceiverOptions } from '../../src/webhooks/receiver-options.ts';

export const secret = 'a-shared-secret';

export const paymentConfirmed = z.looseObject({ payment_id: z.string(), amount: z.optional(z.number()) });

const events = { 'payment.confirmed': paymentConfirmed };

export type TestOptions = Partial<Omit<WebhookReceiverOptions<typeof events>, 'events' | 'on'>> & {
  readonly handler?: EventHandler<ReceivedEvent<'payment.confirmed', undefined, z.infer<typeof paymentConfirmed>>>;
};

/** A receiver of one event under a signature, and all that it was seen to do. */
export const makeReceiver = ({ handler, ...options }: TestOptions = {}) => {
  const clock = createVirtualClock();
  const handled: ReceivedEvent[] = [];
  const contexts: EventContext[] = [];
  const told: WebhookReceivedEvent[] = [];
  const errors: unknown[] = [];
  const receive = createWebhookReceiver({
    authentication: [hmac({ secrets: () => secret })],
    store: createMemoryIdempotencyStore({}),
    onEvent: (event) => {
      if (event.type === 'webhook-received') told.push(event);
    },
    onError: (error) => errors.push(error),
    ...options,
    events,
    on: {
      'payment.confirmed': (event, context) => {
        handled.push(event);
        contexts.push(context);
        return handler?.(event, context);
      },
    },
  });
  return { receive, clock, handled, contexts, told, errors };
};

export const payment = (fields: object = {}) => ({ type: 'payment.confirmed', payment_id: 'pay_1', ...fields });

/** A delivery as its sender makes it. */
export const delivery = (
  body: unknown = payment(),
  {
    headers = {},
    url = 'https://hook.test/billing',
    secret: signedWith = secret,
    method = 'POST',
  }: {
    readonly headers?: Readonly<Record<string, string>>;
    readonly url?: string;
    readonly secret?: string;
    readonly method?: string;
  } = {},
): Request => {
  const bytes = body instanceof Uint8Array || typeof body === 'string' ? body : JSON.stringify(body);
  const signature = signBytes(bytes, { secrets: [signedWith] });
  return new Request(url, {
    method,
    headers: { 'content-type': 'application/json', ...signature, ...headers },
    body: typeof bytes === 'string' ? bytes : Uint8Array.from(bytes),
  });
};

/** Status and body of an answer. */
export const seen = async (answer: Response) => {
  const text = await answer.text();
  return text === '' ? { status: answer.status } : { status: answer.status, body: JSON.parse(text) };
};
