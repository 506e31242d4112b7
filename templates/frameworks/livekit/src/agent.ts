import './explain.ts'; // first: it says what is wrong with the others
import { cli, defineAgent, llm, ServerOptions, voice } from '@livekit/agents';
import * as openai from '@livekit/agents-plugin-openai';
import { createIntegration, type LiveCall } from 'voice-agent-integrations';
import { fromEnv } from 'voice-agent-integrations/auth';
import { livekit } from 'voice-agent-integrations/tools/livekit';
import options from '../voice-agent.config.ts';
import { instructions } from './instructions.ts';

export const integration = createIntegration(options());
export const calls = integration.liveCalls({ quietMs: 4 * 60 * 60_000 }); // LiveKit reports when a line is gone

/** It reads OPENAI_BASE_URL too. */
export const model = () =>
  new openai.LLM({ apiKey: fromEnv('OPENAI_API_KEY')(), model: process.env['OPENAI_MODEL'] ?? 'gpt-4.1' });

/** The agent of one phone call, which gets the session's words and its end. */
export const agentFor = (call: LiveCall, session: voice.AgentSession): voice.Agent => {
  session.on(voice.AgentSessionEventTypes.ConversationItemAdded, ({ item }) => {
    if (item.type !== 'message' || !item.textContent) return;
    if (item.role === 'user')
      call.phoneCall.heard(item.textContent); // a payment that asked may now be confirmed
    else call.phoneCall.said(item.textContent);
  });
  session.on(voice.AgentSessionEventTypes.Close, ({ reason }) => void call.end({ outcome: reason }));
  return new voice.Agent({ instructions, tools: livekit.tools(call, { llm }) });
};

export default defineAgent({
  /** The phone rings. */
  entry: async (ctx) => {
    void integration.warmUp();
    await ctx.connect();
    const { attributes } = await ctx.waitForParticipant();
    const call = calls.of({ callId: attributes['sip.callID'] ?? ctx.job.id, phone: attributes['sip.phoneNumber'] });
    const session = new voice.AgentSession({ llm: model(), stt: 'deepgram/nova-3', tts: 'cartesia/sonic-3' });
    session.on(voice.AgentSessionEventTypes.Close, ({ reason }) => ctx.shutdown(reason));
    ctx.addShutdownCallback(() => integration.close());
    await session.start({ agent: agentFor(call, session), room: ctx.room });
    session.say('Acme, hello. How can I help you?');
  },
});

// The processes of the phone calls import this file too.
if (process.argv[1] === import.meta.filename) {
  for (const name of ['LIVEKIT_URL', 'LIVEKIT_API_KEY', 'LIVEKIT_API_SECRET', 'OPENAI_API_KEY']) fromEnv(name)();
  const { notes } = await integration.check(); // before anyone calls
  for (const { part, problem, help } of notes) console.warn(`${part}: ${problem}: ${help}`);
  cli.runApp(new ServerOptions({ agent: import.meta.filename, agentName: 'telephone' }));
}
