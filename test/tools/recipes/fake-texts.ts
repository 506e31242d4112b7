import { serve } from '../../support/serve.ts';

/** `lost`: it was sent, and the answer doesn't come. */
export type TextFault = 'lost' | 'rate' | 'stopped' | 'landline';

/**
 * The APIs for text messages of Twilio and of Telnyx as their pages say: no keys, a message is queued and not delivered,
 * and someone who has sent STOP is refused at once: Twilio 21610, Telnyx 40300.
 */
export const startFakeTexts = async () => {
  const texts: { readonly to: string; readonly from: string; readonly body: string }[] = [];
  const faults: TextFault[] = [];
  const requests: { readonly path: string; readonly authorization: string | null }[] = [];

  const server = await serve(async (request) => {
    const { pathname: path } = new URL(request.url);
    const isTwilio = path.startsWith('/2010-04-01/');
    const authorization = request.headers.get('authorization');
    requests.push({ path, authorization });
    const sent = await request.text();
    const fields: Readonly<Record<string, string>> = isTwilio
      ? Object.fromEntries(new URLSearchParams(sent))
      : (JSON.parse(sent) as Record<string, string>);
    const refuse = (status: number, twilio: number, telnyx: number, message: string) =>
      isTwilio
        ? Response.json(
            { code: twilio, message, more_info: `https://www.twilio.com/docs/errors/${twilio}`, status },
            { status },
          )
        : Response.json({ errors: [{ code: String(telnyx), title: message, detail: message }] }, { status });
    const fault = faults.shift();
    if (fault === 'rate') return refuse(429, 20_429, 10_011, 'Too many requests');
    if (fault === 'stopped') return refuse(400, 21_610, 40_300, 'Blocked due to STOP message');
    if (fault === 'landline') return refuse(400, 21_635, 40_310, 'Landline');
    const { To = fields['to'] ?? '', From = fields['from'] ?? '', Body = fields['text'] ?? '' } = fields;
    texts.push({ to: To, from: From, body: Body });
    if (fault === 'lost') return new Response('gateway', { status: 502 });
    const id = `SM${texts.length}`;
    return isTwilio
      ? Response.json({ sid: id, status: 'queued', to: To, from: From, body: Body }, { status: 201 })
      : Response.json({ data: { id, record_type: 'message', to: [{ phone_number: To, status: 'queued' }] } });
  });
  return { ...server, texts, faults, requests };
};
