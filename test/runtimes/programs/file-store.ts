import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sqlite } from 'voice-agent-integrations/stores/sqlite';

/** A message and a claim in a file. */
export const run = async () => {
  const folder = mkdtempSync(join(tmpdir(), 'file-store-'));
  const file = join(folder, 'queue.db');
  const queue = sqlite({ file }).messageQueue();
  const store = sqlite({ file }).idempotencyStore();
  await queue.enqueue([{ id: 'a', group: 'g', payload: { hello: 'queue' } }]);
  const message = await queue.admin.get('a');
  const { state } = await store.claim('key', { fingerprint: 'f', leaseMs: 1_000, retainMs: 1_000 });
  await queue.close(0);
  rmSync(folder, { recursive: true, force: true });
  return { state: message?.state, payload: message?.payload, claim: state };
};
