import { createIntegration } from '../../src/integration.ts';
import type { Account } from './accounts.ts';
import { jobsOf } from './jobs.ts';
import { awaitWebhook } from './webhook.ts';

/** The result of one account. */
export interface Trial {
  readonly title: string;
  readonly version: string;
  readonly day: string;
  readonly steps: readonly Step[];
}

export interface Step {
  readonly name: string;
  readonly result: 'yes' | 'failed';
}

/** Does every job once, in their order, then takes back what they made, the newest first. A failure ends nothing. */
export const tryAccount = async (account: Account, print: (line: string) => void): Promise<Trial> => {
  const { platform, webhook } = account;
  const steps: Step[] = [];
  const left: { readonly what: string; readonly remove: () => Promise<unknown> }[] = [];
  const attempt = async (name: string, work: () => Promise<unknown>) => {
    const result = await work().then(
      () => 'yes' as const,
      (error: unknown) => {
        print(`${platform.title}, ${name}: ${error instanceof Error ? error.message : String(error)}`);
        return 'failed' as const;
      },
    );
    steps.push({ name, result });
  };
  print(`${platform.title} …`);
  await using integration = createIntegration({ ...account.options, onError: () => {} });
  const delivery = webhook && (await awaitWebhook(account.name, webhook));
  const stamp = Date.now().toString(36);
  const undo = (what: string, remove: () => Promise<unknown>) => void left.push({ what, remove });
  for (const { name, work } of jobsOf(account)) await attempt(name, () => work({ integration, stamp, undo }));
  if (delivery) await attempt('webhook', () => delivery.received);
  await attempt('cleaned up', async () => {
    const kept: string[] = [];
    for (const { what, remove } of left.toReversed()) await remove().catch(() => kept.push(what));
    if (kept.length > 0) throw new Error(`delete by hand: ${kept.join(', ')}`);
  });
  return { title: platform.title, version: platform.version, day: new Date().toISOString().slice(0, 10), steps };
};
