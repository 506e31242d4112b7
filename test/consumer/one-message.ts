import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sqlite } from 'voice-agent-integrations/stores/sqlite';

const file = join(mkdtempSync(join(tmpdir(), 'one-message-')), 'queue.db');
const queue = sqlite({ file }).messageQueue();
const store = sqlite({ file }).idempotencyStore();

await queue.enqueue([{ id: 'a', group: 'g', payload: { hello: 'queue' } }]);
const { state, payload } = (await queue.admin.get('a')) ?? {};
const claim = await store.claim('key', { fingerprint: 'f', leaseMs: 1_000, retainMs: 1_000 });

// Nothing is closed: the threads must not keep the process alive.
console.log(JSON.stringify({ state, payload, claim: claim.state }));
