import { sign } from 'voice-agent-integrations/webhooks';
import { secret } from './receiver.ts';

/** What the billing system sends: one delivery, the same again, and one that was changed on the way. */
export const deliveries = async () => {
  const body = JSON.stringify({ type: 'payment.confirmed', payment_id: 'pay_1', amount: 120.5 });
  const headers = { 'content-type': 'application/json', ...(await sign(body, { secrets: () => secret })) };
  return [
    { what: 'genuine', body, headers },
    { what: 'again', body, headers },
    { what: 'forged', body: body.replace('120.5', '1205'), headers },
  ];
};

/** Plays the billing system. */
export const deliverTo = async (
  send: (request: Request) => Promise<Response>,
  url = 'https://receiver.test/hook/billing',
) => {
  for (const { what, body, headers } of await deliveries()) {
    const answer = await send(new Request(url, { method: 'POST', body, headers }));
    console.log(`${what}: ${answer.status} ${await answer.text()}`);
  }
};
