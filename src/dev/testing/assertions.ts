import { AssertionError } from 'node:assert';
import { htmlToText } from '../../core/html.ts';
import { namedOperations, type OperationName } from './operations.ts';
import type { FakePlatform } from './platform.ts';
import type { FakePayment, FakeRefund } from './store/billing.ts';
import type { FakeCrmRecord } from './store/crm.ts';
import type { FakePart } from './store/messaging-records.ts';

/** The payment that is meant: by its key, or by what it pays. */
export type MeantPayment = string | { readonly invoiceId: string };

/** Assertions about a phone call that has ended. Each throws node's `AssertionError`, which every test runner shows. */
export interface PlatformAssertions {
  /**
   * Money moved exactly once: one payment under this key, and it is completed. Gives the payment.
   * With `{ invoiceId }`, one payment of this invoice, under whatever key: that also finds a retry that took a new key.
   */
  paidOnce(payment: MeantPayment): FakePayment;
  /** No money moved, and none may: no payment is completed or pending. Declined ones may be there. */
  paidNothing(): void;
  /**
   * Money was given back exactly once: one refund of this payment, or of this invoice, and it may arrive. Gives the refund.
   * Refunds that a test added don't count.
   */
  refundedOnce(refund: { readonly paymentId: string } | { readonly invoiceId: string }): FakeRefund;
  /** No money was given back, and none may be. */
  refundedNothing(): void;
  /** The write was really done exactly once, for this idempotency key or at all. Replayed answers do not count. */
  didOnce(operation: OperationName, options?: { readonly idempotencyKey?: string | undefined }): void;
  /** The write was never done. Requests that were refused do not count. */
  neverDid(operation: OperationName): void;
  /** Nothing was written to any of the three systems. */
  wroteNothing(): void;
  /** Exactly one internal note holds this text. Gives the note. */
  notedOnce(text: string | RegExp): FakePart;
  /** Exactly one message to the customer holds this text. Gives the message. */
  toldCustomerOnce(text: string | RegExp): FakePart;
  /** No message to the customer holds this text; without one, no message was sent to the customer at all. */
  neverToldCustomer(text?: string | RegExp): void;
  /** Exactly one task of the CRM holds this text in its subject or description. Gives the task. */
  loggedOnce(text: string | RegExp): FakeCrmRecord;
  /** Every fault that was lined up has been met, so that the test shows what it says. */
  metEveryFault(): void;
}

/**
 * Assertions on what the fake systems hold, for the end of a test. They look at what was done, not at what was asked.
 *
 * @example
 * const { paidOnce, neverToldCustomer } = assertOn(platform);
 * paidOnce('call_1:payment');
 * neverToldCustomer(/fraud/i);
 */
export const assertOn = (platform: FakePlatform): PlatformAssertions => {
  const messagesToCustomer = () =>
    partsOf(platform).filter(
      ({ type, body, author }) =>
        author.type === 'admin' && (type === 'comment' || (type === 'close' && body !== null)),
    );

  return {
    paidOnce: (meant) => {
      const isMeant = (payment: FakePayment) =>
        typeof meant === 'string' ? payment.idempotency_key === meant : payment.invoice_id === meant.invoiceId;
      const which = typeof meant === 'string' ? `under the key ${meant}` : `of ${meant.invoiceId}`;
      const tried = platform.billing.payments.filter(isMeant);
      const [only, ...others] = tried.filter(mayMoveMoney);
      if (only?.status === 'completed' && others.length === 0) return only;
      return fail(`One completed payment ${which} was expected`, tried.map(describePayment), ['one completed']);
    },
    paidNothing: () => {
      const found = platform.billing.payments.filter(mayMoveMoney).map(describePayment);
      if (found.length > 0) fail('No payment was expected', found, []);
    },
    refundedOnce: (meant) => {
      const [which, isMeant] =
        'paymentId' in meant
          ? [meant.paymentId, (one: FakeRefund) => one.payment_id === meant.paymentId]
          : [meant.invoiceId, (one: FakeRefund) => one.invoice_id === meant.invoiceId];
      const tried = platform.billing.refunds.filter((one) => isMeant(one) && !one.isPast);
      const [only, ...others] = tried.filter(mayGiveBack);
      if (only && others.length === 0) return only;
      return fail(`One refund of ${which} was expected`, tried.map(describeRefund), ['one refund']);
    },
    refundedNothing: () => {
      const found = platform.billing.refunds.filter((one) => mayGiveBack(one) && !one.isPast).map(describeRefund);
      if (found.length > 0) fail('No refund was expected', found, []);
    },
    didOnce: (operation, options) => {
      const found = platform.effects(operation, options);
      const key = options?.idempotencyKey;
      const which = key === undefined ? operation : `${operation} under the key ${key}`;
      if (found !== 1) fail(`${which} was expected to be done once`, [`${found} times`], ['1 times']);
    },
    neverDid: (operation) => {
      const found = platform.effects(operation);
      if (found !== 0) fail(`${operation} was expected never to be done`, [`${found} times`], ['0 times']);
    },
    wroteNothing: () => {
      // Custom objects have operations of their own names.
      const asked = platform.requests.flatMap(({ operation }) => operation ?? []);
      const written = [...new Set([...namedOperations, ...asked])].filter(
        (operation) => platform.effects(operation) > 0,
      );
      if (written.length > 0) fail('Nothing was expected to be written', written, []);
    },
    notedOnce: (text) => {
      const notes = partsOf(platform).filter(({ type }) => type === 'note');
      const [note, ...others] = notes.filter(({ body }) => holds(body, text));
      if (note && others.length === 0) return note;
      return fail(`One internal note that holds ${String(text)} was expected`, notes.map(bodyOf), [String(text)]);
    },
    toldCustomerOnce: (text) => {
      const messages = messagesToCustomer();
      const [message, ...others] = messages.filter(({ body }) => holds(body, text));
      if (message && others.length === 0) return message;
      const expectation = `One message to the customer that holds ${String(text)} was expected`;
      return fail(expectation, messages.map(bodyOf), [String(text)]);
    },
    neverToldCustomer: (text) => {
      const found = messagesToCustomer().filter(({ body }) => text === undefined || holds(body, text));
      const what = text === undefined ? 'No message' : `No message that holds ${String(text)}`;
      if (found.length > 0) fail(`${what} to the customer was expected`, found.map(bodyOf), []);
    },
    loggedOnce: (text) => {
      const tasks = tasksOf(platform);
      const isMeant = ({ Subject, Description }: FakeCrmRecord) => holds(Subject, text) || holds(Description, text);
      const [task, ...others] = tasks.filter(isMeant);
      if (task && others.length === 0) return task;
      const found = tasks.map(({ Id, Subject }) => `${Id} ${String(Subject)}`);
      return fail(`One task that holds ${String(text)} was expected`, found, [String(text)]);
    },
    metEveryFault: () => {
      const left = platform.pendingFaults.map((fault) => JSON.stringify(fault));
      if (left.length > 0) fail('Every fault was expected to be met', left, []);
    },
  };
};

