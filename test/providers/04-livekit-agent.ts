// LiveKit Agents: one process and one phone call for each job.
import { cli, defineAgent, llm, ServerOptions, voice } from '@livekit/agents';
import { createIntegration } from 'voice-agent-integrations';
import { fromEnv } from 'voice-agent-integrations/auth';
import { cardOnFile, stripe } from 'voice-agent-integrations/billing/stripe';
import { hubspot } from 'voice-agent-integrations/crm/hubspot';
import { sqlite } from 'voice-agent-integrations/stores/sqlite';
import { livekit } from 'voice-agent-integrations/tools/livekit';

const integration = createIntegration({
  billing: stripe({ currency: 'EUR', key: fromEnv('STRIPE_KEY') }),
  crm: hubspot({ key: fromEnv('HUBSPOT_KEY') }),
  payments: { card: cardOnFile, below: 500 },
  store: sqlite({ file: 'voice-agent.db' }).idempotencyStore(), // the jobs of this machine share it
});
const calls = integration.liveCalls({ quietMs: 4 * 60 * 60_000 }); // LiveKit reports when a line is gone

export default defineAgent({
  entry: async (ctx) => {
    void integration.warmUp();
    await ctx.connect();
    const { attributes } = await ctx.waitForParticipant();
    const callId = attributes['sip.callID'] ?? ctx.job.id;
    const call = calls.of({ callId, phone: attributes['sip.phoneNumber'] });
    const { phoneCall } = call;

    const session = new voice.AgentSession({
      llm: 'openai/gpt-5-mini',
      stt: 'deepgram/nova-3',
      tts: 'cartesia/sonic-3',
    });
    session.on(voice.AgentSessionEventTypes.ConversationItemAdded, ({ item }) => {
      if (item.type !== 'message' || !item.textContent) return;
      if (item.role === 'user')
        phoneCall.heard(item.textContent); // a payment that asked may now be confirmed
      else phoneCall.said(item.textContent);
    });
    session.on(voice.AgentSessionEventTypes.Close, ({ reason }) => {
      void call.end({ outcome: reason });
      ctx.shutdown(reason);
    });
    ctx.addShutdownCallback(() => integration.close());

    const agent = new voice.Agent({
      instructions: 'You answer the phone of Acme.',
      tools: livekit.tools(call, { llm }),
    });
    await session.start({ agent, room: ctx.room });
  },
});

if (process.argv[1] === import.meta.filename) cli.runApp(new ServerOptions({ agent: import.meta.filename }));
