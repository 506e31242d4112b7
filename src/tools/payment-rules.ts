import { dayMs } from '../core/timers.ts';
import type { Customer, PaymentLimit } from '../billing/index.ts';
import { InvalidArgumentError } from '../core/errors.ts';
import { assertKnown, checkOptions, must, oneOf, type OptionCheck, type OptionNames } from '../core/option-checks.ts';
import { withoutUndefined } from '../core/without-undefined.ts';
import type { IdempotencyStore } from '../stores/ports/idempotency-store.ts';
import type { JsonObject } from '../stores/ports/json.ts';
import { isVerified, type ToolContext } from './context.ts';
import { notAllowed } from './failures.ts';
import { amountOf } from './payments/refunds.ts';
import { confirms, refused, type Tool, type ToolRule } from './tool.ts';

/**
 * The rules of payments: the most, the means, and the people who have to agree. Without `payments` no money moves:
 * `billing` can only be read, and a phone call refuses tools with the effect `payment`.
 */
export interface Payments<Owner extends object = Customer> {
  /** Every payment is below this, in the unit of the billing API: by your code, by a model, and by payment tools of your own. */
  readonly below: number;
  /** The payments that a model makes in one phone call stay below this together. @defaultValue the same as `below` */
  readonly perCall?: number | undefined;
  /**
   * Lets a model pay: gives it `create_payment`, and returns the saved card or account to charge. The model neither
   * sees nor chooses it. `cardOnFile` of `billing/stripe` is one; your own API's may be `(customer) => customer.card_id`.
   * A text is charged; `undefined` and `null` mean that there is no card on file, and nothing is charged.
   * `'from-model'`: the model supplies an id that your instructions gave it.
   * @defaultValue a model can't pay
   */
  readonly card?: CardToCharge<Owner> | undefined;
  /**
   * The people who have to agree before a model charges.
   * `'two-step'`: the caller. The first call charges nothing and gives the model a sentence to read out. After the
   * caller has spoken again, the second call charges exactly what was read out.
   * `'approve'`: your function `approve`, or a person whom your framework asks.
   * `'both'`: the caller, then `approve`.
   * `false`: no one. The model's word that the caller agreed is enough.
   * @defaultValue 'two-step'
   */
  readonly confirm?: 'two-step' | 'approve' | 'both' | false | undefined;
  /**
   * The certainty of who is on the phone, needed before a model charges.
   * `'caller-id'`: the telephone network transmitted the customer's number. It can be forged.
   * `'strong'`: your application called `verifyCaller('strong')` after the person proved who they are.
   * @defaultValue 'caller-id'
   */
  readonly requires?: 'caller-id' | 'strong' | undefined;
  /**
   * The time for which the same customer, invoice and amount is charged once: across phone calls, cards and processes that
   * share the `store`. At least one hour. Longer where a bank needs days to settle. @defaultValue 86400000, 24 hours
   */
  readonly onceWithinMs?: number | undefined;
  /**
   * Lets money be given back, and a model do it: gives it `get_payment_status` and `refund_payment`. A refund is never above
   * what is left of its payment, and doesn't count in `perCall`. @defaultValue nothing is given back
   */
  readonly refund?: RefundRules | undefined;
}

/** The rules of refunds: the most, and the people who have to agree. */
export interface RefundRules {
  /** Every refund is below this, in the unit of the billing API: by your code, and by a model. */
  readonly below: number;
  /**
   * The people who have to agree before a model gives money back.
   * `'approve'`: your function `approve`, or a person whom your framework asks.
   * `'two-step'`: the caller alone, who wants the money.
   * `'both'`: the caller, then `approve`.
   * `false`: no one. The model alone decides.
   * @defaultValue 'approve'
   */
  readonly confirm?: Payments['confirm'];
}

/** Returns the saved card or account of a customer who was looked up in this phone call. */
export type CardToCharge<Owner extends object = Customer> = SavedCard<Owner> | 'from-model';

/** A function for `payments.card`: the text that it returns is charged. */
type SavedCard<Owner extends object> = (
  customer: Owner,
  context: ToolContext,
) => string | null | undefined | Promise<string | null | undefined>;

/**
 * The stricter rules of one phone call: lower `below` and `perCall`, more who agree, a stronger `requires`, a longer
 * `onceWithinMs`. What is looser is refused. `card` may be another one. `false`: no payment by a model.
 */
export type PaymentsOfCall<Owner extends object = Customer> = LooseRules<Owner> | false;

