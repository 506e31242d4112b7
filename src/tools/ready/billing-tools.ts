import type { BillingClient, PaymentTerms } from '../../billing/index.ts';
import { InvalidArgumentError } from '../../core/errors.ts';
import { assertTimeZone } from '../../core/local-clock.ts';
import {
  assertKnown,
  checkOptions,
  flag,
  must,
  oneOf,
  type OptionCheck,
  type OptionNames,
} from '../../core/option-checks.ts';
import { certainPerson, type ToolContext } from '../context.ts';
import { createSharedCallMemory, type StateOwner } from '../call-memory.ts';
import { paymentsCheck, type PaymentsOfCall, paymentsWithin, type RefundRules } from '../payment-rules.ts';
import { memoryIn, oldStoreNames, sharedStore, storeCheck, type StoreOption } from '../store-option.ts';
import type { Tool } from '../tool.ts';
import { createInvoiceLookUp } from './invoice-look-up.ts';
import { paymentStatus } from './payment-status-tool.ts';
import { paymentTool } from './payment-tool.ts';
import { refundTool } from './refund-tool.ts';
import { type LookUp, lookUps } from './right-person.ts';
import { type SeenBilling, type SeenIn, startSeenBilling } from './seen-billing.ts';

/** The parts of the billing tools, and their limits. */
export interface BillingToolsOptions {
  /** Looks up and pays. Its `payments.below`, `minorUnits`, `currency` and `unit` hold for the tools too. */
  readonly billing: BillingClient;
  /**
   * The people whose invoices may be looked up.
   * @defaultValue 'caller', or anyone once the caller has proved who they are
   */
  readonly lookup?: LookUp | undefined;
  /**
   * Rules that narrow what the client allows; `card` turns `create_payment` on. `false`: a model can't pay.
   * @defaultValue a model can't pay
   */
  readonly payments?: PaymentsOfCall | undefined;
  /**
   * Gives the model `get_payment_status`: whether the caller's own payments arrived, and what was given back of them.
   * @defaultValue true if `payments.refund` is set, else false
   */
  readonly paymentStatus?: boolean | undefined;
  /**
   * The memory of what a phone call has looked up: what one process with this store finds, another can pay. Give the
   * same to `createToolbox`.
   * @defaultValue the memory of this process
   */
  readonly store?: StoreOption | undefined;
  /** The time zone of the business, as an IANA name: `today` and `overdue` are of its day. @defaultValue that of the client */
  readonly timeZone?: string | undefined;
}

/**
 * The tools of the default API, `lookup_customer_invoices`, `create_payment`, `get_payment_status` and
 * `refund_payment`. What one phone call has
 * looked up limits what it can pay.
 * Throws `InvalidArgumentError` for rules that are looser than the client's.
 *
 * @example
 * const tools = billingTools({ billing, payments: { card: cardOnFile } });
 */
export const billingTools = (options: BillingToolsOptions): readonly Tool[] => {
  checkOptions(undefined, billingToolChecks(options));
  const { billing, payments, lookup = 'caller', store, timeZone } = options;
  const terms = billing.paymentTerms();
  const refund = refundWithin(terms, payments);
  const states = createSharedCallMemory({
    name: 'billing',
    start: (kept) => startSeenBilling(terms.currency, kept),
    toJson: (seen) => seen.toJson(),
    store: sharedStore(store),
    home: memoryIn(store),
  });
  // Everything that one tool call asks before it does anything is read once.
  const readNow = new WeakMap<ToolContext, Promise<SeenBilling>>();
  const seenIn: SeenIn = {
    read: async (context, use) => {
      const seen = readNow.get(context) ?? states.read(ownerOf(context), (state) => state);
      readNow.set(context, seen);
      return use(await seen);
    },
    change: (context, change) => {
      readNow.delete(context);
      return states.change(ownerOf(context), change);
    },
  };
  const invoices = createInvoiceLookUp(options, seenIn);
  const status = paymentStatus(billing, { lookup, timeZone, seenIn, showsIds: refund !== undefined });
  return [
    invoices.tool,
    ...(payments && payments.card !== undefined && terms.canPay
      ? [
          paymentTool(billing, {
            ...rulesWithin(terms, payments),
            card: payments.card,
            seenIn,
            lookUp: invoices.lookUp,
          }),
        ]
      : []),
    ...((options.paymentStatus ?? refund) ? [status.tool] : []),
    ...(refund && payments
      ? [refundTool(billing, { ...refund, requires: payments.requires, seenIn, lookUp: status.lookUp })]
      : []),
  ];
};

/** Returns the rules of the tools. The client's limit is the most, and without one nothing can be paid. */
const rulesWithin = ({ below }: PaymentTerms, payments: PaymentsOfCall & object) => {
  if (below === undefined)
    throw new InvalidArgumentError('payments.card', 'needs a client that may pay: give it payments: { below }');
  return paymentsWithin(below, payments) || payments;
};

/** Returns the rules of refunds, as far as the client may give money back. */
const refundWithin = (
  { refunds }: PaymentTerms,
  payments: PaymentsOfCall | undefined,
): Partial<RefundRules> | undefined => {
  const { refund } = payments || {};
  if (!refund) return undefined;
  if (!refunds)
    throw new InvalidArgumentError(
      'payments.refund',
      'needs a client that may give money back: give it payments: { below, refund: { below } }',
    );
  const { below = refunds.below, confirm } = refund;
  checkOptions('payments.refund', [
    must(below <= refunds.below, 'below', `must be at most the client's, ${refunds.below}`),
  ]);
  return { below, confirm };
};

/** Returns whose state it is: two people are kept apart, even if both have one call id. */
const ownerOf = ({ tenant, callId, caller }: ToolContext): StateOwner => ({
  tenant,
  callId,
  person: certainPerson(caller),
});

/** The page of an invoice is a message now. */
export const sendPaymentPageMoved = 'tools.call.sendMessage: { templates: { payment_page: paymentPage(…) }, send }';

const optionNames: OptionNames<BillingToolsOptions> = {
  billing: true,
  lookup: true,
  payments: true,
  paymentStatus: true,
  store: true,
  timeZone: true,
};

/** The checks of what an application sets for the billing tools. */
const billingToolChecks = (options: Partial<BillingToolsOptions>): readonly OptionCheck[] => [
  () =>
    assertKnown(options, optionNames, undefined, {
      verify: 'none, since a payment is always looked up',
      sendPaymentPage: sendPaymentPageMoved,
      ...oldStoreNames,
    }),
  () => assertTimeZone(options.timeZone),
  ...lookUpChecks(options),
  storeCheck(options.store),
  statusCheck(options.paymentStatus, options.billing),
  paymentsCheck(options.payments, { needsBelow: false }),
];

/** The check of `paymentStatus`: a client that can't list payments has no status of them. */
export const statusCheck =
  (paymentStatus: boolean | undefined, billing: BillingClient | undefined): OptionCheck =>
  () => {
    flag(paymentStatus, 'paymentStatus')();
    must(
      paymentStatus !== true || !billing || billing.paymentTerms().canList === true,
      'paymentStatus',
      'needs listPayments of billingFrom',
    )();
  };

/** The checks of the look-up's own options. */
export const lookUpChecks = ({
  lookup,
  paymentStatus,
}: Pick<BillingToolsOptions, 'lookup' | 'paymentStatus'>): readonly OptionCheck[] => [
  oneOf(lookup, 'lookup', lookUps),
  flag(paymentStatus, 'paymentStatus'),
];
