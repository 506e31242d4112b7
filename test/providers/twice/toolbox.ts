/** The tools of this package, and HubSpot's server in it: each process has an integration of its own, and all of them one file. */
import { tool } from '@openai/agents';
import { bearer } from '../../../src/auth/index.ts';
import { createIntegration } from '../../../src/integration.ts';
import { sqlite } from '../../../src/stores/sqlite/index.ts';
import type { Tool } from '../../../src/tools/index.ts';
import { aiSdk } from '../../../src/tools/providers/ai-sdk.ts';
import { toolsFromMcp } from '../../../src/tools/providers/mcp.ts';
import { openaiAgents } from '../../../src/tools/providers/openai-agents.ts';
import { makeScratchFolder } from '../../support/scratch-folder.ts';
import { aiSdkHost } from './ai-sdk.ts';
import type { Deployment, Host, ModelCall } from './host.ts';
import { connectHubSpot, createDeal } from './hubspot-server.ts';
import { openAiAgentsHost } from './openai-agents.ts';
import { phone, type Shop } from './shop.ts';

type Opened = Awaited<ReturnType<typeof openProcess>>;

type Confirm = 'approve' | false;

interface Own {
  /** Tools that the application has. */
  readonly toolsFor: (confirm: Confirm) => Promise<readonly Tool[]>;
  readonly close: () => Promise<void>;
}

const nothingElse: Own = { toolsFor: async () => [], close: async () => {} };

/** A process: an integration, and the store that all of them share. */
const openProcess = async ({ origin }: Shop, file: string, own: Own) => {
  const store = sqlite({ file }).idempotencyStore();
  const integrationWith = async (confirm: Confirm) =>
    createIntegration({
      billing: { baseUrl: origin, authenticate: bearer(() => 'test-token'), version: 'in-base-url', currency: 'USD' },
      payments: { below: 500, card: () => 'pm_on_file', confirm },
      phoneCalls: { tools: { approve: 'framework', own: await own.toolsFor(confirm) } },
      store,
      onError: () => {},
    });
  const [plain, approved] = await Promise.all([integrationWith(false), integrationWith('approve')]);
  const start = (integration: typeof plain) => (callId: string) =>
    integration.startPhoneCall({ callId, phone, direction: 'inbound' });
  return {
    plain: start(plain),
    approved: start(approved),
    close: async () => {
      await Promise.all([plain.close(), approved.close()]);
      await store.close();
      await own.close();
    },
  };
};

const deploymentOf =
  (hostOf: (opened: Opened) => Host, openOwn = async (_shop: Shop): Promise<Own> => nothingElse) =>
  async (shop: Shop): Promise<Deployment> => {
    const folder = await makeScratchFolder();
    const opened: Opened[] = [];
    return {
      process: async () => {
        const one = await openProcess(shop, folder.file('store.db'), await openOwn(shop));
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

/** HubSpot's server as it is. It has one tool here, which writes deals and nothing else. */
const openHubSpot = async (shop: Shop): Promise<Own> => {
  const client = await connectHubSpot(shop);
  const toolsFor = (confirm: Confirm) =>
    toolsFromMcp(client, {
      [createDeal.name]: { effect: 'write', name: 'create_deal', bind: { objectType: 'deals' }, confirm },
    });
  return { toolsFor, close: () => client.close() };
};

/** A model that wants a second one reads that there is a first, and asks the caller. */
const askingFirst = (host: Host): Host => ({
  ...host,
  run: async (run) => {
    const isSecond = run.steps.flat().some(({ second = false }) => second);
    const once = run.steps.map((step) => step.map(({ id }) => ({ id })));
    const read = isSecond ? await host.run({ ...run, steps: once }) : [];
    return [...read, ...(await host.run({ ...run, ...(isSecond && { says: 'Yes, a second one.' }) }))];
  },
});

export const hubSpotInToolbox = deploymentOf(({ plain, approved }) => {
  const inTurn = (start: Opened['plain']) => (callId: string, says: string) =>
    aiSdk.tools(start(callId).turn({ heard: says }));
  return askingFirst(
    aiSdkHost({
      tools: inTurn(plain),
      approved: inTurn(approved),
      argumentsOf: ({ second = false }) => ({
        inputs: createDeal.arguments.inputs.map(({ properties }) => ({ properties: JSON.stringify(properties) })),
        again: second || null,
      }),
      name: 'create_deal',
    }),
  );
}, openHubSpot);
