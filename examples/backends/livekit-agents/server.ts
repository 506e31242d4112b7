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
import type { PhoneCallOptions } from 'voice-agent-integrations';
import { livekit } from 'voice-agent-integrations/tools/livekit';
import { greeting, instructions } from '../instructions.ts';

const textOnly = env['TEXT_ONLY'] !== undefined;

/** Read where it's needed: an image is built without secrets. */
const systems = () => import('../integration.ts');

export default defineAgent({
  /** While the process waits for a job: what an earlier one could not write down is written from here on. */
  prewarm: async () => void (await systems()),

  /** The phone rings. */
  entry: async (ctx) => {
    const { integration } = await systems();
    // LiveKit reports when a line is gone. One that has been open for so long is dead, without an end.
    const calls = integration.liveCalls({ quietMs: 4 * 60 * 60_000 });
    // The first look-up then finds its connections open.
    void integration.warmUp();
    await ctx.connect();
    const call = calls.of(await callerIn(ctx));

    const session = new voice.AgentSession({
      llm: 'openai/gpt-5-mini',
      ...(textOnly
        ? { vad: null, turnHandling: { turnDetection: null } }
        : { stt: 'deepgram/nova-3', tts: 'cartesia/sonic-3' }),
    });
    // After an interruption it holds the part of an answer that was spoken, and no more.
    session.on(voice.AgentSessionEventTypes.ConversationItemAdded, ({ item }) => {
      if (item.type !== 'message' || !item.textContent) return;
      if (item.role === 'user') call.phoneCall.heard(item.textContent);
      else call.phoneCall.said(item.textContent);
    });
    session.on(voice.AgentSessionEventTypes.Close, ({ reason }) => {
      void call.end({ outcome: outcomes[reason] ?? reason });
      // There is no one else in the room of a telephone call.
      ctx.shutdown(reason);
    });
    // Runs however the job ends: a goodbye, a room that is gone, or a worker that is stopped.
    ctx.addShutdownCallback(async () => {
      await integration.close();
      // The process of a job ends by itself, that of the console does not.
      if (ctx.isFakeJob) process.exit();
    });

    const agent = new voice.Agent({ instructions, tools: livekit.tools(call, { llm }) });
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
const callerIn = async (ctx: JobContext): Promise<PhoneCallOptions> => {
  if (ctx.isFakeJob) return { callId: env['CONSOLE_CALL_ID'] ?? ctx.job.id, phone: env['CONSOLE_CALLER'] };
  const { attributes } = await ctx.waitForParticipant();
  return { callId: attributes['sip.callID'] ?? ctx.job.id, phone: attributes['sip.phoneNumber'] };
};

// The processes of the jobs import this file too.
if (process.argv[1] === import.meta.filename) {
  if (!process.argv.includes('download-files')) await (await systems()).check();
  cli.runApp(new ServerOptions({ agent: import.meta.filename, agentName: 'acme-telephone' }));
}
