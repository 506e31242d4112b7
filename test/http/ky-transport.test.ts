import { inspect } from 'node:util';
import { expect, test } from 'vitest';
import { UnexpectedResponseError } from '../../src/core/errors.ts';
import { createKyTransport } from '../../src/http/ky-transport.ts';
import { connect, failureOf, getContact } from '../support/connect.ts';
import { aRequest } from '../support/request.ts';
import { networkSummary } from '../support/network-summary.ts';

// What holds for every transport is tested in test/http/transport.
const mebibyte = 2 ** 20;

test('puts a character together whose bytes come apart', async () => {
  const [first, second] = [Buffer.from([0xf0, 0x9f]), Buffer.from([0x98, 0x80])];
  const apart = createKyTransport({
    maximumBodyBytes: mebibyte,
    fetch: async () => new Response(ReadableStream.from([first, second])),
  });
  expect((await apart(aRequest())).text).toBe('😀');
});

test('a call ends at once when its caller gives up, though a fetch of the user’s own does not listen', async () => {
  let wasCancelled = false;
  let respond = (_response: Response) => {};
  const fetch = () => new Promise<Response>((resolve) => (respond = resolve));
  const { client } = connect({ origin: 'https://api.example.com' }, { fetch });
  const caller = new AbortController();
  const end = client.request(getContact, { signal: caller.signal });
  await new Promise(setImmediate);
  caller.abort('hung up');
  expect(await failureOf(end)).toMatchObject({ code: 'aborted' });

  const body = new ReadableStream({ cancel: () => void (wasCancelled = true) });
  respond(new Response(body));
  await new Promise(setImmediate);
  expect(wasCancelled).toBe(true);
});

test('a caller who gives up while the connection is still taken back sends nothing', async () => {
  let sent = 0;
  const transport = createKyTransport({
    maximumBodyBytes: mebibyte,
    fetch: async () => {
      sent += 1;
      return new Response('{}');
    },
  });
  await transport(aRequest());
  const caller = new AbortController();
  const end = transport(aRequest({ signal: caller.signal }));
  caller.abort('hung up');
  await expect(end).rejects.toBe('hung up');
  expect(sent).toBe(1);
});

test('an abort cancels the body of a fetch that does not listen', async () => {
  const caller = new AbortController();
  let cancelledFor: unknown;
  const body = new ReadableStream(
    {
      // Called by the first read, and not before.
      pull: () => caller.abort('hung up'),
      cancel: (reason) => void (cancelledFor = { reason }),
    },
    { highWaterMark: 0 },
  );
  const deaf = createKyTransport({ maximumBodyBytes: mebibyte, fetch: async () => new Response(body) });
  await expect(deaf(aRequest({ signal: caller.signal }))).rejects.toBe('hung up');
  expect(cancelledFor).toEqual({ reason: undefined });
});

test('a fetch of the user’s own answers with what it has read already', async () => {
  const given = Object.assign(Object.create({ [Symbol.toStringTag]: 'Response' }), {
    ok: true,
    status: 200,
    headers: new Headers({ 'X-Request-Id': 'req_1' }),
    body: null,
    text: async () => '\ufeff{}',
  }) as Response;
  const own = createKyTransport({ maximumBodyBytes: 8, fetch: async () => given });
  expect(await own(aRequest())).toEqual({
    status: 200,
    headers: new Map([['x-request-id', 'req_1']]),
    text: '{}',
    requestId: 'req_1',
  });

  const small = createKyTransport({ maximumBodyBytes: 2, fetch: async () => given });
  expect(await failureOf(small(aRequest()))).toBeInstanceOf(UnexpectedResponseError);
});

test('an error of a fetch of the user’s own is a network failure whose details are not kept', async () => {
  const own = createKyTransport({
    maximumBodyBytes: mebibyte,
    fetch: async () => {
      throw new Error('could not send Bearer s3cr3t');
    },
  });
  const error = await failureOf(own(aRequest({ headers: { authorization: 'Bearer s3cr3t' } })));
  expect(networkSummary(error)).toEqual({ reason: 'network', networkCode: undefined, outcome: 'unknown' });
  expect(inspect(error, { depth: 10, showHidden: true })).not.toContain('s3cr3t');
});
