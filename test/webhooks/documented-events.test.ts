import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { createMemoryIdempotencyStore } from '../../src/stores/memory/index.ts';
import { signedWebhook } from '../../src/dev/testing/index.ts';
import { createWebhookReceiver, hmac, messagingEvents } from '../../src/webhooks/index.ts';
import { blocksOf } from '../support/page-blocks.ts';

const blocksIn = async (page: string) =>
  blocksOf(await readFile(new URL(`../../docs/${page}`, import.meta.url), 'utf8')).map(({ code }) => code);

const receive = createWebhookReceiver({
  ...messagingEvents(['conversation.replied', 'contact.created']),
  authentication: [hmac({ secrets: () => 'shared' })],
  on: { 'conversation.replied': () => {}, 'contact.created': () => {} },
  store: createMemoryIdempotencyStore(),
});

const post = async (body: unknown) => {
  const delivery = signedWebhook({ secret: 'shared', body });
  return (await receive(new Request('https://agent.test/webhooks', { method: 'POST', ...delivery }))).status;
};

test('the event that the default API’s page shows is one that messagingEvents takes', async () => {
  const code = (await blocksIn('default-api.md')).find((each) => each.includes('"notification_event"')) ?? '';

  // An old event is refused.
  const now = String(Math.floor(Date.now() / 1000));

  expect(await post(code.replaceAll('1790000000', now))).toBe(204);
});

test('so is the genuine delivery of the page about testing', async () => {
  const code = (await blocksIn('testing.md')).find((each) => each.includes('forgedWebhooks(')) ?? '';
  const [, topic = '', item = ''] = /topic: '([\w.]+)', data: \{ item: (\{.*\}) \} \}/.exec(code) ?? [];
  const [, id = '', phone = ''] = /id: '(\w+)', phone: '([+\d]+)'/.exec(item) ?? [];

  expect(await post({ id: 'evt_1', topic, data: { item: { id, phone } } })).toBe(204);
});