/** Rules of which each may be left out. */
type LooseRules<Owner extends object> = {
  readonly [Rule in Exclude<keyof Payments<Owner>, 'refund'>]?: Payments<Owner>[Rule] | undefined;
} & {
  /** Stricter rules of refunds. `false`: no refund. */
  readonly refund?: Partial<RefundRules> | false | undefined;
};

const optionNames: OptionNames<Payments> = {
  below: true,
  perCall: true,
  card: true,
  confirm: true,
  requires: true,
  onceWithinMs: true,
  refund: true,
};

/** The new names of what `payments` was called before its first release. */
const oldNames = {
  maximumPayment: 'payments.below',
  paymentTotal: 'payments.perCall',
  bind: 'payments.card, and customerId of startPhoneCall',
  payment_method_id: 'payments.card',
  customer_id: 'customerId of startPhoneCall',
  chargeOnceWithinMs: 'payments.onceWithinMs',
};

/** The check of payments, wherever an application sets them. */
export const paymentsCheck =
  (payments: PaymentsOfCall | undefined, { needsBelow }: { readonly needsBelow: boolean }): OptionCheck =>
  () => {
    if (payments === undefined || payments === false) return;
    assertKnown(payments, optionNames, 'payments', oldNames);
    checkOptions('payments', [...checksOf(payments, needsBelow), ...refundChecks(payments.refund, needsBelow)]);
  };

const refundChecks = (refund: (PaymentsOfCall & object)['refund'], needsBelow: boolean): readonly OptionCheck[] => {
  const { below, confirm }: Partial<RefundRules> = Object(refund);
  const isLeftOut = below === undefined && !needsBelow;
  return [
    must(refund !== false || !needsBelow, 'refund', 'must be { below }, or left out: then nothing is given back'),
    () => assertKnown<RefundRules>(refund, { below: true, confirm: true }, 'refund'),
    must(!refund || isSum(below) || isLeftOut, 'refund.below', 'must be a number above 0: every refund stays below it'),
    oneOf(confirm, 'refund.confirm', confirms),
  ];
};

const checksOf = (
  { below, perCall, card, confirm, requires, onceWithinMs = shortestWindowMs }: PaymentsOfCall & object,
  needsBelow: boolean,
): readonly OptionCheck[] => [
  must(
    isSum(below) || (below === undefined && !needsBelow),
    'below',
    'must be a number above 0: every payment stays below it',
  ),
  must(
    perCall === undefined || isSum(perCall),
    'perCall',
    'must be a number above 0: the payments of a phone call stay below it together',
  ),
  must(
    card === undefined || card === 'from-model' || typeof card === 'function',
    'card',
    "must be a function that returns the saved card, such as cardOnFile, or 'from-model': a text would charge one card for every caller",
  ),
  oneOf(confirm, 'confirm', confirms),
  oneOf(requires, 'requires', ['caller-id', 'strong']),
  must(
    Number.isFinite(onceWithinMs) && onceWithinMs >= shortestWindowMs,
    'onceWithinMs',
    `must be a number of milliseconds, ${shortestWindowMs} (one hour) or more`,
  ),
];

const isSum = (sum: unknown): boolean => typeof sum === 'number' && Number.isFinite(sum) && sum > 0;

const shortestWindowMs = 60 * 60 * 1000;

/**
 * Returns the rules of one phone call. Throws `InvalidArgumentError` for what is looser than the integration's, or than
 * those of `whose`.
 */
export const stricterPayments = (
  payments: Payments | undefined,
  ofCall: PaymentsOfCall | undefined,
  whose = "the integration's",
): Payments | false | undefined => {
  if (ofCall === undefined || ofCall === false) return ofCall ?? payments;
  if (!payments)
    throw new InvalidArgumentError('payments', `${onlyStricter}: give createIntegration payments: { below } first`);
  const whole = { ...defaultsOf(payments), ...withoutUndefined(payments) };
  const stricter = { ...whole, ...withoutUndefined(ofCall) };
  const { atMost, asStrict } = comparedWith(whose);
  checkOptions('payments', [
    atMost('below', whole, stricter),
    atMost('perCall', whole, { ...stricter, perCall: ofCall.perCall ?? whole.perCall }),
    asStrict(
      'confirm',
      whole,
      stricter,
      agreeing(whole.confirm).every((one) => agreeing(stricter.confirm).includes(one)),
    ),
    asStrict('requires', whole, stricter, whole.requires === 'caller-id' || stricter.requires === 'strong'),
    asStrict('onceWithinMs', whole, stricter, stricter.onceWithinMs >= whole.onceWithinMs),
  ]);
  const refund = stricterRefund(payments.refund, ofCall.refund, whose);
  return {
    ...stricter,
    refund,
    perCall: Math.min(stricter.perCall, ofCall.perCall ?? ofCall.below ?? stricter.perCall),
  };
};

