/** What people have reported, as calls of tools. The caller wants one charge in each row but the last. */
import { type Deployment, type Host, nothingRead } from './host.ts';
import type { Shop } from './shop.ts';

export interface Row {
  readonly name: string;
  /** Where it was reported, or why the row is here. */
  readonly from: string;
  readonly wanted: number;
  /** Gives what the model read, in order; `undefined` where the way has no such thing. */
  readonly play: (stage: Stage) => Promise<readonly string[] | undefined>;
}

interface Stage {
  readonly shop: Shop;
  readonly process: Deployment['process'];
}

const call = (id: string, more: { readonly second?: boolean; readonly key?: string } = {}) => ({ id, ...more });

const one = (id: string) => ({ steps: [[call(id)]] });

export const rows: readonly Row[] = [
  {
    name: 'the answer was cut',
    from: 'stripe/ai#402, ComposioHQ/composio#3654',
    wanted: 1,
    play: async ({ shop, process }) => {
      const host = await process();
      shop.cut();
      const first = await host.run(one('call_1'));
      shop.answer();
      return [...first, ...(await host.run(one('call_2')))];
    },
  },
  {
    name: 'the host gave up, and the model called at once',
    from: 'aplisay/llm-agent#176',
    wanted: 1,
    play: async ({ shop, process }) => interrupted(shop, await process(), { late: false }),
  },
  {
    name: 'reported as interrupted, done later',
    from: 'github/copilot-cli#4668',
    wanted: 1,
    play: async ({ shop, process }) => interrupted(shop, await process(), { late: true }),
  },
  {
    name: 'the model failed after the tool, and the run was repeated',
    from: 'agno-agi/agno#10366, crewAIInc/crewAI#5802',
    wanted: 1,
    play: async ({ process }) => {
      const host = await process();
      await host.run({ ...one('call_1'), modelFails: true });
      return [nothingRead, ...(await host.run(one('call_2')))];
    },
  },
  {
    name: 'the model planned again, with a new id',
    from: 'openai/openai-agents-python#4254',
    wanted: 1,
    play: async ({ process }) => (await process()).run({ steps: [[call('call_1')], [call('call_2')]] }),
  },
  {
    name: 'barge-in: the result is not in the history',
    from: 'livekit/agents#3702, tonehq/tone#352',
    wanted: 1,
    play: async ({ process }) => {
      const host = await process();
      return [...(await host.run(one('call_1'))), ...(await host.run(one('call_2')))];
    },
  },
  {
    name: 'the same call twice at one moment',
    from: 'mastra-ai/mastra#22969',
    wanted: 1,
    play: async ({ process }) => (await process()).run({ steps: [[call('call_1'), call('call_1')]] }),
  },
  {
    name: 'the same request to two processes',
    from: 'VapiAI/example-server-javascript-node#6',
    wanted: 1,
    play: async ({ process }) => {
      const hosts = await Promise.all([process(), process()]);
      // Either may be the first.
      return (await Promise.all(hosts.map((host) => host.run(one('call_1'))))).flat().toSorted();
    },
  },
  {
    name: 'the answer was cut, then another process',
    from: 'the same, behind a load balancer',
    wanted: 1,
    play: async ({ shop, process }) => {
      shop.cut();
      const first = await (await process()).run(one('call_1'));
      shop.answer();
      return [...first, ...(await (await process()).run(one('call_2')))];
    },
  },
  {
    name: 'the answer was cut, and the caller rang back',
    from: 'the same, in another phone call',
    wanted: 1,
    play: async ({ shop, process }) => {
      const host = await process();
      shop.cut();
      const first = await host.run(one('call_1'));
      shop.answer();
      return [...first, ...(await host.run({ ...one('call_2'), callId: 'CA2' }))];
    },
  },
  {
    name: 'the model made a new key',
    from: 'square/square-mcp-server#31, razorpay/razorpay-mcp-server#128',
    wanted: 1,
    play: async ({ process }) => {
      const steps = ['key-1', 'key-2'].map((key, index) => [call(`call_${index + 1}`, { key })]);
      return (await process()).run({ steps });
    },
  },
  {
    name: 'a saved approval was used twice',
    from: '@openai/agents 0.20: RunState.fromString',
    wanted: 1,
    play: async ({ process }) => {
      const [first, second] = [await process(), await process()];
      const saved = await first.save?.();
      if (saved === undefined || !first.resume || !second.resume) return undefined;
      return [...(await first.resume(saved)), ...(await second.resume(saved))];
    },
  },
  {
    name: 'control: meant twice',
    from: 'the caller wants two',
    wanted: 2,
    play: async ({ process }) => {
      const host = await process();
      const first = await host.run(one('call_1'));
      return [...first, ...(await host.run({ steps: [[call('call_2', { second: true })]] }))];
    },
  },
];

/** The host ends the run while the shop works; the model calls again before the first request has ended. */
const interrupted = async (shop: Shop, host: Host, { late }: { readonly late: boolean }) => {
  const waiting = shop.hold({ late });
  const ending = new AbortController();
  const first = host.run({ ...one('call_1'), signal: ending.signal });
  await waiting.reached;
  ending.abort();
  const second = host.run(one('call_2'));
  // Until the second one has come as far as it can: some wait for the first.
  await Promise.race([second, new Promise((resolve) => setTimeout(resolve, 2_000))]);
  waiting.letGo();
  return [...(await first), ...(await second)];
};
