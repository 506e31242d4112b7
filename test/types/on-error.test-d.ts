import { expectTypeOf, test } from 'vitest';
import {
  createIntegration,
  createTenants,
  type ErrorPlace,
  type IntegrationOptions,
  type OnError,
  startPhoneCall,
} from '../../src/index.ts';
import type { MessageQueue } from '../../src/outbox/index.ts';
import { createToolbox } from '../../src/tools/index.ts';

const onError: OnError = (error, { part, tool, callId, toolCallId, tenant }) =>
  console.error(error, part, tool, callId, toolCallId, tenant);

declare const queue: MessageQueue;
declare const billing: NonNullable<IntegrationOptions['billing']>;

test('one function is taken wherever something fails that no code of yours sees', () => {
  createIntegration({ billing, onError });
  createToolbox({ tools: [], onError });
  startPhoneCall({}, { callId: 'CA1', direction: 'inbound', onError });
  createIntegration({ billing, onError, finishLater: { queue } });
  createTenants({
    resolve: () => ({ billing, onError }),
    onError: (error, { tenantId, part }) => [error, tenantId, part],
  });
  // @ts-expect-error it goes to createIntegration
  createIntegration({ billing, phoneCalls: { tools: { onError } } });
});

test('the place says which part failed', () => {
  expectTypeOf<ErrorPlace['part']>().toEqualTypeOf<'tool' | 'phone-call' | 'finish' | 'store'>();
  expectTypeOf<ErrorPlace['tool']>().toEqualTypeOf<string | undefined>();
});