/** {@link stricterPayments} for refunds. */
const stricterRefund = (
  refund: RefundRules | undefined,
  ofCall: (PaymentsOfCall & object)['refund'],
  whose: string,
): RefundRules | undefined => {
  if (ofCall === undefined) return refund;
  if (ofCall === false) return undefined;
  if (!refund)
    throw new InvalidArgumentError(
      'payments.refund',
      `${onlyStricter}: give createIntegration payments: { refund } first`,
    );
  const whole = { confirm: 'approve' as const, ...withoutUndefined(refund) };
  const stricter = { ...whole, ...withoutUndefined(ofCall) };
  const { atMost, asStrict } = comparedWith(whose);
  checkOptions('payments.refund', [
    atMost('below', whole, stricter),
    asStrict(
      'confirm',
      whole,
      stricter,
      agreeing(whole.confirm).every((one) => agreeing(stricter.confirm).includes(one)),
    ),
  ]);
  return stricter;
};

/**
 * Returns the rules of a phone call that goes on, with what is stricter in `more`. Throws `InvalidArgumentError` for what
 * is looser than they are.
 */
export const narrowedPayments = (
  rules: PaymentsOfCall | undefined,
  more: PaymentsOfCall,
  callId: string,
): PaymentsOfCall | undefined => {
  if (rules === false && more !== false)
    throw new InvalidArgumentError('payments', `of call ${callId} are false: ${onlyStricter}`);
  // Those of an integration are whole.
  return stricterPayments((rules || undefined) as Payments | undefined, more, `that of call ${callId}`);
};

/** Returns whether two rules are the same, whatever cards their functions return. */
export const areSameRules = (one: PaymentsOfCall | undefined, other: PaymentsOfCall | undefined): boolean =>
  JSON.stringify(one) === JSON.stringify(other) && typeof Object(one).card === typeof Object(other).card;

/** Returns the rules, with the card that the rules of now name. */
export const withCardOf = (rules: PaymentsOfCall | undefined, now: () => PaymentsOfCall | undefined) => {
  const cardIn = (some: typeof rules) => (some && typeof some.card === 'function' ? some.card : undefined);
  const card = cardIn(rules);
  return rules && card ? { ...rules, card: (...of: Parameters<typeof card>) => (cardIn(now()) ?? card)(...of) } : rules;
};

/** Returns the limit of a client's payments. A wrong one, which its own check refuses, allows none. */
export const limitOf = (payments: Partial<Payments> | undefined): PaymentLimit | undefined => {
  const { below, refund }: Partial<Payments> = Object(payments);
  const { below: refundBelow }: Partial<RefundRules> = Object(refund);
  if (!isSum(below)) return undefined;
  return { below: Number(below), refund: isSum(refundBelow) ? { below: Number(refundBelow) } : undefined };
};

/** Returns the rules of a phone call over a client: its payments stay below the client's limit. */
export const paymentsWithin = (
  limit: number | undefined,
  payments: PaymentsOfCall | undefined,
): PaymentsOfCall | undefined => {
  if (payments === false) return false;
  const below = payments?.below ?? limit;
  if (below === undefined) return payments && missingLimit();
  checkOptions('payments', [comparedWith("the client's").atMost('below', { below: limit ?? below }, { below })]);
  return { ...payments, below };
};

const missingLimit = (): never => {
  throw new InvalidArgumentError('payments.below', 'must be a number above 0: every payment stays below it');
};

const defaultsOf = ({ below }: Pick<Payments, 'below'>) =>
  ({ perCall: below, confirm: 'two-step', requires: 'caller-id', onceWithinMs: dayMs }) as const;

/** The people who agree for each word of `confirm`. */
const agreeing = (confirm: Payments['confirm']): readonly string[] => {
  if (confirm === 'both') return ['two-step', 'approve'];
  return confirm ? [confirm] : [];
};

const onlyStricter = 'a phone call can only be stricter';

