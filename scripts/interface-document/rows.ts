/** A requirement of the interface document in short words, and what shows that it works or why it doesn't. */
export interface Row {
  readonly requirement: string;
  /** Tests that show it, as `path > name`, below `test/`. */
  readonly tests?: readonly string[];
  /** The number of the decision that departs from it, or that fills what it leaves open. */
  readonly decision?: number;
  /** What departs; only with a decision. */
  readonly departs?: string;
  /** Additions to the row, which its tests show too. */
  readonly also?: string;
}

/** The rows of one part of the interface document. */
export interface Section {
  readonly title: string;
  readonly rows: readonly Row[];
}

const endpoint = (requirement: string, name: string): Row => ({
  requirement,
  tests: [`interface-document/endpoints.test.ts > ${name}`],
});
const own =
  (file: string) =>
  (requirement: string, ...names: readonly string[]): Row => ({
    requirement,
    tests: names.map((name) => `interface-document/${file}.test.ts > ${name}`),
  });
const callFlow = own('call-flow');
const calling = own('function-calling');
const errors = own('errors');
const access = own('access');
const inbound = own('inbound');
const outbound = own('outbound');
const shown = (requirement: string, ...tests: readonly string[]): Row => ({ requirement, tests });

export const sections: readonly Section[] = [
  {
    title: 'Messaging platform',
    rows: [
      endpoint('`GET /contacts/{id}` gives a contact', 'GET /contacts/{id} gives a contact'),
      endpoint(
        '`POST /contacts` creates a contact',
        'POST /contacts sends contact fields and gives the created contact',
      ),
      endpoint(
        '`PUT /contacts/{id}` updates a contact',
        'PUT /contacts/{id} sends the fields to update and gives the updated contact',
      ),
      endpoint(
        '`POST /contacts/search` takes field, operator and value; a phone is searched with `=`',
        'POST /contacts/search asks for a phone with "=" and gives the matching contacts',
      ),
      endpoint('`GET /conversations/{id}` gives a conversation', 'GET /conversations/{id} gives a conversation'),
      endpoint(
        '`POST /conversations` starts one in the name of a contact',
        'POST /conversations starts one in the name of a contact and gives it',
      ),
      endpoint(
        '`POST /conversations/{id}/reply` sends a comment of an admin to the customer',
        'POST /conversations/{id}/reply sends a comment of an admin to the customer',
      ),
      endpoint(
        '`POST /conversations/{id}/parts` leaves an internal note of an admin',
        'POST /conversations/{id}/parts leaves an internal note of an admin',
      ),
      endpoint(
        '`POST /conversations/{id}/tags` attaches a tag as an admin',
        'POST /conversations/{id}/tags attaches a tag as an admin and gives it',
      ),
      shown(
        'A note never goes out as a public reply, nor a reply as a note',
        'messaging/client.test.ts > cannot be decided by the argument of a JavaScript caller',
        'tools/ready/call-tools.test.ts > a note stays internal, whatever its words',
      ),
      shown('Every action is performed by an admin', 'messaging/client.test.ts > by %s, unless it names one'),
      shown(
        'Phone numbers are E.164, e-mail addresses valid',
        'messaging/client.test.ts > for a contact whose %s is %j',
      ),
      callFlow(
        'Look up by phone, then by e-mail, then create a contact',
        'looks for a caller by phone, then by e-mail, then creates a contact',
      ),
      callFlow('A contact may have no phone', 'finds by e-mail a contact whose phone is empty, and creates none'),
      callFlow(
        'A call is a conversation whose body holds summary and transcript',
        'records a call as a conversation whose body holds summary and transcript',
      ),
      shown(
        'Custom attributes on contacts and companies',
        'phone-call/steps/record-call.test.ts > leaves a conversation, an internal note, tags, attributes and a team, without card numbers',
        'messaging/client.test.ts > have their own list for companies',
      ),
      {
        ...shown(
          'Tags on contacts, too',
          'messaging/client.test.ts > tags are attached to conversations and contacts, listed and taken off',
        ),
        decision: 9,
      },
      {
        ...shown(
          'Company context: tier, recurring revenue, account manager, health',
          'phone-call/steps/caller-context.test.ts > gathers tier, revenue, manager, health signals and custom attributes',
        ),
        decision: 9,
      },
      {
        ...shown(
          'Conversations are routed to teams',
          'phone-call/steps/record-call.test.ts > hands the conversation to a team, once',
        ),
        decision: 9,
      },
      shown(
        'Six events: conversation created, replied, closed; contact created, updated; custom attribute changed',
        'webhooks/messaging-events/messaging-events.test.ts > sends its six events to a receiver, signed, and again with the same id',
      ),
    ],
  },
  {
    title: 'CRM',
    rows: [
      endpoint(
        '`POST …/sobjects/Lead/` creates a lead with its thirteen fields',
        'POST sobjects/Lead/ sends all thirteen Lead fields and gives the created lead',
      ),
      endpoint(
        '`POST …/sobjects/Lead/search` takes a query and a limit of one row',
        'POST sobjects/Lead/search sends a query and a limit of one row, and gives the matching ids',
      ),
      endpoint(
        '`POST …/sobjects/Task/` creates a task with its eight fields',
        'POST sobjects/Task/ sends all eight Task fields and gives the created task',
      ),
      callFlow('The Lead search comes before a creation', 'searches for the Lead before it creates one'),
      callFlow('An open Lead gets a Task, not a duplicate', 'adds a Task to an open Lead and creates no second one'),
      {
        ...shown(
          '… or is updated',
          'phone-call/steps/qualify-lead.test.ts > updates an open lead with what was said, and with no default of its own',
        ),
        decision: 9,
      },
      {
        ...shown(
          'A Contact gets a Task or an Opportunity, not a Lead',
          'phone-call/steps/qualify-lead.test.ts > gives an existing customer a Task and no lead',
          'phone-call/steps/qualify-lead.test.ts > gives an existing customer an opportunity when there is one',
        ),
        decision: 9,
      },
      {
        ...shown(
          'An Opportunity for an Account that is a customer',
          'phone-call/steps/qualify-lead.test.ts > makes an opportunity with a company that is a customer already',
        ),
        decision: 9,
      },
      {
        ...shown(
          'A Case for a support issue',
          'phone-call/steps/open-case.test.ts > opens a case with link, summary and transcript, without card numbers',
        ),
        decision: 9,
      },
      callFlow('One Task per call', 'creates one Task per call, however often it is finished'),
      {
        requirement: 'One Task per call, also where it was logged with other words before',
        tests: [
          'phone-call/steps/one-task.test.ts > gets one Task of a call with %s',
          'phone-call/steps/log-call.test.ts > is shared by askers at the same time: one creates, the next adds what it knows',
        ],
        decision: 18,
      },
      {
        ...shown(
          'A converted Lead is followed to its Contact and Opportunity, for their owner',
          'phone-call/steps/qualify-lead.test.ts > follows a converted lead to its opportunity, for the owner of that, and does not touch the lead',
        ),
        decision: 18,
      },
      shown('`Rejection_Reason__c` can be read', 'crm/client.test.ts > why sales rejected a lead can be read'),
      {
        ...shown(
          'A disposition such as “disqualified” ends an open Lead',
          'phone-call/steps/qualify-lead.test.ts > creates a new lead for a caller whose lead was given up',
        ),
        decision: 18,
      },
      shown(
        'CRM workflows start from voice events',
        'crm/salesforce/platform-events.test.ts > starts a flow from a phone call',
      ),
      {
        requirement: 'The duplicate check asks for one row',
        tests: [
          'phone-call/steps/qualify-lead.test.ts > writes nothing when several contacts share the number',
          'crm/minimal-search.test.ts > is searched for what it knows, found out once',
        ],
        decision: 11,
        departs:
          '`qualifyLead` and `finish` ask for 20, to see when several people share a number; for 1 where the API takes no more.',
      },
    ],
  },
  {
    title: 'Billing',
    rows: [
      endpoint('`GET /customers/{id}` gives a customer', 'GET /customers/{id} gives a customer'),
      endpoint(
        '`GET /customers/search` takes phone and email',
        'GET /customers/search asks by phone and e-mail and gives a customer',
      ),
      endpoint(
        '… and gives nothing when the customer is absent',
        'GET /customers/search gives nothing when the customer is absent',
      ),
      endpoint(
        '`GET /invoices` lists the open ones of a customer',
        'GET /invoices asks for the open ones of a customer and gives a list',
      ),
      endpoint(
        '`POST /payments` takes five fields and gives status, confirmation_number and error_message',
        'POST /payments sends five fields and gives status, confirmation number and error message',
      ),
      {
        ...calling(
          '`lookup_customer_invoices` gives customer_name, invoice_count, total_outstanding and invoices',
          'gives customer_name, invoice_count, total_outstanding and invoices, and the day',
          'gives currency and unit where they are known, and marks what is overdue',
          'gives no total of a part of a list: %s',
        ),
        also:
          '`today` if there is an invoice, `overdue`, and `currency` and `unit` if they are known. ' +
          'For a part of a list, `message` replaces `total_outstanding`.',
      },
      {
        requirement: 'The answers may be in the envelopes that other APIs use',
        tests: [
          'interface-document/envelopes.test.ts > %s reads %j',
          'interface-document/envelopes.test.ts > %s doesn’t guess what %j means',
        ],
      },
      {
        requirement: '`lookup_customer_invoices` takes any phone or e-mail',
        tests: ['tools/ready/billing-tools.test.ts > refuses another person by %s, and sends nothing'],
        decision: 25,
        departs: 'Another person than the caller is refused until you allow it or the caller has proved who they are.',
      },
      {
        requirement: '`create_payment` takes customer_id, invoice_id, amount and payment_method_id',
        tests: [
          'tools/ready/billing-tools.test.ts > by default needs a look-up, and takes the customer from it and the card from the application',
        ],
        decision: 25,
        departs:
          'The customer comes from the look-up and the card from you, unless you let the model supply it. ' +
          'Without `payments.card` there is no such tool.',
      },
      {
        ...calling(
          '… and takes the card where you let the model supply it',
          'takes the card of the model too where you say so, and second_payment',
        ),
        also: '`second_payment`, for a caller who wants to pay the same again.',
      },
      {
        ...calling(
          '`create_payment` charges when it is called',
          'asks the caller first, unless you say that it charges at once',
          'gives success and the confirmation number of a completed payment',
        ),
        decision: 24,
        departs:
          'By default the first call returns a question, and the second one charges after the caller’s words. ' +
          'With `payments.confirm: false` it charges at once.',
      },
      {
        requirement: 'A payment belongs to the phone call',
        tests: [
          'interface-document/function-calling.test.ts > an invoice that was not looked up is refused, and the model gets the open ones',
          'interface-document/function-calling.test.ts > refuses more than is outstanding',
          'interface-document/function-calling.test.ts > an amount with a fraction of a cent is refused',
          'tools/payments/payment-guard.test.ts > answers a later phone call for 24 hours, in every process of the store, then can be made again',
          'billing/client.test.ts > for a payment with less time left than it needs',
        ],
        decision: 24,
        also: 'It needs a look-up, at most what is outstanding, no fraction of a cent and 3 s; the same one is made once in 24 hours.',
      },
      shown(
        'A list that holds other people’s or paid invoices is not believed',
        'tools/ready/billing-tools.test.ts > does not believe a list that holds foreign and paid invoices',
      ),
      calling(
        '`create_payment` gives success and confirmation_number',
        'gives success and the confirmation number of a completed payment',
      ),
      calling(
        'A payment that isn’t completed gives success false, and error carries error_message',
        'gives success false and the error message of a payment that ends as "%s"',
      ),
      {
        ...calling('Only `completed` is success, everything else is not', 'is never a success when it is pending'),
        decision: 24,
        also: 'The `error` of a pending one is `payment_status_unknown`: the model must not say that it failed.',
      },
    ],
  },
  {
    title: 'Function calling',
    rows: [
      calling(
        'A function has a name, a description and parameters with a properties map',
        'has a name, a description and parameters with a properties map',
      ),
      calling(
        'The model calls predefined functions with fixed schemas; it authors no HTTP',
        'has a fixed schema and a fixed request: a name or an address of the model is refused',
      ),
      calling('Arguments are checked before any request: type', 'an amount that is no number is refused'),
      calling('… range', 'an amount of zero is refused', 'an amount of the maximum is refused'),
      calling('… format', 'an e-mail that is none is refused', 'a phone that is not E.164 is refused'),
      calling('… business rule', 'a refund above the original payment is refused by a rule'),
      calling(
        'Answers are flattened, without personal data and internal identifiers',
        'flattens the answer and leaves out personal data and internal fields',
      ),
      shown('Technical codes become readable words', 'tools/ready/call-tools.test.ts > every code has its words'),
      calling(
        'Long lists become the top entries and a count',
        'gives the top entries of a long list, and the count of all',
      ),
    ],
  },
  {
    title: 'Authentication',
    rows: [
      access(
        'Messaging: access token of a private app',
        'the messaging platform gets its access token and its version header, named after the platform',
      ),
      shown(
        'Messaging: OAuth 2.0 for an app of several customers',
        'auth/authorization-code.test.ts > the code of the answer is traded for tokens',
        'auth/oauth-refresh-token.test.ts > a refresh token is traded for an access token, again after a 401',
      ),
      shown(
        'One token and configuration per workspace; workspaces are isolated',
        'tenants/isolation.test.ts > nothing of one tenant is ever seen by another, whatever is done at the same time and fails',
      ),
      access('CRM: a token', 'the CRM gets its token and has its version in the path'),
      shown(
        'CRM: an integration user with a connected app',
        'auth/jwt-bearer.test.ts > an assertion signed with RS256 is traded for a token, and no secret is sent',
      ),
      access(
        'Billing: API key in a header',
        'the billing API gets its key in a header, and its version by path or header',
      ),
      access('Billing: OAuth 2.0 client credentials', 'the billing API gets a token of OAuth 2.0 client credentials'),
      shown(
        'Billing: signed short-lived JWT',
        'auth/signed-jwt.test.ts > a token that is signed here goes onto requests, and holds for a minute',
      ),
      shown('Billing: mutual TLS', 'http/transport/mutual-tls.test.ts > is shown to a server that asks for one, in %s'),
      access('Secrets come from a store, never from code or URLs', 'a secret in code or in an address is refused'),
      access(
        'Keys are rotated',
        'a secret is read for each request, so that a rotated one is used at once, and is never in an address',
      ),
      shown(
        'The use of keys is audited',
        'http/middleware/authenticate.test.ts > gets which credential each attempt used, and whether it changed',
      ),
      access(
        'Per-tenant configuration decides which credentials are used',
        'each tenant has its own configuration and credential',
      ),
    ],
  },
  {
    title: 'Webhooks in',
    rows: [
      inbound(
        'HMAC: `X-Signature: sha256=…` over the body, rejected on mismatch',
        'takes a body whose X-Signature is sha256= and the HMAC-SHA256 of the body, and refuses every other',
      ),
      inbound(
        '… in hex of any case or base64, with or without a content type',
        'takes the same signature in upper-case hex and in base64, and a body without a content type',
      ),
      {
        requirement: 'Source IP allowlist',
        tests: [
          'interface-document/inbound.test.ts > accepts only known sender addresses',
          'webhooks/authentication/authentication.test.ts > with only weak authentication, unless its events are informational',
        ],
        also: 'Alone it needs `informational: true`, and so does a shared secret.',
      },
      inbound('Shared secret in a header', 'takes a shared secret in a header, and refuses another'),
      shown(
        '… never in the URL',
        'webhooks/authentication/authentication.test.ts > has no place in the URL',
        'webhooks/authentication/authentication.test.ts > an address that contains a secret is refused when a delivery comes to it',
      ),
      inbound('OAuth', 'takes a token of OAuth, and refuses a request without one'),
      inbound('Mutual TLS', 'takes a client certificate that was verified, and refuses a request without one'),
      inbound('Validate the schema', 'validates the schema'),
      inbound(
        'Timestamps not in the future, amounts not negative, ids of real records',
        'refuses a time in the future',
        'refuses a negative amount',
        'refuses the id of a record that does not exist',
      ),
      inbound('The operation is allowed for this sender', 'refuses an operation that is not allowed for this sender'),
      inbound('Replaying an event is safe', 'handles an event once, however often it is replayed'),
      {
        ...shown(
          'A repeated key gets the cached response',
          'webhooks/receiver.test.ts > gives the stored answer to a repeated delivery, without the handler',
          'webhooks/event-id.test.ts > gets the stored answer when its key comes again with %s',
          'webhooks/event-id.test.ts > is refused when a header repeats it for another event, since no signature covers the header',
        ),
        decision: 26,
        also: 'The key of another event is a 409.',
      },
      inbound(
        'A call waits for the callback of a long operation',
        'lets a phone call wait for the callback of a payment, and go on with what it says',
      ),
      shown(
        'Payment confirmed, appointment confirmed, status changed',
        'webhooks/notifications.test.ts > appointments that lie ahead and changes of a status are taken',
        'webhooks/notifications.test.ts > a phone call waits for the payment that another system confirms',
      ),
    ],
  },
  {
    title: 'Webhooks out',
    rows: [
      {
        requirement: '`POST /hook/voice-events/v{n}` with a versioned payload and an optional `Idempotency-Key`',
        tests: [
          'interface-document/outbound.test.ts > POST /hook/voice-events/v{n} carries a versioned event and an Idempotency-Key',
          'outbox/guarded-transport.test.ts > nothing is sent to %s',
        ],
        also: 'Only to https on the public internet; `allowNetworks` names other networks.',
      },
      outbound('Usually POST, sometimes PUT or PATCH', 'sends an update by %s'),
      shown('… rarely GET', 'outbox/outbox.test.ts > of a GET carries its fields as query'),
      outbound('Signed as the inbound ones are', 'signs the body with X-Signature'),
      outbound('Queued and sent by a worker', 'publishing does not wait for the delivery'),
      {
        requirement: 'What a call leaves behind is queued, too',
        tests: [
          'interface-document/call-flow.test.ts > creates one Task per call, however often it is finished',
          'phone-call/finish-later.test.ts > finish stores what is to be written and resolves; nothing was sent by then',
        ],
        decision: 16,
        departs: '`finish` sends inline unless you give it a queue with `finishLater`.',
      },
      outbound(
        '1 s, 3 s, 10 s, 30 s, 2 min with jitter, then a dead letter',
        'a failed delivery is repeated after 1 s, 3 s, 10 s, 30 s and 2 min, and is then a dead letter',
      ),
      outbound('A 4xx isn’t retried', 'a 4xx is not repeated and is a dead letter at once'),
      shown(
        'Without keys, an external reference is checked before a write is sent again',
        'crm/client.test.ts > a lead is looked for before it is sent again, and the one that is there is the answer',
        'messaging/client.test.ts > a contact is looked for by %s before it is sent again',
      ),
      shown(
        'Each webhook is logged: time, direction, peer, event, sanitized body, status, duration, error',
        'observability/log-to.test.ts > a webhook that came in has all that the interface document asks for',
        'observability/log-to.test.ts > a delivery that went out has all that the interface document asks for',
      ),
      shown(
        'Metrics: success rate per endpoint and event type',
        'observability/metrics/create-metrics.test.ts > webhooks and deliveries are counted per endpoint and event type',
      ),
      shown(
        '… latency p50, p95 and p99',
        'observability/metrics/create-metrics.test.ts > percentiles are those of the latencies, to two digits',
      ),
      shown(
        '… errors by type and retries',
        'observability/metrics/create-metrics.test.ts > calls are counted per operation: outcomes, errors by type, retries, waits and what was missed',
      ),
      shown(
        '… dead-letter depth',
        'observability/metrics/create-metrics.test.ts > dead letters are read from the outboxes when the metrics are',
      ),
      shown(
        'Alerts on success rate, p95 and dead letters',
        'observability/operations.test.ts > there is an alert for the success rate, for p95 and for dead letters',
      ),
      shown(
        'A confirmation within 500 ms that a caller can hear',
        'outbox/outbox.test.ts > with confirmWithinMs says whether it was delivered at once',
      ),
      shown(
        'A request may carry an `Idempotency-Key` header',
        'billing/client.test.ts > a payment carries its idempotency key in the body and in the header',
      ),
      shown('Dashboards and alerts', 'observability/operations.test.ts > %s: %s'),
    ],
  },
  {
    title: 'Errors',
    rows: [
      errors('Network error: retry with back-off', 'after a network error'),
      {
        requirement: 'Every request is retried after a network error or a 5xx',
        tests: ['messaging/client.test.ts > a message to the customer is never sent a second time: %j'],
        decision: 3,
        departs:
          'A write to messaging or the CRM that may be done isn’t sent again, unless a look-up shows that it isn’t: they needn’t honour its key.',
      },
      {
        ...errors(
          '4xx other than 429: no retry, `{error: client_error, details}`',
          'client_error with the body for a 400',
          'client_error with the body for a 422',
          'client_error with a body that is a text',
          'client_error with at most 300 characters of the body, without personal data',
        ),
        decision: 19,
        also: 'Personal data is left out, and more than 300 characters. The error has the whole body.',
      },
      {
        requirement: '… also for a 401',
        tests: [
          'interface-document/errors.test.ts > client_error with the body for a 401',
          'http/middleware/retry.test.ts > is sent again when the source has another credential, without a wait',
        ],
        decision: 31,
        departs: 'A 401 is sent again, once, if the credential source has another credential by then.',
      },
      errors('429: wait as long as Retry-After says', 'after the seconds that a 429 asks for'),
      errors('… 1 s when it is absent', 'after one second when a 429 names none'),
      errors('5xx: retry with back-off', 'after a 500', 'after a 503'),
      errors('Retries exhausted: `max_retries_exceeded`', 'max_retries_exceeded after three attempts that got a 5xx'),
      {
        requirement: '… also for a payment, after a time-out too',
        tests: [
          'tools/ready/billing-tools.test.ts > when every answer is dropped, the model learns it, and the person rings back',
          'interface-document/errors.test.ts > a payment that gets no answer in time is sent once, and its end is unknown',
        ],
        decision: 24,
        departs:
          'A payment whose answer is lost or late gives `payment_status_unknown`: it may have gone through. ' +
          'One that took all its time isn’t sent again in its call.',
      },
      errors('The look-up finds nothing: `customer_not_found`', 'customer_not_found when the look-up finds nothing'),
      calling(
        'Invalid arguments are refused before a request, with a clear message',
        'an amount that is no number is refused',
      ),
      shown('An answer is parsed and validated', 'billing/client.test.ts > %s is an unexpected response'),
      shown(
        'The CRM may reject an insert with `success: false`',
        'crm/client.test.ts > a create that was not successful is refused with the errors of the CRM, id %s',
      ),
      shown(
        'Failures are not swallowed',
        'phone-call/steps/record-call.test.ts > does the other parts although one fails, and says which',
      ),
      {
        requirement: '429 and Retry-After, however long',
        tests: ['interface-document/errors.test.ts > a 429 that asks for more than the call has left ends it at once'],
        decision: 1,
        departs: 'A wait that doesn’t fit into the time of the call ends it at once, with the seconds.',
      },
      shown(
        'Every call is retried, ten or ninety at once too',
        'http/client.limits.test.ts > answers %s',
        'http/own-sockets.test.ts > 150 %s over five sockets all succeed, each with one attempt',
      ),
      {
        ...shown('Other failures have words too', 'tools/failures.test.ts > %s'),
        decision: 66,
        also:
          '`temporarily_unavailable`, `unexpected_response`, `not_allowed`, `confirmation_required`, `cancelled`, ' +
          '`internal_error`.',
      },
    ],
  },
  {
    title: 'Limits',
    rows: [
      shown(
        '1000 requests a minute',
        'messaging/client.test.ts > 1000 requests a minute are sent unless another limit is given',
      ),
      shown(
        '… per app, whose tenants share them',
        'http/client.limits.test.ts > two tenants share the limit of their app, and a 429 to one makes the other wait',
      ),
      errors('3 attempts', 'max_retries_exceeded after three attempts that got a 5xx'),
      errors('A request takes 5 to 10 seconds at most', 'ends within 5 to 10 seconds'),
      {
        ...shown(
          'Circuit breakers',
          'http/client.limits.test.ts > opens the circuit: what comes next is refused unsent, until a probe shows that it is back',
          'http/client.limits.test.ts > is sent at most 250 requests by a storm of 150 calls with 3 attempts each',
        ),
        decision: 67,
        also: 'A retry budget: a dead API gets at most 100 retries at once.',
      },
      shown(
        'Quotas per integration',
        'http/client.limits.test.ts > the call beyond it is refused until the next period',
      ),
    ],
  },
  {
    title: 'Versions',
    rows: [
      access(
        'Messaging: a header named after the platform',
        'the messaging platform gets its access token and its version header, named after the platform',
      ),
      access('CRM: a path segment', 'the CRM gets its token and has its version in the path'),
      access('Billing: path or header', 'the billing API gets its key in a header, and its version by path or header'),
      outbound(
        'Webhooks: path or header, several in parallel',
        'several versions run in parallel, in the path or in a header',
      ),
      shown(
        'Schema changes are never silent',
        'outbox/define-event.test.ts > a schema that changes without a new version is found',
      ),
      shown(
        'Watch for deprecations',
        'http/middleware/api-version.test.ts > an announced end is a warning, also where the version is in the path',
      ),
      {
        ...shown(
          'Test upgrades outside production',
          'dev/testing/contract-check.test.ts > is shown with all that it does otherwise, what breaks first',
        ),
        decision: 39,
      },
      access('Roll out in stages', 'tenants move to a new version one by one'),
    ],
  },
];
