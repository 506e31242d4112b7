import type { LiveCalls } from 'voice-agent-integrations';
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

let made: LiveCalls<ReturnType<typeof startConversation>> | undefined;

/** The calls that go on. `integration().close()` writes them down. */
const calls = () => (made ??= integration().liveCalls({ state: startConversation }));

export interface AgentAnswer {
  readonly status: number;
  readonly body: object;
}

/** Answers a request of your voice platform. Never throws. */
export const handleAgentRequest = async (body: unknown): Promise<AgentAnswer> => {
  const request = agentRequest.safeParse(body);
  if (!request.success) return { status: 400, body: { error: z.prettifyError(request.error) } };
  return request.data.event === 'turn' ? answer(request.data) : end(request.data.callId);
};

const answer = async ({ callId, phone, text }: { callId: string; phone?: string | null | undefined; text: string }) => {
  try {
    const call = calls().of({ callId, phone });
    const words = await call.turn({ heard: text }, ({ state, tools }) => state.answer(text, tools));
    return { status: 200, body: { text: words } };
  } catch (error) {
    console.error(error);
    return { status: 200, body: { text: apology } };
  }
};

/** Writes the call down. When the event comes again, it writes what failed; what may be there already needs a person. */
const end = async (callId: string): Promise<AgentAnswer> => {
  try {
    const { complete, unfinished } = await calls().of({ callId }).end({ outcome: 'The caller hung up' });
    return unfinished ? { status: 503, body: { recorded: false } } : { status: 200, body: { recorded: complete } };
  } catch (error) {
    console.error(error);
    return { status: 503, body: { recorded: false } };
  }
};
