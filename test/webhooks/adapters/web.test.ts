import { describe, expect, it } from 'vitest';
import { webhook as forLambda } from '../../../src/webhooks/adapters/aws-lambda.ts';
import { webhook as forNext } from '../../../src/webhooks/adapters/next.ts';
import { delivery, payment } from '../receiver-parts.ts';
import { makeMounted } from './mounted.ts';

const body = JSON.stringify(payment());
const headers = Object.fromEntries(delivery(body).headers);

describe('a Next route', () => {
  it('exports handlers for the methods of deliveries', async () => {
    const { receive, handled, peers } = makeMounted();
    const { POST, HEAD } = forNext(receive, { peer: () => ({ address: '192.0.2.1' }) });

    expect((await POST(delivery(payment()))).status).toBe(200);
    expect((await HEAD(new Request('https://hook.test/', { method: 'HEAD' }))).status).toBe(200);
    expect(handled).toEqual(['pay_1']);
    expect(peers).toEqual([{ address: '192.0.2.1' }, { address: '192.0.2.1' }]);
  });
});

describe('an AWS Lambda function', () => {
  it.each([
    [
      'the first format of API Gateway',
      {
        httpMethod: 'POST',
        path: '/hook/billing',
        headers: { ...headers, 'X-Other': 'a' },
        multiValueHeaders: { 'X-Other': ['a', 'b'] },
        body,
        isBase64Encoded: false,
        requestContext: { identity: { sourceIp: '192.0.2.1' } },
      },
    ],
    [
      'the second, and function URLs',
      {
        rawPath: '/hook/billing',
        rawQueryString: 'a=1',
        headers,
        body: Buffer.from(body).toString('base64'),
        isBase64Encoded: true,
        requestContext: { http: { method: 'POST', sourceIp: '192.0.2.1' } },
      },
    ],
  ])('takes %s', async (_, event) => {
    const { receive, handled, peers } = makeMounted();

    const answer = await forLambda(receive)(event);

    expect(answer).toEqual({
      statusCode: 200,
      headers: { 'content-type': 'application/json', 'cache-control': 'no-store' },
      body: '{"noted":"pay_1"}',
    });
    expect([handled, peers]).toEqual([['pay_1'], [{ address: '192.0.2.1' }]]);
  });

  it('refuses a forged event, and one without a body', async () => {
    const { receive } = makeMounted();
    const handler = forLambda(receive);
    const requestContext = { http: { method: 'POST' } };

    expect((await handler({ headers, body: `${body} `, requestContext })).statusCode).toBe(401);
    expect((await handler({ headers: null, body: null, requestContext })).statusCode).toBe(401);
    expect((await handler({ requestContext: { http: { method: 'HEAD' } } })).statusCode).toBe(200);
  });
});
