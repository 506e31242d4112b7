import { createHash, timingSafeEqual } from 'node:crypto';
import { createIntegration } from 'voice-agent-integrations';
import { fromEnv } from 'voice-agent-integrations/auth';
import * as z from 'zod';
import options from '../voice-agent.config.ts';
import { answer, startConversation } from './model.ts';

export const integration = createIntegration(options());
const calls = integration.liveCalls({ state: startConversation });

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

/** Answers a request of your voice platform. Never rejects. */
export const handle = async (given: unknown): Promise<{ readonly status: number; readonly body: object }> => {
  const request = agentRequest.safeParse(given);
  if (!request.success) return { status: 400, body: { error: z.prettifyError(request.error) } };
  const { event, ...facts } = request.data;
  try {
    if (!('text' in facts)) {
      await calls.of(facts).end({ outcome: 'The caller hung up' });
      return { status: 200, body: { stored: true } };
    }
    const { text, ...line } = facts;
    return { status: 200, body: { text: await calls.of(line).turn({ heard: text }, (turn) => answer(text, turn)) } };
  } catch (error) {
    console.error(`The ${event} of call ${facts.callId} failed:`, error instanceof Error ? error.message : error);
    return event === 'end'
      ? { status: 503, body: { stored: false } } // asked again, it's stored
      : { status: 200, body: { text: 'I am sorry, something went wrong here. Could you say that again?' } };
  }
};

const digest = (text: string) => createHash('sha256').update(text).digest();
const expected = digest(`Bearer ${fromEnv('AGENT_SECRET')()}`);

/** Whether a request comes from your voice platform, which knows the secret. */
export const isAuthorized = (authorization: string | null | undefined): boolean =>
  timingSafeEqual(digest(authorization ?? ''), expected);
