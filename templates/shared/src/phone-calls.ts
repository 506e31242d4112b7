import type { PhoneCall } from 'voice-agent-integrations';
import * as z from 'zod';
import { apology } from './instructions.ts';
import { integration } from './integration.ts';
import { startConversation } from './model.ts';

/** What your voice platform sends: the caller has said something, or the line is gone. */
const agentRequest = z.discriminatedUnion('event', [
  z.object({
    event: z.literal('turn'),
    callId: z.string().min(1),
    phone: z.string().nullish(), // leave it out, or say anonymous, where it's withheld
    text: z.string().min(1),
  }),
  z.object({ event: z.literal('end'), callId: z.string().min(1) }),
]);

interface LiveCall {
  readonly phoneCall: PhoneCall;
  readonly conversation: ReturnType<typeof startConversation>;
  readonly said: string[];
  /** Ends when the turns so far have ended. */
  turns: Promise<unknown>;
  /** Runs out when no request comes any more. */
  quiet?: NodeJS.Timeout;
}

const liveCalls = new Map<string, LiveCall>();
const quietMs = 15 * 60_000;

export interface AgentAnswer {
  readonly status: number;
  readonly body: object;
}

/** Answers a request of your voice platform. Never throws. */
export const handleAgentRequest = async (body: unknown): Promise<AgentAnswer> => {
  const request = agentRequest.safeParse(body);
  if (!request.success) return { status: 400, body: { error: z.prettifyError(request.error) } };
  const { data } = request;
  return data.event === 'turn' ? answer(data) : end(data.callId, 'The caller hung up');
};

const answer = async ({ callId, phone, text }: { callId: string; phone?: string | null | undefined; text: string }) => {
  try {
    const call = liveCalls.get(callId) ?? start(callId, phone);
    clearTimeout(call.quiet);
    call.quiet = setTimeout(() => void end(callId, 'Its end was not reported'), quietMs).unref();
    call.said.push(text);
    // One turn after the other, also when the caller speaks again before the agent has answered.
    const words = call.turns.then(() => call.conversation.answer(text, call.phoneCall.turn().tools));
    call.turns = words.catch(() => undefined);
    return { status: 200, body: { text: await words } };
  } catch (error) {
    console.error(error);
    return { status: 200, body: { text: apology } };
  }
};

const start = (callId: string, phone: string | null | undefined): LiveCall => {
  const phoneCall = integration().startPhoneCall({ callId, direction: 'inbound', phone });
  const call = { phoneCall, conversation: startConversation(), said: [], turns: Promise.resolve() };
  liveCalls.set(callId, call);
  return call;
};

/** Writes down every call that's going on, before the process ends. */
export const endAll = () => Promise.all([...liveCalls.keys()].map((callId) => end(callId, 'The server stopped')));

/**
 * Leaves a conversation, a note and a task behind. What couldn't be written is written when the event comes again, unless
 * it may be there already: then a person has to look.
 */
const end = async (callId: string, outcome: string): Promise<AgentAnswer> => {
  const call = liveCalls.get(callId);
  if (!call) return { status: 404, body: { error: `there is no phone call ${callId}` } };
  try {
    await call.turns;
    const summary = `The caller said: ${call.said.join(' / ')}`;
    const { complete, unfinished, steps } = await call.phoneCall.finish({ outcome, summary });
    const failed = steps.filter(({ status }) => status === 'failed');
    if (!complete) console.error(`The call ${callId} isn't wholly written down:`, failed);
    if (unfinished) return { status: 503, body: { recorded: false } };
    clearTimeout(call.quiet);
    liveCalls.delete(callId);
    return { status: 200, body: { recorded: complete } };
  } catch (error) {
    console.error(error);
    return { status: 503, body: { recorded: false } };
  }
};
