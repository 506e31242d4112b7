/** `create_payment` of this package: each process has an integration of its own, and all of them one file. */
import { tool } from '@openai/agents';
import { bearer } from '../../../src/auth/index.ts';
import { createIntegration } from '../../../src/integration.ts';
import { sqlite } from '../../../src/stores/sqlite/index.ts';
import { aiSdk } from '../../../src/tools/providers/ai-sdk.ts';
import { openaiAgents } from '../../../src/tools/providers/openai-agents.ts';
import { makeScratchFolder } from '../../support/scratch-folder.ts';
import { aiSdkHost } from './ai-sdk.ts';
import type { Deployment, Host, ModelCall } from './host.ts';
import { openAiAgentsHost } from './openai-agents.ts';
import { phone, type Shop } from './shop.ts';

type Opened = ReturnType<typeof openProcess>;

/** A process: an integration, and the store that all of them share. */
const openProcess = ({ origin }: Shop, file: string) => {
  const store = sqlite({ file }).idempotencyStore();
  const integrationWith = (confirm: 'approve' | false) =>
    createIntegration({
      billing: { baseUrl: origin, authenticate: bearer(() => 'test-token'), version: 'in-base-url', currency: 'USD' },
      payments: { below: 500, card: () => 'pm_on_file', confirm },
      phoneCalls: { tools: { approve: 'framework' } },
      store,
      onError: () => {},
    });
  const [plain, approved] = [integrationWith(false), integrationWith('approve')];
  const start = (integration: typeof plain) => (callId: string) =>
    integration.startPhoneCall({ callId, phone, direction: 'inbound' });
  return {
    plain: start(plain),
    approved: start(approved),
    close: async () => {
      await Promise.all([plain.close(), approved.close()]);
      await store.close();
    },
  };
};

const deploymentOf =
  (hostOf: (opened: Opened) => Host) =>
  async (shop: Shop): Promise<Deployment> => {
    const folder = await makeScratchFolder();
    const opened: Opened[] = [];
    return {
      process: async () => {
        const one = openProcess(shop, folder.file('store.db'));
        opened.push(one);
        return hostOf(one);
      },
      [Symbol.asyncDispose]: async () => {
        await Promise.all(opened.map(({ close }) => close()));
        await folder.remove();
      },
    };
  };

/** The model says that it's a second one where the caller wants two, and drops what the tool has no argument for. */
const argumentsOf = ({ second = false, key }: ModelCall) => ({
  invoice_id: 'inv_1',
  amount: 40,
  second_payment: second || null,
  ...(key !== undefined && { idempotency_key: key }),
});

const first = 'lookup_customer_invoices';

export const toolboxInAiSdk = deploymentOf(({ plain, approved }) =>
  aiSdkHost({
    tools: (callId) => aiSdk.tools(plain(callId)),
    approved: (callId) => aiSdk.tools(approved(callId)),
    argumentsOf,
    first,
  }),
);

export const toolboxInOpenAiAgents = deploymentOf(({ plain, approved }) =>
  openAiAgentsHost({
    tools: (callId) => openaiAgents.tools(plain(callId), { tool }),
    approved: (callId) => openaiAgents.tools(approved(callId), { tool }),
    argumentsOf,
    first,
  }),
);
