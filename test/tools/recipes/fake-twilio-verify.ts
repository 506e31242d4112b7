import { serve } from '../../support/serve.ts';

/** Faults of one request. `lost`: it was done, and the answer doesn't come. */
export type VerifyFault = 'lost' | 'down' | 'rate';

interface Verification {
  readonly sid: string;
  readonly to: string;
  readonly channel: string;
  readonly code: string;
  status: 'pending' | 'approved' | 'canceled' | 'max_attempts_reached' | 'expired';
  checks: number;
  sends: number;
  readonly startedAt: number;
}

const tenMinutes = 10 * 60_000;

/**
 * Twilio Verify v2 as its pages say: a wrong code is 200 with `pending`; a verification that is approved, expired,
 * canceled or out of tries is gone (404, 20404); the sixth check is 429 60202, the sixth send 429 60203. Starting again
 * within ten minutes sends the code of the same verification again.
 */
export const startFakeTwilioVerify = async ({ landlines = [] }: { readonly landlines?: readonly string[] } = {}) => {
  const verifications: Verification[] = [];
  const faults: VerifyFault[] = [];
  const requests: { readonly path: string; readonly authorization: string | null; readonly body: string }[] = [];
  const problem = (status: number, code: number, message: string) =>
    Response.json({ code, message, more_info: `https://www.twilio.com/docs/errors/${code}`, status }, { status });
  const gone = () => problem(404, 20404, 'The requested resource was not found');
  const shown = ({ sid, to, channel, status }: Verification) =>
    Response.json({ sid, to, channel, status, valid: status === 'approved' });
  const live = (isOne: (one: Verification) => boolean) => {
    const one = verifications.findLast(isOne);
    if (one?.status === 'pending' && Date.now() - one.startedAt >= tenMinutes) one.status = 'expired';
    return one?.status === 'pending' ? one : undefined;
  };
  const ended = (status: Verification['status'], one: Verification) => {
    one.status = status;
    return shown(one);
  };

  const answer = (path: string, form: URLSearchParams): Response => {
    const to = form.get('To') ?? '';
    if (path.endsWith('/Verifications')) {
      if (!/^\+[1-9]\d{7,14}$|^[^@]+@[^@]+$/.test(to)) return problem(400, 60200, 'Invalid parameter `To`');
      if (landlines.includes(to)) return problem(403, 60205, 'SMS is not supported by landline phone number');
      const open = live((one) => one.to === to);
      if (open && open.sends >= 5) return problem(429, 60203, 'Max send attempts reached');
      if (open) open.sends += 1;
      const sid = `VE${verifications.length + 1}`;
      const code = String(472_209 + verifications.length);
      const channel = form.get('Channel') ?? '';
      const made = open ?? {
        sid,
        to,
        channel,
        code,
        status: 'pending' as const,
        checks: 0,
        sends: 1,
        startedAt: Date.now(),
      };
      if (!open) verifications.push(made);
      return shown(made);
    }
    if (path.endsWith('/VerificationCheck')) {
      const open = live((one) => one.to === to);
      if (!open) return gone();
      if (open.checks >= 5) return problem(429, 60202, 'Max check attempts reached');
      open.checks += 1;
      return form.get('Code') === open.code ? ended('approved', open) : shown(open);
    }
    const open = live(({ sid }) => path.endsWith(`/Verifications/${sid}`));
    return open && form.get('Status') === 'canceled' ? ended('canceled', open) : gone();
  };

  const server = await serve(async (request) => {
    const body = await request.text();
    const { pathname } = new URL(request.url);
    requests.push({ path: pathname, authorization: request.headers.get('authorization'), body });
    const fault = faults.shift();
    if (fault === 'down') return problem(503, 20503, 'Service unavailable');
    if (fault === 'rate') return problem(429, 20429, 'Too many requests');
    const answered = answer(pathname.replace(/^\/v2\/Services\/[^/]+/, ''), new URLSearchParams(body));
    return fault === 'lost' ? new Response('gateway', { status: 502 }) : answered;
  });
  return { ...server, url: `${server.url}/v2`, verifications, faults, requests };
};
