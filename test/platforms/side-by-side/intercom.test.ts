import { IntercomClient } from 'intercom-client';
import { bearer } from '../../../src/auth/index.ts';
import { createMessagingClient, type MessagingOptions } from '../../../src/messaging/index.ts';
import { intercom } from '../../../src/messaging/intercom/index.ts';
import { answer, closeAfter, drip, head, type Reply, silence } from '../../support/fault-server.ts';
import { compare, limitMs } from './side-by-side.ts';

const theirs = (baseUrl: string, options: ConstructorParameters<typeof IntercomClient>[0] = {}) =>
  new IntercomClient({ token: 'token', baseUrl, ...options });

const ours = (baseUrl: string, options: Partial<MessagingOptions> = {}) =>
  createMessagingClient({
    ...intercom(),
    adminId: '1',
    baseUrl,
    authenticate: bearer(() => 'token'),
    ...options,
  });

const contact = answer({ body: '{"type":"contact","id":"1"}' });
const conversation = answer({ body: '{"type":"conversation","id":"1"}' });
const refused = (status: number, code: string, headers: Readonly<Record<string, string>> = {}): Reply =>
  answer({ status, headers, body: JSON.stringify({ type: 'error.list', errors: [{ code, message: code }] }) });
const noContacts = answer({ body: '{"type":"list","data":[],"total_count":0}' });
const halfABody = Buffer.concat([
  head(200, { 'content-type': 'application/json', 'content-length': '500' }),
  Buffer.from('{"type":'),
]);

/** Refuses until the window is over; its end is in the header as Intercom writes it, in seconds since 1970. */
const limitedFor = (seconds: number): Reply => {
  const resetAt = Math.ceil(Date.now() / 1_000) + seconds;
  const limited = refused(429, 'rate_limit_exceeded', { 'x-ratelimit-reset': `${resetAt}` });
  // A timer may ring a moment early.
  return (socket, request) => (Date.now() + 50 < resetAt * 1_000 ? limited : contact)(socket, request);
};

const name = `Ada "O'Brien" \\`;
/** Answers well when it is asked for exactly this name. */
const ifSearched: Reply = (socket, request) => {
  const { query } = JSON.parse(request.body) as { query: { value: string } };
  return (query.value === name ? noContacts : refused(400, 'parameter_invalid'))(socket, request);
};

const endless = drip(Buffer.concat([head(200, { 'content-type': 'application/json' }), Buffer.from('{"type":')]), ' ');

const reply = {
  theirs: (client: IntercomClient) =>
    client.conversations.reply({
      conversation_id: '1',
      body: { message_type: 'comment', type: 'admin', admin_id: '1', body: 'Your invoice is on its way.' },
    }),
  ours: (client: ReturnType<typeof ours>) => client.conversations.reply('1', { body: 'Your invoice is on its way.' }),
};
const get = {
  theirs: (client: IntercomClient) => client.contacts.find({ contact_id: '1' }),
  ours: (client: ReturnType<typeof ours>) => client.contacts.get('1'),
};
const sendReply = 'POST /conversations/1/reply';
const getContact = 'GET /contacts/1';

/** A token that is rotated once it was read. */
const rotating = () => {
  let reads = 0;
  return () => `token ${(reads += 1)}`;
};

