import { ClientError, createApiClient } from 'voice-agent-integrations';
import { bearer, fromEnv } from 'voice-agent-integrations/auth';
import type { SendMessageOptions } from 'voice-agent-integrations/tools';
import * as z from 'zod';

const text = z.string();

export interface TelnyxSender {
  readonly from: string; // a number of yours, in E.164
  readonly key?: () => string;
  readonly baseUrl?: string;
}

/** Sends text messages with Telnyx. Its own client sends again after a 502: this one doesn't. */
export const telnyxMessages = ({
  from,
  key = fromEnv('TELNYX_API_KEY'),
  baseUrl = 'https://api.telnyx.com/v2',
}: TelnyxSender): SendMessageOptions['send'] => {
  const telnyx = createApiClient({
    name: 'telnyx-messages',
    baseUrl,
    authenticate: bearer(key),
    dialect: {
      problemsOf: (answer) => {
        const { errors } = z
          .object({ errors: z.array(z.object({ code: text, title: text })) })
          .parse(JSON.parse(answer.text));
        return errors.map(({ code, title }) => ({ code: `E${code}`, message: title })); // a code begins with a letter
      },
    },
    endpoints: {
      create: {
        method: 'POST',
        path: '/messages',
        body: z.object({ from: text, to: text, text }),
        returns: z.object({ data: z.object({ id: text }) }),
      },
    },
  });
  return async ({ to, text: words }, { request }) => {
    try {
      await telnyx.create({ body: { from, to, text: words } }, request);
      return 'accepted'; // its webhooks say later what became of it
    } catch (error) {
      if (error instanceof ClientError && error.codes?.includes('E40300')) return 'opted_out'; // they have sent STOP
      throw error;
    }
  };
};
