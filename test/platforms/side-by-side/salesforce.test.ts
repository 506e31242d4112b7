import { fileURLToPath } from 'node:url';
import { Connection, type ConnectionConfig } from 'jsforce';
import { bearer } from '../../../src/auth/index.ts';
import { type CrmOptions, createCrmClient } from '../../../src/crm/index.ts';
import { salesforce } from '../../../src/crm/salesforce/index.ts';
import { answer, closeAfter, drip, head, type Reply, silence } from '../../support/fault-server.ts';
import { runCommand } from '../../support/run-command.ts';
import { compare, limitMs } from './side-by-side.ts';

const theirs = (instanceUrl: string, options: ConnectionConfig = {}) =>
  new Connection({ instanceUrl, accessToken: 'token', version: '60.0', ...options });

const ours = (baseUrl: string, options: Partial<CrmOptions> = {}) =>
  createCrmClient({ ...salesforce({ version: '60.0' }), baseUrl, authenticate: bearer(() => 'token'), ...options });

const lead = { LastName: 'Lovelace', Company: 'Analytical Engines', Email: 'ada@example.com' };

const rows = (...records: readonly object[]) =>
  answer({ body: JSON.stringify({ totalSize: records.length, done: true, records }) });
const refused = (status: number, errorCode: string): Reply =>
  answer({ status, body: JSON.stringify([{ errorCode, message: errorCode }]) });
const usedUp = answer({
  status: 403,
  headers: { 'sforce-limit-info': 'api-usage=15000/15000' },
  body: '[{"errorCode":"REQUEST_LIMIT_EXCEEDED","message":"TotalRequests Limit exceeded."}]',
});
const expired = refused(401, 'INVALID_SESSION_ID');
const halfABody = Buffer.concat([
  head(200, { 'content-type': 'application/json', 'content-length': '500' }),
  Buffer.from('{"totalSize":'),
]);
const endless = drip(
  Buffer.concat([head(200, { 'content-type': 'application/json' }), Buffer.from('{"totalSize":')]),
  ' ',
);

/** An org that keeps what it is sent, and whose first answer is 503 all the same. */
const writesThenFails = (): readonly [Reply, Reply] => [
  refused(503, 'SERVER_UNAVAILABLE'),
  (socket, request) =>
    (request.method === 'GET'
      ? rows({ Id: '00Q1', IsConverted: false, Email: lead.Email })
      : answer({ status: 201, body: '{"id":"00Q2","success":true,"errors":[]}' }))(socket, request),
];

/** Refuses a query that the rules for literals do not allow, and answers one that asks for this name alone. */
const ifNamed =
  (name: string): Reply =>
  (socket, request) => {
    const query = new URL(request.url, 'http://org').searchParams.get('q') ?? '';
    const literals = literalsIn(query);
    const reply =
      literals === undefined ? refused(400, 'MALFORMED_QUERY') : literals.join() === name ? rows() : silence;
    return reply(socket, request);
  };

