import { readingOf } from '../../http/operation.ts';
import type { BillingClient } from '../../billing/index.ts';
import type { ToolContext } from '../context.ts';
import { customerNotFound } from '../failures.ts';
import { findOwnCustomer, type LookUp } from '../ready/right-person.ts';
import { openInvoicesOf } from '../ready/seen-billing.ts';
import { type Refusal, refused } from '../tool.ts';
import type { PaymentPage } from './message-options.ts';

/** Finds the page of an open invoice of the caller's own. */
export const findPaymentPage = async (
  billing: BillingClient,
  { invoiceId, lookup }: { readonly invoiceId: string; readonly lookup: LookUp },
  context: ToolContext,
): Promise<PaymentPage | Refusal> => {
  const request = readingOf(context.request);
  const customer = await findOwnCustomer(billing, context, lookup);
  if (!customer) return refused(customerNotFound());
  const { data } = await billing.invoices.listOpen(customer.id, request);
  const invoice = openInvoicesOf(customer, data).find(({ id }) => id === invoiceId);
  const url = invoice?.payment_page_url;
  if (!url || !URL.canParse(url) || new URL(url).protocol !== 'https:')
    return refused({ accepted: false, message: 'It is not among the listed open invoices, or it has no page.' });
  return { url, invoiceId: invoice.id };
};
