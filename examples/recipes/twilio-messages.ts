import { ClientError, createApiClient } from 'voice-agent-integrations';
import { apiKey, fromEnv } from 'voice-agent-integrations/auth';
import { refused, type SendMessageOptions } from 'voice-agent-integrations/tools';
import * as z from 'zod';

const text = z.string();

export interface TwilioSender {
  readonly accountSid: string;
  readonly from: string; // a number of yours, in E.164
  readonly basic?: () => string;
  readonly baseUrl?: string;
}

/** Sends text messages with Twilio. It knows no keys, so a message whose end is unknown isn't sent again. */
export const twilioMessages = ({
  accountSid,
  from,
  basic = fromEnv('TWILIO_BASIC'), // base64 of 'API key:secret'
  baseUrl = 'https://api.twilio.com/2010-04-01',
}: TwilioSender): SendMessageOptions['send'] => {
  const twilio = createApiClient({
    name: 'twilio-messages',
    baseUrl,
    authenticate: apiKey('Authorization', () => `Basic ${basic()}`),
    dialect: {
      problemsOf: (answer) => {
        const { code, message } = JSON.parse(answer.text);
        return [{ code: `E${code}`, message }]; // a code begins with a letter
      },
    },
    endpoints: {
      create: {
        method: 'POST',
        path: '/Accounts/{account}/Messages.json',
        body: z.object({ From: text, To: text, Body: text }),
        sends: 'form',
        returns: z.object({ sid: text, status: text }),
      },
    },
  });
  return async ({ to, text: words }, { request }) => {
    try {
      const body = { From: from, To: to, Body: words };
      const { status } = await twilio.create({ account: accountSid, body }, request);
      if (status === 'failed') return refused({ error: 'not_sent' });
      return 'accepted'; // queued, accepted or sent: not delivered yet
    } catch (error) {
      const codes = (error instanceof ClientError && error.codes) || [];
      if (codes.includes('E21610')) return 'opted_out'; // they have sent STOP
      if (codes.includes('E21211') || codes.includes('E21635')) return refused({ error: 'no_mobile_number' });
      throw error;
    }
  };
};