compare({ section: 'Intercom', columns: '| What happens | intercom-client 7.0.3 | this package |' }, [
  {
    fault: 'A reply to a customer is sent out, and answered with 503',
    server: () => [refused(503, 'service_unavailable'), conversation],
    theirs: {
      script: (baseUrl) => reply.theirs(theirs(baseUrl)),
      does: { sent: [sendReply, sendReply], ended: 'done' },
      reads: 'sends it again: the customer gets it twice',
    },
    ours: {
      script: (baseUrl) => reply.ours(ours(baseUrl)),
      does: { sent: [sendReply], ended: 'RetriesExhaustedError server_error service_unavailable unknown' },
      reads: "does not send it again; the error says `outcome: 'unknown'`",
    },
  },
  {
    fault: 'A ticket is created, and answered with 503',
    server: () => [refused(503, 'service_unavailable'), answer({ body: '{"type":"ticket","id":"1"}' })],
    theirs: {
      script: (baseUrl) => theirs(baseUrl).tickets.create({ ticket_type_id: '9', contacts: [{ id: '1' }] }),
      does: { sent: ['POST /tickets', 'POST /tickets'], ended: 'done' },
      reads: 'sends it again: there may be two tickets',
    },
    ours: {
      script: (baseUrl) => ours(baseUrl).tickets.create({ ticketTypeId: '9', contactId: '1' }),
      does: { sent: ['POST /tickets'], ended: 'RetriesExhaustedError server_error service_unavailable unknown' },
      reads: "does not send it again; the error says `outcome: 'unknown'`",
    },
  },
  {
    fault: 'A read is answered with 503',
    server: () => [refused(503, 'service_unavailable'), contact],
    theirs: {
      script: (baseUrl) => get.theirs(theirs(baseUrl)),
      does: { sent: [getContact, getContact], ended: 'done' },
      reads: 'sends it again',
    },
    ours: {
      script: (baseUrl) => get.ours(ours(baseUrl)),
      does: { sent: [getContact, getContact], ended: 'done' },
      reads: 'sends it again',
    },
  },
  {
    fault: 'The token is refused with 401',
    server: () => [refused(401, 'unauthorized')],
    theirs: {
      script: (baseUrl) => get.theirs(theirs(baseUrl)),
      does: { sent: [getContact], ended: 'UnauthorizedError 401' },
      reads: 'one request, `UnauthorizedError`',
    },
    ours: {
      script: (baseUrl) => get.ours(ours(baseUrl)),
      does: { sent: [getContact], ended: 'ClientError 401 unauthorized rejected' },
      reads: 'one request, `ClientError` with `status` and `codes`',
    },
  },
  {
    fault: 'The token was rotated a moment ago, and its function gives the new one',
    server: () => [refused(401, 'unauthorized'), contact],
    theirs: {
      script: (baseUrl) => get.theirs(theirs(baseUrl, { token: rotating() })),
      does: { sent: [getContact], ended: 'UnauthorizedError 401' },
      reads: '`UnauthorizedError`; the next call has the new one',
    },
    ours: {
      script: (baseUrl) => get.ours(ours(baseUrl, { authenticate: bearer(rotating()) })),
      does: { sent: [getContact, getContact], ended: 'done' },
      reads: 'sends it again with the new one',
    },
  },
  {
    fault: 'A name with a quote and a backslash is searched for',
    server: () => [ifSearched],
    theirs: {
      script: (baseUrl) => theirs(baseUrl).contacts.search({ query: { field: 'name', operator: '=', value: name } }),
      does: { sent: ['POST /contacts/search'], ended: 'done' },
      reads: 'finds that name: the query is JSON',
    },
    ours: {
      script: (baseUrl) => ours(baseUrl).contacts.search({ field: 'name', operator: '=', value: name }),
      does: { sent: ['POST /contacts/search'], ended: 'done' },
      reads: 'the same',
    },
  },
  {
    fault: 'The body of a read drops in the middle',
    server: () => [closeAfter(halfABody), contact],
    theirs: {
      script: (baseUrl) => get.theirs(theirs(baseUrl)),
      does: { sent: [getContact], ended: 'IntercomError' },
      reads: '`IntercomError`, `terminated`',
    },
    ours: {
      script: (baseUrl) => get.ours(ours(baseUrl)),
      does: { sent: [getContact, getContact], ended: 'done' },
      reads: 'sends it again',
    },
  },
  {
    fault: 'The body of the answer to a reply drops in the middle',
    server: () => [closeAfter(halfABody), conversation],
    theirs: {
      script: (baseUrl) => reply.theirs(theirs(baseUrl)),
      does: { sent: [sendReply], ended: 'IntercomError' },
      reads: '`IntercomError`, `terminated`: whether it was sent out is left open',
    },
    ours: {
      script: (baseUrl) => reply.ours(ours(baseUrl)),
      does: { sent: [sendReply], ended: 'RetriesExhaustedError network unknown' },
      reads: "`RetriesExhaustedError` with `outcome: 'unknown'`",
    },
  },
  {
    fault: 'No answer comes, with 300 ms to wait',
    server: () => [silence],
    theirs: {
      script: (baseUrl) => get.theirs(theirs(baseUrl, { timeoutInSeconds: limitMs / 1_000 })),
      does: { sent: [getContact], ended: 'IntercomError' },
      reads: 'gives up in time',
    },
    ours: {
      script: (baseUrl) => get.ours(ours(baseUrl, { deadlineMs: limitMs, attempts: 1 })),
      does: { sent: [getContact], ended: 'RetriesExhaustedError timeout unknown' },
      reads: 'gives up in time',
    },
  },
  {
    fault: 'The answer begins and its body never ends, with 300 ms to wait',
    server: () => [endless],
    theirs: {
      script: (baseUrl) => get.theirs(theirs(baseUrl, { timeoutInSeconds: limitMs / 1_000 })),
      does: { sent: [getContact], ended: 'still waiting' },
      reads: 'still waits after twenty times as long: the time ends with the head of the answer',
    },
    ours: {
      script: (baseUrl) => get.ours(ours(baseUrl, { deadlineMs: limitMs, attempts: 1 })),
      does: { sent: [getContact], ended: 'RetriesExhaustedError timeout unknown' },
      reads: 'gives up in time',
    },
  },
  {
    fault: '429, and `X-RateLimit-Reset` is a second away',
    server: () => [limitedFor(1)],
    theirs: {
      script: (baseUrl) => get.theirs(theirs(baseUrl)),
      does: { sent: [getContact, getContact], ended: 'done' },
      reads: 'waits until then and sends it again',
    },
    ours: {
      script: (baseUrl) => get.ours(ours(baseUrl)),
      does: { sent: [getContact, getContact], ended: 'done' },
      reads: 'waits until then and sends it again',
    },
  },
  {
    fault: '429, and `X-RateLimit-Reset` is a minute away',
    server: () => [limitedFor(60)],
    theirs: {
      script: (baseUrl) => get.theirs(theirs(baseUrl)),
      does: { sent: [getContact], ended: 'still waiting' },
      reads: 'keeps waiting for it',
    },
    ours: {
      script: (baseUrl) => get.ours(ours(baseUrl)),
      does: {
        sent: [getContact],
        ended: 'RetriesExhaustedError rate_limited rate_limit_exceeded rejected retryAfterMs',
      },
      reads: 'ends at once, with `retryAfterMs`: a person is on the line',
    },
  },
]);
