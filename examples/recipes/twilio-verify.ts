import { ClientError, createApiClient } from 'voice-agent-integrations';
import { apiKey, fromEnv } from 'voice-agent-integrations/auth';
import { refused, type VerificationOptions } from 'voice-agent-integrations/tools';
import * as z from 'zod';

const text = z.string();
const verification = z.object({ sid: text, status: text });

export interface TwilioAccount {
  readonly serviceSid: string;
  readonly basic?: () => string;
  readonly baseUrl?: string;
}

/** Codes by Twilio Verify: by text message to a number, by e-mail to an address. */
export const twilioVerify = ({
  serviceSid,
  basic = fromEnv('TWILIO_BASIC'), // base64 of 'API key:secret'
  baseUrl = 'https://verify.twilio.com/v2',
}: TwilioAccount): VerificationOptions => {
  const twilio = createApiClient({
    name: 'twilio-verify',
    baseUrl,
    authenticate: apiKey('Authorization', () => `Basic ${basic()}`),
    dialect: {
      problemsOf: (answer) => {
        const { code, message } = JSON.parse(answer.text);
        return [{ code: `E${code}`, message }]; // a code begins with a letter
      },
      // 60202 and 60203 are limits of this verification: waiting doesn't help.
      classify: (status, body) => {
        if (status === 429) return /"code": ?6020[23]\b/.test(body) ? 'client' : 'limited';
        return status === 408 || status >= 500 ? 'transient' : 'client';
      },
    },
    endpoints: {
      start: {
        method: 'POST',
        path: '/Services/{service}/Verifications',
        body: z.object({ To: text, Channel: text }),
        sends: 'form',
        returns: verification,
      },
      check: {
        method: 'POST',
        path: '/Services/{service}/VerificationCheck',
        body: z.object({ To: text, Code: text }),
        sends: 'form',
        returns: verification,
        absentOn404: true, // it's gone: approved, expired, or out of tries
      },
      cancel: {
        method: 'POST',
        path: '/Services/{service}/Verifications/{sid}',
        body: z.object({ Status: text }),
        sends: 'form',
        returns: verification,
        absentOn404: true,
      },
    },
  });
  return {
    sendCode: async ({ to, channel }, { request }) => {
      try {
        const body = { To: to, Channel: channel === 'phone' ? 'sms' : 'email' };
        const { sid } = await twilio.start({ service: serviceSid, body }, request);
        return { sid };
      } catch (error) {
        const code = error instanceof ClientError ? error.codes?.[0] : undefined;
        if (code === 'E60203') return refused({ error: 'too_many_codes', message: 'Offer a colleague.' });
        if (code === 'E60205') return refused({ error: 'landline', message: 'Offer the e-mail address on file.' });
        throw error;
      }
    },
    checkCode: async ({ code, to, sent, isLastTry }, { request }) => {
      try {
        const checked = await twilio.check({ service: serviceSid, body: { To: to, Code: code } }, request);
        if (checked?.status === 'approved') return 'approved';
        if (checked?.status !== 'pending') return 'expired';
      } catch (error) {
        if (error instanceof ClientError && error.codes?.includes('E60202')) return 'expired';
        throw error;
      }
      const { sid } = z.object({ sid: text.optional() }).parse(sent ?? {});
      if (isLastTry && sid) {
        const { signal, deadline } = request; // the key is that of the check
        const cancelled = twilio.cancel(
          { service: serviceSid, sid, body: { Status: 'canceled' } },
          { signal, deadline },
        );
        await cancelled.catch(() => undefined); // it ends by itself after ten minutes
      }
      return 'wrong';
    },
  };
};
