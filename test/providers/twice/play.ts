import { readFile } from 'node:fs/promises';
import { inAiSdk } from './ai-sdk.ts';
import { byRequest, byStripe, byStripeWithKey } from './charge.ts';
import type { Way } from './host.ts';
import { hubSpotServer } from './hubspot-server.ts';
import { inOpenAiAgents } from './openai-agents.ts';
import { type Row, rows } from './rows.ts';
import { openShop } from './shop.ts';
import { hubSpotInToolbox, toolboxInAiSdk, toolboxInOpenAiAgents } from './toolbox.ts';

/** What one way did in one row. */
export interface Played {
  readonly row: Row;
  readonly way: Pick<Way, 'name' | 'isOurs'>;
  /** `undefined` where the way has no such thing. */
  readonly made: number | undefined;
  /** What the model read, in order. */
  readonly read: readonly string[] | undefined;
}

/** Plays every row in every way. The ways run side by side, each in front of a shop of its own. */
export const playAll = async (): Promise<readonly Played[]> => {
  const played = await Promise.all((await ways()).map(playRows));
  return played.flat();
};

const ways = async (): Promise<readonly Way[]> => {
  const [ai, agents, stripe, hubspot] = await Promise.all(
    ['ai', '@openai/agents', 'stripe', '@hubspot/mcp-server'].map(withVersion),
  );
  return [
    { name: `${ai}: tool()`, isOurs: false, start: inAiSdk(byRequest) },
    { name: `${agents}: tool()`, isOurs: false, start: inOpenAiAgents(byRequest) },
    { name: `${stripe} in tool()`, isOurs: false, start: inAiSdk(byStripe) },
    { name: `${stripe} with a key of the charge`, isOurs: false, start: inAiSdk(byStripeWithKey) },
    { name: `${hubspot}`, isOurs: false, start: hubSpotServer() },
    { name: `${hubspot}, search first`, isOurs: false, start: hubSpotServer({ searchFirst: true }) },
    { name: `${hubspot}, in this toolbox`, isOurs: true, start: hubSpotInToolbox },
    { name: 'this toolbox, in the AI SDK', isOurs: true, start: toolboxInAiSdk },
    { name: 'this toolbox, in OpenAI Agents', isOurs: true, start: toolboxInOpenAiAgents },
  ];
};

const withVersion = async (name: string): Promise<string> => {
  const manifest = await readFile(new URL(`../node_modules/${name}/package.json`, import.meta.url), 'utf8');
  // The package's own manifest.
  return `${name} ${(JSON.parse(manifest) as { version: string }).version}`;
};

const playRows = async (way: Way): Promise<readonly Played[]> => {
  await using shop = await openShop();
  const played: Played[] = [];
  for (const row of rows) {
    shop.reset();
    await using deployment = await way.start(shop);
    const read = await row.play({ shop, process: deployment.process });
    played.push({ row, way, made: read === undefined ? undefined : shop.made(), read });
  }
  return played;
};
