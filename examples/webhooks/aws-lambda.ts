/** A function behind API Gateway: `npm run example webhooks/aws-lambda`. */
import { webhook } from 'voice-agent-integrations/webhooks/aws-lambda';
import { deliveries } from './support/deliveries.ts';
import { createBillingReceiver } from './support/receiver.ts';

export const handler = webhook(createBillingReceiver());

for (const { what, body, headers } of await deliveries()) {
  const requestContext = { http: { method: 'POST', sourceIp: '192.0.2.1' } };
  const result = await handler({ rawPath: '/hook/billing', headers, body, isBase64Encoded: false, requestContext });
  console.log(`${what}: ${result.statusCode} ${result.body}`);
}