/** The account of a platform that keeps records of its own; `undefined` where another one is spoken to. */
const accountOf = <Account>(read: () => Account): Account | undefined => {
  try {
    return read();
  } catch {
    return undefined;
  }
};

/** Returns the CRM's Tasks; of HubSpot its tasks and calls, with the client's names. */
const tasksOf = (platform: FakePlatform): readonly FakeCrmRecord[] => {
  const account = accountOf(() => platform.hubspot);
  if (!account) return platform.crm.tasks;
  return [...account.records('tasks'), ...account.records('calls')].map(({ id, properties: own }) => ({
    ...own,
    Id: id,
    OwnerId: own['hubspot_owner_id'] ?? '',
    CreatedDate: own['createdate'] ?? '',
    LastModifiedDate: own['hs_lastmodifieddate'] ?? '',
    Subject: own['hs_task_subject'] ?? own['hs_call_title'],
    Description: htmlToText(own['hs_task_body'] ?? own['hs_call_body'] ?? ''),
  }));
};

/** A comment of Zendesk that isn't public is a note. */
const partsOf = (platform: FakePlatform): readonly FakePart[] => {
  const account = accountOf(() => platform.zendesk);
  if (!account) {
    const { conversations, tickets } = platform.messaging;
    return [...conversations, ...tickets].flatMap(({ parts }) => parts);
  }
  const customers = new Set(account.users.filter(({ role }) => role === 'end-user').map(({ id }) => id));
  return account.tickets.flatMap(({ comments }) =>
    comments.map(({ id, body, public: isPublic, author_id: author, created_at: at }) => ({
      id: String(id),
      type: isPublic ? 'comment' : 'note',
      body,
      author: { type: customers.has(author) ? 'contact' : 'admin', id: String(author) },
      assigned_to: null,
      created_at: Date.parse(at) / 1000,
    })),
  );
};

const mayMoveMoney = ({ status, isPast }: FakePayment): boolean => status !== 'failed' && !isPast;

const mayGiveBack = ({ status }: FakeRefund): boolean => status !== 'failed' && status !== 'canceled';

const describeRefund = ({ id, payment_id, amount, status, idempotency_key }: FakeRefund): string =>
  `${id}: ${amount} of ${payment_id}, ${status}, under ${idempotency_key}`;

const describePayment = ({ id, invoice_id, amount, status, idempotency_key }: FakePayment): string =>
  `${id}: ${amount} for ${invoice_id}, ${status}, under ${idempotency_key}`;

const bodyOf = ({ body }: FakePart): string => body ?? '';

const holds = (value: unknown, text: string | RegExp): boolean =>
  typeof value === 'string' && (typeof text === 'string' ? value.includes(text) : value.search(text) >= 0);

const fail = (expectation: string, actual: readonly string[], expected: readonly string[]): never => {
  const found = actual.length === 0 ? 'nothing was found' : `found: ${actual.join('; ')}`;
  throw new AssertionError({ message: `${expectation}, ${found}.`, actual, expected, stackStartFn: fail });
};