/** The texts that a query holds; `undefined` when one is not closed, or has a sequence that SOQL does not know. */
const literalsIn = (query: string): readonly string[] | undefined => {
  const literal = /'((?:\\[nrtbf"'\\]|[^'\\])*)'/gi;
  const rest = query.replaceAll(literal, '');
  if (/['\\]/.test(rest)) return undefined;
  return [...query.matchAll(literal)].map(([, text = '']) => text.replaceAll(/\\(.)/g, '$1'));
};

/** Expires every token but `fresh`. */
const takesFresh: Reply = (socket, request) =>
  (request.headers.authorization === 'Bearer fresh' ? rows() : expired)(socket, request);

/** The first token that is read has expired, the next one is fresh. */
const renewed = (fresh: string) => {
  let reads = 0;
  return () => ((reads += 1) === 1 ? 'stale' : fresh);
};

const withRefresh = (instanceUrl: string, fresh: string) =>
  theirs(instanceUrl, { accessToken: 'stale', refreshFn: (_, callback) => callback(null, fresh) });

const query = 'SELECT Id FROM Lead';
const get = {
  theirs: async (connection: Connection) => connection.query(query),
  ours: (client: ReturnType<typeof ours>) => client.leads.search({ email: lead.Email }),
};
/** Two calls one after the other, whatever becomes of the first. */
const twice = async <Client>(call: (client: Client) => Promise<unknown>, client: Client) => {
  await call(client).catch(() => undefined);
  return call(client);
};
const find = {
  theirs: async (connection: Connection, name: string) => connection.sobject('Account').find({ Name: name }, ['Id']),
  ours: (client: ReturnType<typeof ours>, name: string) => client.accounts.search({ name }),
};

const queryUrl = `/services/data/v60.0/query?q=${encodeURIComponent(query)}`;
const theirQuery = 'GET /services/data/v60.0/query?q=SELECT … FROM Lead';
const sentFind = (literal: string) => `GET /services/data/v60.0/query?q=SELECT … FROM Account WHERE Name = ${literal}`;
const upsertTask = 'PATCH /services/data/v60.0/sobjects/Task/Call_Id__c/CA123:task';
const createLead = 'POST /services/data/v60.0/sobjects/Lead';
const ourQuery = "GET /services/data/v60.0/query?q=SELECT … FROM Lead WHERE Email = 'ada@example.com'";

/** Refuses every token, and falls silent when a test has seen enough. */
const enough = 25;
const alwaysExpired: readonly [Reply, ...Reply[]] = [
  expired,
  ...Array.from({ length: enough - 2 }, () => expired),
  silence,
];

/** jsforce in a process of its own; what ended it takes the place of an error. */
const inAProcess = (instanceUrl: string) =>
  runCommand(process.execPath, [fileURLToPath(new URL('ask-with-jsforce.ts', import.meta.url)), instanceUrl], {
    cwd: fileURLToPath(new URL('.', import.meta.url)),
  }).catch((error: Error) => {
    throw /Unhandled 'error' event/.test(error.message) && /TypeError: terminated/.test(error.message)
      ? 'the process: TypeError terminated'
      : error;
  });

compare({ section: 'Salesforce', columns: '| What happens | jsforce 3.10.26 | this package |' }, [
  {
    fault: 'A lead is created, and answered with 503',
    server: writesThenFails,
    theirs: {
      script: (baseUrl) => theirs(baseUrl).sobject('Lead').create(lead),
      does: { sent: [createLead], ended: 'HttpApiError SERVER_UNAVAILABLE' },
      reads: 'does not send it again; `HttpApiError`: whether the lead is there is left open',
    },
    ours: {
      script: (baseUrl) => ours(baseUrl).leads.create(lead),
      does: { sent: [`${createLead}/`, `${ourQuery} AND IsConverted = false`], ended: 'done' },
      reads: 'looks for the lead and gives its id; sends again only if it is not there',
    },
  },
  {
    fault: 'A Task is created, and answered with 503',
    server: writesThenFails,
    theirs: {
      script: (baseUrl) => theirs(baseUrl).sobject('Task').create({ Subject: 'Call' }),
      does: { sent: ['POST /services/data/v60.0/sobjects/Task'], ended: 'HttpApiError SERVER_UNAVAILABLE' },
      reads: 'the same',
    },
    ours: {
      script: (baseUrl) => ours(baseUrl).tasks.create({ Subject: 'Call' }),
      does: {
        sent: ['POST /services/data/v60.0/sobjects/Task/'],
        ended: 'RetriesExhaustedError server_error SERVER_UNAVAILABLE unknown',
      },
      reads: "does not send it again; the error says `outcome: 'unknown'`",
    },
  },
  {
    fault: 'A Task is upserted by an external id, and answered with 503',
    server: () => [
      refused(503, 'SERVER_UNAVAILABLE'),
      answer({ body: '{"id":"00T1","success":true,"errors":[],"created":false}' }),
    ],
    theirs: {
      script: (baseUrl) =>
        theirs(baseUrl).sobject('Task').upsert({ Subject: 'Call', Call_Id__c: 'CA123:task' }, 'Call_Id__c'),
      does: { sent: [upsertTask], ended: 'HttpApiError SERVER_UNAVAILABLE' },
      reads: 'does not send it again',
    },
    ours: {
      script: (baseUrl) =>
        ours(baseUrl, salesforce({ externalIdField: 'Call_Id__c' })).tasks.create(
          { Subject: 'Call' },
          { idempotencyKey: 'CA123:task' },
        ),
      does: { sent: [upsertTask, upsertTask], ended: 'done' },
      reads: 'sends it again: there is still one Task',
    },
  },
  {
    fault: 'A query is answered with 503',
    server: () => [refused(503, 'SERVER_UNAVAILABLE'), rows()],
    theirs: {
      script: (baseUrl) => get.theirs(theirs(baseUrl)),
      does: { sent: [theirQuery, theirQuery], ended: 'done' },
      reads: 'sends it again',
    },
    ours: {
      script: (baseUrl) => get.ours(ours(baseUrl)),
      does: { sent: [ourQuery, ourQuery], ended: 'done' },
      reads: 'sends it again',
    },
  },
  {
    fault: 'The session has expired, and a new one is available',
    server: () => [takesFresh],
    theirs: {
      script: (baseUrl) => get.theirs(withRefresh(baseUrl, 'fresh')),
      does: { sent: [theirQuery, theirQuery], ended: 'done' },
      reads: 'refreshes and sends it again',
    },
    ours: {
      script: (baseUrl) => get.ours(ours(baseUrl, { authenticate: bearer(renewed('fresh')) })),
      does: { sent: [ourQuery, ourQuery], ended: 'done' },
      reads: 'refreshes and sends it again',
    },
  },
  {
    fault: 'The session has expired, and so has every new one',
    server: () => alwaysExpired,
    theirs: {
      script: (baseUrl) => get.theirs(withRefresh(baseUrl, 'also stale')),
      does: { sent: Array.from({ length: enough }, () => theirQuery), ended: 'still waiting' },
      reads: `refreshes and sends without end; stopped after ${enough} requests`,
    },
    ours: {
      script: (baseUrl) => get.ours(ours(baseUrl, { authenticate: bearer(renewed('also stale')) })),
      does: { sent: [ourQuery, ourQuery], ended: 'ClientError 401 INVALID_SESSION_ID rejected' },
      reads: 'refreshes and sends again, then `ClientError` with `status` and `codes`',
    },
  },
  {
    fault: "An account named `O'Brien` is searched for",
    server: () => [ifNamed("O'Brien")],
    theirs: {
      script: (baseUrl) => find.theirs(theirs(baseUrl), "O'Brien"),
      does: { sent: [sentFind("'O\\'Brien'")], ended: 'done' },
      reads: 'asks for that name',
    },
    ours: {
      script: (baseUrl) => find.ours(ours(baseUrl), "O'Brien"),
      does: { sent: [sentFind("'O\\'Brien'")], ended: 'done' },
      reads: 'asks for that name',
    },
  },
  {
    fault: 'An account named `AC\\DC` is searched for',
    server: () => [ifNamed('AC\\DC')],
    theirs: {
      script: (baseUrl) => find.theirs(theirs(baseUrl), 'AC\\DC'),
      does: { sent: [sentFind("'AC\\DC'")], ended: 'HttpApiError MALFORMED_QUERY' },
      reads: 'passes the backslash on as it is, which makes another query or one that SOQL does not allow',
    },
    ours: {
      script: (baseUrl) => find.ours(ours(baseUrl), 'AC\\DC'),
      does: { sent: [sentFind("'AC\\\\DC'")], ended: 'done' },
      reads: 'asks for that name',
    },
  },
  {
    fault: 'The body of a query’s answer drops in the middle',
    server: () => [closeAfter(halfABody), rows()],
    theirs: {
      script: inAProcess,
      does: { sent: [theirQuery], ended: 'the process: TypeError terminated' },
      reads: 'an `error` event that nothing listens to ends the Node process',
    },
    ours: {
      script: (baseUrl) => get.ours(ours(baseUrl)),
      does: { sent: [ourQuery, ourQuery], ended: 'done' },
      reads: 'sends it again',
    },
  },
  {
    fault: 'No answer comes, with 300 ms to wait',
    server: () => [silence],
    theirs: {
      script: (baseUrl) => theirs(baseUrl).request({ method: 'GET', url: queryUrl }, { timeout: limitMs }),
      does: { sent: [theirQuery], ended: 'DOMException' },
      reads: 'gives up in time',
    },
    ours: {
      script: (baseUrl) => get.ours(ours(baseUrl, { deadlineMs: limitMs, attempts: 1 })),
      does: { sent: [ourQuery], ended: 'RetriesExhaustedError timeout unknown' },
      reads: 'gives up in time',
    },
  },
  {
    fault: 'The answer begins and its body never ends, with 300 ms to wait',
    server: () => [endless],
    theirs: {
      script: (baseUrl) => theirs(baseUrl).request({ method: 'GET', url: queryUrl }, { timeout: limitMs }),
      does: { sent: [theirQuery], ended: 'still waiting' },
      reads: 'still waits after twenty times as long: the time ends with the head of the answer',
    },
    ours: {
      script: (baseUrl) => get.ours(ours(baseUrl, { deadlineMs: limitMs, attempts: 1 })),
      does: { sent: [ourQuery], ended: 'RetriesExhaustedError timeout unknown' },
      reads: 'gives up in time',
    },
  },
  {
    fault: 'The org’s requests of the day are used up, 403 `REQUEST_LIMIT_EXCEEDED`, and another call follows',
    server: () => [usedUp],
    theirs: {
      script: (baseUrl) => twice(get.theirs, theirs(baseUrl)),
      does: { sent: [theirQuery, theirQuery], ended: 'HttpApiError REQUEST_LIMIT_EXCEEDED' },
      reads: '`HttpApiError` with `errorCode`; the next call is sent',
    },
    ours: {
      script: (baseUrl) => twice(get.ours, ours(baseUrl)),
      does: { sent: [ourQuery], ended: 'QuotaExceededError not_sent retryAfterMs' },
      reads: '`RetriesExhaustedError` with `codes` and `retryAfterMs`; until then nothing is sent',
    },
  },
]);
