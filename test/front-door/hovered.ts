/** Each option of the front door once. `hovers.test.ts` points at the names after a mark, as an editor does. */
import OpenAI from 'openai';
import {
  createApiClient,
  createIntegration,
  createTenants,
  finishCall,
  NotReadyError,
  type UnfinishedCall,
} from 'voice-agent-integrations';
import { apiKey, fromEnv } from 'voice-agent-integrations/auth';
import { billingFrom, createBillingClient } from 'voice-agent-integrations/billing';
import { cardOnFile, stripe } from 'voice-agent-integrations/billing/stripe';
import { hubspot } from 'voice-agent-integrations/crm/hubspot';
import type { MessageQueue, Outbox } from 'voice-agent-integrations/outbox';
import { phoneReader } from 'voice-agent-integrations/phone';
import { createScriptedModel } from 'voice-agent-integrations/testing';
import { billingTools, createToolbox, toolFrom } from 'voice-agent-integrations/tools';
import { type McpClient, toolsFromMcp } from 'voice-agent-integrations/tools/mcp';
import { chat } from 'voice-agent-integrations/tools/openai';
import { vapi } from 'voice-agent-integrations/tools/vapi';
import * as z from 'zod';

declare const queue: MessageQueue;
declare const outbox: Outbox;
declare const client: McpClient;
declare const unfinished: UnfinishedCall;
const secret = fromEnv('SECRET');

const ledger = createApiClient({
  name: 'ledger',
  baseUrl: 'https://ledger.example',
  /*?*/ version: 'in-base-url',
  authenticate: apiKey('X-Key', secret),
  endpoints: { charge: { method: 'POST', path: '/charges', body: z.object({ cents: z.int() }), effect: 'payment' } },
});

const own = /*?*/ billingFrom(ledger, {
  /*?*/ currency: 'EUR',
  /*?*/ unit: 'major',
  /*?*/ findByPhone: async (phone) => [{ id: 'A-1', name: 'Ada', phone, email: null }],
  /*?*/ findByEmail: async (email) => [{ id: 'A-1', email }],
  /*?*/ listOpen: async () => [
    { id: 'B-1', /*?*/ amount: 20, /*?*/ due_date: '2026-11-30', /*?*/ currency: 'EUR', /*?*/ payment_page_url: null },
  ],
  /*?*/ pay: async ({ /*?*/ minor_amount }, api) => {
    await api.charge({ body: { cents: minor_amount } });
    return { status: 'completed' };
  },
});
createBillingClient({
  baseUrl: 'https://billing.example',
  authenticate: apiKey('X-Key', secret),
  /*?*/ version: 'in-base-url',
});
/*?*/ createBillingClient({ ...own, /*?*/ payments: { below: 500 } });

const /*?*/ integration = /*?*/ createIntegration({
    billing: stripe({ currency: 'EUR', /*?*/ key: secret }),
    crm: hubspot({ /*?*/ key: secret }),
    /*?*/ payments: {
      /*?*/ below: 500,
      /*?*/ perCall: 800,
      /*?*/ card: /*?*/ cardOnFile,
      /*?*/ confirm: 'two-step',
      /*?*/ requires: 'caller-id',
      /*?*/ onceWithinMs: 86_400_000,
    },
    /*?*/ store: 'memory',
    /*?*/ finishLater: { /*?*/ queue, /*?*/ work: true, /*?*/ outbox },
    /*?*/ readPhone: /*?*/ phoneReader({ defaultCountry: 'US' }),
    /*?*/ onError: (error, { /*?*/ part, callId }) => console.error(error, part, callId),
    /*?*/ phoneCalls: {},
  });
createIntegration({ billing: own, finishLater: { /*?*/ send: async (call) => finishCall(integration, call) } });

try {
  const { /*?*/ notes } = await integration./*?*/ check({ /*?*/ deadlineMs: 10_000 });
  for (const { /*?*/ part, /*?*/ problem, /*?*/ help } of notes) console.warn(part, problem, help);
} catch (error) {
  if (error instanceof /*?*/ NotReadyError) console.error(error./*?*/ problems);
}

const /*?*/ phoneCall = integration./*?*/ startPhoneCall({
    /*?*/ callId: 'CA1',
    /*?*/ direction: 'inbound',
    /*?*/ phone: '+1 (415) 555-0100',
    /*?*/ customerId: 'cus_1',
    /*?*/ payments: { below: 50 },
  });
const { /*?*/ tools } = phoneCall;
const /*?*/ turn = phoneCall./*?*/ turn({
    /*?*/ heard: 'Yes.',
    /*?*/ budgetMs: 5_000,
    /*?*/ signal: AbortSignal.timeout(1),
  });
phoneCall./*?*/ heard('Yes.');
phoneCall./*?*/ said('Thank you.');
await phoneCall./*?*/ finish({ /*?*/ transcript: false });
console.log(chat.tools(tools), chat.runnable(turn), vapi.tools(phoneCall), OpenAI, unfinished);

const /*?*/ calls = integration./*?*/ liveCalls({
    /*?*/ state: () => ({ said: 0 }),
    /*?*/ quietMs: 1_000,
    /*?*/ atClose: 'end',
  });
const /*?*/ call = calls./*?*/ of({ callId: 'CA2' });
await call./*?*/ turn({ heard: 'Hello?' }, ({ /*?*/ state, /*?*/ signal }) => `${state.said} ${signal.aborted}`);
await call./*?*/ end({}, { /*?*/ afterMs: 1_000 });
console.log(calls./*?*/ size, call./*?*/ tools, call./*?*/ signal);
await calls./*?*/ close();

console.log(vapi.handler({ /*?*/ toolbox: calls.of, secret }));

const shop = await /*?*/ toolsFromMcp(client, {
  find: 'read',
  refund: {
    /*?*/ effect: 'payment',
    /*?*/ bind: { customer: ({ caller }) => caller.customerId },
    /*?*/ key: 'idempotency_key',
    /*?*/ amount: ({ cents }) => Number(cents) / 100,
    /*?*/ confirm: 'two-step',
  },
});
const weather = { description: 'The weather.', inputSchema: z.object({}), execute: async () => 'Rain.' };
/*?*/ createToolbox({
  tools: [...shop, /*?*/ toolFrom(weather, { name: 'weather', effect: 'read' })],
  /*?*/ store: 'memory',
});
/*?*/ billingTools({ billing: integration.billing, /*?*/ payments: { below: 50 }, /*?*/ store: undefined });

const tenants = /*?*/ createTenants({ /*?*/ store: 'memory', /*?*/ resolve: async () => undefined });
await using /*?*/ tenant = await tenants./*?*/ open('shop_1');
console.log(tenant./*?*/ tenantId);
createScriptedModel([{ call: 'create_payment', /*?*/ confirmed: true }]);
