// Two ways to write a call down after it has ended: a queue that this process works, or an engine of your own.
import { createIntegration, finishCall, type UnfinishedCall } from 'voice-agent-integrations';
import { fromEnv } from 'voice-agent-integrations/auth';
import { hubspot } from 'voice-agent-integrations/crm/hubspot';
import { sqlite } from 'voice-agent-integrations/stores/sqlite';

const crm = hubspot({ key: fromEnv('HUBSPOT_KEY') });

// A queue on disk. What fails is tried again; the last failure reaches onError.
const withQueue = createIntegration({
  crm,
  finishLater: { queue: sqlite({ file: 'calls.db' }).messageQueue() },
  onError: (error, { part, callId }) => console.error(part, callId, error),
});
const first = withQueue.startPhoneCall({ callId: 'CA1', phone: '+14155550100' });
first.heard('Please call me back.');
first.said('We will.');
const { queued } = await first.finish({ outcome: 'call back', summary: 'Wants a call back.' });
console.log(queued);
await withQueue.close(); // what is being written ends; the rest is in the file

// Your engine: it has the call once `send` has resolved, and its worker does the work.
const engine: UnfinishedCall[] = [];
const withEngine = createIntegration({ crm, finishLater: { send: async (call) => engine.push(call) } });
await withEngine
  .startPhoneCall({ callId: 'CA2', phone: 'anonymous' })
  .finish({ outcome: 'resolved', transcript: false });
const job = JSON.stringify(engine[0]); // it survives JSON
const { complete, unfinished } = await finishCall(withEngine, JSON.parse(job) as UnfinishedCall);
console.log(complete, unfinished); // if unfinished is there: run it again later
await withEngine.close();