const comparedWith = (whose: string) => ({
  atMost: <Field extends 'below' | 'perCall'>(
    field: Field,
    whole: Required<Pick<Payments, Field>>,
    stricter: Required<Pick<Payments, Field>>,
  ): OptionCheck =>
    must(
      Number(stricter[field]) <= Number(whole[field]),
      field,
      `of a phone call must be at most ${whose}: ${onlyStricter} (${stricter[field]} is above ${whole[field]})`,
    ),
  asStrict: <Field extends 'confirm' | 'requires' | 'onceWithinMs'>(
    field: Field,
    whole: Pick<Payments, Field>,
    stricter: Pick<Payments, Field>,
    isStricter: boolean,
  ): OptionCheck =>
    must(
      isStricter,
      field,
      `of a phone call must be as strict as ${whose}: ${onlyStricter} (${stricter[field]} is looser than ${whole[field]})`,
    ),
});

/** The rules of an integration for its phone calls, and the store of their payments. */
export interface OwnPayments {
  /** Returns the rules of a phone call that says these of its own. `undefined`: no money moves. */
  readonly rulesFor: (ofCall: PaymentsOfCall | undefined) => PaymentsOfCall | undefined;
  readonly store: IdempotencyStore;
}

/** Under this, an integration has its {@link OwnPayments}. */
export const ownPayments: unique symbol = Symbol.for('voice-agent-integrations.payments');

/** Returns what an integration says of payments; nothing for clients alone. */
export const ownPaymentsOf = (clients: object): Partial<OwnPayments> => {
  const { [ownPayments]: own = {} }: { readonly [ownPayments]?: Partial<OwnPayments> } = Object(clients);
  return own;
};

/** The rules that hold for every payment tool of a toolbox. */
export interface PaymentRules {
  /** Every payment is below this. @defaultValue no limit */
  readonly below?: number | undefined;
  /** The payments of one phone call stay below this together. @defaultValue no limit */
  readonly perCall?: number | undefined;
  /** The certainty of who is on the phone. @defaultValue none */
  readonly requires?: Payments['requires'];
}

/** The check of {@link PaymentRules}. */
export const paymentRulesCheck =
  (rules: PaymentRules | undefined): OptionCheck =>
  () => {
    must(rules === undefined || typeof rules === 'object', 'payments', 'must be an object, or left out')();
    assertKnown(rules, ruleNames, 'payments', {
      confirm: 'confirm of each tool',
      card: 'payments of billingTools',
      onceWithinMs: 'payments of billingTools',
    });
    checkOptions('payments', checksOf(rules ?? {}, false));
  };

const ruleNames: OptionNames<PaymentRules> = { below: true, perCall: true, requires: true };

/** Returns the same tools: those that move money keep to the rules. */
export const withPaymentRules = (tools: readonly Tool[], rules: PaymentRules): readonly Tool[] =>
  tools.map((tool) => {
    const { forCall } = tool;
    // What only reads in one call moves money in another.
    return { ...withRules(tool, rules), forCall: forCall && ((sent) => withRules(forCall(sent), rules)) };
  });

/** Throws for a tool whose payments no limit could judge. */
export const assertJudgeable = ({ name, effect, options, parameters, bound }: Tool): void => {
  const isJudged = options.amount || options.refundOf || 'amount' in parameters.properties || bound.includes('amount');
  if (effect === 'payment' && !isJudged)
    throw new InvalidArgumentError('amount', `of ${name} must be a function that returns what is paid: ${noAmount}`);
};

const noAmount = 'it has no parameter amount, which payments.below and payments.perCall judge';

const withRules = (tool: Tool, { below, perCall, requires }: PaymentRules): Tool => {
  if (tool.effect !== 'payment') return tool;
  const { options } = tool;
  const isLimited = below !== undefined || perCall !== undefined;
  if (isLimited) assertJudgeable(tool);
  const staysBelow: ToolRule<object> = (args) => {
    if (options.refundOf) return undefined;
    const { amount: sent = null }: JsonObject = args as JsonObject;
    // What isn't there may be any sum.
    const isUnsaid = isLimited && !options.amount && sent === null;
    const amount = isUnsaid ? Number.NaN : amountOf(options, args as JsonObject);
    if (amount < (below ?? Number.POSITIVE_INFINITY)) return undefined;
    const what = Number.isFinite(amount) ? 'must be' : 'must be given as an amount of 0 or more';
    return { field: 'amount', problem: below === undefined ? what : `${what} below ${below}` };
  };
  const isCertain: ToolRule<object> = (_args, { caller }) =>
    requires === undefined || isVerified(caller, requires)
      ? undefined
      : refused(notAllowed('verification_required', 'payment').value);
  return { ...tool, options: { ...options, rules: [isCertain, staysBelow, ...(options.rules ?? [])] } };
};
