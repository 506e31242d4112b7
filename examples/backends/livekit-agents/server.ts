/**
 * LiveKit Agents: `npm run example backends/livekit-agents` plays a call to it.
 *
 * LiveKit's server takes the telephone call into a room and gives this worker the job to join it. Each job is a process
 * of its own, with one phone call. Offline it runs in the console of LiveKit's own command line, with typed words in
 * place of a room and of audio; joining a room, speech to text and back need a LiveKit server and are not run there.
 *
 * For production change these lines:
 * - `node server.ts start` with `LIVEKIT_URL`, `LIVEKIT_API_KEY` and `LIVEKIT_API_SECRET` of your project, and a
 *   dispatch rule of the SIP trunk that names the agent: https://docs.livekit.io/telephony/
 * - no `TEXT_ONLY`; other models and voices in `AgentSession`.
 * - `integration.ts`: your systems.
 */
import { env } from 'node:process';
import { cli, defineAgent, type JobContext, llm, ServerOptions, voice } from '@livekit/agents';
import { livekit } from 'voice-agent-integrations/tools/livekit';
import { greeting, instructions } from '../instructions.ts';
import { checked, type Connected, connect } from '../integration.ts';
import { createPhoneCalls, type Ringing } from '../phone-calls.ts';

const textOnly = env['TEXT_ONLY'] !== undefined;

export default defineAgent<{ connected: Connected }>({
  // While the process waits for a job; what an earlier one could not write down is written from here on.
  prewarm: ({ userData }) => {
    userData.connected = connect();
  },

  /** The phone rings. */
  entry: async (ctx) => {
    const { integration, close } = ctx.proc.userData.connected;
    // The first look-up then finds its connections open.
    void integration.warmUp();
    await ctx.connect();
    const call = createPhoneCalls(integration).start(await callerIn(ctx));

    const session = new voice.AgentSession({
      llm: 'openai/gpt-5-mini',
      ...(textOnly
        ? { vad: null, turnHandling: { turnDetection: null } }
        : { stt: 'deepgram/nova-3', tts: 'cartesia/sonic-3' }),
    });
    // After an interruption it holds the part of an answer that was spoken, and no more.
    session.on(voice.AgentSessionEventTypes.ConversationItemAdded, ({ item }) => {
      if (item.type === 'message') call.hear(item.role === 'user' ? 'Caller' : 'Agent', item.textContent ?? '');
    });
    session.on(voice.AgentSessionEventTypes.Close, ({ reason }) => {
      void call.end(outcomes[reason] ?? reason);
      // There is no one else in the room of a telephone call.
      ctx.shutdown(reason);
    });
    // Runs however the job ends: a goodbye, a room that is gone, or a worker that is stopped.
    ctx.addShutdownCallback(async () => {
      await call.end('the agent was stopped');
      await close();
      // The process of a job ends by itself, that of the console does not.
      if (ctx.isFakeJob) process.exit();
    });

    const agent = new voice.Agent({ instructions, tools: livekit.tools(call.phoneCall.tools, { llm }) });
    await session.start({ agent, room: ctx.room });
    if (textOnly) session.output.setAudioEnabled(false);
    session.say(greeting);
  },
});

const outcomes: Readonly<Record<string, string>> = {
  [voice.CloseReason.PARTICIPANT_DISCONNECTED]: 'caller hung up',
  [voice.CloseReason.ERROR]: 'connection lost',
  [voice.CloseReason.USER_INITIATED]: 'the agent was stopped',
  [voice.CloseReason.JOB_SHUTDOWN]: 'the agent was stopped',
};

/** The attributes that LiveKit gives a caller on the telephone. In the console, the environment says who calls. */
const callerIn = async (ctx: JobContext<{ connected: Connected }>): Promise<Ringing> => {
  if (ctx.isFakeJob) return { callId: env['CONSOLE_CALL_ID'] ?? ctx.job.id, from: env['CONSOLE_CALLER'] };
  const { attributes } = await ctx.waitForParticipant();
  return { callId: attributes['sip.callID'] ?? ctx.job.id, from: attributes['sip.phoneNumber'] };
};

// The processes of the jobs import this file too.
if (process.argv[1] === import.meta.filename) {
  // An image is built without secrets.
  if (!process.argv.includes('download-files')) await (await checked(connect())).close();
  cli.runApp(new ServerOptions({ agent: import.meta.filename, agentName: 'acme-telephone' }));
}
