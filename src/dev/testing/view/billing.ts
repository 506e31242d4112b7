import {
  assertResult,
  type BillingStore,
  type FakeCustomer,
  type FakeInvoice,
  type FakePayment,
  type NewFakeInvoice,
  type PaymentResult,
  type SettledResult,
} from '../store/billing.ts';

/** The fake billing API, for a test to fill and to look at. What is read is a copy of that moment. */
export interface FakeBilling {
  readonly customers: readonly FakeCustomer[];
  readonly invoices: readonly FakeInvoice[];
  /** Declined and pending ones too: only `completed` ones moved money. */
  readonly payments: readonly FakePayment[];

  addCustomer(customer: Partial<FakeCustomer>): FakeCustomer;
  addInvoice(invoice: NewFakeInvoice): FakeInvoice;

  /** The next payment ends like this. Called several times, it sets the ones after it too. */
  nextPayment(result: PaymentResult): void;
  /** A pending payment comes to its end. */
  settlePayment(id: string, result: SettledResult): FakePayment;

  /** From now on no other credential is accepted, as after a rotation. */
  acceptOnly(...credentials: readonly string[]): void;
}

export const billingView = (store: BillingStore, acceptOnly: FakeBilling['acceptOnly']): FakeBilling => ({
  get customers() {
    return structuredClone([...store.customers.values()]);
  },
  get invoices() {
    return structuredClone([...store.invoices.values()]);
  },
  get payments() {
    return structuredClone([...store.payments.values()]);
  },
  addCustomer: (customer) => structuredClone(store.addCustomer(customer)),
  addInvoice: (invoice) => structuredClone(store.addInvoice(invoice)),
  nextPayment: (result) => {
    assertResult(result);
    store.scripted.push(result);
  },
  settlePayment: (id, result) => {
    assertResult(result, ['completed', 'declined']);
    const payment = store.payments.get(id);
    if (payment?.status !== 'pending') throw new Error(`There is no pending payment ${id}`);
    return structuredClone(store.finish(payment, result));
  },
  acceptOnly,
});
