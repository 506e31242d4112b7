import { expectTypeOf, test } from 'vitest';
import { bearer, type Credential } from '../../src/auth/index.ts';
import { createMessagingClient, type MessagingOptions } from '../../src/messaging/index.ts';
import { zendesk, zendeskSignature, zendeskToken } from '../../src/messaging/zendesk/index.ts';
import { createMemoryIdempotencyStore } from '../../src/stores/memory/index.ts';
import { createFakePlatform } from '../../src/dev/testing/index.ts';
import { createWebhookReceiver, hmac } from '../../src/webhooks/index.ts';

const authenticate = zendeskToken({ email: 'voice-agent@acme.example', token: () => 'token' });

test('the preset fills in everything but the credential', () => {
  expectTypeOf(authenticate).toExtend<Credential>();
  expectTypeOf({ ...zendesk({ subdomain: 'acme' }), authenticate }).toExtend<MessagingOptions>();
  createMessagingClient({ ...zendesk({ subdomain: 'acme' }), authenticate: bearer(() => 'token'), adminId: '7' });
  // @ts-expect-error The preset has no credential.
  createMessagingClient(zendesk({ subdomain: 'acme' }));
  // @ts-expect-error The account needs a name.
  zendesk();
  // @ts-expect-error A secret is a function.
  zendeskToken({ email: 'voice-agent@acme.example', token: 'token' });
});

test('the fake account is there by its name, and takes options', () => {
  createFakePlatform({ messaging: 'zendesk' });
  createFakePlatform({ messaging: { dialect: 'zendesk', searchDelayMs: 0, pageSize: 2 } });
  // @ts-expect-error An option of the default API.
  createFakePlatform({ messaging: { dialect: 'zendesk', phones: 'formatted' } });
});

test('webhooks are authenticated by their secret', () => {
  createWebhookReceiver({
    authentication: [hmac({ scheme: zendeskSignature, secrets: () => 'secret' })],
    events: {},
    on: {},
    store: createMemoryIdempotencyStore(),
  });
});
